#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# uninstall-module.sh DESTDIR [RELEASE] - removes the modules that "make install" installed
#
# Of one kernel, or of all. Where dkms puts its modules into the same directory, they are left to "make dkms-uninstall".
set -eu

destdir=$1
removed=
for module in "$destdir"/lib/modules/${2:-*}/extra/kflame.ko; do
	[ -e "$module" ] || continue
	release=${module#"$destdir/lib/modules/"}
	release=${release%%/*}
	if [ -n "$(find "$destdir/var/lib/dkms/kflame" -path "*/$release/*/kflame.ko*" 2>/dev/null)" ]; then
		echo "uninstall: $module is of dkms, and stays: make dkms-uninstall removes it"
		continue
	fi
	rm -f "$module"
	[ -n "$destdir" ] || depmod "$release"
	removed=yes
	echo "uninstall: removed $module"
done
[ -n "$removed" ] || echo "uninstall: no module of make install is in $destdir/lib/modules${2:+/$2}"
[ -n "$destdir" ] || ! [ -d /sys/module/kflame ] || echo "uninstall: the module is still loaded: sudo rmmod kflame"
