// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives a flame graph as a person would and writes TAP lines to the console,
// where check-flame.sh reads them.  The picture is flame.svg beside this page,
// drawn from check.folded: what the checks expect is written there.
(function () {
	"use strict";

	var LONG = "a_function_whose_name_is_longer_than_its_frame_is_wide";
	var TEMPLATE = "std::map<std::string, std::vector<int> >::count(int) const";
	var BRIEF = "std::map<...>::count(int) const";
	var checks = 0, failed = 0;

	function say(line) {
		console.log("TAP: " + line);
	}

	function check(ok, name, detail) {
		if (!ok)
			failed++;
		say((ok ? "ok " : "not ok ") + ++checks + " - " + name +
			(ok || detail === undefined ? "" : " (" + detail + ")"));
	}

	function same(got, want, name) {
		check(got === want, name, "got " + got + ", want " + want);
	}

	function frame(id) {
		return document.getElementById(id);
	}

	// A page that is still within its load event makes no steps to go back to
	function load(id, address) {
		return new Promise(function (done) {
			frame(id).addEventListener("load", function () {
				setTimeout(function () {
					done(frame(id).contentDocument.documentElement);
				}, 0);
			}, { once: true });
			frame(id).src = address;
		});
	}

	// Waits for an event, but not for ever
	function event(target, name) {
		return new Promise(function (done, refuse) {
			var limit = setTimeout(function () {
				refuse(new Error("there was no " + name + " for 20 seconds"));
			}, 20000);

			target.addEventListener(name, function () {
				clearTimeout(limit);
				done();
			}, { once: true });
		});
	}

	function number(e, name) {
		return Number(e.getAttribute(name));
	}

	function groups(svg) {
		return Array.from(svg.querySelectorAll("#frames > g"));
	}

	function isShown(g) {
		return g.style.display !== "none";
	}

	function nameOf(g) {
		var title = g.querySelector("title");

		return title ? title.textContent.split("\n")[0] :
			g.getAttribute("aria-label").split(", ")[0];
	}

	function find(svg, name) {
		return groups(svg).find(function (g) {
			return nameOf(g) === name;
		});
	}

	// Every label is within its rectangle, by the browser's own measure
	function labelsFit(svg) {
		var seen = 0;

		return groups(svg).filter(isShown).every(function (g) {
			var text = g.querySelector("text");
			var rect = g.querySelector("rect");

			if (!text || !text.textContent)
				return true;
			seen++;
			return number(text, "x") + text.getComputedTextLength() <=
				number(rect, "x") + number(rect, "width") + 0.5;
		}) && seen > 5;
	}

	// Frames of a row neither overlap nor leave the picture
	function rowsAreTidy(svg) {
		var ends = {}, wide = svg.viewBox.baseVal.width;

		return groups(svg).filter(isShown).every(function (g) {
			var r = g.querySelector("rect");
			var x = number(r, "x"), y = r.getAttribute("y"), end = x + number(r, "width");
			var ok = x >= 15.9 && end <= wide - 15.9 && !(x < (ends[y] || 0) - 0.02);

			ends[y] = end;
			return ok;
		});
	}

	function checkPicture(svg) {
		var all = groups(svg);
		var scripts = svg.querySelectorAll("script");
		var markup = svg.querySelectorAll("[onload], [onclick], [onerror], img, a, image");

		same(svg.localName, "svg", "the file is an SVG");
		same(svg.querySelectorAll("parsererror").length, 0, "it is well-formed XML");
		same(scripts.length, 1, "the only script in it is its own");
		same(markup.length, 0, "no name became markup");
		same(number(all[0], "data-w"), 1000, "the root weighs all samples");
		check(!!find(svg, "</text><script>alert(1)</script>"), "a hostile name is text");
		check(!!find(svg, "\u51fd\u6570"), "a name in Chinese is whole");
		check(rowsAreTidy(svg), "frames are side by side");
		check(labelsFit(svg), "labels fit into their frames");
	}

	function click(g) {
		g.querySelector("rect").dispatchEvent(
			new MouseEvent("click", { bubbles: true }));
	}

	async function checkZoom(svg, view) {
		var long = find(svg, LONG), full = svg.viewBox.baseVal.width - 32;
		var before = long.querySelector("text").textContent, changed;

		check(/^a_function.*\.\.$/.test(before), "a name that does not fit is cut", before);
		changed = event(view, "hashchange");
		click(long);
		await changed;
		check(Math.abs(number(long.querySelector("rect"), "width") - full) < 1,
			"a click zooms the frame to the whole width");
		same(long.querySelector("text").textContent, LONG, "its name is whole then");
		check(!isShown(find(svg, "idle_worker")), "what is not part of it is hidden");
		check(find(svg, "main").classList.contains("up"), "its callers are faded");
		check(isShown(find(svg, "vfs_read")), "its callees are shown");
		check(svg.querySelector("#reset").style.display !== "none", "zoom can be reset");
		check(labelsFit(svg) && rowsAreTidy(svg), "the zoomed picture is tidy");
		changed = event(view, "hashchange");
		view.history.back();
		await changed;
		same(long.querySelector("text").textContent, before, "the back button zooms out");
		check(isShown(find(svg, "idle_worker")), "and shows everything again");
	}

	// The brief name in the picture as it was drawn, and in what the script lays out
	function checkBrief(svg, where) {
		// The name has a comma, which nameOf() takes for its end
		var g = groups(svg).find(function (e) {
			var title = e.querySelector("title");

			return (title ? title.textContent : e.getAttribute("aria-label"))
				.startsWith(TEMPLATE);
		});

		same(g.querySelector("text").textContent, BRIEF,
			"template arguments that do not fit are left out" + where);
	}

	function type(svg, text) {
		var box = svg.querySelector("#box");

		box.value = text;
		box.dispatchEvent(new Event("input", { bubbles: true }));
	}

	function key(view, name, ctrl) {
		view.dispatchEvent(new KeyboardEvent("keydown",
			{ key: name, ctrlKey: !!ctrl, bubbles: true, cancelable: true }));
	}

	function checkSearch(svg, view) {
		var matches = svg.querySelector("#matches");

		key(view, "f", true);
		same(svg.ownerDocument.activeElement, svg.querySelector("#box"),
			"Ctrl-F goes to the search box");
		type(svg, "^(ksys|vfs)_read$");
		same(matches.textContent, "2 frames, 30.00% match",
			"nested matches count once");
		same(svg.querySelectorAll("#frames > g.m").length, 2, "they are marked");
		type(svg, "WORKER");
		same(matches.textContent, "0 frames, 0.00% match", "upper case matters");
		type(svg, "WORKER".toLowerCase());
		same(matches.textContent, "2 frames, 40.00% match", "lower case does not");
		type(svg, "\\Byscall_64");
		same(matches.textContent, "2 frames, 60.00% match", "\\B is no upper case");
		type(svg, "std::vector<int> >::count");
		same(matches.textContent, "1 frame, 30.00% match", "what is left out is found");
		type(svg, "(");
		same(matches.textContent, "not a regular expression", "a bad pattern is reported");
		same(svg.querySelectorAll("#frames > g.m").length, 0, "and marks nothing");
		key(view, "Escape");
		same(matches.textContent + svg.querySelector("#box").value, "", "Esc clears");
	}

	function checkTooltip(svg) {
		var g = find(svg, "ksys_read"), at = g.getBoundingClientRect();
		var tip = svg.querySelector("#tip"), box;

		g.querySelector("rect").dispatchEvent(new MouseEvent("mousemove",
			{ bubbles: true, clientX: at.right - 1, clientY: at.top + 5 }));
		check(tip.style.display !== "none", "a tooltip comes up");
		check(/^ksys_readkernel300 samples30\.00% of all, 100\.00% of its caller$/
			.test(tip.textContent), "it tells name, kind and shares", tip.textContent);
		box = tip.getBoundingClientRect();
		check(box.left >= 0 && box.right <= svg.viewBox.baseVal.width && box.top >= 0,
			"it stays within the picture");
	}

	function press(svg, id) {
		svg.querySelector("#" + id).dispatchEvent(
			new MouseEvent("click", { bubbles: true }));
	}

	function active(svg) {
		var at = svg.ownerDocument.activeElement;

		return at && at.closest("#frames > g") ? nameOf(at) : null;
	}

	function checkMatches(svg, view) {
		var matches = svg.querySelector("#matches");

		type(svg, "worker|vfs_read");
		same(matches.textContent, "3 frames, 65.00% match", "three match");
		press(svg, "after");
		same(active(svg), "worker", "Next goes to the widest");
		same(matches.textContent, "1 of 3 frames, 65.00% match", "and says which it is");
		key(view, "n");
		same(active(svg), "idle_worker", "n to the second");
		press(svg, "before");
		press(svg, "before");
		same(active(svg), "vfs_read", "Previous goes round to the narrowest");
		click(find(svg, "idle_worker"));
		key(view, "N");
		key(view, "N");
		key(view, "N");
		same(active(svg), "vfs_read", "N leaves a zoom that the match is not in");
		check(isShown(find(svg, "vfs_read")), "where it can be seen");
		type(svg, "no such function");
		press(svg, "after");
		same(matches.textContent, "0 frames, 0.00% match", "without a match nothing moves");
		key(view, "Escape");
		same(svg.querySelector("#after").style.display, "none",
			"without a search there is no Next");
	}

	function checkKeys(svg, view) {
		var reached = svg.querySelectorAll("#frames [tabindex='0']");

		check(reached.length === 1 && isShown(reached[0]), "Tab reaches one frame");
		groups(svg)[0].focus();
		key(view, "ArrowUp");
		same(active(svg), "io", "Up goes to the widest callee");
		key(view, "ArrowRight");
		same(active(svg), "worker", "Right to the next one of the row");
		key(view, "ArrowLeft");
		key(view, "ArrowUp");
		key(view, "Enter");
		check(!isShown(find(svg, "worker")), "Enter zooms");
		check(svg.querySelector("#tip").style.display !== "none" ||
			!svg.ownerDocument.hasFocus(), "what has the focus has its tooltip");
		key(view, "ArrowDown");
		same(active(svg), "io", "Down goes to the caller");
		key(view, "Backspace");
		key(view, "Backspace");
		check(isShown(find(svg, "worker")), "Backspace zooms out, caller by caller");
	}

	function yOf(svg, name) {
		return number(find(svg, name).querySelector("rect"), "y");
	}

	async function checkInvert(svg, view) {
		var before = yOf(svg, "vfs_read"), changed = event(view, "hashchange");

		check(yOf(svg, "io") > before, "callees stand on their callers");
		press(svg, "invert");
		await changed;
		check(yOf(svg, "io") < yOf(svg, "vfs_read"), "inverted, they hang below them");
		check(labelsFit(svg) && rowsAreTidy(svg), "as tidy");
		same(view.location.hash, "#i=1", "the address says so");
		changed = event(view, "hashchange");
		press(svg, "reset");
		await changed;
		same(yOf(svg, "vfs_read"), before, "Reset puts everything back");
		same(svg.querySelector("#reset").style.display, "none",
			"then there is nothing to reset");
	}

	// Nothing of the header stands on anything else, and none of it is cut off
	function headIsTidy(svg) {
		var wide = svg.viewBox.baseVal.width, boxes;

		boxes = Array.from(svg.querySelectorAll(
			"#title, #subtitle, #legend text, #matches, .button, #box"
		)).map(function (e) {
			return e.getBoundingClientRect();
		}).filter(function (b) {
			return b.width && b.height;
		});
		return boxes.length > 8 && boxes.every(function (a, i) {
			return a.left >= 0 && a.right <= wide && boxes.every(function (b, k) {
				return i === k || a.right <= b.left || b.right <= a.left ||
					a.bottom <= b.top + 4 || b.bottom <= a.top + 4;
			});
		}) && svg.querySelector("#frames").getBoundingClientRect().top >=
			Math.max.apply(null, boxes.map(function (b) {
				return b.bottom;
			})) - 1;
	}

	async function checkResize(svg, view) {
		var changed = event(view, "resize");

		frame("live").style.width = "480px";
		await changed;
		same(svg.viewBox.baseVal.width, 480, "the picture takes the window's width");
		check(labelsFit(svg) && rowsAreTidy(svg), "labels fit again");
		type(svg, "vfs");
		check(headIsTidy(svg), "the header is tidy in a narrow window");
		changed = event(view, "resize");
		frame("live").style.width = "1300px";
		await changed;
		check(headIsTidy(svg), "and in a wide one");
	}

	async function checkLink() {
		var svg = await load("linked", "flame.svg");
		var at = groups(svg).indexOf(find(svg, "ksys_read"));

		svg = await load("linked", "flame.svg?again#x=" + at + "&s=vfs%5F");
		same(svg.querySelector("#matches").textContent, "1 frame, 83.33% match",
			"a link restores zoom and search");
		same(svg.querySelector("#box").value, "vfs_", "and fills in the search box");
		svg = await load("linked", "flame.svg?over#i=1");
		check(yOf(svg, "io") < yOf(svg, "vfs_read"), "a link can be to an inverted picture");
		svg = await load("linked", "flame.svg?bad#x=99999&s=%zz&i=7&q");
		same(svg.querySelector("#matches").textContent, "0 frames, 0.00% match",
			"a damaged link does no harm");
	}

	async function checkStill() {
		var svg = await load("still", "flame.svg?still");

		check(!svg.querySelector("#box"), "without scripts there are no controls");
		check(groups(svg).every(function (g) {
			return g.querySelector("title");
		}), "but every frame has a title");
		check(labelsFit(svg) && rowsAreTidy(svg), "and the picture is as tidy");
		checkBrief(svg, " there, too");
	}

	// Options that the script has to know of: an icicle with shares in labels, higher rows
	async function checkOptions() {
		var svg = await load("linked", "options.svg");
		var main = find(svg, "main");

		check(yOf(svg, "io") < yOf(svg, "main"), "--icicle begins at the top");
		same(main.querySelector("text").textContent, "main 60.0%", "--percent is in labels");
		same(yOf(svg, "main") - yOf(svg, "io"), 30, "--height is that of a frame");
		check(/, 600 bytes, /.test(main.getAttribute("aria-label")),
			"--count-name is in tooltips", main.getAttribute("aria-label"));
		check(labelsFit(svg) && rowsAreTidy(svg), "the icicle is tidy");
		press(svg, "invert");
		check(yOf(svg, "io") > yOf(svg, "main"), "and can be turned round");
	}

	// 1,000 frames deep, and a name of 10,000 letters
	async function checkExtremes() {
		var svg = await load("linked", "extreme.svg"), all = groups(svg);

		same(all.length, 1003, "a stack 1,000 frames deep is drawn");
		same(nameOf(all[1002]).length, 10000, "a name of 10,000 letters is whole in it");
		check(labelsFit(svg) && rowsAreTidy(svg), "and its label is cut");
		all[1002].querySelector("rect").dispatchEvent(new MouseEvent("mousemove",
			{ bubbles: true, clientX: 300, clientY: 300 }));
		check(svg.querySelector("#tip").getBoundingClientRect().width < 700,
			"its tooltip fits in the window");
	}

	async function checkTimeline() {
		var checks = kflameTimelineChecks({
			check: check, same: same, load: load, frame: frame, groups: groups, nameOf: nameOf,
			isShown: isShown, labelsFit: labelsFit, click: click
		});

		await checks.chart();
		await checks.heatmap();
	}

	async function checkAccess() {
		await kflameAccessChecks({
			check: check, same: same, load: load, frame: frame, groups: groups, nameOf: nameOf, find: find
		}).all();
	}

	async function checkContrast() {
		await kflameContrastChecks({ check: check, load: load, groups: groups, click: click }).all();
	}

	async function run() {
		var svg = await load("live", "flame.svg");
		var view = frame("live").contentWindow;

		checkPicture(svg);
		checkBrief(svg, "");
		await checkZoom(svg, view);
		checkSearch(svg, view);
		checkTooltip(svg);
		checkMatches(svg, view);
		checkKeys(svg, view);
		await checkInvert(svg, view);
		await checkResize(svg, view);
		await checkLink();
		await checkOptions();
		await checkExtremes();
		await checkTimeline();
		await checkAccess();
		await checkContrast();
		await checkStill();
	}

	run().catch(function (e) {
		check(false, "the checks ran to their end: " + e.message);
	}).then(function () {
		say("1.." + checks);
		say(failed ? "# FAILED" : "# PASSED");
	});
})();
