// SPDX-License-Identifier: GPL-2.0-or-later
//
// What stands above the frames: title, legend, search box and buttons.
function kflameHead(svg, make, set, margin, low) {
	"use strict";

	var XHTML = "http://www.w3.org/1999/xhtml";
	var BOX = 240, NARROW = 720, HIGH = 82, LINE = 16;
	var head = svg.querySelector("#head");
	var shade = svg.querySelector("#shade");
	var legend = svg.querySelectorAll("#legend > *");
	var lines = kflameLines(make);
	var title = lines.line(svg.querySelector("#title"), svg.querySelector("title").textContent);
	var subtitle = lines.line(svg.querySelector("#subtitle"));
	var holder = make(head, "foreignObject", { width: BOX, height: 28 });
	var box = document.createElementNS(XHTML, "input");
	var matches = make(head, "text", { id: "matches", role: "status", "aria-live": "polite" });
	var buttons = {
		invert: button("invert", "Invert"), reset: button("reset", "Reset"),
		before: button("before", "\u25c0 Previous"), after: button("after", "Next \u25b6")
	};

	var placed = { width: 0, extra: 0 };

	function button(id, text) {
		return make(head, "text", { id: id, "class": "button", role: "button", tabindex: 0 },
			text);
	}

	function place(e, x, y, anchor) {
		set(e, "x", x);
		set(e, "y", y);
		set(e, "text-anchor", anchor || "start");
	}

	// Return: rows
	function placeLegend(room, y) {
		var x = margin, rows = 1;

		for (var i = 0; i + 1 < legend.length; i += 2) {
			var wide = 17 + legend[i + 1].getComputedTextLength() + 16;

			if (x + wide > room && x > margin) {
				x = margin;
				rows++;
			}
			set(legend[i], "x", x);
			set(legend[i], "y", y + 18 * rows - 28);
			place(legend[i + 1], x + 17, y + 18 * rows - 18);
			x += wide;
		}
		return rows;
	}

	function placeButtons(x, y, matchesX, matchesY, anchor) {
		var e = matches.getComputedTextLength();

		place(buttons.invert, x, y);
		place(buttons.reset, x + 54, y);
		place(matches, matchesX, matchesY, anchor);
		x = anchor ? matchesX - e - 130 : matchesX + e + 14;
		place(buttons.before, x, matchesY);
		place(buttons.after, x + 76, matchesY);
	}

	// The lines depend on the width only, and measuring them takes time.  Return: how much higher they are
	function placeLines(width) {
		var room = width < NARROW ? width - 2 * margin : width - 2 * margin - BOX - 130, extra;

		if (placed.width === width)
			return placed.extra;
		lines.cut(title, room);
		extra = LINE * (lines.wrap(subtitle, room, margin, LINE) - 1);
		extra += 18 * (placeLegend(width - margin, 72 + extra) - 1);
		placed = { width: width, extra: extra };
		return extra;
	}

	// For a window that wide.  Return: how much lower the frames begin
	function resize(width) {
		var narrow = width < NARROW, right = width - margin, extra = placeLines(width);

		if (narrow) {
			set(holder, "x", margin);
			set(holder, "y", HIGH + extra);
			placeButtons(margin + BOX + 14, HIGH + extra + 18, margin, HIGH + extra + 44);
			extra += 54;
		} else {
			set(holder, "x", right - BOX);
			set(holder, "y", 12);
			placeButtons(right - BOX - 112, 30, right, 58, "end");
		}
		set(shade, "height", HIGH + low + extra);
		return extra;
	}

	// What the search tells; null: nothing is searched for
	function tell(text, width) {
		matches.textContent = text === null ? "" : text;
		buttons.before.style.display = buttons.after.style.display =
			text === null ? "none" : "";
		return resize(width);
	}

	box.setAttribute("id", "box");
	box.setAttribute("type", "search");
	box.setAttribute("spellcheck", "false");
	box.setAttribute("autocomplete", "off");
	box.setAttribute("aria-label", "Search frames by regular expression");
	box.setAttribute("placeholder", "Search (Ctrl-F), regular expression");
	holder.appendChild(box);
	return { e: head, box: box, buttons: buttons, resize: resize, tell: tell };
}
