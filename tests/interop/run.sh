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
#	SPEEDSCOPE_SRC	its importers' own sums		a checkout of jlfwong/speedscope; and ESBUILD, the
#							node_modules/.bin/esbuild of npm install esbuild
#	PROFILER_CLI	the Firefox Profiler's sums	node_modules/@firefox-devtools/profiler-cli of
#							npm install @firefox-devtools/profiler-cli
#
# About ten seconds, on an idle machine.
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

# import_speedscope FORMAT FILE: the sums of all functions, from the code that speedscope imports with
import_speedscope() {
	[ -n "${SPEEDSCOPE_SRC:-}" ] && [ -n "${ESBUILD:-}" ] || return 77
	"$ESBUILD" tests/interop/speedscope_import.ts --bundle --platform=node --log-level=warning \
		"--alias:speedscope=$SPEEDSCOPE_SRC/src" "--outfile=$work/import.js" || return 1
	"$kflame" convert -i "$profile" --to "$1" -o "$work/$2" || return 1
	"$kflame" fold -i "$profile" -o "$work/folded"
	node "$work/import.js" "$1" "$work/$2" 2>"$work/warnings" |
		python3 tests/interop/functions.py "$work/folded"
}

# The functions that the Firefox Profiler finds, after it brought the file up to its own version
import_firefox() {
	local cli="${PROFILER_CLI:-}/dist/profiler-cli.js" status
	[ -e "$cli" ] || return 77
	"$kflame" convert -i "$profile" -o "$work/p.firefox.json" || return 1
	"$kflame" fold -i "$profile" -o "$work/folded"
	HOME=$work node "$cli" load "$work/p.firefox.json" >/dev/null || return 1
	HOME=$work node "$cli" thread functions --json --limit 0 --include-idle >"$work/functions.json"
	status=$?
	HOME=$work node "$cli" stop --all >/dev/null
	[ $status -eq 0 ] && python3 -c '
import json, sys
for f in json.load(open(sys.argv[1]))["functions"]:
    print(json.dumps([f["name"], f["selfSamples"], f["totalSamples"]]))
' "$work/functions.json" | python3 tests/interop/functions.py "$work/folded"
}

echo "1..6"
pprof_top; result "go tool pprof: total, and the top functions" $?
stackcollapse; result "stackcollapse-perf.pl: the same stacks" $?
open_speedscope speedscope p.speedscope.json; result "speedscope: its own format" $?
import_speedscope speedscope p.speedscope.json; result "speedscope: sums of its own format" $?
import_speedscope chrome p.trace.json; result "speedscope: sums of Chrome's format" $?
import_firefox; result "Firefox Profiler: sums of its format" $?
exit $failed
