#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# setup.sh - see that the packages a job needs are there
#
# usage: scripts/setup.sh [--check] GROUP...      (build headers unit guest check bench kernel matrix arm64 firmware fuzz dkms deb packaging)
#
# Looks for what each group needs by what a package provides (a program, a header), so
# that a machine which has it from elsewhere is left alone.  What is missing is
# installed when we are root and apt is there; otherwise the command that would
# install it is printed, and the exit status is 1.  With --check nothing is installed.
set -eu

check=
[ "${1:-}" != --check ] || { check=1 && shift; }
missing=

# need PACKAGE PATH-OR-PROGRAM...: note PACKAGE unless everything else is there
need() {
	pkg=$1
	shift
	for thing in "$@"; do
		case $thing in
		*/*)
			for file in $thing; do # one pattern or several
				[ -e "$file" ] && continue 2
			done ;;
		*) command -v "$thing" >/dev/null && continue ;;
		esac
		missing="$missing $pkg"
		return 0
	done
}

group_build() {
	need gcc gcc
	need make make
	need libc6-dev /usr/include/stdio.h
	need libelf-dev /usr/include/libelf.h
	need libdw-dev /usr/include/elfutils/libdw.h
	need zlib1g-dev /usr/include/zlib.h
	need liblzma-dev /usr/include/lzma.h
	need libiberty-dev /usr/include/libiberty/demangle.h
	need libarchive-dev /usr/include/archive.h
	need libjson-c-dev /usr/include/json-c/json.h
	need libseccomp-dev /usr/include/seccomp.h
	need libncurses-dev /usr/include/curses.h '/usr/lib/*/libncursesw.so /usr/lib*/libncursesw.so'
	need libcapstone-dev /usr/include/capstone/capstone.h
	need libzstd-dev '/usr/include/zstd.h /usr/include/*/zstd.h'
	need libcurl4-openssl-dev '/usr/include/curl/curl.h /usr/include/*/curl/curl.h'
}

# The headers of the running kernel
group_headers() {
	need "linux-headers-$(uname -r)" "/lib/modules/$(uname -r)/build/Makefile"
}

# Unit tests
group_unit() {
	group_build
	need libcmocka-dev /usr/include/cmocka.h
	need libprotobuf-c-dev /usr/include/protobuf-c/protobuf-c.h
	need protobuf-c-compiler protoc-c
	need python3 /usr/bin/python3
	need binutils strip
}

# The guest's kernel, and the headers its modules are built against
group_guest() {
	group_build
	need linux-headers-amd64 '/usr/src/linux-headers-6.1*-amd64/Makefile'
	need qemu-system-x86 qemu-system-x86_64
	need busybox-static /bin/busybox
	need musl-tools /usr/bin/musl-gcc
	need kmod /sbin/modprobe /sbin/depmod
	need xz-utils xz
}

group_check() {
	group_unit
	group_guest
	need sparse sparse
	need pyflakes3 pyflakes3
	# Without it, unit tests skip the schemas of docs/
	need python3-jsonschema /usr/lib/python3/dist-packages/jsonschema/__init__.py
	need elfutils eu-addr2line
	# Lab 5, and what explain is compared with
	need gdb gdb
	need e2fsprogs /sbin/mkfs.ext4
	need zstd zstd
	need g++ g++
	need xz-utils xz
	need libdebuginfod1 '/usr/lib/*/libdebuginfod.so.1'
	# 32-bit programs; gcc-multilib itself and a cross compiler exclude each other
	need libc6-dev-i386 '/usr/lib32/libc.a'
	need "gcc-$(gcc -dumpversion 2>/dev/null || echo 12)-multilib" '/usr/lib/gcc/x86_64-linux-gnu/*/32/libgcc.a'
	need chromium chromium
}

# To build a kernel that is not there ready made
group_kernel() {
	group_build
	need flex flex
	need bison bison
	need bc bc
	need libssl-dev /usr/include/openssl/ssl.h
}

# Modules for kernels of other suites
group_matrix() {
	group_check
	need mmdebstrap mmdebstrap
}

# Guests of another architecture
group_arm64() {
	group_matrix
	need qemu-system-arm qemu-system-aarch64
	need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
	need g++-aarch64-linux-gnu aarch64-linux-gnu-g++
	need libc6-dev-arm64-cross /usr/aarch64-linux-gnu/include/stdio.h
}

# A guest with Secure Boot, and what signs for it
group_firmware() {
	group_guest
	need mtools mcopy mformat
	need mokutil mokutil
	need openssl openssl
	need binutils strip
	# of another suite's python3-virt-firmware, which is unpacked only
	need python3-pefile /usr/lib/python3/dist-packages/pefile.py
	need python3-cryptography /usr/lib/python3/dist-packages/cryptography/__init__.py
	need python3-importlib-resources /usr/lib/python3/dist-packages/importlib_resources/__init__.py
}

group_bench() {
	group_matrix
	need linux-perf perf
	need bpftrace bpftrace
	need bpfcc-tools offcputime-bpfcc
	need dwarves pahole
}

# To search with the fuzzers; to replay their corpus needs what a build needs
group_fuzz() {
	group_build
	need clang clang
	need libclang-rt-dev '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a'
	need llvm llvm-profdata
}

group_dkms() {
	need dkms dkms
	need make make
	need gcc gcc
}

group_deb() {
	group_build
	need build-essential /usr/share/build-essential/list
	need debhelper dh
	need dpkg-dev dpkg-buildpackage
	need fakeroot fakeroot
}

# What tests the packages
group_packaging() {
	group_deb
	need lintian lintian
	need mmdebstrap mmdebstrap
	need debian-archive-keyring '/usr/share/keyrings/debian-archive-keyring.*'
	need kmod /sbin/modinfo
	need linux-headers-amd64 '/usr/src/linux-headers-6.1*-amd64/Makefile'
	need openssl openssl
}

[ $# -gt 0 ] || set -- build
# /sbin is not in everybody's PATH, and kmod lives there
PATH=$PATH:/usr/sbin:/sbin
groups=$*
for group in "$@"; do
	case $group in
	build | headers | unit | guest | check | bench | kernel | matrix | arm64 | firmware | fuzz | dkms | deb | packaging) "group_$group" ;;
	*)
		echo "setup.sh: no group '$group'; there are: build headers unit guest check bench kernel matrix arm64 firmware fuzz dkms deb packaging" >&2
		exit 2
		;;
	esac
done

missing=$(printf '%s\n' $missing | sort -u | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"
if ! command -v apt-get >/dev/null; then
	cat >&2 <<-END
	setup.sh: missing here (names as in Debian 12): $missing
	Install what your distribution calls these, then try again.
	END
	exit 1
fi
if [ "$check" ] || [ "$(id -u)" -ne 0 ]; then
	cat >&2 <<-END
	setup.sh: missing here: $missing
	Install them with:
	    sudo apt-get update && sudo $install
	or, the same:
	    sudo make $(printf 'setup-%s ' $groups)
	END
	exit 1
fi

echo "setup: installing $missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Package lists that are there may do; fetch them only when they do not.
# shellcheck disable=SC2086 # a list of words
if ! $install >"$log" 2>&1; then
	if ! { apt-get update && $install; } >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		echo "setup.sh: '$install' failed, see above" >&2
		exit 1
	fi
fi
