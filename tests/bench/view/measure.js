// SPDX-License-Identifier: GPL-2.0-or-later
//
// measure.js - opens a page and works in it; JSON on standard output
//
//	node measure.js PLAYWRIGHT CHROMIUM SECONDS kflame PAGE
//	node measure.js PLAYWRIGHT CHROMIUM SECONDS speedscope RELEASE FOLDED WORK
"use strict";
const { Page } = require("./browser.js");

async function main([playwright, chromium, seconds, what, ...rest]) {
	const tool = require("./" + what + ".js"), url = what === "kflame" ? "file://" + rest[0] : tool.address(...rest);
	const page = await Page.start(require(playwright), chromium);

	try {
		console.log(JSON.stringify(await tool.measure(page, url, Number(seconds) * 1000)));
	} finally {
		await page.end();
	}
}

main(process.argv.slice(2)).catch(e => {
	console.log(JSON.stringify({ error: String(e && e.message || e).split("\n")[0] }));
});
