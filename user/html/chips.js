// SPDX-License-Identifier: GPL-2.0-or-later
// chips.js - the roots, in any order; the filters, each with what it took away; and the way to the zoomed frame

const CHIP_WORDS = {
	drop: "without ", only: "only ", focus: "focus ", hide: "hide ", in: "only ", not: "without ",
};

class Chips {
	constructor(app) {
		this.app = app;
		this.roots = el("div", { class: "chips", role: "group", "aria-label": "Roots" });
		this.filters = el("div", { class: "chips", role: "group", "aria-label": "Filters" });
		this.crumbs = el("nav", { class: "crumbs", "aria-label": "Way to the zoomed frame" });
	}

	words(chip) {
		const { model } = this.app;

		switch (chip.kind) {
		case "idle": return "without idle";
		case "rec": return "recursion collapsed";
		case "lib": return chip.file < 0 ? "files collapsed" : model.files[chip.file] + " collapsed";
		case "below": return "hide below " + formatShare(chip.share, 1);
		case "in":
		case "not": return CHIP_WORDS[chip.kind] + model.dims[chip.dim].label + " " + model.dims[chip.dim].values[chip.value];
		default: return CHIP_WORDS[chip.kind] + model.names[chip.frame];
		}
	}

	// What a chip took away: weight, or paths, or frames
	took(chip, shown) {
		const text = chipText(chip), words = [], gone = shown.gone.get(text), nr = shown.gone.get(text + "#");

		if (gone)
			words.push(gone.map((weight, s) => formatShare(weight, shown.whole[s])).join(" / ") + " gone");
		if (nr !== undefined)
			words.push(chip.kind === "below" ? counted(nr, "frames") : counted(nr, "paths") + " less");
		return words.join(", ");
	}

	filter(chip, shown) {
		const remove = () => this.app.go({ chips: this.app.view.chips.filter(c => chipText(c) !== chipText(chip)) });

		return el("span", { class: "chip" }, el("span", { text: this.words(chip) }),
			el("span", { class: "took", text: " " + this.took(chip, shown) }),
			button("\u00d7", "Undo: " + this.words(chip), remove));
	}

	moveRoot(from, to) {
		const roots = this.app.view.roots.slice(), [dim] = roots.splice(from, 1);

		if (to >= 0 && to <= roots.length)
			roots.splice(to, 0, dim);
		this.app.go({ roots });
		const moved = this.roots.querySelectorAll(".chip")[to];

		if (moved)
			moved.focus();
	}

	root(dim, i) {
		const { model, view } = this.app, chip = el("span", { class: "chip root", draggable: "true", tabindex: 0,
			title: "Drag, or press the arrow keys, to change the order; Delete removes it", text: model.dims[dim].label });

		chip.append(button("\u00d7", "Remove the root " + model.dims[dim].label, () => this.moveRoot(i, -1)));
		if (i > 0)
			chip.prepend(button("\u25c2", "Move outwards", () => this.moveRoot(i, i - 1)));
		chip.addEventListener("dragstart", event => event.dataTransfer.setData("text/plain", String(i)));
		chip.addEventListener("dragover", event => event.preventDefault());
		chip.addEventListener("drop", event => {
			const from = parseWhole(event.dataTransfer.getData("text/plain"), 0, view.roots.length, -1);

			event.preventDefault();
			if (from >= 0 && from !== i)
				this.moveRoot(from, i);
		});
		chip.addEventListener("keydown", event => {
			const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Delete: -1 }[event.key];

			if (to === undefined || (to < 0 && event.key !== "Delete") || to >= view.roots.length)
				return;
			event.preventDefault();
			event.stopPropagation();
			this.moveRoot(i, to);
		});
		return chip;
	}

	adder(label, options, onchoose) {
		const select = el("select", { "aria-label": label }, el("option", { value: "", text: label }),
			...options.map(([value, text]) => el("option", { value, text })));

		select.addEventListener("change", () => onchoose(select.value));
		return select;
	}

	updateRoots(view) {
		const { app } = this, { model } = app;
		const others = model.dims.map((dim, i) => i).filter(i =>
			!view.roots.includes(i) && model.dims[i].values.length && model.dims[i].key !== "side");

		fill(this.roots, el("span", { class: "label", text: "roots" }), ...view.roots.map((dim, i) => this.root(dim, i)),
			this.adder("+ root", others.map(i => [i, model.dims[i].label]),
				i => app.go({ roots: view.roots.concat(Number(i)) })));
	}

	updateFilters(view, shown) {
		const { app } = this, { model } = app;
		const more = [["below:0.001", "hide below 0.1%"], ["below:0.01", "hide below 1%"], ["rec", "collapse recursion"],
			["lib:-1", "collapse all files"]].concat(model.dims.length && app.hasIdle ? [["idle", "leave out idle"]] : [])
			.filter(([text]) => !view.chips.some(chip => chipText(chip) === text));

		fill(this.filters, el("span", { class: "label", text: "filters" }), ...view.chips.map(chip => this.filter(chip, shown)),
			this.adder("+ filter", more, text => app.go({ chips: view.chips.concat(parseChip(model, text)) })));
	}

	update(view, shown) {
		const roots = view.roots.join();

		if (roots !== this.rootKey)
			this.updateRoots(view);
		if (shown.key !== this.filterKey)
			this.updateFilters(view, shown);
		Object.assign(this, { rootKey: roots, filterKey: shown.key });
	}

	// The way from the root to the zoomed node
	updateCrumbs(tree, zoom) {
		const way = [], { model } = this.app;

		for (let i = zoom; i >= 0; i = tree.parent[i])
			way.unshift(i);
		const shown = way.length > 9 ? [way[0], -1, ...way.slice(-7)] : way;

		fill(this.crumbs, ...shown.map(node => {
			if (node < 0)
				return el("span", { text: " \u2026 " });
			return el("span", {}, button(tree.frame[node] ? model.names[tree.frame[node]] : "all", "Zoom out to it",
				() => this.app.zoomTo(node)));
		}));
	}
}
