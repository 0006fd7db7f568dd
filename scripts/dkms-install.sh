#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dkms-install.sh - give the module to dkms, which builds it for each kernel to come
#
# usage: scripts/dkms-install.sh [KERNEL...]	(default: the running one)
#	 scripts/dkms-install.sh --uninstall
#
# The sources go to /usr/src/kflame-VERSION.  An older version is taken out first.
set -eu
cd "$(dirname "$0")/.."

die() {
	echo "dkms-install.sh: $*" >&2
	exit 1
}

# every version there is, with what it built
take_out() {
	for source in /var/lib/dkms/kflame/*/source; do
		[ -L "$source" ] || continue
		old=${source%/source}
		old=${old##*/}
		dkms remove -m kflame -v "$old" --all >/dev/null
		rm -rf "/usr/src/kflame-$old"
		echo "kflame $old: removed from dkms and from every kernel"
	done
}

[ "$(id -u)" -eq 0 ] || die "only root may: sudo make dkms-install"
command -v dkms >/dev/null || die "no dkms here: install it, for example apt-get install dkms"
if dpkg-query -W -f '${Status}' kflame-dkms 2>/dev/null | grep -q ' installed$'; then
	die "the package kflame-dkms does this already; to use this tree instead: apt-get remove kflame-dkms"
fi
take_out
[ "${1:-}" != --uninstall ] || exit 0

version=$(scripts/version.sh)
[ $# -gt 0 ] || set -- "$(uname -r)"
rm -rf "/usr/src/kflame-$version"
scripts/dkms-source.sh "/usr/src/kflame-$version"
dkms add -m kflame -v "$version" >/dev/null

failed=
for kernel in "$@"; do
	echo "kflame $version: building for $kernel"
	status=0
	dkms install -m kflame -v "$version" -k "$kernel" >/dev/null || status=$?
	[ $status -ne 0 ] || continue
	failed="$failed $kernel"
	tail -n 15 "/var/lib/dkms/kflame/$version/build/make.log" >&2 2>/dev/null || :
done
[ -z "$failed" ] || die "no module for$failed, see above. Headers missing?" \
	"kflame stays with dkms, which tries again for the next kernel; make dkms-uninstall takes it out"
dkms status -m kflame -v "$version"
