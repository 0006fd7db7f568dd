#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# demo.sh - the README's first command does what it says; prints TAP
#
# usage: tests/demo.sh
set -eu -o pipefail
cd "$(dirname "$0")/.."

echo 1..2
# below the tree, wherever that is: in /tmp the guest has to find it again
export KFLAME_DEMO_OUT=$PWD/build/demo
log=build/check/demo.log
mkdir -p build/check
if scripts/demo.sh >"$log" 2>&1; then
	echo "ok 1 - make demo"
else
	sed 's/^/# /' "$log"
	echo "not ok 1 - make demo"
	exit 1
fi

# share NAME: a function's percentage of the program's computing
share() {
	awk -v name="$1" '
		/^mixed;/ && /;(compress|encrypt|checksum)[; ]/ {
			all += $NF
			if (index($0, ";" name ";") || index($0, ";" name " "))
				own += $NF
		}
		END { printf "%d\n", all ? 100 * own / all + 0.5 : 0 }' "$KFLAME_DEMO_OUT/flame.folded"
}

# How exact they are is for the tests that measure the truth beside them
compress=$(share compress) encrypt=$(share encrypt) checksum=$(share checksum)
echo "# compress $compress%, encrypt $encrypt%, checksum $checksum% (about 70, 20, 10)"
if [ "$compress" -gt 50 ] && [ "$compress" -gt "$encrypt" ] &&
	[ "$encrypt" -gt "$checksum" ] && [ "$checksum" -gt 0 ]; then
	echo "ok 2 - the folded stacks show what the program computes"
else
	echo "not ok 2 - the folded stacks show what the program computes"
	exit 1
fi
