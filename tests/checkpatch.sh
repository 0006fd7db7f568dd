#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# checkpatch.sh - the kernel's scripts/checkpatch.pl finds nothing in the module
#
# usage: tests/checkpatch.sh	(exit status 77: skipped, and the last line says why)
#
# Options are in .checkpatch.conf, findings that may stay in tests/checkpatch.txt. Debian has no
# package of checkpatch.pl alone. Its first location in this list is used:
#   KFLAME_CHECKPATCH			a file
#   KDIR, /usr/src/linux-*		kernel trees
#   /usr/src/linux-source-*.tar.xz	of a package linux-source-*; unpacked into KFLAME_CACHE once
#   kernels that guests run		in KFLAME_CACHE (not source-VERSION, which may be old), or in KFLAME_KERNELS
set -eu -o pipefail
cd "$(dirname "$0")/.."

cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
# Beside checkpatch.pl: without them it looks for less
lists=(spelling.txt const_structs.checkpatch)

skip() {
	echo "$*"
	exit 77
}

# newest PATTERN...: the file with the highest version in its path; nothing if there is none
newest() {
	local file
	for file in "$@"; do
		[ ! -f "$file" ] || echo "$file"
	done | sort -V | tail -n 1
}

# unpack TARBALL: into $cache/checkpatch, what is needed of a kernel's source
unpack() {
	rm -rf "$cache/checkpatch.part" &&
		mkdir "$cache/checkpatch.part" &&
		tar -xf "$1" -C "$cache/checkpatch.part" --wildcards --no-wildcards-match-slash --strip-components=2 \
			'*/scripts/checkpatch.pl' "${lists[@]/#/*/scripts/}" &&
		stat -c '%n %s %Y' "$1" >"$cache/checkpatch.part/from" &&
		rm -rf "$cache/checkpatch" &&
		mv "$cache/checkpatch.part" "$cache/checkpatch"
}

# from_tarball TARBALL: the same, once
from_tarball() {
	mkdir -p "$cache"
	exec 9>"$cache/lock-checkpatch"
	flock 9
	[ "$(cat "$cache/checkpatch/from" 2>/dev/null)" = "$(stat -c '%n %s %Y' "$1")" ] || unpack "$1" || return
	echo "$cache/checkpatch/checkpatch.pl"
}

find_checkpatch() {
	local file
	[ -z "${KFLAME_CHECKPATCH:-}" ] || { echo "$KFLAME_CHECKPATCH" && return; }
	for file in "${KDIR:+$KDIR/scripts/checkpatch.pl}" "$(newest /usr/src/linux-*/scripts/checkpatch.pl)"; do
		[ -f "$file" ] && echo "$file" && return
	done
	file=$(newest /usr/src/linux-source-*.tar.xz)
	[ -z "$file" ] || { from_tarball "$file" && return; }
	file=$(newest "$cache"/kernels/[!s]*/tree/scripts/checkpatch.pl)
	[ -z "$file" ] || { echo "$file" && return; }
	file=$(newest ${KFLAME_KERNELS:+"$KFLAME_KERNELS"/*-kernel/headers.tar.xz})
	[ -z "$file" ] || from_tarball "$file"
}

checkpatch=$(find_checkpatch)
[ "$checkpatch" ] || skip "no checkpatch.pl: sudo apt-get install --no-install-recommends linux-source" \
	"(140 MB), or name it: KFLAME_CHECKPATCH=FILE"
[ -f "$checkpatch" ] || { echo "no file $checkpatch, which KFLAME_CHECKPATCH names" && exit 1; }
perl -MTerm::ANSIColor -e 1 2>/dev/null || skip "no perl with its modules: sudo apt-get install perl"

# A file that was clean is not read again until it changes, or what judges it does.
state=build/checkpatch
mkdir -p "$state"
judge=$({ cat "$checkpatch" .checkpatch.conf tests/checkpatch.{sh,txt} &&
	cat "${lists[@]/#/${checkpatch%/*}/}" 2>/dev/null || true; } | sha256sum | cut -d ' ' -f 1)
find kmod include/uapi -name '*.[ch]' ! -name '*.mod.c' ! -name features.h -exec sha256sum {} + >"$state/files"
touch "$state/clean-$judge"
changed=$(grep -v -x -F -f "$state/clean-$judge" "$state/files" | sed "s/^[^ ]*  //" || true)
[ "$changed" ] || exit 0

status=0
xargs -d '\n' -P "$(nproc)" -n 8 perl "$checkpatch" --terse --no-summary -f <<<"$changed" \
	>"$state/out" 2>"$state/err" || status=$?
# 123: checkpatch found something, and printed it. Anything else means that it did not run.
if [ "$status" -ne 0 ] && { [ "$status" -ne 123 ] || ! [ -s "$state/out" ]; }; then
	cat "$state/out" "$state/err"
	echo "$checkpatch failed"
	exit 1
fi
# FILE TYPE: ... of the list, as a pattern for FILE:LINE: LEVEL:TYPE: ...
sed -n 's/^\([^# ]*\) \([A-Z_]*\): .*/^\1:[0-9]*: [A-Z]*:\2: /p' tests/checkpatch.txt >"$state/may"
if grep -v -f "$state/may" "$state/out"; then
	echo "found by $checkpatch"
	exit 1
fi
rm -f "$state"/clean-*
mv "$state/files" "$state/clean-$judge"
