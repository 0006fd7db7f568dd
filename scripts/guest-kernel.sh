#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest-kernel.sh - get a kernel for guests, and say where it is
#
# usage: scripts/guest-kernel.sh [NAME]		(default debian-6.1)
#	 scripts/guest-kernel.sh --list
#
# NAME is a line of scripts/kernels/list, or was printed by scripts/source-kernel.sh.  A kernel comes once, into a cache outside
# the tree, and is never installed.  Prints shell assignments:
#	release=  vmlinuz=  arch=
#	modules=	the tree that holds lib/modules/RELEASE; empty: all is built in
#	kdir=		what to build modules against
#	root=		the chroot in which kdir is; empty: this machine's own
#	cc=		the compiler that built it, for modules; only of a kernel from a source tree
#
# KFLAME_CACHE	where the cache is (default $XDG_CACHE_HOME/kflame or ~/.cache/kflame)
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
name=${1:-debian-6.1}
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=scripts/suite.sh
. "$here/suite.sh"

die() {
	echo "guest-kernel.sh: $*" >&2
	exit 1
}

kernels() { grep -v '^#' "$here/kernels/list"; }

say() { printf '%s=%q\n' "$@"; }

# The machine's own headers, and the image that goes with them
host_release() {
	local release
	release=$(cd /usr/src && printf '%s\n' linux-headers-* | sed 's/^linux-headers-//' |
		grep -x -E "$1" | sort -V | tail -n 1) ||
		die "no headers for a kernel $1: sudo apt-get install --no-install-recommends linux-headers-amd64"
	echo "$release"
}

host_fetch() {
	local version try image
	version=$(dpkg-query -W -f '${Version}' "linux-headers-$1")
	for try in as-is after-update; do
		for image in "linux-image-$1" "linux-image-$1-unsigned"; do
			# as root apt would drop to a user who may not write in our cache
			(cd "$2" && apt-get -o APT::Sandbox::User= -q download "$image=$version") \
				>"$2/log" 2>&1 && break 2
		done
		[ "$try" = as-is ] && [ "$(id -u)" -eq 0 ] && apt-get update >/dev/null || break
	done
	[ -n "$(find "$2" -name '*.deb')" ] || {
		cat "$2/log" >&2
		die "cannot download the image of $1 $version; newer headers may be" \
		    "out: sudo apt-get update && sudo apt-get install linux-headers-amd64"
	}
	dpkg-deb -x "$2"/*.deb "$2"
	rm "$2"/*.deb "$2/log"
}

# Any other suite's, the newest first. A mirror may list what it does not have (yet, or any more).
suite_releases() {
	suite_apt "$1" apt-cache search --names-only '^linux-headers-' | sed 's/^linux-headers-//; s/ .*//' |
		grep -x -E "$2" | sort -V -r
}

# has SUITE PACKAGE
has() { [ -n "$(suite_apt "$1" apt-cache show "$2" 2>/dev/null)" ]; }

suite_fetch() {
	local suite=$1 release=$2 to=$3 package packages=()
	if has "$suite" "linux-modules-$release$foreign"; then # split since 6.19
		packages=("linux-modules-$release$foreign" "linux-base-$release$foreign")
		for package in "linux-binary-$release" "linux-binary-unsigned-$release"; do
			has "$suite" "$package$foreign" && packages+=("$package$foreign") && break
		done
	else
		for package in "linux-image-$release" "linux-image-$release-unsigned"; do
			has "$suite" "$package$foreign" && packages+=("$package$foreign") && break
		done
	fi
	suite_unpack "$suite" "$to" "${packages[@]}" || return
	[ -e "$to/lib" ] || ln -s usr/lib "$to/lib"
}

# The headers go where they expect to be, in the chroot of the suite. What runs when
# modules are built (kbuild) is of this machine's architecture.
suite_headers() {
	local suite=$1 release=$2 root=$3 packages
	[ -e "$root/usr/src/linux-headers-$release/.complete" ] && return
	packages=$(suite_apt "$suite" apt-cache depends "linux-headers-$release$foreign" |
		grep -o -E 'linux-(headers|kbuild|base)-[0-9][^ :>]*' | grep -v -x "linux-headers-$release" |
		sort -u) || return
	# shellcheck disable=SC2086 # a list
	suite_unpack "$suite" "$root" "linux-headers-$release$foreign" $packages || return
	touch "$root/usr/src/linux-headers-$release/.complete"
}

# image RELEASE TREE FETCH...: unless it is there, fetch it and index its modules
image() {
	local release=$1 tree=$2
	shift 2
	[ -e "$tree/complete" ] && return
	echo "guest-kernel: fetching Linux $release to $tree" >&2
	rm -rf "$tree" "$tree.part"
	mkdir -p "$tree.part"
	"$@" "$tree.part" || return
	depmod -b "$tree.part" "$release" || return
	touch "$tree.part/complete"
	mv "$tree.part" "$tree"
}

# vmlinuz_of TREE RELEASE: wherever the package has it
vmlinuz_of() {
	local file
	for file in "$1/boot/vmlinuz-$2" "$1/lib/modules/$2/vmlinuz"{,.unsigned}; do
		[ -e "$file" ] && echo "$file" && return
	done
	die "no kernel image in $1"
}

if [ "$name" = --list ]; then
	kernels | awk '{ print $1 }'
	exit
fi
case $name in
source-*)
	[ -e "$cache/kernels/$name/at" ] || die "no kernel '$name': build it with scripts/source-kernel.sh DIR"
	cat "$cache/kernels/$name/at"
	exit
	;;
esac
read -r _ arch from pattern < <(kernels | awk -v name="$name" '$1 == name') ||
	die "no kernel '$name'; there are: $(kernels | awk '{ print $1 }' | tr '\n' ' ')"

# Two jobs at once must not unpack into each other
mkdir -p "$cache/kernels/$name"
exec 9>"$cache/kernels/$name/lock"
flock 9

root=
foreign=
[ "$arch" = x86_64 ] || foreign=:$arch
case $from in
host)
	release=$(host_release "$pattern")
	tree=$cache/kernels/$name/$release
	image "$release" "$tree" host_fetch "$release"
	;;
build)
	"$here/build-kernel.sh" "$name"
	exit
	;;
*)
	exec 8>"$cache/lock-$(suite_base "$from")"
	flock 8
	root=$(suite_root "$from") || exit 1
	[ -z "$foreign" ] || suite_cross "$root" >&2
	tree=
	for release in $(suite_releases "$from" "$pattern"); do
		suite_headers "$from" "$release" "$root" &&
			image "$release" "$cache/kernels/$name/$release" suite_fetch "$from" "$release" &&
			tree=$cache/kernels/$name/$release && break
		echo "guest-kernel: Linux $release cannot be had" >&2
	done
	[ -n "$tree" ] || die "no kernel $pattern of Debian $from"
	;;
esac
vmlinuz=$(vmlinuz_of "$tree" "$release")
say release "$release" vmlinuz "$vmlinuz" arch "$arch" modules "$tree" \
	kdir "/usr/src/linux-headers-$release" root "$root"
