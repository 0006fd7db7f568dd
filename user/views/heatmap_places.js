// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lays a heat map out in its window.  Cells are scaled as one, since there may be thousands.
function kflameHeatPlaces(svg, cells, make) {
	"use strict";

	var LINE = 16, FOOT = 80, BROAD = 64, LOW = 4, HIGH = 16;
	var margin = number("data-left"), axis = number("data-axis"), top = number("data-top");
	var columns = number("data-columns"), rows = number("data-rows");
	var column = number("data-wide"), row = number("data-high");
	var begin = number("data-begin"), each = number("data-cell-ns");
	var scale = svg.querySelector("#scale"), levels = svg.querySelector("#levels");
	var lines = kflameLines(make);
	var title = lines.line(svg.querySelector("#title"), svg.querySelector("title").textContent);
	var subtitle = lines.line(svg.querySelector("#subtitle"));
	var legend = lines.line(levels.querySelector("text"));
	var legendX = Number(legend.e.getAttribute("x"));

	function number(name) {
		return Number(cells.getAttribute(name));
	}

	// Return: how much lower the cells begin
	function placeHead(width) {
		var room = width - 2 * margin, extra, beside = width - margin - legendX;

		lines.cut(title, room);
		extra = LINE * (lines.wrap(subtitle, room, margin, LINE) - 1);
		levels.setAttribute("transform", "translate(0 " + extra + ")");
		// In a narrow window, below the colours
		legend.e.setAttribute("y", beside < 260 ? 92 : 72);
		if (beside < 260)
			return extra + LINE * lines.wrap(legend, room, margin, LINE) + 4;
		return extra + LINE * (lines.wrap(legend, beside, legendX, LINE) - 1);
	}

	// The least of 1, 2, 5, 10, ... columns that has room for a time
	function stepOf(wide) {
		var step = 1;

		for (var i = 0; step * wide < 70; i++)
			step *= [2, 2.5, 2][i % 3];
		return step;
	}

	function time(ns, digits) {
		return (ns / 1e9).toFixed(digits);
	}

	// Times of columns below, fractions of a column beside
	function placeAxes(x, y, wide, high, room) {
		var every = stepOf(wide), i;

		while (scale.lastChild)
			scale.removeChild(scale.lastChild);
		for (i = 0; i < columns && i * wide + 40 < room; i += every)
			make(scale, "text", { x: x + i * wide, y: y + rows * high + 15 },
				time(begin + i * rows * each, 0) + " s");
		for (i = 0; i <= rows; i += 10)
			make(scale, "text", { "class": "side", x: x - 6, y: y + (rows - i) * high + (i ? 8 : 0) },
				time(i * each, 3));
	}

	// @height: of the window; 0: as high as usual
	function layOut(width, height) {
		var extra = placeHead(width), x = margin + axis, y = top + extra, whole;
		var wide = Math.min(BROAD, (width - 2 * margin - axis) / columns);
		var high = height ? Math.max(LOW, Math.min(HIGH, (height - y - FOOT) / rows)) : row;

		cells.setAttribute("transform", "translate(" + x + " " + y + ") scale(" + wide / column + " " +
			high / row + ") translate(" + -x + " " + -top + ")");
		placeAxes(x, y, wide, high, width - x);
		whole = Math.max(y + rows * high + FOOT, height);
		svg.querySelector("#here").setAttribute("y", y + rows * high + 40);
		svg.querySelector("#pick").setAttribute("y", y + rows * high + 62);
		svg.setAttribute("viewBox", "0 0 " + width + " " + whole);
		svg.setAttribute("height", whole);
	}

	return { layOut: layOut };
}
