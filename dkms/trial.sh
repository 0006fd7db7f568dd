#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# trial.sh VERSION KERNEL - does kflame's module build for this kernel?
#
# dkms.conf asks, so that a kernel that it does not build for is passed over and
# not an error.  dkms gives the answer, in a tree of its own that is thrown away.
set -eu

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

status=0
dkms build --dkmstree "$tree" -m kflame -v "$1" -k "$2" >"$tree/log" 2>&1 || status=$?
case $status in
0) exit 0 ;;
77 | 9) # BUILD_EXCLUSIVE; 9 before dkms 3.0.10
	echo "kflame: kernel $2 is not supported: no module for it"
	;;
*)
	tail -n 15 "$tree/kflame/$1/build/make.log" 2>/dev/null || cat "$tree/log"
	cat <<-END
	kflame: the module does not build for kernel $2: passed over.
	Everything else goes on; a newer kflame may help. To try again:
	    sudo dkms install kflame/$1 -k $2
	END
	;;
esac
exit 1
