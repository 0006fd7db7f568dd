// SPDX-License-Identifier: GPL-2.0-or-later
//
// Works in pages of 'kflame view' as a person would, and writes TAP lines to the console, where check-view.sh reads
// them.
"use strict";

let checks = 0, failed = 0;

function say(line) {
	console.log("TAP: " + line);
}

function check(ok, name, detail) {
	failed += ok ? 0 : 1;
	say((ok ? "ok " : "not ok ") + ++checks + " - " + name + (ok || detail === undefined ? "" : " (" + detail + ")"));
}

function same(got, want, name) {
	check(String(got) === String(want), name, "got " + String(got).slice(0, 300) + ", want " + String(want).slice(0, 300));
}

const frame = id => document.getElementById(id);
const pause = ms => new Promise(done => setTimeout(done, ms));

async function until(what, condition) {
	for (let i = 0; i < 1000; i++) {
		if (condition())
			return;
		await pause(20);
	}
	throw new Error("waited in vain for " + what);
}

// Open a page.  Return: its viewer
async function open(address, id = "page") {
	const e = frame(id);

	// Else a new fragment is a step within the page that is there
	e.src = "about:blank";
	await until("an empty page", () => e.contentWindow.location.href === "about:blank" &&
		e.contentDocument.body && !e.contentDocument.body.dataset.ready);
	e.src = address;
	await until(address, () => e.contentDocument && e.contentDocument.body && e.contentDocument.body.dataset.ready === "2" &&
		e.contentWindow.location.href.endsWith(address));
	return e.contentDocument.body.viewer;
}

const page = () => frame("page").contentDocument;
const all = selector => Array.from(page().querySelectorAll(selector));
const byText = (selector, text) => all(selector).find(e => e.textContent.includes(text));
const shownNames = v => all(".table tbody tr").map(row => row.querySelector(".function span:nth-child(2)").textContent);

function nodeOf(v, panel, name) {
	const { boxes } = panel.layout;

	for (let i = 0; i < boxes.nr; i++)
		if (boxes.node[i] >= 0 && v.model.names[panel.tree.frame[boxes.node[i]]] === name)
			return i;
	return -1;
}

// Send a mouse event to the box of a name
function mouse(v, panel, name, type, options) {
	const i = nodeOf(v, panel, name), { boxes } = panel.layout, place = panel.hold.getBoundingClientRect();

	panel.scroll.dispatchEvent(new MouseEvent(type, Object.assign({ bubbles: true,
		clientX: place.left + boxes.x[i] + boxes.w[i] / 2, clientY: place.top + panel.yOf(boxes.row[i]) + 9 }, options)));
}

function key(e, name, options) {
	e.dispatchEvent(new KeyboardEvent("keydown", Object.assign({ key: name, bubbles: true, cancelable: true }, options)));
}

function zoomed(v) {
	return v.model.names[v.flame.tree.frame[v.flame.zoom]];
}

/* ------------------------------------------------------------------ numbers */

const TABLES = ["function", "file", "comm", "pid"];

// The tool leaves out rows without weight in the unit of the report
function compareTables(v, expected, weights, title) {
	const unit = expected.summary.shares_of;

	for (const by of TABLES) {
		const want = expected["by_" + by];

		if (!want)
			continue;
		if (by !== "function" && by !== "file" && v.model.dim(by) < 0)
			continue;
		const lines = rows => linesOf(rows.map(row => by === "function" ? row :
			{ name: row.name, kind: "", self: by === "file" ? row.self : row.total, total: row.total }));
		const got = lines(rowsOf(v, by, ...weights).filter(row =>
			row.total[unit] && !(by === "comm" && row.name === "swapper")));

		same(got.join("\n"), lines(want.filter(row => row.name !== "[gap]" || by === "function")).join("\n"),
			title + ": by " + by + " as kflame report");
	}
}

async function checkNumbers() {
	compareTables(await open("whole.html"), EXPECTED.whole, [0, 1], "a profile");
	let v = await open("wall.html");
	const weight = text => v.model.weights.findIndex(w => w.label.includes(text));

	compareTables(v, EXPECTED.wall, [weight("waits"), weight("time waiting")], "waits");
	v.go({ chips: [], weight: weight("all time") });
	same(v.shown.tree.sides[0].total[0], EXPECTED.alltime.summary.shown.ns, "all time as kflame report --wall");
	v = await open("events.html");
	compareTables(v, EXPECTED.events, [weight("samples"), weight("time on CPU")], "the timer of several events");
	compareTables(v, EXPECTED.faults, [weight("page-faults"), -1], "page faults");
}

async function checkCalls() {
	const v = await open("whole.html"), main = v.model.names.indexOf("main");

	v.go({ mode: "sandwich", frame: main });
	same(sameObject(pathsOf(v, v.callers.tree), pathsOfReport(EXPECTED.callers.callers)), "", "callers as kflame report --callers");
	same(sameObject(pathsOf(v, v.callees.tree), pathsOfReport(EXPECTED.callees.callees)), "", "callees as kflame report --callees");
}

async function checkRecursion() {
	const v = await open("recursion.html"), f = v.model.names.indexOf("f");

	same(v.shown.functionRows()[0].total[f], 15, "recursion counts once in a total");
	same(v.shown.functionRows()[0].self[f], 10, "a function that calls itself has the self of all its frames");
	v.go({ mode: "sandwich", frame: f });
	same(v.callers.tree.sides[0].total[0], 15, "the callers of a recursive function have its total");
	same(pathsOf(v, v.callees.tree)["g > f > f > h"], 5, "its callees begin at its outermost frame");
	same(pathsOf(v, v.callers.tree)["f > g > f > main > a"], 5, "its callers begin at its innermost frame");
	v.go({ mode: "inverted" });
	const paths = pathsOf(v, v.flame.tree);

	same(["h", "f", "h > b", "h > f > f > g > f > main > a"].map(path => paths[path]), "16,10,11,5",
		"the inverted tree has the self weights and their callers");
	v.go({ mode: "tree", chips: [{ kind: "rec" }] });
	same(pathsOf(v, v.flame.tree)["a > main > f > g > f > h"], 5, "collapsed recursion: direct calls are one frame");
	byText(".chip button", "\u00d7").ownerDocument.defaultView.history.back();
	await until("the filter to go", () => !v.view.chips.length);
	check(true, "going back undoes a filter");
}

/* ------------------------------------------------------------------ safety */

async function checkSafety() {
	await open("check.html");
	const d = page(), policy = d.querySelector("meta[http-equiv=Content-Security-Policy]").content;

	check(policy.startsWith("default-src 'none'; script-src 'sha256-") && !policy.includes("unsafe"),
		"a Content-Security-Policy permits no network, and its scripts by their hashes", policy);
	same(all("script:not([type])").map(e => e.id).join(), "viewer,boot", "the page has its two scripts");
	same(all("img, iframe, object, embed, link, [onload], [onerror], [onclick]").length, 0, "no name became an element or a handler");
	check(shownNames().some(name => name.includes("</text><script>alert(1)")), "a name with markup is shown as text");
	const script = d.createElement("script");

	script.textContent = "document.body.dataset.hacked = 1";
	d.body.append(script);
	check(!d.body.dataset.hacked, "another script does not run");
	const refused = [];

	d.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
	frame("page").contentWindow.fetch("http://127.0.0.1:9/").catch(() => {});
	d.body.append(Object.assign(d.createElement("img"), { src: "http://127.0.0.1:9/" }));
	await until("refusals", () => refused.includes("connect-src") && refused.includes("img-src"));
	check(true, "the page loads nothing");
}

// A file whose copy ended early, behind its functions and within its times
async function checkCut() {
	const e = frame("page"), d = () => e.contentDocument;

	e.src = "about:blank";
	await until("an empty page", () => e.contentWindow.location.href === "about:blank");
	e.src = "cut.html";
	await until("a page that is cut", () => d() && d().body && d().body.dataset.ready === "failed");
	same(d().querySelector("header").textContent.match(/This file cannot be shown: [^.]*/)?.[0],
		"This file cannot be shown: it is not complete", "a file that was cut says so");
}

// Fragments of an attacker change nothing but the view
async function checkFragments() {
	for (const text of ["c=drop:999999,lib:x,in:0:77,only:-1,below:7&f=1e9&r=no,comm,comm&t=9-1&w=-1&m=x&z=a.1.99999&s=__proto__",
			    "q=(&%E0%A4%A=1&&&=&z=....", "r=&c=&q=%3Cimg%20src=x%20onerror=alert(1)%3E"]) {
		const v = await open("check.html#" + text);

		check(v.view.weight === 0 && v.view.frame === -1 && !v.view.chips.length && all("img").length === 0,
			"a strange fragment: " + text.slice(0, 30));
	}
}

/* ------------------------------------------------------------------ interactions */

async function checkZoom() {
	const v = await open("check.html"), w = frame("page").contentWindow;

	mouse(v, v.flame, "ksys_read", "click");
	same(zoomed(v), "ksys_read", "a click zooms");
	check(w.location.hash.includes("z="), "the address has the zoom", w.location.hash);
	same(all(".crumbs button").map(b => b.textContent).slice(0, 3), "all,io,main", "breadcrumbs show the way");
	const hash = w.location.hash, before = v.flame.layout.boxes.nr;

	w.history.back();
	await until("zoom out", () => v.flame.zoom === 0);
	check(true, "the browser goes back");
	w.history.forward();
	await until("zoom in", () => v.flame.zoom !== 0);
	same(zoomed(v), "ksys_read", "and forward");
	const o = await open("check.html" + hash, "other");

	same([o.flame.layout.boxes.nr, o.model.names[o.flame.tree.frame[o.flame.zoom]]], [before, "ksys_read"],
		"a fragment shows the same picture in another window");
	byText(".crumbs button", "main").click();
	same(zoomed(v), "main", "a breadcrumb zooms out to it");
}

async function checkSearch() {
	const v = await open("check.html"), box = page().getElementById("search"), rows = () => all(".table tr.match").length;

	box.value = "KSYS_|Vfs_";
	box.dispatchEvent(new Event("input"));
	await until("the search", () => v.view.search);
	same(page().getElementById("matches").textContent, "0 names, 0 places, 0.0%", "a capital letter makes case matter");
	box.value = "ksys_|vfs_";
	box.dispatchEvent(new Event("input"));
	await until("the search", () => v.view.search === "ksys_|vfs_");
	same(page().getElementById("matches").textContent, "3 names, 2 places, 60.0%", "a search has its count and share");
	same(rows(), 3, "matches are marked in the table");
	check(frame("page").contentWindow.location.hash.includes("q=ksys_%7Cvfs_"), "the address has the search");
	key(page().body, "n");
	same(v.model.names[v.flame.tree.frame[v.flame.cursor]], "ksys_read", "n goes to a match");
	key(page().body, "n");
	same(v.model.names[v.flame.tree.frame[v.flame.cursor]], "ksys_write", "and to the next one");
	key(page().body, "N");
	same(v.model.names[v.flame.tree.frame[v.flame.cursor]], "ksys_read", "and back");
	v.go({ search: "(" });
	same(page().getElementById("matches").textContent, "not a regular expression", "a wrong expression is reported");
}

// One and many
async function checkGrammar() {
	const v = await open("one.html"), seen = () => page().body.textContent;

	v.go({ search: "only", panel: "account" });
	check(seen().includes("1 name, 1 place, 100.0%"), "one match is one name, one place", page().getElementById("matches").textContent);
	v.go({ panel: "table", chips: [{ kind: "rec" }] });
	same(all(".chip .took").map(e => e.textContent.trim()), "1 path less", "a filter that took one path away says so");
	check(seen().includes("1 row") && v.describe(v.shown.tree, 1, false)[1].startsWith("1 sample, "), "one row, one sample");
	const b = await open("bytes.html");

	b.go({ weight: b.model.weights.findIndex(w => w.unit === "bytes") });
	check(!b.describe(b.shown.tree, 1, false)[1].includes("bytes bytes"), "bytes are said once", b.describe(b.shown.tree, 1, false)[1]);
	for (const name of ["one", "whole", "wall", "merged"]) {
		await open(name + ".html");
		same(seen().match(/(?<![\d.,])1 (names|places|paths|rows|hosts|samples|stacks|address spaces|kernel functions|frames|counts)\b/g) || "", "",
			"nothing is one of many: " + name);
	}
}

async function checkFilters() {
	const v = await open("check.html"), total = () => v.flame.tree.sides[0].total[0];
	const took = () => all(".chip .took").map(e => e.textContent.trim()).join(), undo = () => key(page().body, "u");

	mouse(v, v.flame, "ksys_write", "click", { ctrlKey: true });
	same([total(), took()], [700, "30.0% gone"], "drop: its stacks are gone, and the chip says how many");
	undo();
	same(total(), 1000, "u undoes it");
	v.addChip("only", v.model.names.indexOf("ksys_write"));
	same(total(), 300, "only: all other stacks are gone");
	undo();
	v.addChip("focus", v.model.names.indexOf("do_syscall_64"));
	same([total(), pathsOf(v, v.flame.tree)["io > do_syscall_64"]], [600, 600], "focus: without callers, but with the thread");
	undo();
	v.addChip("hide", v.model.names.indexOf("do_syscall_64"));
	same([total(), pathsOf(v, v.flame.tree)["io > main > entry_SYSCALL_64_after_hwframe > ksys_write"]], [1000, 300],
		"hide: its callees are its callers'");
	undo();
	v.go({ chips: [{ kind: "below", share: 0.05 }] });
	check(total() === 1000 && took().endsWith("frames") && !Object.values(pathsOf(v, v.flame.tree)).some(n => n < 50),
		"small frames are hidden, and their weight stays", took());
	undo();
	v.addChip("not", v.model.dims[v.model.dim("comm")].base);
	check(total() < 1000 && total() > 0, "a thread is left out");
}

// Trees use the arrays of trees that are shown no more: none may be changed that is still shown
async function checkMemory() {
	const v = await open("recursion.html"), { model, view } = v, first = { ...view };
	const chip = (kind, name) => ({ kind, frame: model.names.indexOf(name) });
	const states = [[], [chip("hide", "f")], [{ kind: "rec" }], [chip("hide", "g"), { kind: "rec" }, chip("focus", "f")], [chip("hide", "main")]]
		.flatMap(chips => [{ chips }, { chips, roots: [] }, { chips, mode: "sandwich", frame: model.names.indexOf("f") }]);
	const seen = changes => {
		// Without the address, which browsers permit to change only some times a second
		for (const state of [changes, { ...changes, mode: "tree" }]) {
			v.view = { ...first, ...state };
			v.render();
		}
		return JSON.stringify([pathsOf(v, v.flame.tree), Array.from(v.shown.functionRows()[0].total), v.flame.layout.rows]);
	};
	const alone = states.map(state => {
		v.shown = new v.shown.constructor(model);
		return seen(state);
	});
	let wrong = 0;

	for (let step = 1; step < states.length; step++)
		for (let i = 0; i < states.length; i++)
			wrong += seen(states[(i * step + step) % states.length]) === alone[(i * step + step) % states.length] ? 0 : 1;
	same(wrong, 0, "a view is the same, whatever was shown before");
}

async function checkRoots() {
	const v = await open("timeline.html"), tops = () => Object.keys(pathsOf(v, v.flame.tree)).filter(path => !path.includes(" > "));

	v.go({ roots: [v.model.dim("cpu"), v.model.dim("comm")] });
	same(tops(), "CPU 0,CPU 1", "roots by CPU");
	same(pathsOf(v, v.flame.tree)["CPU 1 > third > other"], 100, "with threads below");
	key(all(".chip.root")[0], "ArrowRight");
	same(tops(), "third,turns", "an arrow key moves a root inwards");
	const data = new DataTransfer();

	all(".chip.root")[1].dispatchEvent(new DragEvent("dragstart", { dataTransfer: data, bubbles: true }));
	all(".chip.root")[0].dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	same(tops(), "CPU 0,CPU 1", "and so does dragging");
	key(all(".chip.root")[0], "Delete");
	key(all(".chip.root")[0], "Delete");
	same(tops(), "main,other", "without roots, functions are outermost");
}

async function checkTime() {
	let v = await open("timeline.html");

	compareTables(v, EXPECTED.timeline, [0, 1], "a profile with times");
	const all = v.timeline.run.slice(-v.timeline.bins), steady = all.slice(1, v.timeline.bins / 2 - 1 | 0);

	check(Math.max(...steady) < 1.1 * Math.min(...steady), "steady samples make bars of one height");
	v.go({ range: [1.2e9, 2.7e9] });
	compareTables(v, EXPECTED.part, [0, 1], "a part of it");
	same(v.flame.tree.sides[0].total[0], EXPECTED.part.summary.shown.ns, "the picture follows the brush");
	v = await open("bytes.html");
	v.go({ chips: [] });
	const sum = weights => weights.reduce((a, b) => a + b, 0), time = v.model.weights.find(w => w.unit === "ns");

	same(Math.round(sum(v.timeline.run.slice(-v.timeline.bins))), sum(v.model.factWeights(time)), "bars of the time line are time, without bytes");
	v = await open("waits.html");
	v.go({ range: [3e8, 6e8] });
	compareTables(v, EXPECTED.waits, [1, 0], "waits are cut to a part");
	compareTables(await open("waitspart.html"), EXPECTED.waits, [1, 0], "a page of a part has its waits");
	v = await open("timeline.html");
	const box = v.timeline.box.getBoundingClientRect();
	const drag = (name, seconds) => v.timeline.box.dispatchEvent(new PointerEvent(name, { bubbles: true, pointerId: 1,
		clientX: box.left + v.timeline.xOf(seconds * 1e9), clientY: box.top + 20 }));

	v.timeline.box.setPointerCapture = () => {};
	v.go({ range: null, weight: 0 });
	drag("pointerdown", 2);
	drag("pointermove", 3);
	drag("pointerup", 3);
	check(Math.abs(v.view.range[0] - 2e9) < 2e7 && Math.abs(v.view.range[1] - 3e9) < 2e7, "dragging chooses a part", v.view.range);
	const range = v.view.range.slice();

	key(v.timeline.box, "ArrowRight");
	check(v.view.range[0] > range[0], "an arrow key moves it");
	await checkParts();
	v = await open("timeline.html#t=0-1000000000&u=2000000000-3000000000");
	same(v.shown.tree.sides.map(side => side.total[0]), "200,100", "a fragment compares two parts");
	key(v.timeline.box, "Escape");
	check(!v.view.range && v.shown.tree.sides.length === 1, "Escape chooses the whole");
}

// Rows that differ from those of kflame diff
function differences(v, expected) {
	const rows = v.shown.functionRows(), sums = v.shown.sampleRows(), wrong = [];
	const tests = v.table.tests(v.table.source(v.view, v.shown), v.shown);

	for (const row of expected.by_function) {
		const i = v.model.names.findIndex((name, k) => name === row.name && v.model.isFunction(k));
		const p = v.shown.pOf(sums[0].self[i], sums[1].self[i]);

		if (rows[0].self[i] !== row.base.self.samples || rows[1].self[i] !== row.other.self.samples ||
		    rows[0].total[i] !== row.base.total.samples || Math.abs(p - row.p) > 1e-9 * row.p || (p <= tests.trusted) !== row.changed)
			wrong.push(row.name + " " + p);
	}
	return wrong.join();
}

// The first second is kept, and compared with what is chosen next
async function checkParts() {
	const v = await open("timeline.html");

	check(byText(".timeline button", "keep as A").disabled, "without a part there is nothing to keep");
	v.go({ range: [0, 1e9] });
	byText(".timeline button", "keep as A").click();
	same([v.shown.tree.sides.length, v.shown.tree.sides[0].total[0]], "1,100", "a part that is kept is shown until the other one is chosen");
	const hash = frame("page").contentWindow.location.hash, o = await open("timeline.html" + hash, "other");

	same(o.shown.tree.sides[0].total[0], 100, "a fragment keeps it");
	key(v.timeline.box, "ArrowRight");
	same([v.view.other, v.view.range], "0,1000000000,1000000000,2000000000", "an arrow key chooses the part behind it");
	v.go({ range: [2e9, 3e9] });
	same([v.shown.tree.sides.map(side => side.total[0]), differences(v, EXPECTED.parts)], "100,200,",
		"two parts: sums, p, and what is significant, as kflame diff");
	same([shownNames()[0], EXPECTED.parts.by_function.some(row => row.name === "other" && row.changed)], "other,true",
		"the largest change comes first");
}

async function checkComparison() {
	const v = await open("compare.html");

	same(differences(v, EXPECTED.diff), "", "two profiles: sums, p, and what is significant, as kflame diff");
	const gone = v.flame.tree.find([v.model.dims[v.model.dim("comm")].base, v.model.names.indexOf("main")]);

	check(v.flame.tree.sides[0].total[gone] === 8 && v.flame.tree.sides[1].total[gone] === 305, "a frame has both weights");
	check(nodeOf(v, v.flame, "new") >= 0 && nodeOf(v, v.flame, "f") >= 0, "new and old frames are drawn");
	same(shownNames()[0], "new", "the largest change comes first");
}

async function checkKeys() {
	const v = await open("check.html"), e = v.flame.scroll;

	e.focus();
	key(e, "ArrowDown");
	key(e, "ArrowDown");
	same(v.model.names[v.flame.tree.frame[v.flame.cursor]], "main", "arrow keys move to the widest callee");
	const item = page().getElementById(e.getAttribute("aria-activedescendant"));

	check(item && item.getAttribute("role") === "treeitem" && item.getAttribute("aria-level") === "3" && item.textContent.includes("main"),
		"screen readers hear the frame and its level", item && item.outerHTML);
	key(e, " ");
	same(v.model.names[v.view.frame], "main", "Space chooses the function");
	key(e, "Enter");
	same(zoomed(v), "main", "Enter zooms");
	key(e, "Escape");
	same(zoomed(v), "io", "Escape zooms out by one");
	key(e, "s");
	check(v.view.mode === "sandwich" && !v.sandwichBox.hidden, "s shows callers and callees");
	key(page().body, "i");
	same(v.view.mode, "inverted", "i inverts");
	key(page().body, "0");
	same(frame("page").contentWindow.location.hash.slice(1), "", "0 shows the first view");
	key(page().body, "?");
	check(page().getElementById("help").open, "? shows the keys");
	page().getElementById("help").close();
	const row = all(".table tbody tr")[1];

	row.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	same(v.model.names[v.view.frame], shownNames()[1], "a click in the table chooses a function");
	row.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
	same(v.hover, v.view.frame, "pointing at a row marks it in the picture");
	mouse(v, v.flame, "vfs_read", "mousemove");
	same(byText("tr.hover", "").querySelector(".function span:nth-child(2)").textContent, "vfs_read", "pointing at a frame marks its row");
	v.go({ panel: "detail", frame: v.model.names.indexOf("vfs_read") });
	check(byText(".detail", "self 250") && byText(".detail td", "io"), "a function has its weights and its threads");
}

async function checkExports() {
	const v = await open("check.html"), made = [];
	const url = frame("page").contentWindow.URL, create = url.createObjectURL;

	url.createObjectURL = blob => {
		made.push(blob);
		return create.call(url, blob);
	};
	for (const kind of ["svg", "folded"]) {
		v.saves.value = kind;
		v.saves.dispatchEvent(new Event("change"));
	}
	v.saves.value = "png";
	v.saves.dispatchEvent(new Event("change"));
	await until("three files", () => made.length === 3);
	const svg = new DOMParser().parseFromString(await made[0].text(), "image/svg+xml");

	check(!svg.querySelector("parsererror, script") && svg.querySelectorAll("rect").length > 10, "an SVG is well-formed, without scripts");
	const folded = (await made[1].text()).trim().split("\n");

	same(folded.reduce((sum, line) => sum + Number(line.split(" ").pop()), 0), 1000, "folded stacks add up to the whole");
	check(made[2].size > 1000 && made[2].type === "image/png", "a PNG has a picture");
}

// Browsers without workers or DecompressionStream
async function checkFallbacks() {
	const e = frame("page"), text = await (await fetch("whole.html")).text();

	e.src = "about:blank";
	await until("an empty page", () => e.contentWindow.location.href === "about:blank" &&
		e.contentDocument.body && !e.contentDocument.body.dataset.ready);
	e.contentWindow.Worker = e.contentWindow.DecompressionStream = undefined;
	e.contentDocument.open();
	e.contentDocument.write(text);
	e.contentDocument.close();
	await until("the page", () => ["2", "failed"].includes(e.contentDocument.body.dataset.ready));
	const v = e.contentDocument.body.viewer;

	check(v.model && v.shown.tree.sides[0].total[0] === EXPECTED.whole.summary.shown.samples, "without workers and DecompressionStream");
}

async function run() {
	for (const part of [checkNumbers, checkCalls, checkRecursion, checkSafety, checkCut, checkFragments, checkZoom,
			    checkSearch, checkGrammar, checkFilters, checkMemory, checkRoots, checkTime, checkComparison, checkKeys, checkExports,
			    checkSourceNumbers, checkSourceSafety, checkSourceLinks, checkFallbacks,
			    checkCallNumbers, checkCallRows, checkCallLinks, checkQuestions]) {
		try {
			await part();
		} catch (e) {
			check(false, part.name, String(e && e.stack || e).replace(/\n/g, " ").replace(/"/g, "'"));
		}
	}
	say("1.." + checks);
	say(failed ? "# FAILED" : "# PASSED");
}

run();
