// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which frames match a regular expression, and which is the next of them.
// With lanes, each has all of the time: their sum is a time, and no share.
function kflameSearch(frames, lanes) {
	"use strict";

	var found = [], widest = null, at = -1, bad = false;

	// A capital letter in the pattern makes case matter; "\W" is none
	function pattern(s) {
		try {
			return new RegExp(s, /[A-Z]/.test(s.replace(/\\./g, "")) ? "" : "i");
		} catch (e) {
			return null;
		}
	}

	// Returns the frames that match now and did not, or the other way round
	function look(s) {
		var re = s ? pattern(s) : null, changed;

		bad = !!s && !re;
		at = -1;
		widest = null;
		changed = frames.filter(function (f) {
			var match = !!re && re.test(f.name), other = match !== f.match;

			f.match = match;
			return other;
		});
		found = frames.filter(function (f) { return f.match; });
		return changed;
	}

	// Their number and share in a view; nested matches count once
	function tell(view) {
		var count = 0, sum = 0, done = -1, end = view.x + view.w, lane = null, here;

		found.forEach(function (f) {
			var from, to;

			if (f.x >= end || f.x + f.w <= view.x)
				return;
			count++;
			if (lanes && f.lane !== lane)
				done = -1;
			lane = f.lane;
			from = Math.max(f.x, view.x, done);
			to = Math.min(f.x + f.w, end);
			if (to > from) {
				sum += to - from;
				done = to;
			}
		});
		if (bad)
			return "not a regular expression";
		here = count + (count === 1 ? " frame, " : " frames, ") +
			(lanes ? (sum / 1e6).toFixed(1) + " ms" :
				(100 * sum / view.w).toFixed(2) + "%") + " match";
		if (at < 0)
			return here;
		return (at + 1) + " of " + (count === found.length ? "" : found.length + "; here ") +
			here;
	}

	// The next match, or the one before with -1; undefined if there is none.  The widest is the first.
	function step(by) {
		if (!found.length)
			return undefined;
		widest = widest || found.slice().sort(function (a, b) {
			return b.w - a.w || a.index - b.index;
		});
		at = at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
		return widest[at];
	}

	return { look: look, tell: tell, step: step };
}
