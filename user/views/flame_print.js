// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows of frames on paper: none is cut in two where a page ends.
function kflamePrint(svg, make, alone) {
	"use strict";

	// A4 in CSS pixels, without margins of 10 mm; browsers round the ends of pages by less than the slack
	var WIDE = 1046.9, HIGH = 718.1, SLACK = 3;
	var isOn = false;

	// A page that contains the picture has a size of its own
	if (alone)
		make(svg, "style", {}, "@page { size: A4 landscape; margin: 10mm }");

	// Where rows are, from the top; they begin at one height, and are that much apart
	function rows(nr, top, row) {
		var all = [], y = top;

		for (var i = 0; i < nr; i++, y += row) {
			if (isOn && Math.floor((y - SLACK) / HIGH) !== Math.floor((y + row + SLACK) / HIGH))
				y = Math.ceil((y - SLACK) / HIGH) * HIGH + SLACK;
			all.push(y);
		}
		return all;
	}

	function listen(resize) {
		window.addEventListener("beforeprint", function () {
			isOn = alone;
			resize();
		});
		window.addEventListener("afterprint", function () {
			isOn = false;
			resize();
		});
	}

	return { rows: rows, listen: listen, width: function () { return isOn ? WIDE : 0; } };
}
