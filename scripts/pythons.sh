#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pythons.sh - root directories with the Pythons of other Debian releases, for tests
#
# usage: scripts/pythons.sh
#
# Unpacks what is missing into the cache, and prints the directory that has a root for each suite:
# bullseye (3.9), trixie (3.13), sid (3.14). A suite that cannot be had is reported, and left out.
# Nothing of them is installed here.
#
# KFLAME_CACHE	where the cache is (default $XDG_CACHE_HOME/kflame or ~/.cache/kflame)
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
# shellcheck source=scripts/suite.sh
. "$here/suite.sh"

all=$cache/pythons
mkdir -p "$all"
exec 9>"$all/lock"
flock 9
for python in bullseye:3.9 trixie:3.13 sid:3.14; do
	suite=${python%:*} version=${python#*:}
	[ ! -e "$all/$suite/made" ] || continue
	rm -rf --one-file-system "${all:?}/$suite"
	if suite_unpack "$suite" "$all/$suite" libc6 libgcc-s1 libexpat1 zlib1g "python$version-minimal" \
		"libpython$version-minimal" "libpython$version-stdlib" >&2; then
		# the loader's path of releases whose directories are merged
		[ -e "$all/$suite/lib64" ] || ln -s usr/lib64 "$all/$suite/lib64"
		[ -e "$all/$suite/lib" ] || ln -s usr/lib "$all/$suite/lib"
		mkdir -p "$all/$suite/tmp"
		touch "$all/$suite/made"
	else
		echo "pythons.sh: no Python $version of $suite" >&2
	fi
done
echo "$all"
