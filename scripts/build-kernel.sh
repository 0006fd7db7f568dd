#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-kernel.sh - a kernel that no distribution has, for guests
#
# usage: scripts/build-kernel.sh NAME		(debug, minimal; board: arm64, for tests/board.sh)
#
# Takes a ready one from NAME-kernel/ (vmlinuz, headers.tar.xz) in the directory that KFLAME_KERNELS
# names, if it is there. Else it builds Debian's linux-source-6.12 with the options of
# scripts/kernels/NAME.config, once, into the cache.  Everything is built in.  Called by
# guest-kernel.sh, and prints what that prints.
set -eu -o pipefail

name=${1:?usage: scripts/build-kernel.sh NAME}
here=$(cd "$(dirname "$0")" && pwd)
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kflame}
dir=$cache/kernels/$name
source=linux-source-6.12
arch=x86_64 image=arch/x86/boot/bzImage cross=()
if [ "$name" = board ]; then
	arch=arm64 image=arch/arm64/boot/Image cross=(CROSS_COMPILE=aarch64-linux-gnu-)
fi
# shellcheck source=scripts/suite.sh
. "$here/suite.sh"

# take READY: unpack one that somebody built
take() {
	mkdir -p "$dir/new"
	tar -xf "$1/headers.tar.xz" -C "$dir/new" --strip-components=1
	cp "$1/vmlinuz" "$dir/new/vmlinuz"
}

# build: from source, with all that modules need later
build() {
	"$here/setup.sh" kernel >&2
	echo "build-kernel: building Linux 6.12 '$name': four to ten minutes on two idle cores" >&2
	mkdir -p "$dir/source" "$dir/new"
	suite_unpack trixie "$dir/source" "$source"
	tar -xf "$dir/source/usr/src/$source.tar.xz" -C "$dir/new" --strip-components=1
	rm -r "$dir/source"
	( # set -e says nothing before ||
		cd "$dir/new" &&
			export ARCH="$arch" &&
			make -s "${cross[@]}" tinyconfig &&
			scripts/kconfig/merge_config.sh -m .config "$here/kernels/$name.config" &&
			make -s "${cross[@]}" olddefconfig &&
			make -s -j"$(nproc)" "${cross[@]}" "${image##*/}" modules &&
			cp "$image" vmlinuz &&
			find . -name '*.o' ! -path './scripts/*' ! -path './tools/*' -delete &&
			rm -f vmlinux vmlinux.a
	) >"$dir/log" 2>&1 || {
		tail -n 30 "$dir/log" >&2
		echo "build-kernel.sh: the kernel '$name' did not build; all of it: $dir/log" >&2
		return 1
	}
}

if ! [ -e "$dir/tree/vmlinuz" ]; then
	rm -rf "$dir/new" "$dir/source"
	ready=${KFLAME_KERNELS:+$KFLAME_KERNELS/$name-kernel}
	if [ "$ready" ] && [ -e "$ready/headers.tar.xz" ]; then
		take "$ready"
	else
		build
	fi
	mv "$dir/new" "$dir/tree"
fi
printf '%s=%q\n' release "$(cat "$dir/tree/include/config/kernel.release")" \
	vmlinuz "$dir/tree/vmlinuz" arch "$arch" modules '' kdir "$dir/tree" root ''
