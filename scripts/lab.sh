#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lab.sh - begin a lab of docs/labs/, or grade it
#
# usage: scripts/lab.sh N [DIR]			copy its start to DIR (default build/labs/N-NAME)
#	 scripts/lab.sh --grade N [DIR]		grade what is in DIR
#	 scripts/lab.sh --list
#
# What is in DIR already is never overwritten. Exit status of --grade: 0 with full marks, 1 without.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd -P)

die() {
	echo "lab.sh: $*" >&2
	exit 2
}

list() {
	for page in "$top"/docs/labs/[0-9]*/README.md; do
		number=$(basename "$(dirname "$page")")
		printf '  N=%s  %s\n' "${number%%-*}" "$(sed -n '1s/^# Lab [0-9]*: //p' "$page")"
	done
}

grade=
case ${1:-} in
--list) list && exit 0 ;;
--grade) grade=1 && shift ;;
esac
case ${1:-} in
[0-9] | [0-9][0-9]) ;;
*)
	echo "usage: make lab N=NUMBER [DIR=DIRECTORY]; make lab-grade N=NUMBER [DIR=DIRECTORY]. The labs are:" >&2
	list >&2
	exit 2 ;;
esac
lab=
for dir in "$top/docs/labs/$1"-*/; do
	[ ! -e "$dir/README.md" ] || lab=${dir%/}
done
[ "$lab" ] || die "there is no lab $1: make lab shows the list"
name=${lab##*/}
dir=${2:-$top/build/labs/$name}

if [ "$grade" ]; then
	[ -d "$dir" ] || die "no work in $dir: begin with make lab N=$1"
	exec python3 -B "$lab/grade.py" "$dir"
fi

case $(realpath -m "$dir")/ in
"$top"/*) ;;
/tmp/* | /run/* | /var/tmp/* | /dev/*) die "guests do not see $dir: choose a folder below $top/build or your home" ;;
esac
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
new=0
(cd "$lab/start" && find . -type f) | sort >"$dir/.lab-files"
while read -r file; do
	[ -e "$dir/$file" ] && continue
	mkdir -p "$dir/$(dirname "$file")"
	cp -p "$lab/start/$file" "$dir/$file"
	new=$((new + 1))
done <"$dir/.lab-files"
rm -f "$dir/.lab-files"
cat >"$dir/lab.mk" <<END
# Written by make lab: where kflame is
KFLAME := $top
grade:
	@\$(KFLAME)/scripts/lab.sh --grade $1 "\$(CURDIR)"
.PHONY: grade
END

echo "$(sed -n '1s/^# //p' "$lab/README.md")"
if [ "$new" -gt 0 ]; then
	echo "  Your files:  $dir ($new new)"
else
	echo "  Your files:  $dir (all were there, nothing was changed)"
fi
echo "  Read:        $lab/README.md"
echo "  Then:        work in that folder; make grade shows your points"
