#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# conventions.sh - the variables and commands of kbuild, Buildroot and Yocto, as docs/cross.md lists them
#
# usage: tests/conventions.sh [NAME...]
#
# Prints one line for each check. The exit status is 1 if one failed. A copy of the tree is built. Only one object file of
# the module is compiled, with a part of the feature probes: the whole module takes minutes.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
compiler=aarch64-linux-gnu-gcc
# What the caller's make exports is for the caller
unset MAKEFLAGS MFLAGS MAKELEVEL KDIR KERNEL_SRC KERNELDIR ARCH CROSS_COMPILE CC STRIP PKG_CONFIG DESTDIR prefix PREFIX O

mkdir "$work/tree"
cp -r Makefile kmod user include scripts "$work/tree"
cd "$work/tree" || exit 1
make -s -C kmod clean KDIR=/nowhere
find kmod -name '*.o' -delete
# Of the probes those that headers in older/ ask for are enough
for probe in kmod/compat/probes/*.c; do
	name=KF_HAVE_$(basename "$probe" .c | tr '[:lower:]' '[:upper:]')
	grep -qrw "$name" kmod/compat/older || rm "$probe"
done

# said FILE PATTERN...: FILE has a line that matches each extended regular expression
said() {
	local file=$1 pattern
	shift
	for pattern; do
		grep -qE -- "$pattern" "$file" && continue
		echo "not found: $pattern, in:"
		cut -c 1-200 "$file" | tail -n 15
		return 1
	done
}

skip() {
	echo "skipped: $*"
	exit 77
}

# A copy of the kernel's headers on this machine: a mistake in what is tested must not change them
kdir=
for dir in /usr/src/linux-headers-*-amd64 /lib/modules/*/build; do
	[ -e "$dir/Makefile" ] && [ -e "$dir/include/config/auto.conf" ] && kdir=$(readlink -f "$dir")
done
if [ -n "$kdir" ]; then
	cp -a "$kdir" "$work/headers"
	find "$kdir" -maxdepth 1 -type l | while read -r link; do
		ln -sfn "$(readlink -f "$link")" "$work/headers/${link##*/}"
	done
	kdir=$work/headers
fi
need_kernel() { [ -n "$kdir" ] || skip "no kernel headers in /usr/src or /lib/modules"; }
need_compiler() { command -v "$compiler" >/dev/null || skip "no $compiler: apt-get install gcc-aarch64-linux-gnu"; }

# one COMMAND...: a build of one object of the module, which must have run the probe
one() {
	rm -f kmod/compat/features.h kmod/base/clock.o
	"$@" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
	[ -e kmod/base/clock.o ] && said kmod/compat/features.h 'Made by compat/probe.sh' 'KF_HAVE_'
}

# Kbuild runs the probe, with any variables of its make
kbuild() {
	need_kernel
	one make -j2 -C "$kdir" M="$PWD/kmod" W=1 V=1 base/clock.o
}

# The kernel's sources here, what its build made there
kbuild_output() {
	need_kernel
	local source
	source=$(sed -n 's/^include \(.*\)\/Makefile$/\1/p' "$kdir/Makefile")
	[ -n "$source" ] || skip "$kdir is no directory of an O= build"
	one make -C "$source" O="$kdir" M="$PWD/kmod" base/clock.o
}

# The names of the kernel's directory: none is asked for more than its Makefile's answer
kernel_names() {
	local name
	mkdir -p "$work/kernel"
	printf 'modules:\n\t@echo built for $(CURDIR) with M=$(M) ARCH=$(ARCH) CROSS_COMPILE=$(CROSS_COMPILE)\n' \
		>"$work/kernel/Makefile"
	for name in KDIR KERNEL_SRC KERNELDIR; do
		make -s -C kmod "$name=$work/kernel" CROSS_COMPILE= >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
		said "$work/log" "built for $work/kernel with M=.*/kmod" || return 1
		make -s modules "$name=$work/kernel" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
		said "$work/log" "built for $work/kernel" || return 1
	done
}

# A compiler for another machine: the message has what to add
hint_at_arch() {
	mkdir -p "$work/arm64/include/config"
	echo CONFIG_ARM64=y >"$work/arm64/include/config/auto.conf"
	touch "$work/arm64/Makefile"
	! make -s -C kmod KDIR="$work/arm64" >"$work/log" 2>&1 || return 1
	said "$work/log" 'is for arm64' 'ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-' || return 1
	! make -s -C kmod KDIR="$work/arm64" ARCH=arm64 >"$work/log" 2>&1 || return 1
	said "$work/log" "the compiler 'gcc' is for" 'CROSS_COMPILE=aarch64-linux-gnu-'
}

# runs PATTERN VARIABLE...: the tool's commands with these variables
runs() {
	local pattern=$1
	shift
	make -n -C user O="$work/user" V=1 "$@" >"$work/log" 2>&1
	said "$work/log" "$pattern"
}

tool_variables() {
	runs '^aarch64-linux-gnu-gcc .*-c ' ARCH=arm64 &&
		runs '^some-prefix-gcc .*-c ' CROSS_COMPILE=some-prefix- &&
		runs '^their-gcc --sysroot=/r .*-c ' CC='their-gcc --sysroot=/r' CROSS_COMPILE=some-prefix- &&
		runs '-lbz2' LDFLAGS=-static || return 1
	printf '#!/bin/sh\necho "$*" >>%s/asked\necho -l-by-pkg-config\n' "$work" >"$work/pkg"
	chmod +x "$work/pkg"
	runs '-l-by-pkg-config' PKG_CONFIG="$work/pkg" LDFLAGS=-static &&
		said "$work/asked" '--static --libs .*libdw'
}

# install: below DESTDIR and prefix, with the target's strip
install_variables() {
	mkdir -p "$work/kernel/include/generated"
	echo '#define UTS_RELEASE "6.1.0-test"' >"$work/kernel/include/generated/utsrelease.h"
	make -n install DESTDIR=/d prefix=/usr KDIR="$work/kernel" CROSS_COMPILE=some-prefix- >"$work/log" 2>&1
	said "$work/log" '^some-prefix-strip --strip-debug|[	 ]some-prefix-strip --strip-debug' '"/d/usr/bin/kflame"' \
		'/d/lib/modules/6.1.0-test/extra' || return 1
	make -n install DESTDIR=/d prefix=/usr KDIR="$work/kernel" STRIP=their-strip >"$work/log" 2>&1
	said "$work/log" 'their-strip --strip-debug'
}

# The recorder is static, needs no library, is at most 1 MB and says how it is used
recorder() {
	need_compiler
	make -s -j2 -C user/static/recorder ARCH=arm64 O="$work/recorder" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
	local size
	size=$(stat -c %s "$work/recorder/kflame-record")
	[ "$size" -le 1000000 ] || { echo "kflame-record has $size bytes"; return 1; }
	aarch64-linux-gnu-readelf -hd "$work/recorder/kflame-record" >"$work/log"
	said "$work/log" 'Machine: +AArch64' 'no dynamic section'
}

# The list that docs/cross.md has: each variable is in it
document() {
	local name
	for name in M=  KERNEL_SRC= KERNELDIR= O= ARCH= CROSS_COMPILE= CC= STRIP PKG_CONFIG= DESTDIR= prefix= SYSROOT=; do
		grep -qF -- "$name" "$top/docs/cross.md" || { echo "docs/cross.md does not have $name"; return 1; }
	done
}

top=$OLDPWD
for check in ${*:-kbuild kbuild_output kernel_names hint_at_arch tool_variables install_variables recorder document}; do
	status=0
	out=$( ("$check") 2>&1) || status=$?
	case $status in
	0) echo "passed: $check" ;;
	77) echo "$check: ${out##*$'\n'}" ;;
	*)
		echo "failed: $check"
		printf '%s\n' "$out" | tail -n 20
		failed=1 ;;
	esac
done
exit $failed
