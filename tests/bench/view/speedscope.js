// SPDX-License-Identifier: GPL-2.0-or-later
//
// speedscope.js - the same in speedscope's page, with mouse and keys
"use strict";
const fs = require("fs");
const path = require("path");
const { median, pause } = require("./browser.js");

const TIMES = 10;

// As speedscope's own program opens a file: a script with the profile, and the address of the page with it
function address(release, file, work) {
	const script = path.join(work, "speedscope.js"), name = path.basename(file);

	fs.writeFileSync(script, "speedscope.loadFileFromBase64(" + JSON.stringify(name) + ", \"" +
		fs.readFileSync(file).toString("base64") + "\")");
	return "file://" + path.join(release, "index.html") + "#localProfilePath=" + script;
}

async function ofEach(page, act, undo) {
	const took = [];

	for (let i = 0; i < TIMES; i++) {
		took.push(await page.take(() => act(i)));
		await undo(i);
		await pause(50);
	}
	return median(took);
}

async function work(page) {
	const { mouse, keyboard } = page.page, result = {};
	const press = key => keyboard.press(key);

	// Left heavy: the merged stacks, as a flame graph
	await press("2");
	await page.settle();
	result.zoom = await ofEach(page, i => mouse.dblclick(200 + 40 * i, 200), () => press("0"));
	result.search = await ofEach(page, async i => {
		await press("Control+f");
		await keyboard.insertText("merge" + "_1".slice(0, i % 3));
	}, () => press("Escape"));
	await press("3");
	await page.settle();
	result.sandwich = await ofEach(page, i => mouse.click(300, 90 + 22 * i), () => page.settle());
	result.sort = await ofEach(page, i => mouse.click(i % 2 ? 60 : 160, 42), () => page.settle());
	return result;
}

// Return: { open: { paint, ready, cpu }, median CPU of each interaction }
async function measure(page, url, patience) {
	const isShown = () => document.title.endsWith(" - speedscope");
	const open = await page.open(url, isShown, isShown, patience);

	return { open, ...await work(page) };
}

module.exports = { measure, address };
