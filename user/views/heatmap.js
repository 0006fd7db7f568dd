// SPDX-License-Identifier: GPL-2.0-or-later
//
// Picks a range in a heat map: "#from=1.2&to=3.4" in the address, and the command that shows it.
(function () {
	"use strict";

	var script = document.currentScript;
	var svg = (script && script.ownerSVGElement) || document.documentElement;
	var cells = svg.querySelector("#cells"), pick = svg.querySelector("#pick");
	var begin = number("data-begin"), end = number("data-end"), each = number("data-cell-ns");
	var all = Array.from(cells.querySelectorAll("rect"));
	var first = null, dragged = false;

	function number(name) {
		return Number(cells.getAttribute(name));
	}

	// Seconds, as --from and --to take them
	function seconds(ns) {
		return (Math.max(0, Math.min(ns, end)) / 1e9).toFixed(3).replace(/\.?0+$/, "");
	}

	// What is from one time to another, in ns since the start of the recording; null: nothing
	function show(range) {
		all.forEach(function (rect) {
			var at = begin + Number(rect.getAttribute("data-cell")) * each;

			rect.classList.toggle("in", !!range && at < range.to && at + each > range.from);
		});
		pick.textContent = range ? cells.getAttribute("data-command") + " --from " +
			seconds(range.from) + " --to " + seconds(range.to) : "";
	}

	function read() {
		var m = /^#from=(\d+(?:\.\d+)?)&to=(\d+(?:\.\d+)?)$/.exec(location.hash);

		return m && Number(m[1]) < Number(m[2]) ?
			{ from: Number(m[1]) * 1e9, to: Number(m[2]) * 1e9 } : null;
	}

	function rangeOf(a, b) {
		return { from: begin + Math.min(a, b) * each, to: begin + (Math.max(a, b) + 1) * each };
	}

	function write(range) {
		show(range);
		try {
			location.hash = range ? "#from=" + seconds(range.from) + "&to=" + seconds(range.to) : "#";
		} catch (e) {
			// A sandboxed page: the picture works, it just has no address
		}
	}

	function cellAt(e) {
		var cell = e.target.getAttribute && e.target.getAttribute("data-cell");

		return cell === null || cell === undefined ? null : Number(cell);
	}

	// For one click takes the text, where the browser allows it; else marks it, to be copied
	function copy() {
		var range = document.createRange();

		range.selectNodeContents(pick);
		window.getSelection().removeAllRanges();
		window.getSelection().addRange(range);
		if (navigator.clipboard)
			navigator.clipboard.writeText(pick.textContent).catch(function () {});
	}

	// Press and drag; or click where it begins, then where it ends
	cells.addEventListener("mousedown", function (e) {
		var cell = cellAt(e);

		if (cell === null)
			return;
		e.preventDefault();
		if (first !== null) {
			write(rangeOf(first, cell));
			first = null;
			return;
		}
		first = cell;
		dragged = false;
		show(rangeOf(cell, cell));
	});
	cells.addEventListener("mousemove", function (e) {
		var cell = cellAt(e);

		if (first === null || cell === null)
			return;
		if (e.buttons && cell !== first)
			dragged = true;
		show(rangeOf(first, cell));
	});
	cells.addEventListener("mouseup", function (e) {
		var cell = cellAt(e);

		if (first === null || cell === null || !dragged)
			return;
		write(rangeOf(first, cell));
		first = null;
	});
	pick.addEventListener("click", copy);
	window.addEventListener("keydown", function (e) {
		if (e.key !== "Escape")
			return;
		first = null;
		write(null);
	});
	window.addEventListener("hashchange", function () {
		show(read());
	});
	svg.setAttribute("width", "100%");
	show(read());
})();
