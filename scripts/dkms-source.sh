#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dkms-source.sh DIR - put what dkms builds the module from into DIR
#
# The sources alone, in the layout of the tree: the module includes
# ../include/uapi.  dkms.conf gets the version.
set -eu

to=$1
cd "$(dirname "$0")/.."
version=$(scripts/version.sh)

mkdir -p "$to"
find kmod include -type f \( -name '*.[chS]' -o -name Kbuild -o -name Makefile -o -name '*.sh' \) \
	! -name '*.mod.c' ! -path kmod/compat/features.h |
while read -r file; do
	mkdir -p "$to/${file%/*}"
	cp -p "$file" "$to/$file"
done
mkdir -p "$to/dkms"
cp -p dkms/trial.sh "$to/dkms/"
scripts/version.sh --commit | sed 's/^[^-]*//' >"$to/kmod/commit"
sed "s/#MODULE_VERSION#/$version/" dkms/dkms.conf >"$to/dkms.conf"
