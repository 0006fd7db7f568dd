#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make-deb.sh - the Debian packages kflame and kflame-dkms, into out/deb/
#
# usage: scripts/make-deb.sh [OPTION OF dpkg-buildpackage]...	(default -b; -A: kflame-dkms alone; -S: the source package)
#
# Built from a copy of the sources in build/deb/, with dkms/debian/ as its debian/. Homepage and Vcs-Git are those of the
# repository that this one was cloned from, if the public can read it.
set -eu -o pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- -b
version=$(scripts/version.sh)
stage=$PWD/build/deb/kflame-$version
log=$PWD/build/deb/log

rm -rf build/deb
mkdir -p "$stage" out/deb
tar -c --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod' --exclude='*.mod.c' \
	CHANGELOG.md README.md docs include kmod man scripts user dkms | tar -x -C "$stage"
scripts/version.sh --commit | sed 's/^[^-]*//' >"$stage/kmod/commit"
mv "$stage/dkms/debian" "$stage/debian"
sed -i "s/#MODULE_VERSION#/$version/" "$stage"/debian/kflame-dkms.p*

# https://..., git://... or none, without the password of who builds
remote=$(git remote get-url origin 2>/dev/null | grep -E '^(https|git)://' | sed 's,//[^/@]*@,//,') || remote=${KFLAME_VCS:-}
if [ -n "$remote" ]; then
	sed -i "/^Standards-Version:/a Homepage: ${remote%.git}\\nVcs-Browser: ${remote%.git}\\nVcs-Git: $remote" "$stage/debian/control"
fi

# the same sources give the same packages
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y kmod/base/version.h)}
export SOURCE_DATE_EPOCH
mkdir "$stage/debian/source"
echo '3.0 (native)' >"$stage/debian/source/format"
cat >"$stage/debian/changelog" <<END
kflame ($version) unstable; urgency=medium

  * Version $version.

 -- $(sed -n 's/^Maintainer: //p' "$stage/debian/control")  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END

if ! (cd "$stage" && dpkg-buildpackage -us -uc "$@") >"$log" 2>&1; then
	tail -n 30 "$log" >&2
	echo "make-deb.sh: dpkg-buildpackage failed; its whole output is in $log" >&2
	exit 1
fi
rm -f out/deb/*.deb out/deb/*.dsc out/deb/*.tar.*
for deb in build/deb/*.deb build/deb/*.dsc build/deb/*.tar.*; do
	case $deb in *-dbgsym_* | *'*'*) continue ;; esac
	mv "$deb" out/deb/
	echo "out/deb/${deb##*/}"
done
