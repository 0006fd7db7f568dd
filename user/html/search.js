// SPDX-License-Identifier: GPL-2.0-or-later
// search.js - a regular expression, marked in all panels: how many functions match, with which share, and where

class Search {
	constructor(app) {
		this.app = app;
		this.box = el("input", { type: "search", id: "search", placeholder: "Search (regular expression)  /",
			"aria-label": "Search by regular expression", spellcheck: "false", autocomplete: "off" });
		this.count = el("span", { id: "matches", role: "status", "aria-live": "polite" });
		this.bar = el("div", { class: "search" }, this.box, button("\u25b2", "Previous match (N)", () => this.step(-1)),
			button("\u25bc", "Next match, the widest first (n)", () => this.step(1)), this.count);
		this.text = "";
		this.isOf = null;
		this.names = null;
		let timer;

		this.box.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(() => app.go({ search: this.box.value }, true), 60);
		});
		this.box.addEventListener("keydown", event => {
			if (event.key === "Enter")
				this.step(event.shiftKey ? -1 : 1);
			else if (event.key === "Escape")
				app.go({ search: "" }, true);
			else
				return;
			event.preventDefault();
		});
	}

	// Case matters if the expression has a capital letter, as in --include
	compile(text) {
		try {
			return new RegExp(text, /[A-Z]/.test(text.replace(/\\./g, "")) ? "u" : "iu");
		} catch (e) {
			return null;
		}
	}

	match(names) {
		const regex = this.compile(this.text);

		this.isBad = this.text !== "" && !regex;
		this.isOf = null;
		this.isDim = false;
		if (!this.text || !regex)
			return;
		this.isOf = new Uint8Array(names.length);
		this.nr = 0;
		for (let i = 1; i < names.length; i++)
			if (regex.test(names[i])) {
				this.isOf[i] = 1;
				this.nr++;
			}
		this.isDim = this.nr > 0;
	}

	// Find @text in all names, and the frames of the tree with these names
	update(text, names, shown) {
		if (text !== this.text || names !== this.names) {
			Object.assign(this, { text, names });
			this.match(names);
			this.key = null;
		}
		if (this.box.value !== text)
			this.box.value = text;
		if (shown.key !== this.key) {
			this.key = shown.key;
			this.found = this.isOf ? sumMatches(shown.tree, this.isOf) : null;
			this.nodes = null;
			this.at = -1;
		}
		this.tell(shown);
	}

	tell(shown) {
		let text = this.isBad ? "not a regular expression" : "";

		if (this.found) {
			const shares = this.found.sums.map((sum, s) =>
				formatShare(sum, shown.tree.sides[s].total[0])).join(" \u2192 ");

			text = counted(this.nr, "names") + ", " + counted(this.found.nr, "places") + ", " + shares +
				(this.at < 0 ? "" : " (" + (this.at + 1) + ")");
		}
		if (this.count.textContent !== text)
			this.count.textContent = text;
	}

	step(by) {
		const nr = this.found ? this.found.nr : 0;

		if (!nr)
			return;
		this.nodes = this.nodes || listMatches(this.app.shown.tree, this.isOf);
		this.at = this.at < 0 ? (by > 0 ? 0 : nr - 1) : (this.at + by + nr) % nr;
		this.app.showNode(this.nodes[this.at]);
		this.tell(this.app.shown);
	}
}
