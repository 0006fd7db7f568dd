// SPDX-License-Identifier: GPL-2.0-or-later
// help.js - the sheet of keys, and the menu of a frame

const KEYS = [
	["click, Enter", "zoom to a frame; the browser goes back"],
	["Escape, Backspace", "zoom out by one"],
	["arrow keys", "move in a picture; up and down in a table"],
	["/", "search by a regular expression"],
	["n, N", "next and previous match, the widest first"],
	["Shift and click, Space", "choose a function: all panels mark it"],
	["s", "callers and callees of the function"],
	["i", "invert: from the innermost functions to their callers"],
	["t", "back to the tree from the threads in"],
	["o", "only stacks with the function (or that thread, ...)"],
	["d, Ctrl and click", "drop stacks with it"],
	["f", "focus: only its stacks, without its callers"],
	["h", "hide it: its time becomes its callers'"],
	["l", "collapse its file into one frame"],
	["r", "collapse recursion"],
	["u", "undo the last filter"],
	["c", "copy the stack"],
	["a", "keep the chosen part of the time as A, and choose B to compare"],
	["w", "next weight: samples, time, other events"],
	["k", "next colours: by kind, by file, warm, grey"],
	["g", "callers below or above: flames or icicles"],
	["1, 2, 3, 4, 5", "table, function, recording, call tree, source"],
	["x", "call tree: open the heaviest path below the cursor"],
	["right, left, *", "call tree: open a row, close it, open it and its siblings"],
	["v", "source lines and instructions of the function, if the file has them"],
	["e", "save as SVG"],
	["0", "the first view again"],
	["?", "this sheet"],
];

function helpSheet() {
	const sheet = el("dialog", { id: "help", "aria-label": "Keys" }, el("h2", { text: "Keys" }),
		el("table", {}, ...KEYS.map(([keys, text]) => el("tr", {}, el("th", { scope: "row", text: keys }), el("td", { text })))),
		el("p", { class: "note", text: "On the time line: drag, or the arrow keys; with Shift and drag, or after a, a second part to compare with. The address keeps the view: copy it to show the view to others." }),
		button("close", "Close", () => sheet.close()));

	return sheet;
}

// What can be done with a frame, at a point of the window
class Menu {
	constructor(app) {
		this.app = app;
		this.box = el("div", { id: "menu", role: "menu", hidden: "" });
		document.addEventListener("pointerdown", event => {
			if (!this.box.contains(event.target))
				this.close();
		});
		this.box.addEventListener("keydown", event => this.key(event));
	}

	close() {
		this.box.hidden = true;
		if (this.back)
			this.back.focus();
		this.back = null;
	}

	key(event) {
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key], items = Array.from(this.box.querySelectorAll("button"));

		if (by)
			items[(items.indexOf(document.activeElement) + by + items.length) % items.length].focus();
		else if (event.key === "Escape")
			this.close();
		else if (event.key !== "Enter" && event.key !== " ")
			return;
		else
			document.activeElement.click();
		event.preventDefault();
		event.stopPropagation();
	}

	open(x, y, frame, actions) {
		this.back = document.activeElement;
		fill(this.box, el("div", { class: "name", text: this.app.model.names[frame] }), ...actions.map(action => {
			action.setAttribute("role", "menuitem");
			action.addEventListener("click", () => this.close());
			return action;
		}));
		this.box.hidden = false;
		const { width, height } = this.box.getBoundingClientRect();

		this.box.style.left = Math.max(4, Math.min(x, innerWidth - width - 6)) + "px";
		this.box.style.top = Math.max(4, Math.min(y, innerHeight - height - 6)) + "px";
		this.box.querySelector("button").focus();
	}
}
