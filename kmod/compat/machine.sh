#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.sh KDIR ARCH CC - are ARCH and the compiler for the machine that the kernel of KDIR is for?
#
# ARCH may be empty: this machine's. CC may be empty, or a clang: it compiles for every machine.
# Prints what to add to the command, and exits with 1, if they are for another machine.
set -eu

config=$1/include/config/auto.conf
[ -r "$config" ] || config=$1/.config
if grep -qs '^CONFIG_ARM64=y' "$config"; then
	arch=arm64 machine=aarch64
elif grep -qs '^CONFIG_X86_64=y' "$config"; then
	arch=x86_64 machine=x86_64
else
	exit 0
fi

case ${2:-$(uname -m)} in
aarch64 | arm64) asked=arm64 ;;
x86 | x86_64) asked=x86_64 ;;
*) asked=$2 ;;
esac

# The compiler may be several words, as in "ccache gcc"
target=
case $3 in
'' | *clang*) ;;
*) target=$($3 -dumpmachine 2>/dev/null || echo none) ;;
esac

[ "$asked" = "$arch" ] || {
	echo "kflame: the kernel of $1 is for $arch, and ARCH says $asked." \
	     "Add to the command: ARCH=$arch CROSS_COMPILE=$machine-linux-gnu-" >&2
	exit 1
}
case $target in
'' | "$machine"*) ;;
none)
	echo "kflame: the compiler '$3' does not run." \
	     "Install it, or name the prefix of another one with CROSS_COMPILE=" >&2
	exit 1 ;;
*)
	echo "kflame: the kernel of $1 is for $arch, and the compiler '$3' is for $target." \
	     "Add to the command: ARCH=$arch CROSS_COMPILE=$machine-linux-gnu-" >&2
	exit 1 ;;
esac
