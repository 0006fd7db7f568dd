// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ten questions that docs/guide.md answers, each with at most three actions in a page of shop.py's profile.  pictures.py
// does the same for the pictures.
"use strict";

// What a person does: each takes a viewer and its document
const press = name => (v, d) => (d.activeElement || d.body).dispatchEvent(
	new d.defaultView.KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const clickRow = name => (v, d) => rowNamed(d, name).dispatchEvent(new d.defaultView.MouseEvent("click", { bubbles: true }));
const choose = (label, text) => (v, d) => {
	const select = d.querySelector("select[aria-label='" + label + "']");

	select.selectedIndex = Array.from(select.options).findIndex(option => option.text.includes(text));
	select.dispatchEvent(new d.defaultView.Event("change", { bubbles: true }));
};
const drag = (from, to) => (v, d) => {
	const { box } = v.timeline, place = box.getBoundingClientRect();

	box.setPointerCapture = () => {};
	for (const [name, seconds] of [["pointerdown", from], ["pointermove", to], ["pointerup", to]])
		box.dispatchEvent(new d.defaultView.PointerEvent(name, { bubbles: true, pointerId: 1,
			clientX: place.left + v.timeline.xOf(seconds * 1e9), clientY: place.top + 20 }));
};

// What a person sees
const rowNamed = (d, name) => Array.from(d.querySelectorAll(".table tbody tr"))
	.find(row => row.querySelector(".function span:nth-child(2)").textContent === name);
const inWindow = e => {
	const box = e ? e.getBoundingClientRect() : null;

	return Boolean(box && box.width && box.height && box.top >= 0 && box.bottom <= e.ownerDocument.defaultView.innerHeight);
};
const seesRow = (d, name, text) => {
	const row = rowNamed(d, name);

	return inWindow(row) && row.textContent.includes(text);
};
const seesCall = (d, name, text) => Array.from(d.querySelectorAll(".calls [role=treeitem]")).some(row =>
	row.querySelector(".text").textContent === name && row.textContent.includes(text) && inWindow(row));
const drawnNames = (v, panel, level) => {
	const { boxes } = panel.layout, names = [];

	for (let i = 0; i < boxes.nr; i++)
		if (boxes.node[i] >= 0 && boxes.row[i] === level && boxes.w[i] > 40 && panel.yOf(boxes.row[i]) >= 0)
			names.push(v.model.names[panel.tree.frame[boxes.node[i]]]);
	return names.sort().join();
};

const QUESTIONS = [
	{ id: "time", question: "Where is the time?", actions: [press("x")],
	  sees: (v, d) => seesCall(d, "web", "61.4%") && seesCall(d, "parse_object", "29.3%") &&
		v.model.names[v.view.at[v.view.at.length - 1]] === "parse_object" },
	{ id: "callers", question: "Who calls this?", actions: [clickRow("memcpy"), press("s")],
	  sees: v => drawnNames(v, v.callers, 1) === "rebuild_cache,render" },
	{ id: "differs", question: "What differs?", actions: [drag(2, 3), press("a"), drag(3, 4)],
	  sees: (v, d) => seesRow(d, "hash_item", "+66.67%") && d.querySelector(".timeline .note").textContent.startsWith("A: ") },
	{ id: "second", question: "What happened between second 3 and 4?", actions: [drag(3, 4)],
	  sees: (v, d) => seesRow(d, "hash_item", "66.7%") && drawnNames(v, v.flame, 4).includes("rebuild_cache") },
	{ id: "thread", question: "Which thread?", actions: [choose("Rows", "thread")],
	  sees: (v, d) => seesRow(d, "web", "61.4%") && seesRow(d, "db", "38.6%") },
	{ id: "kernel", question: "How much is in the kernel?", actions: [choose("Rows", "file")],
	  sees: (v, d) => seesRow(d, "[kernel]", "21.7%") },
	{ id: "library", question: "Which library?", actions: [choose("Rows", "file"), clickRow("libjson.so.5"), press("2")],
	  sees: (v, d) => d.querySelector(".detail h2").textContent === "[libjson.so.5]" &&
		d.querySelector(".detail").textContent.includes("total 1,575 (29.3%)") },
	{ id: "lost", question: "What is lost, and why?", actions: [press("3")],
	  sees: (v, d) => d.querySelector(".account").textContent.match(/ 90 {2}table full: no entry left[^]*stripped +libssl.so.3/) },
	{ id: "recursion", question: "Is it recursive?", actions: [clickRow("parse_object"), press("s")],
	  sees: v => drawnNames(v, v.callees, 2).includes("parse_object") },
	{ id: "stalls", question: "Where did stalls come from?", actions: [drag(3, 4), choose("Weight", "time waiting"), press("x")],
	  sees: (v, d) => seesCall(d, "lock_cache", "964.00 ms") && seesCall(d, "schedule", "960.00 ms") },
];

// For the driver
async function checkQuestions() {
	for (const { question, actions, sees } of QUESTIONS) {
		const v = await open("shop.html"), d = page();

		for (const action of actions) {
			action(v, d);
			await pause(50);
		}
		check(actions.length <= 3 && sees(v, d), "answered in " + actions.length + (actions.length === 1 ? " action: " : " actions: ") + question,
			d.querySelector(".side").textContent.slice(0, 500));
	}
	compareTables(await open("shop.html"), EXPECTED.shop, [0, 1], "the profile of the questions");
}
