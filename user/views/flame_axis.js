// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times above a flame chart, in seconds since the start of the recording.
function kflameAxis(parent, make, from) {
	"use strict";

	var axis = make(parent, "g", { id: "axis" });

	// The least of 1, 2, 5, 10, 20, ... ns that is as long as that
	function step(ns) {
		var ten = Math.pow(10, Math.floor(Math.log10(Math.max(ns, 1))));

		return [1, 2, 5, 10].map(function (n) { return n * ten; })
			.filter(function (n) { return n >= ns; })[0];
	}

	// For a view (x, w: ns) that is drawn from one pixel to another, as high as y
	function draw(view, left, right, y) {
		var per = (right - left) / view.w, by = step(110 / per);
		var digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(by) + 1e-9)));
		var begin = from + view.x, at = Math.ceil(begin / by) * by, x;

		while (axis.lastChild)
			axis.removeChild(axis.lastChild);
		for (; at <= begin + view.w; at += by) {
			x = (left + (at - begin) * per).toFixed(1);
			make(axis, "path", { d: "M" + x + " " + (y - 12) + "V" + (y + 4) });
			if (Number(x) + 50 <= right)
				make(axis, "text", { x: Number(x) + 3, y: y }, (at / 1e9).toFixed(digits) + " s");
		}
	}

	return { draw: draw };
}
