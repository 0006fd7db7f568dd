#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# source-kernel.sh - a guest's kernel from any source tree
#
# usage: scripts/source-kernel.sh DIR [FRAGMENT]
#
# Builds a copy of the tree DIR, which stays as it is: tinyconfig, scripts/kernels/source.config and
# the options of FRAGMENT. Prints the name of the kernel for tests/guest --kernel and the like:
# source-VERSION. The next tree of that version takes its place. x86-64.
#
# A compiler newer than the tree may not build it. The first of these that does is taken: this
# machine's gcc, then gcc-10 and gcc-9 in a chroot of Debian bullseye, which takes root.
#
# KFLAME_SOURCE_GCC	take this one: gcc-11 of this machine, or bullseye:gcc-9
set -eu -o pipefail

[ $# -ge 1 ] && [ $# -le 2 ] || {
	sed -n '/^# usage/,/^set/p' "$0" | sed -e '$d' -e 's/^# \{0,1\}//' >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
from=$1
fragment=${2:-/dev/null}
# shellcheck source=scripts/suite.sh
. "$here/suite.sh"

die() {
	echo "source-kernel.sh: $*" >&2
	exit 1
}

[ -e "$from/Kbuild" ] && [ -e "$from/arch/x86/Makefile" ] ||
	die "$from is no kernel source tree: it has no Kbuild, or no arch/x86/Makefile"
[ -r "$fragment" ] || die "cannot read the options in $fragment"

# version KEY: as the tree's Makefile has it
version() { sed -n "s/^$1 *= *//p" "$from/Makefile" | head -n 1; }

name=source-$(version VERSION).$(version PATCHLEVEL)
dir=$cache/kernels/$name
log=$dir/log
# The compilers of later years find fault with the tree's own tools.
flags=(HOSTCC="GCC -Wno-use-after-free -Wno-deprecated-declarations -fcommon" CC=GCC)

# prepare COMPILER: where it builds, and a copy of the tree there
prepare() {
	gcc=${1#*:} root='' run=()
	if [ "$gcc" != "$1" ]; then
		root=$(suite_root "${1%%:*}") || return
		suite_tools "$root" "$gcc" flex bison bc >&2 || return
		run=(suite_run "$root")
	fi
	command -v "${root:+$root/usr/bin/}$gcc" >/dev/null || return
	tree=${root:+/build/kernels/$name}
	tree=${tree:-$dir/tree}
	rm -rf "${root}$tree"
	mkdir -p "$root$tree"
	tar -c -C "$from" --exclude=./.git --exclude='*.o' . | tar -x -C "$root$tree" || return
	cat "$here/kernels/source.config" "$fragment" >"$root$tree/kflame.config"
}

# compile: in the copy, and leave what modules need
compile() {
	# shellcheck disable=SC2016 # for the inner shell
	${run[@]+"${run[@]}"} sh -eu -c '
		cd "$1"
		jobs=$2
		shift 2
		make -s "$@" mrproper
		make -s "$@" tinyconfig
		scripts/kconfig/merge_config.sh -m .config kflame.config
		make -s "$@" olddefconfig
		make -s -j"$jobs" "$@" bzImage modules
		cp arch/x86/boot/bzImage vmlinuz
		find . -name "*.o" ! -path "./scripts/*" ! -path "./tools/*" -delete
		rm -f vmlinux vmlinux.a' - "$tree" "$(nproc)" "${flags[@]//GCC/$gcc}" >"$log-$gcc" 2>&1
}

build() {
	local compiler
	for compiler in ${KFLAME_SOURCE_GCC:-gcc bullseye:gcc-10 bullseye:gcc-9}; do
		echo "source-kernel: building $name with $compiler: ten minutes on two cores" >&2
		prepare "$compiler" && compile && return
		echo "source-kernel: $name did not build with $compiler: $log-${compiler#*:}" >&2
	done
	tail -n 20 "$log-$gcc" >&2 || :
	die "no compiler built $from"
}

mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
rm -f "$dir/at"
build
printf '%s=%q\n' release "$(cat "$root$tree/include/config/kernel.release")" \
	vmlinuz "$root$tree/vmlinuz" arch x86_64 modules '' kdir "$tree" root "$root" cc "$gcc" >"$dir/at"
echo "$name"
