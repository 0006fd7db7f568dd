// SPDX-License-Identifier: GPL-2.0-or-later
//
// Picks a range in a heat map: "#from=1.2&to=3.4" in the address, and the command that shows it.
(function () {
	"use strict";

	var script = document.currentScript;
	var svg = (script && script.ownerSVGElement) || document.documentElement;
	var alone = document.documentElement === svg;
	var cells = svg.querySelector("#cells"), pick = svg.querySelector("#pick");
	var here = svg.querySelector("#here");
	var begin = number("data-begin"), end = number("data-end"), each = number("data-cell-ns");
	var rows = number("data-rows");
	var all = Array.from(cells.querySelectorAll("rect"));
	var paper = kflamePrint(svg, make, alone);
	var places = kflameHeatPlaces(svg, cells, make);
	var first = null, dragged = false, at = null, marked = [];
	var ROUND = 0.001;	// of a cell: seconds in the address have three digits

	function number(name) {
		return Number(cells.getAttribute(name));
	}

	function make(parent, tag, attributes, text) {
		var e = document.createElementNS("http://www.w3.org/2000/svg", tag);

		for (var name in attributes)
			e.setAttribute(name, attributes[name]);
		if (text !== undefined)
			e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	function resize() {
		var page = document.documentElement;
		var wide = alone ? page.clientWidth || window.innerWidth : svg.clientWidth || window.innerWidth;

		if (paper.width())
			places.layOut(paper.width(), 0);
		else
			places.layOut(Math.max(wide, 320), alone ? window.innerHeight : 0);
	}

	// ------------------------------------------------------------- range

	// Seconds, as --from and --to take them
	function seconds(ns) {
		return (Math.max(0, Math.min(ns, end)) / 1e9).toFixed(3).replace(/\.?0+$/, "");
	}

	// Marks the cells of a range, in ns since the start of the recording; null: none
	function show(range) {
		var from = range ? Math.floor((range.from - begin) / each + ROUND) : 0;
		var to = range ? Math.ceil((range.to - begin) / each - ROUND) : 0;

		marked.forEach(function (rect) { rect.classList.remove("in"); });
		marked = all.slice(Math.max(0, from), Math.max(0, to));
		marked.forEach(function (rect) { rect.classList.add("in"); });
		pick.textContent = range ? cells.getAttribute("data-command") + " --from " +
			seconds(range.from) + " --to " + seconds(range.to) : "";
		pick.setAttribute("tabindex", range ? 0 : -1);
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

	// Begins a range at a cell, or ends it there
	function press(cell) {
		if (first === null) {
			first = cell;
			show(rangeOf(cell, cell));
			return;
		}
		write(rangeOf(first, cell));
		first = null;
	}

	function none() {
		first = null;
		write(null);
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

	// ---------------------------------------------------------- keyboard

	function tell(cell) {
		here.textContent = cell === null ? "" :
			all[cell].querySelector("title").textContent.replace("\n", ": ");
	}

	// The cell that keys go on from
	function reach(cell) {
		if (at !== null)
			all[at].classList.remove("at");
		at = cell;
		if (at !== null)
			all[at].classList.add("at");
		tell(at);
	}

	function move(by, extends_) {
		var from = at === null ? 0 : at, to = Math.max(0, Math.min(all.length - 1, from + by));

		if (extends_ && first === null)
			first = from;
		reach(to);
		if (first !== null)
			show(rangeOf(first, to));
	}

	function keyOnCells(e) {
		var steps = {
			ArrowUp: 1, ArrowDown: -1, ArrowRight: rows, ArrowLeft: -rows,
			PageDown: 10 * rows, PageUp: -10 * rows, End: all.length, Home: -all.length
		};

		if (steps[e.key])
			move(steps[e.key], e.shiftKey);
		else if (e.key === "Enter" || e.key === " ")
			press(at === null ? 0 : at);
		else
			return false;
		return true;
	}

	function key(e) {
		var active = document.activeElement;

		if (e.key === "Escape")
			none();
		else if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		else if (active === pick && (e.key === "Enter" || e.key === " "))
			copy();
		else if (active !== cells || !keyOnCells(e))
			return;
		e.preventDefault();
	}

	// ------------------------------------------------------------- mouse

	function cellAt(e) {
		var cell = e.target.getAttribute && e.target.getAttribute("data-cell");

		return cell === null || cell === undefined ? null : Number(cell);
	}

	// Press and drag; or click where it begins, then where it ends
	function listenToMouse() {
		cells.addEventListener("mousedown", function (e) {
			var cell = cellAt(e);

			if (cell === null)
				return;
			e.preventDefault();
			dragged = false;
			press(cell);
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

			if (first !== null && cell !== null && dragged)
				press(cell);
		});
	}

	function say() {
		var words = { tabindex: 0, role: "application", "aria-label": "Heat map: arrows move from cell " +
			"to cell, Enter begins and ends a range, Escape picks none" };

		for (var name in words)
			cells.setAttribute(name, words[name]);
		here.setAttribute("role", "status");
		here.setAttribute("aria-live", "polite");
		pick.setAttribute("role", "button");
	}

	say();
	listenToMouse();
	pick.addEventListener("click", copy);
	cells.addEventListener("focus", function () {
		reach(at === null ? 0 : at);
	});
	cells.addEventListener("blur", function () {
		all[at].classList.remove("at");
		tell(null);
	});
	window.addEventListener("keydown", key);
	window.addEventListener("resize", resize);
	window.addEventListener("hashchange", function () {
		show(read());
	});
	paper.listen(resize);
	svg.setAttribute("width", "100%");
	show(read());
	resize();
})();
