#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh KDIR OUT [make variables] - which features the kernel of KDIR has
#
# Compiles each file of probes/ against it and writes OUT, a header with a
# KF_HAVE_<NAME> for each one that compiles. OUT is left as it is when nothing
# changed, so that nothing is built again.
set -eu

kdir=$1
out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/probes/* "$work"
# A kernel that compiles nothing at all must not look like one without features.
echo 'int probe_works; ' > "$work/works.c"

make -k -C "$kdir" M="$work" "$@" modules > "$work/log" 2>&1 || :
if [ ! -e "$work/works.o" ]; then
	echo "kflame: cannot compile anything against $kdir:" >&2
	tail -n 20 "$work/log" >&2
	exit 1
fi

{
	echo "/* Made by compat/probe.sh; do not edit */"
	for c in "$here"/probes/*.c; do
		name=$(basename "$c" .c)
		if [ -e "$work/$name.o" ]; then
			echo "#define KF_HAVE_$(echo "$name" | tr '[:lower:]' '[:upper:]') 1"
		fi
	done
	# What compiles may still not be exported.
	for name in mmput_async for_each_kernel_tracepoint tracepoint_probe_register tracepoint_probe_unregister \
		register_tracepoint_module_notifier \
		register_kprobe unregister_kprobe unregister_kprobes register_kretprobe unregister_kretprobe \
		unregister_kretprobes \
		uprobe_register uprobe_unregister uprobe_unregister_nosync uprobe_unregister_sync rename_lock; do
		if grep -q "[[:space:]]${name}[[:space:]]" "$kdir/Module.symvers"; then
			echo "#define KF_HAVE_EXPORT_$(echo "$name" | tr '[:lower:]' '[:upper:]') 1"
		fi
	done
} > "$work/features"
cmp -s "$work/features" "$out" || cp "$work/features" "$out"
