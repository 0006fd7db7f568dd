#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - record the six programs of lab 1 once more
#
# usage: tests/labs/1-flame-graphs/programs/record.sh OUT
#
# OUT gets 1.folded to 6.folded, and 4.seconds: how long program 4 ran. grade.py computes all numbers from the recordings,
# but for that one.
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record.sh OUT}
mkdir -p "$out"
cd "$out"
for i in 1 2 3 4 5 6; do
	flags="-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-shrink-wrap"
	[ $i != 6 ] || flags=-fomit-frame-pointer
	# shellcheck disable=SC2086
	gcc -O2 -g $flags -fno-tree-loop-distribute-patterns -fno-optimize-sibling-calls -fcf-protection=none -no-pie \
		-static -o "program$i" "$here/$i.c" "$here/sampler.c"
	begin=$(date +%s.%N)
	"./program$i"
	end=$(date +%s.%N)
	[ $i != 4 ] || awk "BEGIN { print $end - $begin }" >4.seconds
	python3 "$here/fold.py" "program$i" "program$i.raw" >"$i.folded"
done
