#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest-root.sh - the root directory of guests of another architecture
#
# usage: scripts/guest-root.sh ARCH		(arm64)
#
# Prints the directory.  It is made once, in the cache, of packages of Debian bookworm
# that are unpacked and never run here; it is also what programs for such guests are
# compiled against (scripts/build-user.sh).
#
# KFLAME_CACHE	where the cache is (default $XDG_CACHE_HOME/kflame or ~/.cache/kflame)
set -eu -o pipefail

arch=${1:-}
[ "$arch" = arm64 ] || {
	echo "guest-root.sh: no architecture '$arch'; there is: arm64" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
# shellcheck source=scripts/suite.sh
. "$here/suite.sh"

# What tests run, and what the tool is linked against
packages=busybox-static,bash,coreutils,dash,e2fsprogs,findutils,grep,kmod,libc-bin,mawk,mount,ncurses-base,procps,python3,sed
packages+=,util-linux,libarchive-dev,libcapstone-dev,libcurl4-openssl-dev,libzstd-dev,libc6-dev,libdw-dev,libelf-dev,libiberty-dev,libjson-c-dev,liblzma-dev,libncurses-dev,libseccomp-dev
packages+=,zlib1g-dev
# What the benchmark is beside
packages+=,bpftrace,linux-perf

root=$cache/guest-root/$arch
mkdir -p "$cache/guest-root"
exec 9>"$cache/guest-root/lock"
flock 9
if [ "$(cat "$root.packages" 2>/dev/null)" != "$packages" ]; then
	[ "$(id -u)" -eq 0 ] || {
		echo "guest-root.sh: making a root of $arch needs root" >&2
		exit 1
	}
	echo "guest-root: unpacking Debian bookworm for $arch to $root" >&2
	rm -rf --one-file-system "$root"
	suite_sources bookworm | mmdebstrap --quiet --mode=root --variant=extract \
		--architectures="$arch" --include="$packages" bookworm "$root" >&2
	# what the package does when it is configured
	ln -s mawk "$root/usr/bin/awk"
	# Links to libraries from / on, which lead the linker to this machine's: it would take the static ones
	find "$root/usr/lib" -type l -lname '/*' -name '*.so*' -printf '%l %p\n' |
		while read -r target link; do
			ln -sfrT "$root$target" "$link"
		done
	echo "$packages" >"$root.packages"
fi
echo "$root"
