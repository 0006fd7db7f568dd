#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Opens a flame graph, a flame chart and a heat map in a headless Chromium, and clicks,
# searches, resizes and goes back in them.  TAP on standard output.
#
#	check-flame.sh [KFLAME [PICTURE.png]]
#
# KFLAME is the tool (build/user/kflame); with PICTURE.png a screenshot is kept.
# See browsers.sh for CHROMIUM.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
picture=$2
. "$here/browsers.sh"
begin "${1:-$here/../../build/user/kflame}"

if [ -z "$chromium" ]; then
	echo "1..1"
	echo "ok 1 - flame graph in a browser # SKIP no Chromium; install the package chromium"
	exit 0
fi

# file:// pages may look into each other only with this flag; a profile of its
# own, so that nothing of a person's browser is used
set -- --headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr \
	--allow-file-access-from-files --user-data-dir="$work/browser"

cp "$here"/driver*.js "$here/driver.html" "$work/" || exit 1
# draw FILE OPTION...: folded stacks from standard input
draw() {
	name=$1
	shift
	"$kflame" flame --folded -o "$work/$name" "$@" 2>"$work/log" || bail "$kflame flame failed"
}
draw flame.svg <"$here/check.folded"
draw options.svg --icicle --percent --height=30 --count-name=bytes <"$here/check.folded"
awk 'BEGIN { printf "deep"; for (i = 0; i < 1000; i++) printf ";f%d", i
	printf ";"; for (i = 0; i < 10000; i++) printf "x"; print " 7" }' |
	draw extreme.svg || exit 1

# Kinds of frames in many shades, each with a label, in all colours
awk 'BEGIN { kinds = split(" _[k] _[i] _[j]", kind, " ")
	notes = split("[gap] [truncated] [runnable] [preempted] [waiting] [unmapped]", note, " ")
	for (i = 0; i < 12; i++) {
		printf "comm%d;f%d 10\n", i % 3, i
		for (k = 1; k <= kinds; k++)
			printf "comm%d;main;f%d%s;g%d%s 60\n", i % 3, i, kind[k], i, kind[k]
	}
	for (i = 1; i <= notes; i++)
		printf "comm1;main;%s 400\n", note[i] }' >"$work/kinds.folded"
for colors in kind wait file hot grey; do
	draw $colors.svg --colors=$colors <"$work/kinds.folded"
done
"$kflame" diff --folded --flame -o "$work/diff.svg" "$here/../../docs/views/before.folded" \
	"$here/../../docs/views/after.folded" 2>"$work/log" || bail "$kflame diff failed"

# In order of time
"$here/timeline.py" "$work/timeline.data" || exit 1
for picture_of in chart heatmap; do
	(cd "$work" && "$kflame" flame --$picture_of -i timeline.data -o ${picture_of%map}.svg) 2>"$work/log" ||
		bail "$kflame flame --$picture_of failed"
done

# The browser stays open until the page has said its last line on the console
mkfifo "$work/console" || exit 1
timeout 120 "$chromium" "$@" "file://$work/driver.html" >/dev/null 2>"$work/console" &
pid=$!
read_tap "$work/browser.log" "$work/tap" <"$work/console"
end_browser

# What a picture higher than the window looks like where nobody scrolls
timeout 120 "$chromium" "$@" --window-size=1200,500 --screenshot="$work/extreme.png" \
	"file://$work/extreme.svg" >/dev/null 2>&1
if why=$("$here/is_drawn.py" "$work/extreme.png" 2>&1); then drawn=ok; else drawn="not ok"; fi
if [ -n "$picture" ]; then
	timeout 120 "$chromium" "$@" --window-size=1200,500 --screenshot="$picture" \
		"file://$work/flame.svg" >/dev/null 2>&1
fi
# The plan comes last from the page, and first from here, where one more is known
planned=$(sed -n 's/^1\.\.//p' "$work/tap" 2>/dev/null)
if [ -z "$planned" ]; then
	tail -n 5 "$work/browser.log" | sed 's/^/# /'
	echo "Bail out! the browser gave no result"
	exit 1
fi
echo "1..$((planned + 1))"
grep -v '^1\.\.' "$work/tap"
echo "$drawn $((planned + 1)) - a screenshot of a picture that is higher than the window shows it"
[ -z "$why" ] || echo "$why" | sed 's/^/# /'
[ "$drawn" = ok ] && grep -q '^# PASSED' "$work/tap"
