#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh KDIR OUT [make variables] - which features the kernel of KDIR has
#
# Compiles each file of probes/ against it and writes OUT, a header with a
# KF_HAVE_<NAME> for each one that compiles. OUT is left as it is when nothing
# changed, so that nothing is built again.
#
# Kbuild runs this. What its make exports must not reach the make that is run here:
# it would believe that it has read its options already, and build kflame's directory.
set -eu
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL GNUMAKEFLAGS O M MO KBUILD_OUTPUT KBUILD_SRC KBUILD_EXTMOD \
	KBUILD_EXTMOD_OUTPUT KBUILD_EXTRA_SYMBOLS KBUILD_EXTRA_WARN KBUILD_CHECKSRC KBUILD_VERBOSE KBUILD_MODULES \
	KBUILD_BUILTIN KBUILD_MODPOST_WARN MODORDER VPATH sub_make_done building_out_of_srctree abs_srctree \
	abs_objtree abs_output srctree objtree srcroot quiet Q C W V

kdir=$1
out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

# given NAME VARIABLE=VALUE...: the value of that make variable
given() {
	name=$1
	shift
	printf '%s\n' "$@" | sed -n "s/^$name=//p"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/probes/* "$work"
# A kernel that compiles nothing at all must not look like one without features.
echo 'int probe_works; ' > "$work/works.c"

make -k -j"$(nproc 2>/dev/null || echo 1)" -C "$kdir" M="$work" "$@" modules > "$work/log" 2>&1 || :
if [ ! -e "$work/works.o" ]; then
	echo "kflame: cannot compile anything against $kdir:" >&2
	tail -n 20 "$work/log" >&2
	sh "$here/machine.sh" "$kdir" "$(given ARCH "$@")" "$(given CC "$@")"
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
mkdir -p "$(dirname "$out")"
cmp -s "$work/features" "$out" || cp "$work/features" "$out"
