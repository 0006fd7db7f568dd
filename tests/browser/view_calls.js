// SPDX-License-Identifier: GPL-2.0-or-later
//
// The call tree of the viewer: its numbers, its rows, its keys
"use strict";

const callRows = () => all(".calls [role=treeitem]");
const callNames = () => callRows().map(row => row.querySelector(".text").textContent);
const callRow = name => callRows().find(row => row.querySelector(".text").textContent === name);

// What is on the screen, from the first row to the last one: paths, each with its total and self
function readCallTree(v) {
	const { list } = v.calls, seen = new Map(), way = [];

	for (let top = 0; top < list.scrollHeight; top += list.clientHeight / 2 | 0) {
		list.scrollTop = top;
		v.calls.draw();
		for (const row of callRows())
			seen.set(row.id, [Number(row.getAttribute("aria-level")) - 1, row.querySelector(".text").textContent,
				...Array.from(row.querySelectorAll(".number"), e => Number(e.textContent.replace(/[,%]/g, "")))]);
	}
	const rows = Array.from(seen.keys()).sort((a, b) => a.slice(4) - b.slice(4)).map(id => seen.get(id));

	return rows.slice(1).map(([level, name, total, , self]) => {
		way.length = level - 1;
		way.push(name);
		return [way.join(" > "), total, self].join("|");
	}).sort();
}

function linesOfReport(tree) {
	const ways = [];

	return tree.map((row, i) => {
		ways[i] = (row.caller === null ? [] : ways[row.caller]).concat(row.name);
		return [ways[i].join(" > "), row.total.samples, row.self.samples].join("|");
	}).sort();
}

// Lines of one list that are not in the other one
function missing(from, to) {
	const left = to.slice();

	return from.filter(line => left.indexOf(line) < 0 || !left.splice(left.indexOf(line), 1));
}

function sameRows(got, want, name) {
	check(got.length && got.length === want.length && !missing(got, want).length, name,
		"only in the page: " + missing(got, want).slice(0, 5) + "; only in the report: " + missing(want, got).slice(0, 5));
}

// Open all rows, as the key * does it
function openAll(v) {
	key(v.calls.list, "Home");
	for (let row = 0; row < v.calls.rows.nodes.length; row++) {
		key(v.calls.list, "*");
		key(v.calls.list, "ArrowDown");
	}
}

async function checkCallNumbers() {
	let v = await open("whole.html#p=calls");

	openAll(v);
	sameRows(readCallTree(v), linesOfReport(EXPECTED.tree.tree), "the call tree's numbers are those of kflame report --tree");
	v = await open("timeline.html#p=calls&t=1200000000-2700000000");
	openAll(v);
	sameRows(readCallTree(v), linesOfReport(EXPECTED.parttree.tree), "so are they in a part of the recording");
}

async function checkCallRows() {
	const v = await open("check.html#p=calls"), { list } = v.calls;

	same(callNames().join(), "all,io,worker", "at first, roots are open, the heaviest first");
	callRow("io").querySelector(".twisty").click();
	same([callRow("io").getAttribute("aria-expanded"), callNames()[2]], "true,main", "a click opens a row");
	const hash = frame("page").contentWindow.location.hash, o = await open("check.html" + hash, "other");

	same(o.calls.rows.nodes.length, v.calls.rows.nodes.length, "a fragment opens the same rows in another window");
	callRow("io").querySelector(".twisty").click();
	same(callRow("io").getAttribute("aria-expanded"), "false", "and closes it");
	list.focus();
	key(list, "Home");
	key(list, "ArrowDown");
	key(list, "ArrowRight");
	key(list, "ArrowRight");
	const at = () => page().getElementById(list.getAttribute("aria-activedescendant"));

	same([at().getAttribute("aria-level"), at().getAttribute("aria-posinset"), at().getAttribute("aria-setsize")], "3,1,1",
		"ArrowRight opens a row, and goes to the first one below");
	check(at().getAttribute("aria-label").startsWith("main, "), "a screen reader hears a name and its share", at().outerHTML.slice(0, 200));
	key(list, "ArrowLeft");
	key(list, "ArrowLeft");
	same([at().textContent.includes("io"), at().getAttribute("aria-expanded")], "true,false", "ArrowLeft goes back, and closes it");
	key(list, "x");
	const tree = v.calls.tree, heaviest = [];

	for (let i = 0; ;) {
		const callees = v.calls.rows.calleesOf(i);

		if (!callees.length)
			break;
		i = i ? callees[0] : v.calls.tree.find(v.view.at.slice(0, 1));
		heaviest.push(v.model.names[tree.frame[i]]);
	}
	same(v.view.at.map(f => v.model.names[f]).join(), heaviest.join(), "x opens the heaviest path");
}

async function checkCallLinks() {
	const v = await open("check.html#p=calls"), at = () => v.model.names[v.calls.tree.frame[v.calls.cursor]];

	mouse(v, v.flame, "ksys_write", "click", { shiftKey: true });
	same([at(), Boolean(callRow("ksys_write"))], "ksys_write,true", "a frame that is chosen in the picture is shown in the call tree");
	callRow("main").click();
	same([v.model.names[v.flame.tree.frame[v.flame.cursor]], v.model.names[v.view.frame]], "main,main",
		"a row that is chosen is shown in the picture, and its function in all panels");
	v.go({ zoom: v.flame.tree.framesOf(v.flame.tree.find([v.model.names.indexOf("worker")])) });
	callRow("main").click();
	same([zoomed(v), v.model.names[v.flame.tree.frame[v.flame.cursor]]], "all,main", "the picture zooms out to a row outside of it");
	callRow("ksys_write").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
	same(v.model.names[v.hover], "ksys_write", "pointing at a row marks the frame");
	v.go({ mode: "inverted" });
	const top = v.calls.rows.nodes[1];

	same([v.calls.tree === v.flame.tree, v.calls.rows.selfOf(0, top)], "true," + v.flame.tree.sides[0].total[top],
		"inverted, the rows are functions with their self");
	v.go({ mode: "tree", open: "", at: [] });
	v.addChip("drop", v.model.names.indexOf("ksys_write"));
	key(v.calls.list, "x");
	check(!callRow("ksys_write"), "filters hold for the call tree");
	v.go({ mode: "sandwich", frame: v.model.names.indexOf("do_syscall_64"), chips: [] });
	same(callNames()[0], "do_syscall_64", "beside callers and callees it has the callees");
	const c = await open("compare.html#p=calls");

	openAll(c);
	const numbers = Array.from(callRow("new").querySelectorAll(".number"), e => e.textContent);

	same(numbers.join(" "), "0.0% 92.9% +92.88% 0.0% 92.9%", "a comparison has the shares of both sides");
	check(callRow("new").querySelector(".grew"), "and the change");
}
