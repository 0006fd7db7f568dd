# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
#
# browsers.sh - the start of each test in a browser: the tool, the browsers, a temporary directory.  For '.'
#
#	begin KFLAME
#
# Sets $kflame, $work, and $chromium and $firefox, which are empty if there is no such browser.  CHROMIUM and FIREFOX
# in the environment name a browser that is not in the PATH.  A browser that runs has its process ID in $pid: the end
# of the test ends that browser.

# first NAME...: print the first of these programs that is here
first() {
	for program; do
		[ -n "$program" ] && command -v "$program" && return
	done
}

# bail TEXT: end the test.  Messages of the tool are in the file log
bail() {
	[ ! -f "$work/log" ] || cat "$work/log" >&3
	echo "Bail out! $1" >&3
	exit 1
}

begin() {
	# Standard output of the test, also where output goes to a file
	exec 3>&1
	work=
	kflame=$(realpath -m "$1")
	[ -x "$kflame" ] || bail "$1 is not there; build it with 'make user'"
	chromium=$(first "$CHROMIUM" chromium chromium-browser google-chrome)
	firefox=$(first "$FIREFOX" firefox-esr firefox)
	work=$(mktemp -d) || exit 1
	pid=
	trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
}

# read_tap LOG TAP <CONSOLE: copy the console to LOG, and what the page says there to TAP, until its last line.
# A line has the form "TAP: ...", with quotes, and in Chromium with its source
read_tap() {
	while read -r line; do
		echo "$line" >>"$1"
		case $line in
		*'"TAP: '*)
			line=${line#*\"TAP: }
			line=${line%\", source: *}
			line=${line%\"}
			echo "$line" >>"$2"
			case $line in "# PASSED" | "# FAILED") break ;; esac
			;;
		esac
	done
}

# end_browser: the page has said its last line
end_browser() {
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	pid=
}
