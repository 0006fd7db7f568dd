#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - other tools read what 'kflame convert' writes, and show the same; prints TAP
#
# usage: tests/interop/run.sh [PROFILE]		(kflame.data; KFLAME: the tool)
#
# Not in make check: Go alone is 200 MB.  What is not here is skipped:
#
#	go		go tool pprof			apt install golang-go
#	FLAMEGRAPH	stackcollapse-perf.pl		a checkout of brendangregg/FlameGraph
#	SPEEDSCOPE	its importers, in a browser	node_modules/speedscope of npm install speedscope,
#							and chromium
#
# About four seconds, on an idle machine.
set -u
cd "$(dirname "$0")/../.." || exit 1

kflame=${KFLAME:-build/user/kflame}
profile=${1:-kflame.data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# result NAME STATUS: 77 is a skip
result() {
	number=$((number + 1))
	case $2 in
	0) echo "ok $number - $1" ;;
	77) echo "ok $number - $1 # SKIP not here, see the head of $0" ;;
	*) echo "not ok $number - $1"; failed=1 ;;
	esac
}

# total UNIT: of all folded stacks
total() { "$kflame" fold -i "$profile" "--$1" | awk '{ sum += $NF } END { printf "%d", sum }'; }

# The 20 functions with most samples of their own, the same number for each
pprof_top() {
	command -v go >/dev/null || return 77
	"$kflame" convert -i "$profile" -o "$work/p.pb.gz" || return 1
	HOME=$work go tool pprof -top -nodecount=20 -nodefraction=0 -edgefraction=0 -symbolize=none \
		"$work/p.pb.gz" >"$work/top" 2>/dev/null || return 1
	grep -q "Total samples = $(total samples)\b" "$work/top" || return 1
	awk 'table { n = $1; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ +/, ""); sub(/ \((partial-)?inline\)$/, ""); print n, $0 }
		/flat%/ { table = 1 }' "$work/top" | sort -n >"$work/theirs"
	"$kflame" fold -i "$profile" | python3 -c '
import collections, sys
own = collections.Counter()
for line in sys.stdin:
    stack, count = line.rsplit(" ", 1)
    own[stack.split(";")[-1]] += int(count)
for line in open(sys.argv[1]):
    count, name = line.rstrip("\n").split(" ", 1)
    if own[name] != int(count):
        sys.exit("%s: %s in pprof, %d in folded stacks" % (name, count, own[name]))
' "$work/theirs"
}

# The same folded stacks, but for what the script cuts off all names
stackcollapse() {
	[ -n "${FLAMEGRAPH:-}" ] || return 77
	"$kflame" convert -i "$profile" --to perf-script | perl "$FLAMEGRAPH/stackcollapse-perf.pl" \
		>"$work/theirs" || return 1
	"$kflame" fold -i "$profile" | python3 tests/interop/tidy.py | LC_ALL=C sort >"$work/ours"
	python3 tests/interop/tidy.py <"$work/theirs" | LC_ALL=C sort | cmp - "$work/ours"
}

# open_speedscope FORMAT FILE: what its table shows
open_speedscope() {
	[ -n "${SPEEDSCOPE:-}" ] && command -v chromium >/dev/null || return 77
	"$kflame" convert -i "$profile" --to "$1" -o "$work/$2" || return 1
	"$kflame" fold -i "$profile" -o "$work/folded"
	python3 tests/interop/speedscope.py "$SPEEDSCOPE" "$work/$2" "$work/folded"
}

echo "1..3"
pprof_top; result "go tool pprof: total, and the top functions" $?
stackcollapse; result "stackcollapse-perf.pl: the same stacks" $?
open_speedscope speedscope p.speedscope.json; result "speedscope: its own format" $?
exit $failed
