// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines of text above a picture, which must not be wider than the window.
function kflameLines(make) {
	"use strict";

	// A line and what it says in full
	function line(e, full) {
		return { e: e, full: full || e.textContent };
	}

	// Cuts a line where there is no more room, in whole letters
	function cut(l, room) {
		var chars = Array.from(l.full), length;

		l.e.textContent = l.full;
		length = l.e.getComputedTextLength();
		if (length <= room)
			return;
		chars.length = Math.max(1, Math.floor(chars.length * room / length) - 2);
		l.e.textContent = chars.join("") + "..";
	}

	// Goes on in the next line where there is no more room, between words.  Return: lines
	function wrap(l, room, x, high) {
		var lines = [""], probe = l.e;

		l.full.split(" ").forEach(function (word) {
			var last = lines.length - 1, longer = lines[last] + (lines[last] ? " " : "") + word;

			probe.textContent = longer;
			if (lines[last] && last < 3 && probe.getComputedTextLength() > room)
				lines.push(word);
			else
				lines[last] = longer;
		});
		probe.textContent = "";
		lines.forEach(function (text, i) {
			make(probe, "tspan", { x: x, dy: i ? high : 0 }, text + (lines[i + 1] ? " " : ""));
		});
		return lines.length;
	}

	return { line: line, cut: cut, wrap: wrap };
}
