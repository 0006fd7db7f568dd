// SPDX-License-Identifier: GPL-2.0-or-later
//
// The box that tells all about a frame.
function kflameTip(svg, make) {
	"use strict";

	var LINE = 17, EDGE = 4, PAD = 10, LONGEST = 720;
	var tip = make(svg, "g", { id: "tip", "aria-hidden": "true" });
	var paper = make(tip, "rect", { rx: 4 });

	function hide() {
		tip.style.display = "none";
	}

	// The part of the picture that the window shows, in the picture's units
	function visible() {
		var page = document.documentElement, box = svg.viewBox.baseVal;
		var from = svg.getScreenCTM().inverse();
		var a = new DOMPoint(0, 0).matrixTransform(from);
		var b = new DOMPoint(page.clientWidth || window.innerWidth,
			Math.min(page.clientHeight || window.innerHeight, window.innerHeight)).matrixTransform(from);

		return {
			left: Math.max(a.x, 0) + EDGE, right: Math.min(b.x, box.width) - EDGE,
			top: Math.max(a.y, 0) + EDGE, bottom: Math.min(b.y, box.height) - EDGE
		};
	}

	function pieces(text, letters) {
		var chars = Array.from(text), all = [];

		for (var i = 0; i < chars.length; i += letters)
			all.push(chars.slice(i, i + letters).join(""));
		return all;
	}

	// Draws a text in lines that are no wider than that.  Letters differ in width, so this measures.
	function write(text, isName, room) {
		var letters = Math.max(8, Math.floor(room / 6)), lines, most;

		for (;;) {
			lines = pieces(text, letters).slice(0, 100).map(function (line) {
				return make(tip, "text", { x: PAD, "class": isName ? "name" : "" }, line);
			});
			most = Math.max.apply(null, lines.map(function (t) { return t.getComputedTextLength(); }));
			if (most <= room || letters <= 1)
				return lines;
			lines.forEach(function (t) { tip.removeChild(t); });
			letters = Math.max(1, Math.min(letters - 1, Math.floor(letters * room / most)));
		}
	}

	// Leaves out lines in the middle, at the end of the name, where there is no room for all
	function shorten(names, more, nr) {
		var kept = Math.max(1, nr - more.length);

		if (names.length > kept) {
			names.splice(kept).forEach(function (t) { tip.removeChild(t); });
			names[kept - 1].textContent = names[kept - 1].textContent.slice(0, -2) + "\u2026";
		}
		return names.concat(more);
	}

	function widest(lines) {
		return Math.max.apply(null, lines.map(function (t) { return t.getComputedTextLength(); }));
	}

	// Below and right of the point; where there is no room, above and further left
	function place(at, wide, high, view) {
		var x = Math.max(view.left, Math.min(at.x + 14, view.right - wide)), y = at.y + 18;

		if (y + high > view.bottom)
			y = at.y - high - 12;
		if (y < view.top)
			y = Math.max(view.top, view.bottom - high);
		tip.setAttribute("transform", "translate(" + x + " " + y + ")");
	}

	// Name in full, and lines that say the rest, beside a point of the window
	function show(name, more, clientX, clientY) {
		var view = visible(), room = Math.min(LONGEST, view.right - view.left - 2 * PAD), lines, wide, high;

		while (tip.childNodes.length > 1)
			tip.removeChild(tip.lastChild);
		tip.style.display = "";
		lines = shorten(write(name, true, room), more.reduce(function (all, line) {
			return all.concat(write(line, false, room));
		}, []), Math.min(24, Math.floor((view.bottom - view.top - 12) / LINE)));
		lines.forEach(function (t, i) { t.setAttribute("y", 19 + LINE * i); });
		wide = widest(lines) + 2 * PAD;
		high = LINE * lines.length + 12;
		paper.setAttribute("width", wide);
		paper.setAttribute("height", high);
		place(new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse()), wide, high, view);
	}

	hide();
	return { e: tip, show: show, hide: hide };
}
