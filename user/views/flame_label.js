// SPDX-License-Identifier: GPL-2.0-or-later
//
// What of a frame's name its label shows.  flame.c does the same.
function kflameLabels() {
	"use strict";

	// Characters that are two columns wide in a fixed-width font
	var WIDE = new RegExp("[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff" +
		"\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6]|[\\ud83c-\\ud87f][\\udc00-\\udfff]");

	var LEAST_CUT = 6;

	function cellsOf(c) {
		return WIDE.test(c) ? 2 : 1;
	}

	// Where what the "<" at a place begins ends; -1 for nowhere.  "->" is no end.
	function endOf(cells, at) {
		var depth = 0;

		for (; at < cells.length; at++) {
			if (cells[at] === "<")
				depth++;
			else if (cells[at] === ">" && cells[at - 1] !== "-" && !--depth)
				return at;
		}
		return -1;
	}

	// A name without its template arguments, see brief.c
	function brief(cells) {
		var out = [], i, end;

		for (i = 0; i < cells.length; i++) {
			out.push(cells[i]);
			if (cells[i] !== "<" || !/\w/.test(cells[i - 1] || "") ||
			    cells.slice(Math.max(0, i - 8), i).join("") === "operator")
				continue;
			end = endOf(cells, i);
			if (end < 0)
				return cells;
			if (end - i - 1 < 4)
				continue;
			out.push(".", ".", ".");
			i = end - 1;
		}
		return out;
	}

	// How many of the letters fit
	function fitting(cells, room) {
		var used = 0, i;

		for (i = 0; i < cells.length; i++) {
			used += cellsOf(cells[i]);
			if (used > room)
				break;
		}
		return i;
	}

	function withShare(f, room) {
		var both = f.name + " " + f.share;

		return f.share && fitting(Array.from(both), room) >= Array.from(both).length ?
			both : f.name;
	}

	// As much of a name as fits into so many letters, in whole letters; "r.." says nothing
	function fit(f, room) {
		if (room < LEAST_CUT && f.name.length > 2 * room)
			return "";
		f.cells = f.cells || Array.from(f.name);
		if (fitting(f.cells, room) === f.cells.length)
			return withShare(f, room);
		if (room < LEAST_CUT)
			return "";
		f.brief = f.brief || brief(f.cells);
		if (fitting(f.brief, room) === f.brief.length)
			return f.brief.join("");
		return f.brief.slice(0, fitting(f.brief, room - 2)).join("") + "..";
	}

	return { fit: fit };
}
