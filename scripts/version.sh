#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# version.sh - print kflame's version
#
# usage: scripts/version.sh [--commit]
#
# kmod/base/version.h has the version, such as 0.2.0.  --commit appends the number and the id of the commit, in
# the form of git describe: 0.2.0-412-g5b74f6a.  It appends -dirty if files differ from the commit.
# Without a repository (a package, dkms) the file kmod/commit has what is appended.
set -eu
cd "$(dirname "$0")/.."

# Without a tag: the number of commits, by which an older build differs from a newer one
describe() {
	count=$(git rev-list --count HEAD) && name=$(git describe --always --dirty --exclude '*') &&
		echo "-$count-g$name"
}

commit=
if [ "${1:-}" != --commit ]; then
	:
elif [ -e kmod/commit ]; then
	commit=$(cat kmod/commit)
elif [ -e .git ]; then
	commit=$(describe 2>/dev/null) || commit=
fi
sed -n "s/^#define KF_VERSION[[:space:]]*\"\(.*\)\"\$/\1$commit/p" kmod/base/version.h
