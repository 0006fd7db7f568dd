// SPDX-License-Identifier: GPL-2.0-or-later
//
// browser.js - a page in a headless Chromium, and the CPU time that the page takes
"use strict";
const fs = require("fs");

const pause = ms => new Promise(done => setTimeout(done, ms));

// Nanoseconds that all threads of a process ran
function ranOf(pid) {
	let sum = 0;

	for (const thread of fs.readdirSync("/proc/" + pid + "/task")) {
		try {
			sum += Number(fs.readFileSync("/proc/" + pid + "/task/" + thread + "/schedstat", "ascii").split(" ")[0]);
		} catch (e) {
			// The thread has ended
		}
	}
	return sum;
}

class Page {
	static async start(playwright, chromium) {
		const browser = await playwright.chromium.launch({ executablePath: chromium, headless: true,
			args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--js-flags=--max-old-space-size=8192"] });
		const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });

		return Object.assign(new Page(), { browser, page, control: await browser.newBrowserCDPSession() });
	}

	// Milliseconds of CPU of all processes that run pages
	async cpu() {
		const { processInfo } = await this.control.send("SystemInfo.getProcessInfo");
		let sum = 0;

		for (const { type, id } of processInfo)
			if (type === "renderer")
				sum += ranOf(id) / 1e6;
		return sum;
	}

	// Wait until the page has nothing to do
	async settle() {
		let before = await this.cpu();

		await this.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
		for (let i = 0; i < 100; i++) {
			await pause(60);
			const now = await this.cpu();

			if (now - before < 1)
				return;
			before = now;
		}
	}

	// Return: the milliseconds of CPU that @act takes, until the page is idle
	async take(act) {
		await this.settle();
		const before = await this.cpu();

		await act();
		await this.settle();
		return await this.cpu() - before;
	}

	// Open @url.  Return: { paint, ready: seconds until the conditions @isPainted and @isReady are true, cpu }
	async open(url, isPainted, isReady, patience) {
		const begin = Date.now(), left = () => Math.max(1, patience - (Date.now() - begin)), before = await this.cpu();
		const options = () => ({ timeout: left(), polling: "raf" });

		await this.page.goto(url, { waitUntil: "commit", timeout: patience });
		await this.page.waitForFunction(isPainted, undefined, options());
		const paint = (Date.now() - begin) / 1000;

		await this.page.waitForFunction(isReady, undefined, options());
		const ready = (Date.now() - begin) / 1000;

		await this.settle();
		return { paint, ready, cpu: await this.cpu() - before };
	}

	async end() {
		await this.browser.close().catch(() => {});
	}
}

function median(numbers) {
	const sorted = numbers.slice().sort((a, b) => a - b), middle = sorted.length >> 1;

	return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

module.exports = { Page, median, pause };
