// SPDX-License-Identifier: GPL-2.0-or-later
// source_panel.js - a function by source line and by instruction, linked both ways: the reader of view_source.c

// enum annotate_row_kind of views/annotate_rows.h
const ROWS = { SOURCE: 0, LINE: 1, CODE: 2, AT: 3, PLACE: 4, NOTE: 5, LEFT_OUT: 6 };

class SourcePanel {
	constructor(app, data) {
		this.app = app;
		this.data = data;
		this.functionOf = new Map();
		for (let i = 0; i < data.frames.length; i += 2)
			this.functionOf.set(data.frames[i], data.frames[i + 1]);
		data.functions.forEach(f => this.link(f));
		this.head = el("div");
		this.lists = { l: this.list("Source lines"), c: this.list("Instructions") };
		this.panel = el("div", { class: "source" }, this.head, this.lists.l, this.lists.c);
	}

	has(frame) {
		return this.functionOf.has(frame);
	}

	// What the file has, for the panel of the recording
	notice() {
		const { files } = this.data, list = el("ul", {}, ...files.map(text => el("li", { text })));

		return el("div", { class: "note" }, el("p", { text: "This file contains code of the recorded programs: instructions, and lines of " +
			formatCount(files.length) + " source files. Give it only to those who may see them." }), list);
	}

	// Which lines and instructions belong to each other: both have the key of a line
	link(f) {
		let path = "", key = "";

		f.keys = { l: [], c: [] };
		for (const [kind, number, text] of f.lines) {
			if (kind === ROWS.SOURCE)
				path = text || "";
			f.keys.l.push(kind === ROWS.LINE && path ? number + " " + path : "");
		}
		for (const [kind, number, text] of f.code) {
			if (kind === ROWS.CODE || kind === ROWS.PLACE)
				key = kind === ROWS.PLACE ? number + " " + text : "";
			f.keys.c.push(kind === ROWS.AT ? key : "");
		}
	}

	list(name) {
		const e = el("div", { class: "rows", role: "region", "aria-label": name });
		const rowOf = event => event.target.closest("tr[data-row]");

		e.addEventListener("click", event => rowOf(event) && this.choose(rowOf(event)));
		e.addEventListener("mouseover", event => this.mark("hover", rowOf(event) ? rowOf(event).dataset.row : ""));
		e.addEventListener("mouseleave", () => this.mark("hover", ""));
		e.addEventListener("keydown", event => this.key(event, rowOf(event)));
		return e;
	}

	choose(row) {
		const at = row.dataset.row;

		this.app.go({ line: at === this.app.view.line ? "" : at }, true);
	}

	key(event, row) {
		const by = { ArrowDown: "nextSibling", ArrowUp: "previousSibling" }[event.key];

		if (!row || (!by && event.key !== "Enter" && event.key !== " "))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (!by) {
			this.choose(row);
			return;
		}
		for (row = row[by]; row && !row.dataset.row; row = row[by])
			;
		if (row)
			row.focus();
	}

	// Samples that ended in the function, or in what was inlined into it, by row, for each side.  Row 0 has the rest
	sums(index, shown) {
		const { model } = this.app, f = this.data.functions[index], { path, context, nr } = model.facts;
		const lineOf = new Map(), codeOf = new Map(), isOf = new Uint8Array(model.nrFrames);

		this.functionOf.forEach((i, frame) => {
			isOf[frame] = i === index ? 1 : 0;
		});
		for (let i = 0; i < f.uses.length; i += 3) {
			lineOf.set(f.uses[i], f.uses[i + 1]);
			codeOf.set(f.uses[i], f.uses[i + 2]);
		}
		return shown.weights.map(weight => {
			const empty = rows => ({ self: new Float64Array(rows.length + 1), inlined: new Float64Array(rows.length + 1) });
			const to = { l: empty(f.lines), c: empty(f.code), self: 0, inlined: 0 };

			for (let i = 0; i < nr; i++) {
				const spot = weight[i] ? model.spots[context[i]] : -1, leaf = model.paths.frame[path[i]];

				if (spot < 0 || !codeOf.has(spot) || model.kind[leaf] === KIND.NOTE)
					continue;
				const key = isOf[leaf] ? "self" : "inlined";

				to.l[key][lineOf.get(spot)] += weight[i];
				to.c[key][codeOf.get(spot)] += weight[i];
				to[key] += weight[i];
			}
			return to;
		});
	}

	// Cells of a row: of each side, samples of the function, of inlined functions, and the share of both; and a bar
	cells(which, i, { sums, hasInlined }) {
		const bar = el("i"), number = (n, text) => el("td", { class: "number", text: n ? text : "" });
		let share = 0;
		const cells = sums.flatMap(side => {
			const self = side[which].self[i], inlined = side[which].inlined[i], whole = side.self + side.inlined;

			share = whole ? (self + inlined) / whole : 0;
			return [number(self, this.app.format(self)), ...(hasInlined ? [number(inlined, this.app.format(inlined))] : []),
				number(share, formatShare(share, 1))];
		});

		bar.style.width = 100 * share + "%";
		return [...cells, el("td", { class: "heat" }, bar)];
	}

	heads(which, { sums, hasInlined }) {
		const sides = sums.flatMap((_, s) => {
			const side = sums.length > 1 ? " " + "AB"[s] : "";

			return ["self" + side, ...(hasInlined ? ["inlined" + side] : []), "%" + side];
		});

		return [...sides, "", ...(which === "l" ? ["line", "source"] : ["address", "instruction"])];
	}

	// A row between lines, or between instructions
	between(kind, number, text, columns) {
		const texts = {
			[ROWS.SOURCE]: text ? "lines of " + text : "lines that are not known", [ROWS.CODE]: "instructions of " + text,
			[ROWS.PLACE]: text + ":" + number, [ROWS.NOTE]: text,
			[ROWS.LEFT_OUT]: "\u2026 " + formatCount(number) + " without samples",
		};

		return el("tr", { class: "between k" + kind }, el("td", { colspan: columns, text: texts[kind] }));
	}

	table(which, now) {
		const { f, sums } = now, rows = which === "l" ? f.lines : f.code, heads = this.heads(which, now), columns = heads.length;
		const rest = sums.map(side => side[which].self[0] + side[which].inlined[0]), body = el("tbody", {}, ...rows.map(([kind, number, text], i) => {
			if (kind !== ROWS.LINE && kind !== ROWS.AT)
				return this.between(kind, number, text, columns);
			return el("tr", { tabindex: -1, "data-row": which + i }, ...this.cells(which, i + 1, now),
				el("td", { class: "number at", text: number || "" }), el("td", { class: "text", text: text || "" }));
		}));
		const first = body.querySelector("tr[data-row]");

		if (first)
			first.tabIndex = 0;
		if (rest.some(Boolean))
			body.append(el("tr", { class: "between" }, el("td", { colspan: columns, text: "in rows that are not in this file: " +
				rest.map(n => this.app.format(n)).join(", ") })));
		return el("table", { role: "grid" }, el("thead", {}, el("tr", {}, ...heads.map(text => el("th", { scope: "col", text })))), body);
	}

	// Which functions have source, the heaviest first
	index() {
		const { app } = this, { model } = app, [{ self }] = app.shown.functionRows();
		const frames = Array.from(this.functionOf.keys()).sort((a, b) => self[b] - self[a] || a - b);

		return el("ol", {}, ...frames.map(frame => el("li", {}, button(model.names[frame], "Show its source lines and instructions",
			() => app.go({ frame, line: "" })), el("span", { class: "file", text: " " + app.format(self[frame]) + " self" }))));
	}

	limits() {
		const { functions, left_out, late } = this.data;

		return "This file has source lines and instructions of the " + functions.length + " functions with the most self time" +
			(left_out ? "; " + formatCount(left_out) + " have none" : "") + (late ? ". Reading lines took too long, so some are missing" : "") + ".";
	}

	fillHead(view, sums) {
		const { app } = this, { model } = app, f = this.data.functions[this.functionOf.get(view.frame)];
		const texts = sums.map(({ self, inlined }, s) => (sums.length > 1 ? "AB"[s] + ": " : "") + "self " + app.format(self) + " (" +
			formatShare(self, app.shown.tree.sides[s].total[0]) + " of all)" +
			(inlined ? ", and " + app.format(inlined) + " in functions that were inlined into it" : ""));

		fill(this.head, el("h2", { text: model.names[view.frame] }), el("p", { class: "note", text: model.fileOf(view.frame) }),
			...texts.map(text => el("p", { text })),
			el("p", { class: "note", text: "Shares are of " + (this.now.hasInlined ? "both" : "its self time") + ". A click marks what belongs to a line or an instruction." +
				(f.left_out ? " " + formatCount(f.left_out) + " rows are left out: the function is too long for this file." : "") }));
	}

	update(view, shown) {
		const key = [shown.key, view.frame].join();

		if (key !== this.shownKey) {
			this.shownKey = key;
			this.make(view, shown);
		}
		this.mark("selected", view.line);
		if (view.line !== this.shownAt)
			this.reveal(view.line);
		this.shownAt = view.line;
	}

	make(view, shown) {
		const { model } = this.app, index = this.functionOf.get(view.frame);

		this.shownAt = "";
		this.now = null;
		if (index === undefined) {
			const text = view.frame > 0 ? "Nothing of " + model.names[view.frame] + ". " : "";

			fill(this.head, el("p", { text: text + this.limits() }), this.index());
			fill(this.lists.l);
			fill(this.lists.c);
			return;
		}
		const f = this.data.functions[index], sums = this.sums(index, shown);

		this.now = { f, sums, hasInlined: sums.some(side => side.inlined) };
		this.fillHead(view, sums);
		for (const which of ["l", "c"])
			fill(this.lists[which], this.table(which, this.now));
	}

	// Rows of the other list that belong to a row
	partners(at) {
		const which = at[0], other = which === "l" ? "c" : "l", { keys } = this.now.f, key = keys[which][Number(at.slice(1))];

		return key ? keys[other].flatMap((k, i) => k === key ? [other + i] : []) : [];
	}

	mark(name, at) {
		const marked = new Set(at && this.now ? [at, ...this.partners(at)] : []);

		for (const list of Object.values(this.lists))
			for (const row of list.querySelectorAll("tr[data-row]")) {
				row.classList.toggle(name, marked.has(row.dataset.row));
				if (name === "selected")
					row.setAttribute("aria-selected", marked.has(row.dataset.row));
			}
	}

	// Bring a row and the heaviest of its partners into the window
	reveal(at) {
		if (!at || !this.now)
			return;
		const side = this.now.sums[this.now.sums.length - 1], rowOf = text => this.panel.querySelector("tr[data-row=" + text + "]");
		const weight = text => side[text[0]].self[Number(text.slice(1)) + 1] + side[text[0]].inlined[Number(text.slice(1)) + 1];
		const others = this.partners(at).sort((a, b) => weight(b) - weight(a));

		for (const row of [at, ...others.slice(0, 1)].map(rowOf))
			if (row)
				row.scrollIntoView({ block: "nearest" });
	}
}
