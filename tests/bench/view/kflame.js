// SPDX-License-Identifier: GPL-2.0-or-later
//
// kflame.js - what a person does in a page of 'kflame view', ten times, each time with another function
"use strict";
const { median } = require("./browser.js");

const TIMES = 10;

// Functions with the most weight, without the outermost one.  Runs in the page
function heavy(nr) {
	const { shown, model } = document.body.viewer, [{ self, total }] = shown.functionRows(), rows = [];

	for (let i = 1; i < model.fileBase; i++)
		if (self[i])
			rows.push(i);
	rows.sort((a, b) => total[b] - total[a]);
	return rows.slice(4, nr + 4).map(i => [i, model.names[i]]);
}

// Boxes of the picture in the window, below the first rows.  Runs in the page
function places(nr) {
	const panel = document.body.viewer.flame, { boxes } = panel.layout, place = panel.hold.getBoundingClientRect(), found = [];

	for (let i = 0; i < boxes.nr && found.length < nr; i++)
		if (boxes.row[i] > 3 && boxes.row[i] < 20 && boxes.w[i] > 12 && boxes.node[i] >= 0)
			found.push([place.left + boxes.x[i] + boxes.w[i] / 2, place.top + panel.yOf(boxes.row[i]) + 9]);
	return found;
}

const go = changes => document.body.viewer.go(changes);

async function ofEach(page, list, act, undo) {
	const took = [];

	for (const item of list) {
		took.push(await page.take(() => act(item)));
		await undo();
	}
	return took.length ? median(took) : null;
}

async function work(page) {
	const functions = await page.page.evaluate(heavy, TIMES), boxes = await page.page.evaluate(places, TIMES), result = {};
	const first = await page.page.evaluate(() => ({ ...document.body.viewer.view }));
	const undo = () => page.page.evaluate(go, first), set = changes => page.page.evaluate(go, changes);
	const chip = kind => frame => set({ chips: [...first.chips, { kind, frame: frame[0] }] });
	const event = await page.page.evaluate(() => document.body.viewer.model.dim("event"));
	const again = Array.from({ length: TIMES }, (_, i) => i);

	result.zoom = await ofEach(page, boxes, ([x, y]) => page.page.mouse.click(x, y), undo);
	result.search = await ofEach(page, functions, async ([, name]) => {
		await page.page.focus("#search");
		await page.page.keyboard.insertText(name.slice(0, 5));
	}, undo);
	result.sandwich = await ofEach(page, functions, ([frame]) => set({ mode: "sandwich", frame }), undo);
	result.sort = await ofEach(page, again, () => set({ sort: "total" }), undo);
	// Another filter before it, so that there is another tree to invert
	result.invert = await ofEach(page, functions, () => set({ mode: "inverted" }), async () => {
		await undo();
		await chip("drop")(functions[0]);
		await undo();
	});
	for (const kind of ["drop", "only", "focus", "hide"])
		result[kind] = await ofEach(page, functions, chip(kind), undo);
	result.recursion = await ofEach(page, again, () => set({ chips: [...first.chips, { kind: "rec" }] }), undo);
	result.library = await ofEach(page, again, () => set({ chips: [...first.chips, { kind: "lib", file: -1 }] }), undo);
	result.below = await ofEach(page, again, () => set({ chips: [...first.chips, { kind: "below", share: 0.001 }] }), undo);
	result["no roots"] = await ofEach(page, again, () => set({ roots: [] }), undo);
	result["another root"] = await ofEach(page, again, () => set({ roots: [event, ...first.roots] }), undo);
	return result;
}

// Return: { open: { paint, ready, cpu }, nodes, median CPU of each interaction }
async function measure(page, url, patience) {
	const open = await page.open(url, () => document.body.viewer && document.body.viewer.flame.layout,
		() => document.body.dataset.ready === "2", patience);
	const nodes = await page.page.evaluate(() => document.body.viewer.shown.tree.n);

	return { open, nodes, ...await work(page) };
}

module.exports = { measure };
