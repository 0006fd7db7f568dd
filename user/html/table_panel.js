// SPDX-License-Identifier: GPL-2.0-or-later
// table_panel.js - functions, files, threads, ...: self and total, linked both ways with the pictures

const TABLE_ROWS = 60;

class TablePanel {
	constructor(app) {
		this.app = app;
		this.most = TABLE_ROWS;
		this.lines = [];
		this.by = el("select", { "aria-label": "Rows", onchange: () => app.go({ by: this.by.value }) });
		this.head = el("tr");
		this.body = el("tbody", { onmouseleave: () => app.point(-1) });
		this.note = el("p", { class: "note" });
		this.more = button("more rows", "Show more rows", () => {
			this.most += 800;
			this.key = null;
			app.render();
		});
		this.panel = el("div", { class: "table" }, el("div", { class: "bar" }, el("label", { text: "by " }, this.by), this.note),
			el("table", { role: "grid" }, el("thead", {}, this.head), this.body), this.more);
		const rowOf = event => event.target.closest("tr[data-frame]");

		this.body.addEventListener("mouseover", event => {
			const row = rowOf(event);

			if (row)
				app.point(Number(row.dataset.frame));
		});
		this.body.addEventListener("click", event => {
			const row = rowOf(event);

			if (row)
				app.select(Number(row.dataset.frame));
		});
		this.body.addEventListener("dblclick", event => this.act(rowOf(event)));
		this.body.addEventListener("keydown", event => this.key_(event));
	}

	// Callers and callees of a function; only that thread, process, ...
	act(row) {
		const frame = row ? Number(row.dataset.frame) : -1;

		if (frame > 0 && this.app.model.isFunction(frame))
			this.app.go({ mode: "sandwich", frame });
		else if (frame > 0)
			this.app.addChip("in", frame);
	}

	key_(event) {
		const row = event.target.closest("tr[data-frame]"), frame = row ? Number(row.dataset.frame) : -1;
		const to = event.key === "ArrowDown" ? row && row.nextSibling : event.key === "ArrowUp" ? row && row.previousSibling : null;

		if (to)
			to.focus();
		else if (event.key === "Enter")
			this.act(row);
		else if (event.key === " ")
			this.app.select(frame);
		else if (!row || event.ctrlKey || event.metaKey || !this.app.nodeKey(event.key, null, frame))
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	// { sums, samples, frameOf }: frameOf(row) is a frame, or -1
	source(view, shown) {
		const { model } = this.app;

		if (view.by === "functions")
			return { sums: shown.functionRows(), samples: shown.sampleRows(), frameOf: row => row, nameOf: row => model.names[row] };
		if (view.by === "files")
			return { sums: shown.fileRows(), samples: null, frameOf: row => row < model.files.length ? model.fileBase + row : -1,
				nameOf: row => row < model.files.length ? model.files[row] : row === model.files.length ? "[kernel]" : "[no file]" };
		const dim = model.dim(view.by);

		return { sums: shown.valueRows(dim), samples: null, frameOf: row => model.dims[dim].base + row,
			nameOf: row => model.dims[dim].values[row] };
	}

	columns(shown) {
		return shown.isComparison ? [["self", "self A"], ["", "self B"], ["change", "change"], ["p", "p"], ["name", "name"]] :
			[["self", "self"], ["", "%"], ["total", "total"], ["", "%"], ["name", "name"]];
	}

	// The rows with a weight, and those that are shown in order
	order(view, source, shown) {
		const { sums } = source, whole = shown.tree.sides.map(side => side.total[0] || 1), rows = [];
		const side = (key, row) => sums.reduce((sum, s, k) => sum + s[key][row] / whole[k], 0);
		const change = row => sums.length < 2 ? 0 : Math.abs(sums[1].self[row] / whole[1] - sums[0].self[row] / whole[0]);
		const keys = new Float64Array(sums[0].total.length), tie = new Float64Array(keys.length);

		for (let row = 0; row < sums[0].total.length; row++)
			if (sums.some(s => s.total[row]))
				rows.push(row);
		if (view.sort === "name")
			return rows.sort((a, b) => source.nameOf(a) < source.nameOf(b) ? -1 : source.nameOf(a) > source.nameOf(b) ? 1 : a - b);
		for (const row of rows) {
			keys[row] = view.sort === "change" ? change(row) : side(view.sort, row);
			tie[row] = side("total", row);
		}
		// Only rows that are shown need an order
		const least = rows.length > this.most ? keys.slice().sort()[keys.length - this.most] : -Infinity;
		const isShown = row => keys[row] >= least;

		return rows.filter(isShown).sort((a, b) => keys[b] - keys[a] || tie[b] - tie[a] || a - b)
			.concat(rows.filter(row => !isShown(row)));
	}

	// Of many tests, which changes can be trusted
	tests(source, shown) {
		if (!shown.isComparison || !source.samples)
			return null;
		const p = new Map(), [a, b] = source.samples;

		for (let row = 0; row < a.total.length; row++)
			if (a.total[row] || b.total[row])
				p.set(row, shown.pOf(a.self[row], b.self[row]));
		return { p, trusted: largestTrusted(p.values()) };
	}

	// The texts of a row's numbers, and the class of one that has a class of its own
	texts(row, source, shown, tests) {
		const { sums } = source, whole = shown.tree.sides.map(side => side.total[0]), format = n => this.app.format(n);

		if (!shown.isComparison)
			return { texts: [format(sums[0].self[row]), formatShare(sums[0].self[row], whole[0]), format(sums[0].total[row]),
				formatShare(sums[0].total[row], whole[0])], change: "" };
		const [a, b] = sums.map((s, k) => whole[k] ? s.self[row] / whole[k] : 0), p = tests ? tests.p.get(row) : undefined;
		const isTrusted = p !== undefined && p <= tests.trusted;

		return { texts: [formatShare(a, 1), formatShare(b, 1), formatPoints(b - a),
			p === undefined || !shown.samples ? "" : p < 0.0001 ? "<1e-4" : p.toFixed(4)],
			change: (a < b ? " grew" : a > b ? " shrank" : "") + (isTrusted || !tests ? "" : " chance") };
	}

	makeLine() {
		const numbers = Array.from({ length: 4 }, () => el("td", { class: "number" }));
		const parts = [el("span", { class: "dot" }), el("span"), el("span", { class: "file" })];
		const name = el("td", { class: "function" }, ...parts), e = el("tr", { tabindex: -1 }, ...numbers, name);

		return { e, numbers, name, dot: parts[0], text: parts[1], file: parts[2] };
	}

	// Lines are made once. To change a text takes less time than to make an element
	setLine(line, row, source, shown, tests) {
		const { model, search } = this.app, frame = source.frameOf(row), name = source.nameOf(row);
		const file = frame > 0 && frame < model.fileBase ? model.fileOf(frame) : "";
		const { texts, change } = this.texts(row, source, shown, tests), set = (e, key, value) => {
			if (e[key] !== value)
				e[key] = value;
		};

		texts.forEach((text, i) => set(line.numbers[i], "textContent", text));
		set(line.numbers[2], "className", "number" + change);
		set(line.name, "title", name + (file ? "  " + file : ""));
		set(line.text, "textContent", name);
		set(line.file, "textContent", file ? " " + file : "");
		set(line.e, "tabIndex", -1);
		line.e.classList.toggle("match", Boolean(frame > 0 && search.isOf && search.isOf[frame]));
		line.dot.style.background = frame > 0 ? this.app.color(frame) : "";
		if (frame > 0)
			set(line.e.dataset, "frame", String(frame));
		else
			delete line.e.dataset.frame;
	}

	setLines(rows, source, shown, tests) {
		const nr = Math.min(rows.length, this.most), { lines } = this;

		while (lines.length < nr)
			lines.push(this.makeLine());
		for (let i = 0; i < nr; i++)
			this.setLine(lines[i], rows[i], source, shown, tests);
		while (this.body.children.length > nr)
			this.body.lastChild.remove();
		for (let i = this.body.children.length; i < nr; i++)
			this.body.append(lines[i].e);
		if (nr)
			lines[0].e.tabIndex = 0;
	}

	heads(view, shown) {
		return this.columns(shown).map(([key, text]) => {
			const isSorted = key === view.sort;
			const th = el("th", { scope: "col", "aria-sort": isSorted ? key === "name" ? "ascending" : "descending" : "none" });

			if (key && key !== "p")
				th.append(button(text + (isSorted ? " \u25be" : ""), "Sort by " + text, () => this.app.go({ sort: key })));
			else
				th.textContent = text;
			return th;
		});
	}

	update(view, shown) {
		const key = [shown.key, view.sort, view.by, view.search, view.palette, this.most].join();

		this.choose(view);
		if (key !== this.key) {
			const source = this.source(view, shown), rows = this.order(view, source, shown), tests = this.tests(source, shown);

			this.key = key;
			fill(this.head, ...this.heads(view, shown));
			this.setLines(rows, source, shown, tests);
			this.more.hidden = rows.length <= this.most;
			this.note.textContent = counted(rows.length, "rows") +
				(tests ? "; grey: may be chance" : "");
		}
		this.mark(view);
	}

	choose(view) {
		if (!this.by.options.length) {
			const { model } = this.app;

			this.by.append(el("option", { value: "functions", text: "function" }), el("option", { value: "files", text: "file" }),
				...model.dims.filter(dim => dim.key !== "side" && dim.values.length).map(dim =>
					el("option", { value: dim.key, text: dim.label })));
		}
		this.by.value = view.by;
	}

	mark(view) {
		const hover = String(this.app.hover), selected = String(view.frame);

		for (const row of this.body.children) {
			row.classList.toggle("hover", row.dataset.frame === hover);
			row.classList.toggle("selected", row.dataset.frame === selected);
			row.setAttribute("aria-selected", row.dataset.frame === selected);
		}
	}
}
