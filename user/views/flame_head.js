// SPDX-License-Identifier: GPL-2.0-or-later
//
// What stands above the frames: title, legend, search box and buttons.
function kflameHead(svg, make, margin, low) {
	"use strict";

	var XHTML = "http://www.w3.org/1999/xhtml";
	var BOX = 240, NARROW = 720, HIGH = 82, LINE = 16;
	var head = svg.querySelector("#head");
	var shade = svg.querySelector("#shade");
	var legend = svg.querySelectorAll("#legend > *");
	var title = line("title", svg.querySelector("title").textContent);
	var subtitle = line("subtitle");
	var holder = make(head, "foreignObject", { width: BOX, height: 28 });
	var box = document.createElementNS(XHTML, "input");
	var matches = make(head, "text", { id: "matches" });
	var buttons = {
		invert: button("invert", "Invert"), reset: button("reset", "Reset"),
		before: button("before", "\u25c0 Previous"), after: button("after", "Next \u25b6")
	};

	// A line and what it says in full
	function line(id, full) {
		var e = svg.querySelector("#" + id);

		return { e: e, full: full || e.textContent };
	}

	function button(id, text) {
		return make(head, "text", { id: id, "class": "button", role: "button", tabindex: 0 },
			text);
	}

	function place(e, x, y, anchor) {
		e.setAttribute("x", x);
		e.setAttribute("y", y);
		e.setAttribute("text-anchor", anchor || "start");
	}

	// Cuts a line where there is no more room, in whole letters
	function cut(l, room) {
		var chars = Array.from(l.full), length;

		l.e.textContent = l.full;
		length = l.e.getComputedTextLength();
		if (length <= room)
			return;
		chars.length = Math.max(1, Math.floor(chars.length * room / length) - 2);
		l.e.textContent = chars.join("") + "..";
	}

	// Goes on in the next line where there is no more room, between words.  Return: lines
	function wrap(l, room) {
		var lines = [""], probe = l.e;

		l.full.split(" ").forEach(function (word) {
			var last = lines.length - 1, longer = lines[last] + (lines[last] ? " " : "") + word;

			probe.textContent = longer;
			if (lines[last] && last < 3 && probe.getComputedTextLength() > room)
				lines.push(word);
			else
				lines[last] = longer;
		});
		probe.textContent = "";
		lines.forEach(function (text, i) {
			make(probe, "tspan", { x: margin, dy: i ? LINE : 0 }, text + (lines[i + 1] ? " " : ""));
		});
		return lines.length;
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
			legend[i].setAttribute("x", x);
			legend[i].setAttribute("y", y + 18 * rows - 28);
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

	// For a window that wide.  Return: how much lower the frames begin
	function resize(width) {
		var narrow = width < NARROW, right = width - margin, extra;

		cut(title, narrow ? width - 2 * margin : right - BOX - 120 - margin - 16);
		extra = LINE * (wrap(subtitle, narrow ? width - 2 * margin : right - BOX - margin - 130) - 1);
		extra += 18 * (placeLegend(right, 72 + extra) - 1);
		if (narrow) {
			holder.setAttribute("x", margin);
			holder.setAttribute("y", HIGH + extra);
			placeButtons(margin + BOX + 14, HIGH + extra + 18, margin, HIGH + extra + 44);
			extra += 54;
		} else {
			holder.setAttribute("x", right - BOX);
			holder.setAttribute("y", 12);
			placeButtons(right - BOX - 112, 30, right, 58, "end");
		}
		shade.setAttribute("height", HIGH + low + extra);
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
	box.setAttribute("placeholder", "Search (Ctrl-F), regular expression");
	holder.appendChild(box);
	return { e: head, box: box, buttons: buttons, resize: resize, tell: tell };
}
