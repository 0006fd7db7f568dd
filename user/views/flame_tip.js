// SPDX-License-Identifier: GPL-2.0-or-later
//
// The box that tells all about a frame.
function kflameTip(svg, make) {
	"use strict";

	var tip = make(svg, "g", { id: "tip" });
	var paper = make(tip, "rect", { rx: 4 });

	function wrap(text, room) {
		var chars = Array.from(text), lines = [];

		for (var i = 0; i < chars.length && lines.length < 20; i += room)
			lines.push(chars.slice(i, i + room).join(""));
		return lines;
	}

	function hide() {
		tip.style.display = "none";
	}

	// Name in full, and lines that say the rest, beside a point of the window
	function show(name, more, clientX, clientY) {
		var width = svg.viewBox.baseVal.width, height = svg.viewBox.baseVal.height;
		var names = wrap(name, Math.max(8, Math.min(96, Math.floor((width - 64) / 8))));
		var lines = names.concat(more), wide = 0, high = 17 * lines.length + 12, at, x, y;

		while (tip.childNodes.length > 1)
			tip.removeChild(tip.lastChild);
		tip.style.display = "";
		lines.forEach(function (line, i) {
			var t = make(tip, "text", { x: 10, y: 19 + 17 * i,
				"class": i < names.length ? "name" : "" }, line);
			wide = Math.max(wide, t.getComputedTextLength());
		});
		paper.setAttribute("width", wide + 20);
		paper.setAttribute("height", high);
		at = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
		x = Math.max(4, Math.min(at.x + 14, width - wide - 28));
		y = at.y + 18;
		if (y + high > height)
			y = at.y - high - 12;
		tip.setAttribute("transform", "translate(" + x + " " + Math.max(4, y) + ")");
	}

	hide();
	return { e: tip, show: show, hide: hide };
}
