#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-module.sh - build the module for a guest's kernel, with what that is built with
#
# usage: scripts/build-module.sh [--test-modules | --bench-modules] KERNEL [MAKE-VARIABLE=VALUE...]
#
# KERNEL is a name of scripts/kernels/list. Builds a copy in build/modules/KERNEL/, so that
# modules for several kernels are there at once: build/modules/KERNEL/kmod/kflame.ko.
# With --test-modules also those that tests load beside it, below build/modules/KERNEL/tests/; with
# --bench-modules what it is measured against.
set -eu -o pipefail

dirs=(kmod)
case ${1:-} in
--test-modules)
	dirs+=(tests/torture/allocs tests/torture/below tests/torture/borrow tests/torture/frames tests/torture/many)
	shift ;;
--bench-modules)
	dirs+=(tests/bench/tick)
	shift ;;
esac
[ $# -ge 1 ] || {
	sed -n '/^# usage/,/^set/p' "$0" | sed -e '$d' -e 's/^# \{0,1\}//' >&2
	exit 2
}
name=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kflame}
# shellcheck source=scripts/suite.sh
. "$top/scripts/suite.sh"

kernel=$("$top/scripts/guest-kernel.sh" "$name")
cc=''
eval "$kernel"

# sources TREE ACTION...: find's actions on the sources below TREE
sources() {
	(cd "$1" && shift && find "${dirs[@]}" include -type f \( -name '*.[ch]' -o -name Kbuild \
		-o -name Makefile -o -name '*.sh' -o -name '*.S' \) ! -name '*.mod.c' ! -name features.h "$@")
}

# copy FROM TO: what changed, with its times, so that make builds what changed
copy() {
	mkdir -p "$2"
	sources "$1" -print0 | tar -c -C "$1" --format=posix --null -T - | tar -x -C "$2"
}

# What the modules are made of, as one line. While it is the same nothing is built.
made_of() {
	{
		sources "$top" -printf '%p %T@ %s\n' | LC_ALL=C sort
		"$top/scripts/version.sh" --commit
		echo "$kernel ${variables[*]}"
	} | cksum
}

# make_in TREE [COMMAND...]: each directory's modules, by way of COMMAND
make_in() {
	local tree=$1 dir
	shift
	for dir in "${dirs[@]}"; do
		if [ "$dir" = kmod ]; then
			"$@" make -s -j"$(nproc)" -C "$tree/kmod" KDIR="$kdir" "${variables[@]}"
		else
			"$@" make -s -j"$(nproc)" -C "$kdir" M="$tree/$dir" CONFIG_DEBUG_INFO_BTF_MODULES= \
				"${variables[@]}" modules
		fi
	done
}

# finish STRIP: the module without debug data beside the other one, for guests, which read it over a slow mount
finish() {
	"$1" --strip-debug -o "$work/kmod/kflame.ko.stripped" "$work/kmod/kflame.ko"
	echo "$made_of" >"$stamp"
}

variables=("$@" ${cc:+"CC=$cc"})
work=$top/build/modules/$name
stamp=$work/made-of-${dirs[*]//\//-}
stamp=${stamp// /+}
made_of=$(made_of)
[ ! -e "$work/kmod/kflame.ko" ] || [ "$made_of" != "$(cat "$stamp" 2>/dev/null)" ] || exit 0
rm -f "$work"/made-of-*
copy "$top" "$work"
"$top/scripts/version.sh" --commit | sed 's/^[^-]*//' >"$work/kmod/commit"
if [ -z "$root" ]; then
	make_in "$work"
	finish strip
	exit
fi
[ "$(id -u)" -eq 0 ] || {
	echo "build-module.sh: building in a chroot needs root: sudo $0 $name" >&2
	exit 1
}
# by path: clones of the tree share the chroot
inside=/build/$(printf '%s' "$work" | cksum | cut -d ' ' -f 1)-$name
copy "$work" "$root$inside"
cp "$work/kmod/commit" "$root$inside/kmod/"
[ "$arch" = x86_64 ] || variables+=(ARCH="$arch" CROSS_COMPILE=aarch64-linux-gnu-)
make_in "$inside" suite_run "$root"
for dir in "${dirs[@]}"; do
	# some of the tests' are for one architecture; none from an earlier build is left
	rm -f "$work/$dir"/*.ko
	find "$root$inside/$dir" -maxdepth 1 -name '*.ko' -exec cp -t "$work/$dir" {} +
done
finish "$([ "$arch" = x86_64 ] || echo aarch64-linux-gnu-)strip"
