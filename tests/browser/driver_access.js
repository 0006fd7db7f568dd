// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of who cannot use a mouse or see all of the picture: roles, tooltips at edges, paper; and that a
// search touches nothing but the frames whose match changed.
function kflameAccessChecks(t) {
	"use strict";

	var PAGE = 718.1;

	function type(svg, text) {
		var box = svg.querySelector("#box");

		box.value = text;
		box.dispatchEvent(new Event("input", { bubbles: true }));
	}

	function checkRoles(svg) {
		var all = t.groups(svg), root = all[0];

		t.same(svg.querySelector("#frames").getAttribute("role"), "tree", "frames are a tree");
		t.check(all.every(function (g) {
			return g.getAttribute("role") === "treeitem" && Number(g.getAttribute("aria-level")) > 0;
		}), "each has a role and a level");
		t.same(root.getAttribute("aria-level"), "1", "the root has level 1");
		t.same(t.find(svg, "main").getAttribute("aria-level"), "3", "what a thread calls has level 3");
		t.same(svg.querySelector("#matches").getAttribute("aria-live"), "polite", "matches are said aloud");
		t.check(!!svg.querySelector("#box").getAttribute("aria-label"), "the search box has a label");
	}

	// Which frames anything is set of
	function touched(records) {
		var frames = records.map(function (r) {
			return (r.target.closest || r.target.parentNode.closest).call(
				r.target.closest ? r.target : r.target.parentNode, "#frames > g");
		});

		return frames.filter(function (g, i) {
			return g && frames.indexOf(g) === i;
		}).map(t.nameOf).sort().join();
	}

	function checkTouched(svg) {
		var seen = new MutationObserver(function () {});

		seen.observe(svg.querySelector("#frames"),
			{ attributes: true, characterData: true, childList: true, subtree: true });
		type(svg, "worker");
		t.same(touched(seen.takeRecords()), "idle_worker,worker", "a search touches what matches");
		type(svg, "^worker");
		t.same(touched(seen.takeRecords()), "idle_worker", "a longer one what matches no more");
		type(svg, "");
		t.same(touched(seen.takeRecords()), "worker", "and its end what matched");
		seen.disconnect();
	}

	function isWithin(inner, outer) {
		return inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right &&
			inner.bottom <= outer.bottom;
	}

	// In a low window that has scrolled: all of the tooltip is in the part that can be seen
	async function checkTips() {
		var svg = await t.load("linked", "extreme.svg"), view = t.frame("linked").contentWindow;
		var window_ = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
		var tip = svg.querySelector("#tip"), all = t.groups(svg), bad = 0;

		[0, 5000, 1e6].forEach(function (scroll) {
			view.scrollTo(0, scroll);
			all.filter(function (g, i) {
				var box = g.getBoundingClientRect();

				return box.top > 0 && box.bottom < view.innerHeight && i % 7 < 2;
			}).concat(all[1002]).forEach(function (g) {
				var box = g.getBoundingClientRect();

				g.querySelector("rect").dispatchEvent(new MouseEvent("mousemove", { bubbles: true,
					clientX: box.right - 2, clientY: Math.max(2, Math.min(view.innerHeight - 2, box.top + 9)) }));
				if (!isWithin(tip.getBoundingClientRect(), window_) ||
				    !Array.from(tip.querySelectorAll("text")).every(function (e) {
					return isWithin(e.getBoundingClientRect(), tip.querySelector("rect").getBoundingClientRect());
				}))
					bad++;
			});
		});
		t.same(bad, 0, "tooltips are within the window, wherever it has scrolled to");
		t.check(/\u2026.*7 samples/.test(tip.textContent), "a name that is too long for it ends with dots, the rest is whole");
		return svg;
	}

	// Where frames are on paper
	function checkPaper(svg) {
		var view = t.frame("linked").contentWindow, cut = 0, ys = [];

		view.dispatchEvent(new Event("beforeprint"));
		t.groups(svg).forEach(function (g) {
			var y = Number(g.querySelector("rect").getAttribute("y"));

			ys.push(y);
			if (Math.floor(y / PAGE) !== Math.floor((y + 17) / PAGE))
				cut++;
		});
		t.check(!cut && Math.max.apply(null, ys) > 20 * PAGE, "no row of frames is on two pages", cut + " are");
		t.check(Math.max.apply(null, ys) + 18 <= svg.viewBox.baseVal.height, "the last page has the last row");
		view.dispatchEvent(new Event("afterprint"));
		t.check(svg.viewBox.baseVal.width === 700 && svg.viewBox.baseVal.height < 1003 * 18 + 200,
			"afterwards, all is as it was");
	}

	function checkLabels(svg) {
		var short_ = t.groups(svg).filter(function (g) {
			var text = g.querySelector("text");

			return text && /^.{1,3}\.\.$/.test(text.textContent);
		});

		t.same(short_.length, 0, "no label is cut to three letters or less");
	}

	async function checkAll() {
		var svg = await t.load("linked", "flame.svg?access");

		checkRoles(svg);
		checkTouched(svg);
		t.frame("linked").style.width = "520px";
		svg = await t.load("linked", "kind.svg?narrow");
		checkLabels(svg);
		t.frame("linked").style.width = "700px";
		svg = await checkTips();
		checkPaper(svg);
	}

	return { all: checkAll };
}
