#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# compiler.sh KDIR - make variables for the compiler that built the kernel of KDIR
#
# Nothing for gcc. The flags of a kernel built by clang are clang's, gcc refuses
# them: LLVM=1 then, or LLVM=-15 where there is a clang-15 of the kernel's own
# version. CC and LD are said as well because kernels before 5.18 take any LLVM=
# for LLVM=1.
set -eu

config=$1/include/config/auto.conf
[ -r "$config" ] || config=$1/.config
grep -qs '^CONFIG_CC_IS_CLANG=y' "$config" || exit 0

version=$(sed -n 's/^CONFIG_CLANG_VERSION=\([0-9]*\)[0-9]\{4\}$/\1/p' "$config")
lld=$(grep -s '^CONFIG_LD_IS_LLD=y' "$config" || :)
suffix=
if command -v "clang-$version" >/dev/null; then
	if [ -z "$lld" ] || command -v "ld.lld-$version" >/dev/null; then
		suffix=-$version
	fi
fi
for program in "clang$suffix" ${lld:+"ld.lld$suffix"}; do
	command -v "$program" >/dev/null ||
		echo "kflame: the kernel of $1 was built by clang $version: install clang" \
		     "and lld, here is no $program" >&2
done

if [ -z "$lld" ]; then
	echo "CC=clang$suffix"
elif [ -z "$suffix" ]; then
	echo LLVM=1
else
	echo "LLVM=$suffix CC=clang$suffix LD=ld.lld$suffix"
fi
