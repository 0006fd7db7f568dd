// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of the flame chart (chart.svg) and the heat map (heat.svg), which driver.js runs with
// its own tools.  The top of timeline.py says what they expect.
function kflameTimelineChecks(t) {
	"use strict";

	function all(svg, name) {
		return t.groups(svg).filter(function (g) {
			return t.nameOf(g) === name;
		});
	}

	function rectOf(g) {
		return g.querySelector("rect").getBoundingClientRect();
	}

	function axis(svg) {
		return Array.from(svg.querySelectorAll("#axis text"), function (e) {
			return e.textContent;
		});
	}

	async function checkChart() {
		var svg = await t.load("linked", "chart.svg"), turns, second, third, tip, search;

		turns = t.groups(svg).filter(function (g) {
			return /_half$/.test(t.nameOf(g));
		}).sort(function (a, b) {
			return rectOf(a).left - rectOf(b).left;
		}).map(t.nameOf).join(" ");
		t.same(turns, "first_half second_half ".repeat(4).trim(), "the chart has them in turn");
		t.same(all(svg, "main").length, 1, "what goes on is one frame");
		t.same(svg.querySelector("#invert").style.display, "none", "a chart is not inverted");
		t.check(axis(svg).indexOf("2.0 s") >= 0 || axis(svg).indexOf("2 s") >= 0,
			"it has times above", axis(svg).join());
		third = all(svg, "other")[0];
		t.check(rectOf(third).top > rectOf(all(svg, "main")[0]).bottom,
			"another thread has a lane below");
		search = svg.querySelector("#box");
		search.value = "_half|other";
		search.dispatchEvent(new Event("input", { bubbles: true }));
		t.same(svg.querySelector("#matches").textContent, "9 frames, 5000.0 ms match",
			"matches of all lanes add up");
		third.querySelector("rect").dispatchEvent(new MouseEvent("mousemove",
			{ bubbles: true, clientX: 300, clientY: 200 }));
		tip = svg.querySelector("#tip").textContent;
		t.check(/1,000\.0 ms, from 2\.000000 s to 3\.000000 s/.test(tip), "tooltips have times", tip);
		second = all(svg, "second_half")[1];
		t.click(second);
		t.check(Math.abs(rectOf(second).width - (svg.viewBox.baseVal.width - 32)) < 1,
			"a click shows that part of the time");
		t.check(!t.isShown(third) && Array.from(svg.querySelectorAll("[data-lane]")).every(t.isShown),
			"lanes stay, what was at other times does not");
		t.check(all(svg, "main")[0].classList.contains("up"), "its caller goes on beyond");
		t.check(/^1\.5/.test(axis(svg)[0]), "the times are of that part", axis(svg).join());
		t.check(t.labelsFit(svg), "labels fit");
	}

	function at(svg, seconds) {
		return svg.querySelector("[data-cell='" + Math.round(seconds * 50) + "']");
	}

	function mouse(e, what, buttons) {
		e.dispatchEvent(new MouseEvent(what, { bubbles: true, cancelable: true, buttons: buttons }));
	}

	function picked(svg) {
		return svg.querySelectorAll("#cells .in").length;
	}

	function key(view, name, shift) {
		view.dispatchEvent(new KeyboardEvent("keydown",
			{ key: name, shiftKey: !!shift, bubbles: true, cancelable: true }));
	}

	function checkKeys(svg, view) {
		var here = svg.querySelector("#here");

		svg.querySelector("#cells").focus();
		key(view, "Home");
		t.check(/^0\.000 s to 0\.020 s: 10\.0 ms of CPU time/.test(here.textContent) ||
			/^0\.000 s to 0\.020 s: 20\.0 ms/.test(here.textContent), "Home says what the first cell is",
			here.textContent);
		key(view, "ArrowRight");
		key(view, "ArrowUp");
		key(view, "Enter");
		key(view, "ArrowRight");
		key(view, "ArrowDown");
		t.same(picked(svg), 50, "arrows reach over cells");
		key(view, "Enter");
		t.same(view.location.hash, "#from=1.02&to=2.02", "Enter begins a range and ends it");
		key(view, "Escape");
		key(view, "ArrowUp", true);
		t.same(picked(svg), 2, "Shift and an arrow begin one, too");
		key(view, "Escape");
		t.check(svg.querySelector("#cells").getAttribute("aria-label") && here.getAttribute("aria-live") === "polite",
			"and it is said aloud");
	}

	// All of it is in the window, and no column is narrower than it need be
	function checkPlaces(svg) {
		var first = at(svg, 0).getBoundingClientRect(), last = at(svg, 3.98).getBoundingClientRect();

		t.same(svg.viewBox.baseVal.width, 700, "the heat map takes the window's width");
		t.check(last.right > 300 && last.right <= 700 && first.bottom <= 600, "its cells fill the window",
			last.right + " " + first.bottom);
		t.check(Array.from(svg.querySelectorAll("text")).every(function (e) {
			var box = e.getBoundingClientRect();

			return box.left >= 0 && box.right <= 700 && box.bottom <= 600;
		}), "no text is cut");
	}

	async function checkHeatmap() {
		var svg = await t.load("linked", "heat.svg"), pick = svg.querySelector("#pick");
		var view = t.frame("linked").contentWindow;

		t.same(svg.querySelectorAll("#cells rect").length, 200, "a cell for each 20 ms");
		t.check(at(svg, 2.5).classList.contains("h9") && at(svg, 1.5).classList.contains("h5"),
			"two CPUs are darker than one", at(svg, 1.5).getAttribute("class"));
		mouse(at(svg, 1), "mousedown", 1);
		mouse(at(svg, 1.5), "mousemove", 1);
		mouse(at(svg, 1.98), "mousemove", 1);
		mouse(at(svg, 1.98), "mouseup", 0);
		t.same(pick.textContent, "kflame flame -i 'timeline.data' --from 1 --to 2",
			"a range that is dragged over is a command");
		t.same(view.location.hash, "#from=1&to=2", "and in the address");
		t.same(picked(svg), 50, "its cells are marked");
		mouse(at(svg, 3.2), "mousedown", 1);
		mouse(at(svg, 3.2), "mouseup", 0);
		mouse(at(svg, 2.5), "mousedown", 1);
		t.same(view.location.hash, "#from=2.5&to=3.22", "two clicks are a range, too");
		view.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
		t.same(pick.textContent + picked(svg), "0", "Esc picks nothing");
		checkKeys(svg, view);
		checkPlaces(svg);
		svg = await t.load("linked", "heat.svg?link#from=0.5&to=0.6");
		t.same(picked(svg), 5, "a link restores a range");
		svg = await t.load("linked", "heat.svg?bad#from=9&to=<b>");
		t.same(picked(svg), 0, "a damaged one does no harm");
	}

	return { chart: checkChart, heatmap: checkHeatmap };
}
