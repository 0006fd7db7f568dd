#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Opens pages of 'kflame view' in a headless Chromium and in Firefox, works in them as a person would, and compares their
# numbers with those of 'kflame report' and 'kflame diff'.  TAP on standard output.
#
#	check-view.sh [KFLAME]
#
# KFLAME is the tool (build/user/kflame).  See browsers.sh for CHROMIUM and FIREFOX.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/browsers.sh"
begin "${1:-$here/../../build/user/kflame}"
corpus=$here/../fuzz/corpus/profile

cp "$here"/view_driver.html "$here"/view_*.js "$work/" || exit 1
cd "$work" || exit 1

# run OPTION...: the tool, which must not fail
run() {
	"$kflame" "$@" 2>log || bail "kflame $1 failed"
}

# expect NAME OPTION...: EXPECTED[NAME] becomes the tool's JSON
expect() {
	printf 'EXPECTED["%s"] = ' "$1"
	shift
	run "$@" --json
	echo ";"
}

"$here/timeline.py" timeline.data && "$here/shop.py" shop.data || exit 1
# For root, the tool reads sources as nobody
chmod 755 . && mkdir code && "$here/source.py" code source.data 2>log || bail "no program with debug data"
cp "$corpus/whole" whole.data && cp "$corpus/wall" wall.data && cp "$corpus/events" events.data &&
	cp "$corpus/waits-for-locks" waits.data &&
	cp "$corpus/events-eight-and-a-timer-without-a-name" bytes.data || exit 1
cp "$here/check.folded" check.folded || exit 1
# A function that calls itself, directly and through others
printf '%s\n' 'a;main;f;g;f;f;h 5' 'a;main;f 3' 'b;main;g;f 7' 'b;h 11' >recursion.folded
# As before, but for a function that is new and one that vanished
printf '%s\n' 'a;main;f;g;f;f;h 5' 'a;main;new 300' 'b;main;g;f 7' 'b;h 11' >later.folded
for part in 0s-1s 2s-3s; do
	run fold -i timeline.data --from "${part%-*}" --to "${part#*-}" -o "$part.folded"
done
for name in whole wall waits events bytes timeline shop; do
	run view $name.data -o $name.html
done
run view source.data --with-source -o source.html
run view waits.data --from 0.3s --to 0.6s -o waitspart.html
# Without the element of its times
sed '/id="times0"/,$d' timeline.html >cut.html
run view --folded check.folded -o check.html
echo 'a;only;only 1' >one.folded
run view --folded one.folded -o one.html
run merge -o merged.data timeline.data timeline.data && run view merged.data -o merged.html
run view --folded recursion.folded -o recursion.html
run view --folded recursion.folded later.folded -o compare.html
{
	echo "var EXPECTED = {};"
	all="-n 0 --by function,file,comm,pid"
	expect whole report -i whole.data $all
	expect wall report -i wall.data $all --event off-cpu
	expect alltime report -i wall.data $all --wall
	expect events report -i events.data $all
	expect faults report -i events.data $all --event page-faults
	expect timeline report -i timeline.data $all
	expect part report -i timeline.data $all --from 1.2s --to 2.7s
	expect tree report -i whole.data --tree --percent-limit 0
	expect parttree report -i timeline.data --tree --percent-limit 0 --from 1.2s --to 2.7s
	expect shop report -i shop.data $all
	expect waits report -i waits.data $all --event off-cpu --from 0.3s --to 0.6s
	expect callers report -i whole.data --callers=main -n 0
	expect callees report -i whole.data --callees=main -n 0
	for name in outer inner main strange3; do
		expect "source-$name" report -i source.data --annotate "$name"
	done
	expect source-part report -i source.data --annotate outer --from 1 --to 2.5
	expect source-thread report -i source.data --annotate outer --include '^thread10$'
	expect parts diff --folded 0s-1s.folded 2s-3s.folded
	expect diff diff --folded recursion.folded later.folded
} >expected.js || exit 1

# Pages of file:// may look into each other only with these settings.  Each browser has a profile of its own, so that
# nothing of a person's is used
start_chromium() {
	exec timeout 150 "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr \
		--allow-file-access-from-files --user-data-dir="$work/chromium" --window-size=1300,900 "$1"
}
start_firefox() {
	mkdir -p firefox
	cat >firefox/user.js <<-'END'
		user_pref("security.fileuri.strict_origin_policy", false);
		user_pref("devtools.console.stdout.content", true);
		user_pref("datareporting.policy.dataSubmissionEnabled", false);
		user_pref("browser.shell.checkDefaultBrowser", false);
	END
	exec timeout 150 env HOME="$work" "$firefox" --headless --profile "$work/firefox" --no-remote "$1"
}

# Work in the pages
try_in() {
	rm -f console tap
	mkfifo console || exit 1
	(start_"$1" "file://$work/view_driver.html") >console 2>&1 &
	pid=$!
	read_tap "$1.log" tap <console
	end_browser
}

number=0
failed=0
# result OK NAME: a line of TAP, after the plan
result() {
	number=$((number + 1))
	echo "$1 $number - $2" >>results
	[ "$1" = ok ] || failed=1
}
for browser in chromium firefox; do
	eval "program=\$$browser"
	if [ -z "$program" ]; then
		result ok "the viewer in $browser # SKIP no $browser here"
		continue
	fi
	try_in "$browser"
	if ! grep -q '^# PASSED\|^# FAILED' tap 2>/dev/null; then
		tail -n 5 "$browser.log" | sed 's/^/# /' >>results
		result "not ok" "the viewer in $browser: it gave no result"
		continue
	fi
	while read -r line; do
		case $line in
		ok\ *) result ok "$browser: ${line#* - }" ;;
		not\ ok\ *) result "not ok" "$browser: ${line#* - }" ;;
		esac
	done <tap
done
echo "1..$number"
cat results
[ "$failed" = 0 ]
