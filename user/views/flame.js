// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zoom, search and tooltips of a kflame flame graph.
//
// The fragment of the address is the state: a view can be linked, and the browser's back
// button zooms out.  Names are only ever written by textContent and setAttribute: nothing in
// a name can become markup.
(function () {
	"use strict";

	var NS = "http://www.w3.org/2000/svg";
	var script = document.currentScript;
	var svg = (script && script.ownerSVGElement) || document.documentElement;
	var alone = document.documentElement === svg;
	var chart = svg.querySelector("#frames");
	var note = svg.querySelector("#note");
	var margin = number(chart, "data-margin");
	var pad = number(chart, "data-pad");
	var whole = number(chart, "data-whole");
	var top = number(chart, "data-top");
	var row = number(chart, "data-row");
	var high = svg.viewBox.baseVal.height;
	var noteAt = note && number(note, "y");
	var width = svg.viewBox.baseVal.width;
	var rows = 0, rowsAt = [], letter = 7.25, reached = null;
	var frames = readFrames();
	var head = kflameHead(svg, make, set, margin, top - 88);
	var tip = kflameTip(svg, make);
	var paper = kflamePrint(svg, make, alone);
	var labels = kflameLabels();
	var search = kflameSearch(frames, chart.hasAttribute("data-chart"));
	var address = kflameState(frames.length, chart.hasAttribute("data-icicle"));
	var state = address.none;
	// Of a flame chart: lanes below each other, and what is beside is before or after
	var lanes = chart.hasAttribute("data-chart");
	var axis = lanes ? kflameAxis(head.e, make, number(chart, "data-from")) : null;

	function make(parent, tag, attributes, text) {
		var e = document.createElementNS(NS, tag);

		for (var name in attributes)
			e.setAttribute(name, attributes[name]);
		if (text !== undefined)
			e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	// The browser does work for every attribute that is set, so nothing is set twice
	function set(e, name, value) {
		if (e.getAttribute(name) !== String(value))
			e.setAttribute(name, value);
	}

	function number(e, name) {
		return Number(e.getAttribute(name));
	}

	// ------------------------------------------------------------ frames

	function readFrame(g) {
		var title = g.querySelector("title");
		var rect = g.querySelector("rect");
		var lines = title.textContent.split("\n");
		var w = number(g, "data-w");

		// Our own tooltip comes at once; the browser's would double it
		g.removeChild(title);
		g.setAttribute("aria-label", lines.join(", "));
		g.setAttribute("role", "treeitem");
		return {
			g: g, rect: rect, text: g.querySelector("text"), lines: lines, name: lines[0],
			cells: null, kind: g.getAttribute("class"), classes: g.getAttribute("class"),
			share: chart.hasAttribute("data-percent") ? (100 * w / whole).toFixed(1) + "%" : "",
			x: number(g, "data-x"), w: w, y: number(rect, "y"), up: null, match: false,
			isCaller: false, isShown: true, placed: ""
		};
	}

	// Callers come before what they call, row upon row
	function readFrames() {
		var groups = chart.querySelectorAll("g"), all = [], path = [], f, depth, base;

		for (var i = 0; i < groups.length; i++) {
			f = readFrame(groups[i]);
			base = i ? base : f.y;
			depth = Math.round(Math.abs(base - f.y) / row);
			f.depth = depth;
			f.index = i;
			f.up = depth ? path[depth - 1] : null;
			if (groups[i].hasAttribute("data-lane"))
				f.up = all[0];
			f.lane = depth ? (f.up === all[0] ? f : f.up.lane) : null;
			path[depth] = f;
			rows = Math.max(rows, depth + 1);
			groups[i].setAttribute("aria-level", depth + 1);
			groups[i].frame = f;
			all.push(f);
		}
		return all;
	}

	function label(f, x, w) {
		var name = w > 2 * pad ? labels.fit(f, Math.floor((w - 2 * pad) / letter)) : "";

		if (!name && !f.text)
			return;
		if (!f.text)
			f.text = make(f.g, "text", {});
		if (f.text.textContent !== name)
			f.text.textContent = name;
		if (!name)
			return;
		f.text.setAttribute("x", x + pad);
		f.text.setAttribute("y", f.y + Math.floor(row / 2) + 4);
	}

	// Does it call what is zoomed in on, so that it goes on to the left or right of it?
	function isCaller(f, view) {
		if (!lanes)
			return f.depth < view.depth;
		while (view && view !== f)
			view = view.up;
		return view === f && f !== frames[state.x];
	}

	function mark(f) {
		var classes = f.kind + (f.isCaller ? " up" : "") + (f.match ? " m" : "");

		if (f.classes !== classes)
			f.g.setAttribute("class", classes);
		f.classes = classes;
	}

	function place(f, x, w) {
		var placed = x.toFixed(2) + " " + f.y + " " + w.toFixed(2);

		if (f.placed === placed)
			return;
		f.placed = placed;
		f.rect.setAttribute("x", x.toFixed(2));
		f.rect.setAttribute("y", f.y);
		f.rect.setAttribute("width", w.toFixed(2));
		label(f, x, w);
	}

	// Places every frame for the present width and zoom
	function layOut() {
		var view = frames[state.x], end = view.x + view.w;
		var per = (width - 2 * margin) / view.w;

		frames.forEach(function (f) {
			var inside = f.x < end && f.x + f.w > view.x;
			var from = Math.max(f.x, view.x), to = Math.min(f.x + f.w, end);
			var w = (to - from) * per;

			if (f.isShown !== inside)
				f.g.style.display = inside ? "" : "none";
			f.isShown = inside;
			if (!inside)
				return;
			f.y = rowsAt[state.i ? f.depth : rows - 1 - f.depth];
			f.isCaller = isCaller(f, view);
			mark(f);
			place(f, margin + (from - view.x) * per, w > 3 ? w - 0.5 : w);
		});
	}

	function tellMatches() {
		var extra = head.tell(state.s ? search.tell(frames[state.x]) : null, width);
		var longer;

		rowsAt = paper.rows(rows, top + extra, row).map(function (y) { return y - extra; });
		longer = extra + rowsAt[rows - 1] - top - (rows - 1) * row;
		svg.classList.toggle("searching", !!state.s);
		set(chart, "transform", "translate(0 " + extra + ")");
		if (note)
			set(note, "y", noteAt + longer);
		set(svg, "viewBox", "0 0 " + width + " " + (high + longer));
		set(svg, "height", high + longer);
		if (lanes) {
			head.buttons.invert.style.display = "none";
			axis.draw(frames[state.x], margin, width - margin, top - 6 + extra);
		}
		head.buttons.reset.style.display = address.same(state, address.none) ? "none" : "";
	}

	function resize() {
		var wide = svg.clientWidth || window.innerWidth;

		if (alone)
			wide = document.documentElement.clientWidth || wide;
		width = paper.width() || Math.max(wide, 320);
		tellMatches();
		layOut();
	}

	// ------------------------------------------------------------- state

	function show(next) {
		var other = next.s !== state.s, moved = next.x !== state.x || next.i !== state.i;

		state = next;
		if (head.box !== document.activeElement)
			head.box.value = state.s;
		if (other)
			search.look(state.s).forEach(mark);
		tellMatches();
		if (moved)
			layOut();
		if (!isShown(reached))
			reach(frames[state.x]);
	}

	// A step is undone by "back"; typing in the search box is none
	function go(change, isStep) {
		var next = { x: state.x, s: state.s, i: state.i };

		for (var key in change)
			next[key] = change[key];
		show(next);
		try {
			if (isStep)
				location.hash = address.write(state);
			else
				location.replace(address.write(state));
		} catch (e) {
			// A sandboxed page: the view works, it just has no address
		}
	}

	function zoom(f) {
		go({ x: f.index }, true);
	}

	function reset() {
		tip.hide();
		head.box.value = "";
		head.box.blur();
		go(address.none, true);
	}

	function invert() {
		if (lanes)
			return;
		go({ i: !state.i }, true);
		if (alone)
			window.scrollTo(0, state.i ? 0 : svg.viewBox.baseVal.height);
	}

	// ---------------------------------------------------------- keyboard

	// Tab reaches one frame, from which the arrows go on
	function reach(f) {
		if (reached)
			reached.g.setAttribute("tabindex", -1);
		reached = f;
		f.g.setAttribute("tabindex", 0);
	}

	function focus(f) {
		reach(f);
		f.g.focus();
	}

	function isShown(f) {
		return f && f.isShown;
	}

	// The next one of the same row to the right, or to the left with -1
	function beside(f, by) {
		for (var i = f.index + by; frames[i]; i += by)
			if (frames[i].depth === f.depth && isShown(frames[i]))
				return frames[i];
		return f;
	}

	// The widest of what it calls
	function callee(f) {
		var best = null;

		for (var i = f.index + 1; frames[i] && frames[i].depth > f.depth; i++)
			if (frames[i].up === f && isShown(frames[i]) && (!best || frames[i].w > best.w))
				best = frames[i];
		return best || f;
	}

	// To the next match, out or in so far that it can be seen
	function nextMatch(by) {
		var f = search.step(by), view = f, room = width - 2 * margin;

		if (!f)
			return;
		for (var up = f.up; up && f.w / up.w * room >= 40; up = up.up)
			view = up;
		go({ x: view.index }, view.index !== state.x);
		focus(f);
	}

	function keyOnFrame(f, key) {
		var up = state.i ? "ArrowDown" : "ArrowUp", down = state.i ? "ArrowUp" : "ArrowDown";

		if (key === up)
			focus(callee(f));
		else if (key === down)
			focus(isShown(f.up) ? f.up : f);
		else if (key === "ArrowLeft" || key === "ArrowRight")
			focus(beside(f, key === "ArrowLeft" ? -1 : 1));
		else if (key === "Enter" || key === " ")
			zoom(f);
		else
			return false;
		return true;
	}

	function keyAnywhere(key) {
		if (key === "n" || key === "N")
			nextMatch(key === "n" ? 1 : -1);
		else if (key === "i")
			invert();
		else if (key === "Backspace" && state.x)
			zoom(frames[state.x].up);
		else
			return false;
		return true;
	}

	function pressed(id) {
		var actions = {
			reset: reset, invert: invert,
			before: nextMatch.bind(null, -1), after: nextMatch.bind(null, 1)
		};

		if (actions[id])
			actions[id]();
		return !!actions[id];
	}

	function key(e) {
		var at = document.activeElement, inBox = at === head.box, done = true;

		if (((e.ctrlKey || e.metaKey) && e.key === "f") || (e.key === "/" && !inBox)) {
			head.box.focus();
			head.box.select();
		} else if (e.key === "Escape") {
			reset();
		} else if (e.ctrlKey || e.metaKey || e.altKey) {
			done = false;
		} else if (inBox) {
			done = e.key === "Enter";
			if (done)
				nextMatch(e.shiftKey ? -1 : 1);
		} else if (at && at.frame && keyOnFrame(at.frame, e.key)) {
			done = true;
		} else if ((e.key === "Enter" || e.key === " ") && at && pressed(at.id)) {
			done = true;
		} else {
			done = keyAnywhere(e.key);
		}
		if (done)
			e.preventDefault();
	}

	// ------------------------------------------------------------ events

	function frameAt(event) {
		var g = event.target.closest ? event.target.closest("#frames > g") : null;

		return g ? g.frame : null;
	}

	function showTip(f, x, y) {
		var view = frames[state.x], more = f.lines.slice(1);

		if (state.x && f !== view && f.depth >= view.depth)
			more = more.concat((100 * f.w / view.w).toFixed(2) + "% of the zoomed view");
		tip.show(f.name, more, x, y);
	}

	// The header stays in sight when the picture is taller than the window
	function stick() {
		head.e.setAttribute("transform", "translate(0 " +
			(alone && !paper.width() ? window.scrollY : 0) + ")");
	}

	function listen() {
		chart.addEventListener("click", function (e) {
			var f = frameAt(e);

			if (f)
				zoom(f);
		});
		chart.addEventListener("mousemove", function (e) {
			var f = frameAt(e);

			if (f)
				showTip(f, e.clientX, e.clientY);
		});
		chart.addEventListener("mouseleave", tip.hide);
		chart.addEventListener("focusin", function (e) {
			var f = frameAt(e), at = f && f.rect.getBoundingClientRect();

			if (f && f.g.matches(":focus-visible"))
				showTip(f, Math.max(0, at.left), at.bottom);
		});
		chart.addEventListener("focusout", tip.hide);
		head.e.addEventListener("click", function (e) {
			pressed(e.target.id);
		});
		head.box.addEventListener("input", function () {
			go({ s: head.box.value }, false);
		});
		window.addEventListener("keydown", key);
		window.addEventListener("resize", resize);
		window.addEventListener("hashchange", function () {
			var next = address.read();

			if (!address.same(next, state))
				show(next);
		});
		window.addEventListener("scroll", stick);
		paper.listen(function () {
			tip.hide();
			stick();
			resize();
		});
	}

	function measureLetter() {
		var probe = make(chart, "text", { y: -100 }, "0".repeat(100));

		letter = probe.getComputedTextLength() / 100 || letter;
		chart.removeChild(probe);
	}

	measureLetter();
	chart.setAttribute("role", "tree");
	chart.setAttribute("aria-label", lanes ? "Lanes and their frames, from left to right in time" :
		"Frames, callers before what they call");
	svg.insertBefore(head.e, tip.e);
	svg.setAttribute("width", "100%");
	reach(frames[0]);
	listen();
	show(address.read());
	resize();
	// A page that has scrolled is not what a headless browser's --screenshot shows: it is blank
	if (alone && high > window.innerHeight && !/Headless/.test(navigator.userAgent)) {
		window.scrollTo(0, state.i ? 0 : svg.viewBox.baseVal.height);
		stick();
	}
})();
