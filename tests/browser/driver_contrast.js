// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contrast of every label with what it stands on, as the browser computes the colours: at least 4.5
// (WCAG 2.2, 1.4.3), in each state, on light and on dark paper.
function kflameContrastChecks(t) {
	"use strict";

	var LEAST = 4.5;

	function color(text) {
		return text.match(/[\d.]+/g).slice(0, 3).map(Number);
	}

	function luminance(rgb) {
		var linear = rgb.map(function (c) {
			return c / 255 <= 0.04045 ? c / 255 / 12.92 : Math.pow((c / 255 + 0.055) / 1.055, 2.4);
		});

		return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
	}

	function contrast(a, b) {
		var x = luminance(a), y = luminance(b);

		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
	}

	function over(top, bottom, alpha) {
		return top.map(function (c, i) {
			return c * alpha + bottom[i] * (1 - alpha);
		});
	}

	// Colour and opacity of an element, without its group's
	function paint(e) {
		var style = e.ownerDocument.defaultView.getComputedStyle(e);

		return { rgb: color(style.fill), alpha: Number(style.opacity) * Number(style.fillOpacity) };
	}

	function groupAlpha(e) {
		return Number(e.ownerDocument.defaultView.getComputedStyle(e).opacity);
	}

	// The contrast of a text on a rectangle (null: on paper), both in a group
	function ofText(text, rect, group, paper) {
		var letters = paint(text), ground = rect ? paint(rect) : { rgb: paper, alpha: 0 };
		var below = over(ground.rgb, paper, ground.alpha), alpha = groupAlpha(group);

		return contrast(over(over(letters.rgb, below, letters.alpha), paper, alpha),
			over(below, paper, alpha));
	}

	// Every text that can be seen, with its contrast
	function labels(svg) {
		var paper = paint(svg.querySelector("#paper")).rgb;

		return Array.from(svg.querySelectorAll("text")).filter(function (e) {
			return e.textContent && e.getBoundingClientRect().width;
		}).map(function (e) {
			var rect = e.closest("#frames, #tip") ? e.parentNode.querySelector("rect") : null;

			return { text: e.textContent, of: ofText(e, rect, e.parentNode, paper) };
		});
	}

	function checkLabels(svg, what) {
		["light", "dark"].forEach(function (scheme) {
			var all, worst;

			prefer(svg, scheme === "dark");
			all = labels(svg);
			worst = all.reduce(function (a, b) {
				return a.of < b.of ? a : b;
			});
			t.check(all.length > 4 && worst.of >= LEAST, "contrast, " + scheme + ", " + what,
				worst.text + ": " + worst.of.toFixed(2));
		});
	}

	// A page cannot choose the colour scheme of the browser, so it changes the question
	function prefer(svg, isDark) {
		Array.from(svg.ownerDocument.styleSheets).forEach(function (sheet) {
			Array.from(sheet.cssRules).forEach(function (rule) {
				if (rule.media && /not all|color-scheme|^all$/.test(rule.media.mediaText))
					rule.media.mediaText = isDark ? "all" : "not all";
			});
		});
	}

	function type(svg, text) {
		var box = svg.querySelector("#box");

		box.value = text;
		box.dispatchEvent(new Event("input", { bubbles: true }));
	}

	// A frame with callers that has all kinds of frames beside it or above
	function inner(svg) {
		var all = t.groups(svg);

		return all.filter(function (g) {
			return g.querySelector("text") && g.querySelector("text").textContent;
		}).pop() || all[all.length - 1];
	}

	function point(g) {
		var at = g.getBoundingClientRect();

		g.querySelector("rect").dispatchEvent(new MouseEvent("mousemove",
			{ bubbles: true, clientX: at.left + 2, clientY: at.top + 2 }));
	}

	async function checkPicture(name) {
		var svg = await t.load("linked", name), deep = inner(svg);

		point(t.groups(svg)[0]);
		checkLabels(svg, name);
		type(svg, "1");
		checkLabels(svg, name + ", searched");
		t.click(deep);
		checkLabels(svg, name + ", searched and zoomed");
		type(svg, "");
		checkLabels(svg, name + ", zoomed");
		svg.ownerDocument.defaultView.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
	}

	async function checkAll() {
		var svg;

		for (var name of ["kind.svg", "wait.svg", "file.svg", "hot.svg", "grey.svg", "diff.svg", "chart.svg"])
			await checkPicture(name);
		svg = await t.load("linked", "heat.svg#from=0.5&to=0.6");
		checkLabels(svg, "heat map");
	}

	return { all: checkAll };
}
