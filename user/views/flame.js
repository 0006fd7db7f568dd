// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zoom, search and tooltips of a kflame flame graph.
//
// The fragment of the address is the state, "#x=FRAME&s=REGEXP": a view can be
// linked, and the browser's back button zooms out.  Names are only ever written
// by textContent and setAttribute: nothing in a name can become markup.
(function () {
	"use strict";

	var NS = "http://www.w3.org/2000/svg";
	var XHTML = "http://www.w3.org/1999/xhtml";
	// Characters that are two columns wide in a fixed-width font
	var WIDE = new RegExp("[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff" +
		"\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6]|[\\ud83c-\\ud87f][\\udc00-\\udfff]");
	var script = document.currentScript;
	var svg = (script && script.ownerSVGElement) || document.documentElement;
	var chart = svg.querySelector("#frames");
	var head = svg.querySelector("#head");
	var margin = Number(chart.getAttribute("data-margin"));
	var pad = Number(chart.getAttribute("data-pad"));
	var whole = Number(chart.getAttribute("data-whole"));
	var height = svg.viewBox.baseVal.height;
	var width = svg.viewBox.baseVal.width;
	var frames = [];
	var state = { x: 0, s: "" };
	var title = headLine("title", svg.querySelector("title").textContent);
	var subtitle = headLine("subtitle");
	var letter, tip, box, matches, reset;

	function make(parent, tag, attributes, text) {
		var e = document.createElementNS(NS, tag);

		for (var name in attributes)
			e.setAttribute(name, attributes[name]);
		if (text !== undefined)
			e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	// A line of the header and what it says in full
	function headLine(id, full) {
		var e = svg.querySelector("#" + id);

		return { e: e, full: full || e.textContent };
	}

	// ------------------------------------------------------------ frames

	function readFrames() {
		var groups = chart.querySelectorAll("g");

		for (var i = 0; i < groups.length; i++) {
			var g = groups[i];
			var title = g.querySelector("title");
			var rect = g.querySelector("rect");
			var lines = title.textContent.split("\n");

			// Our own tooltip comes at once; the browser's would double it
			g.removeChild(title);
			g.setAttribute("aria-label", lines.join(", "));
			frames.push({
				g: g, rect: rect, text: g.querySelector("text"),
				lines: lines, name: lines[0],
				cells: Array.from(lines[0]),
				x: Number(g.getAttribute("data-x")),
				w: Number(g.getAttribute("data-w")),
				y: Number(rect.getAttribute("y")), match: false
			});
			g.frame = i;
		}
	}

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

	// As much of a name as fits into so many letters, in whole letters
	function fit(f, room) {
		if (fitting(f.cells, room) === f.cells.length)
			return f.name;
		if (room < 3)
			return "";
		f.brief = f.brief || brief(f.cells);
		if (fitting(f.brief, room) === f.brief.length)
			return f.brief.join("");
		return f.brief.slice(0, fitting(f.brief, room - 2)).join("") + "..";
	}

	function label(f, x, w) {
		var name = w > 2 * pad ? fit(f, Math.floor((w - 2 * pad) / letter)) : "";

		if (!name) {
			if (f.text)
				f.text.textContent = "";
			return;
		}
		if (!f.text)
			f.text = make(f.g, "text", { y: f.y + 13 });
		f.text.setAttribute("x", x + pad);
		f.text.textContent = name;
	}

	// Places every frame for the present width and zoom
	function layOut() {
		var view = frames[state.x];
		var end = view.x + view.w;
		var per = (width - 2 * margin) / view.w;

		frames.forEach(function (f) {
			var outside = f.x >= end || f.x + f.w <= view.x;
			var from = Math.max(f.x, view.x), to = Math.min(f.x + f.w, end);
			var w = (to - from) * per, x = margin + (from - view.x) * per;
			var up = f.y > view.y;

			f.g.style.display = outside ? "none" : "";
			f.g.setAttribute("class", f.g.getAttribute("class").charAt(0) +
				(up ? " up" : "") + (f.match ? " m" : ""));
			if (outside)
				return;
			if (w > 3)
				w -= 0.5;
			f.rect.setAttribute("x", x.toFixed(2));
			f.rect.setAttribute("width", w.toFixed(2));
			label(f, x, w);
		});
		reset.style.display = state.x ? "" : "none";
	}

	// Cuts a line of the header where the controls begin
	function fitLine(line, room) {
		var chars = Array.from(line.full), length;

		line.e.textContent = line.full;
		length = line.e.getComputedTextLength();
		if (length <= room)
			return;
		chars.length = Math.max(1, Math.floor(chars.length * room / length) - 2);
		line.e.textContent = chars.join("") + "..";
	}

	function resize() {
		var wide = svg.clientWidth || window.innerWidth;

		if (document.documentElement === svg)
			wide = document.documentElement.clientWidth || wide;
		width = Math.max(wide, 320);
		svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		box.parentNode.setAttribute("x", width - margin - 240);
		matches.setAttribute("x", width - margin);
		reset.setAttribute("x", width - margin - 256);
		fitLine(title, width - 2 * margin - 340);
		fitLine(subtitle, width - 2 * margin - 256);
		layOut();
	}

	// ------------------------------------------------------------ search

	// A capital letter in the pattern makes case matter; "\W" is none
	function pattern(s) {
		try {
			return new RegExp(s, /[A-Z]/.test(s.replace(/\\./g, "")) ? "" : "i");
		} catch (e) {
			return null;
		}
	}

	// Marks what matches and tells its share; nested matches count once
	function search() {
		var re = state.s ? pattern(state.s) : null;
		var view = frames[state.x];
		var count = 0, sum = 0, done = -1;

		frames.forEach(function (f) {
			f.match = !!re && re.test(f.name);
			if (!f.match || f.x >= view.x + view.w || f.x + f.w <= view.x)
				return;
			count++;
			var from = Math.max(f.x, view.x, done);
			var to = Math.min(f.x + f.w, view.x + view.w);
			if (to > from) {
				sum += to - from;
				done = to;
			}
		});
		svg.classList.toggle("searching", !!re);
		if (!state.s)
			matches.textContent = "";
		else if (!re)
			matches.textContent = "not a regular expression";
		else
			matches.textContent = count + (count === 1 ? " frame, " : " frames, ") +
				(100 * sum / view.w).toFixed(2) + "% match";
	}

	// ------------------------------------------------------------- state

	function fragment() {
		var parts = [];

		if (state.x)
			parts.push("x=" + state.x);
		if (state.s)
			parts.push("s=" + encodeURIComponent(state.s));
		return "#" + parts.join("&");
	}

	function readFragment() {
		var next = { x: 0, s: "" };

		location.hash.slice(1).split("&").forEach(function (part) {
			var value = part.slice(2);

			if (/^x=\d+$/.test(part) && Number(value) < frames.length)
				next.x = Number(value);
			if (/^s=/.test(part)) {
				try {
					next.s = decodeURIComponent(value);
				} catch (e) {
					next.s = value;
				}
			}
		});
		return next;
	}

	function show() {
		if (box !== document.activeElement)
			box.value = state.s;
		search();
		layOut();
	}

	// A zoom is a step that "back" undoes; typing in the search box is not
	function go(x, s, isStep) {
		state = { x: x, s: s };
		show();
		try {
			if (isStep)
				location.hash = fragment();
			else
				location.replace(fragment());
		} catch (e) {
			// A sandboxed page: the view works, it just has no address
		}
	}

	// ------------------------------------------------------------ tooltip

	function wrap(text, room) {
		var chars = Array.from(text), lines = [];

		for (var i = 0; i < chars.length && lines.length < 20; i += room)
			lines.push(chars.slice(i, i + room).join(""));
		return lines;
	}

	function showTip(f, event) {
		var names = wrap(f.name, Math.min(96, Math.floor((width - 4 * margin) / 8)));
		var lines = names.concat(f.lines.slice(1));
		var view = frames[state.x], wide = 0, at, x, y;

		if (state.x && f !== view && f.y <= view.y)
			lines.push((100 * f.w / view.w).toFixed(2) + "% of the zoomed view");
		while (tip.childNodes.length > 1)
			tip.removeChild(tip.lastChild);
		tip.style.display = "";
		lines.forEach(function (line, i) {
			var t = make(tip, "text", { x: 10, y: 19 + 17 * i,
				"class": i < names.length ? "name" : "" }, line);
			wide = Math.max(wide, t.getComputedTextLength());
		});
		tip.firstChild.setAttribute("width", wide + 20);
		tip.firstChild.setAttribute("height", 17 * lines.length + 12);
		at = new DOMPoint(event.clientX, event.clientY)
			.matrixTransform(svg.getScreenCTM().inverse());
		x = Math.max(4, Math.min(at.x + 14, width - wide - 28));
		y = at.y + 18;
		if (y + 17 * lines.length + 12 > height)
			y = at.y - 17 * lines.length - 24;
		tip.setAttribute("transform", "translate(" + x + " " + Math.max(4, y) + ")");
	}

	function hideTip() {
		tip.style.display = "none";
	}

	// ----------------------------------------------------------- controls

	function frameAt(event) {
		var g = event.target.closest ? event.target.closest("#frames > g") : null;

		return g ? frames[g.frame] : null;
	}

	function makeControls() {
		var holder = make(head, "foreignObject", { y: 12, width: 240, height: 28 });

		box = document.createElementNS(XHTML, "input");
		box.setAttribute("id", "box");
		box.setAttribute("type", "search");
		box.setAttribute("spellcheck", "false");
		box.setAttribute("autocomplete", "off");
		box.setAttribute("placeholder", "Search (Ctrl-F), regular expression");
		holder.appendChild(box);
		matches = make(head, "text", { id: "matches", y: 58, "text-anchor": "end" });
		reset = make(head, "text", { id: "reset", y: 30, "text-anchor": "end",
			"class": "button", role: "button", tabindex: 0 }, "Reset zoom");
		tip = make(svg, "g", { id: "tip" });
		make(tip, "rect", { rx: 4 });
		hideTip();
	}

	function listen() {
		chart.addEventListener("click", function (e) {
			var f = frameAt(e);

			if (f)
				go(frames.indexOf(f), state.s, true);
		});
		chart.addEventListener("mousemove", function (e) {
			var f = frameAt(e);

			if (f)
				showTip(f, e);
		});
		chart.addEventListener("mouseleave", hideTip);
		reset.addEventListener("click", function () {
			go(0, state.s, true);
		});
		box.addEventListener("input", function () {
			go(state.x, box.value, false);
		});
		window.addEventListener("keydown", function (e) {
			if ((e.key === "f" && (e.ctrlKey || e.metaKey)) ||
			    (e.key === "/" && document.activeElement !== box)) {
				e.preventDefault();
				box.focus();
				box.select();
			} else if (e.key === "Escape") {
				hideTip();
				box.value = "";
				box.blur();
				go(0, "", true);
			} else if (e.key === "Enter" && document.activeElement === reset) {
				go(0, state.s, true);
			}
		});
		window.addEventListener("resize", resize);
		window.addEventListener("hashchange", function () {
			var next = readFragment();

			if (next.x === state.x && next.s === state.s)
				return;
			state = next;
			show();
		});
		window.addEventListener("scroll", stick);
	}

	// The header stays in sight when the picture is taller than the window
	function stick() {
		head.setAttribute("transform", "translate(0 " +
			(document.documentElement === svg ? window.scrollY : 0) + ")");
	}

	function measureLetter() {
		var probe = make(chart, "text", { y: -100 }, "0".repeat(100));

		letter = probe.getComputedTextLength() / 100 || 7.25;
		chart.removeChild(probe);
	}

	readFrames();
	makeControls();
	measureLetter();
	svg.insertBefore(head, tip);
	svg.setAttribute("width", "100%");
	state = readFragment();
	listen();
	resize();
	show();
	if (document.documentElement === svg && height > window.innerHeight) {
		window.scrollTo(0, height);
		stick();
	}
})();
