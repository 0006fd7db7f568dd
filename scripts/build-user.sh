#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build-user.sh - the tool and the programs that tests run, for guests of an architecture
#
# usage: scripts/build-user.sh ARCH		(x86_64, arm64)
#
# Prints the directory: build, or build/ARCH for another than this machine's.
set -eu -o pipefail

arch=${1:?usage: scripts/build-user.sh ARCH}
top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/build cross=()
if [ "$arch" != x86_64 ]; then
	"$top/scripts/setup.sh" "$arch" >&2
	root=$("$top/scripts/guest-root.sh" "$arch")
	out=$top/build/$arch
	cross=("CC=aarch64-linux-gnu-gcc --sysroot=$root" STRIP=aarch64-linux-gnu-strip
		OBJCOPY=aarch64-linux-gnu-objcopy)
fi
make -s -j"$(nproc)" -C "$top/user" O="$out/user" "${cross[@]}" >&2
make -s -j"$(nproc)" -C "$top/tests/workload" O="$out/tests/workload" "${cross[@]}" >&2
make -s -j"$(nproc)" -C "$top/tests/workload/unwind" O="$out/tests/unwind" "${cross[@]}" >&2
make -s -j"$(nproc)" -C "$top/tests/torture" O="$out/tests/torture" "${cross[@]}" >&2
echo "$out"
