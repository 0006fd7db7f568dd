// SPDX-License-Identifier: GPL-2.0-or-later
// main.js - the viewer: draws the first picture, reads the data, and shows what the address says

class Viewer {
	constructor() {
		this.dark = matchMedia("(prefers-color-scheme: dark)");
		this.hover = -1;
		this.tip = new Tip();
		this.title = el("h1");
		this.line = el("p", { class: "line" });
		this.view = { frame: -1, zoom: [], palette: "kind", search: "" };
		this.flame = new FlamePanel(this, "Flame graph", node => this.zoomTo(node));
		this.callers = new FlamePanel(this, "Callers", node => this.select(this.callers.tree.frame[node]));
		this.callees = new FlamePanel(this, "Callees", node => this.select(this.callees.tree.frame[node]));
		this.callers.isUp = true;
		this.search = new Search(this);
		this.dark.addEventListener("change", () => this.render());
	}

	isDark() {
		return this.dark.matches;
	}

	/* ------------------------------------------------------------ page */

	build() {
		this.middle = el("div", { class: "name" });
		this.sandwichBox = el("div", { class: "sandwich", hidden: "" }, this.callers.scroll, this.middle, this.callees.scroll);
		this.pictures = el("main", { class: "pictures" }, this.flame.scroll, this.sandwichBox);
		this.side = el("aside", { class: "side", "aria-label": "Tables" });
		this.tools = el("div", { class: "tools" }, this.search.bar);
		this.bars = el("div", { class: "bars" });
		this.body = el("div", { class: "body" }, this.pictures, this.side);
		document.body.append(el("header", {}, el("div", { class: "titles" }, this.title, this.line), this.tools), this.bars,
			this.body, this.tip.box, el("div", { id: "live", class: "hidden", role: "status", "aria-live": "polite" }));
	}

	// Tools that need the data
	buildTools() {
		const { model } = this, modes = [["tree", "Flame graph", "t"], ["inverted", "Inverted", "i"], ["sandwich", "Sandwich", "s"]];

		this.modes = modes.map(([mode, text, key]) => button(text, text + " (" + key + ")", () => this.setMode(mode)));
		this.weight = el("select", { "aria-label": "Weight", title: "Weight (w)", onchange: () => this.go({ weight: this.weight.selectedIndex }) },
			...model.weights.map(w => el("option", { text: w.label })));
		this.saves = el("select", { "aria-label": "Save" }, ...[["", "save"], ["svg", "SVG"], ["png", "PNG"], ["folded", "folded stacks"]]
			.map(([value, text]) => el("option", { value, text })));
		this.saves.addEventListener("change", () => {
			save(this, this.saves.value);
			this.saves.value = "";
		});
		this.tools.prepend(el("div", { class: "modes", role: "group", "aria-label": "Picture" }, ...this.modes), this.weight);
		this.tools.append(this.saves, button("?", "Keys (?)", () => this.help.showModal()));
		this.chips = new Chips(this);
		this.bars.append(...(this.timeline ? [this.timeline.panel] : []), el("div", { class: "chipbar" }, this.chips.roots, this.chips.filters),
			this.chips.crumbs);
		this.legend = el("div", { class: "legend" });
		this.pictures.append(this.legend);
		this.help = helpSheet();
		this.menu = new Menu(this);
		document.body.append(this.help, this.menu.box);
		this.buildSide();
	}

	buildSide() {
		const tabs = [["table", "Table"], ["detail", "Function"], ["account", "Recording"], ["calls", "Call tree"]]
			.concat(this.source ? [["source", "Source"]] : []);

		this.table = new TablePanel(this);
		this.detail = new DetailPanel(this);
		this.calls = new CallTreePanel(this);
		this.panels = { table: this.table.panel, detail: this.detail.panel, account: accountPanel(this.model),
			calls: this.calls.panel };
		if (this.source) {
			this.panels.source = this.source.panel;
			this.panels.account.prepend(this.source.notice());
		}
		this.tabs = tabs.map(([key, text], i) => el("button", { type: "button", role: "tab", id: "tab-" + key, text,
			title: text + " (" + (i + 1) + ")", onclick: () => this.go({ panel: key }) }));
		this.side.append(el("div", { class: "tabs", role: "tablist" }, ...this.tabs), ...tabs.map(([key]) => {
			this.panels[key].setAttribute("role", "tabpanel");
			this.panels[key].setAttribute("aria-labelledby", "tab-" + key);
			return this.panels[key];
		}));
	}

	// What a browser can draw before it has the data: of view_first.c
	drawFirst(text) {
		const reader = new Reader(fromBase64(text)), title = reader.text(), line = reader.text(), picture = new Reader(reader.column());

		this.title.textContent = document.title = title;
		this.line.textContent = line;
		if (!picture.bytes.length)
			return;
		const whole = picture.number(), names = ["all"].concat(picture.texts()), kinds = picture.column(), rises = picture.column();
		const n = rises.length ? unpackAll(rises) : [], frames = unpackAll(picture.column()), totals = unpackAll(picture.column());
		const tree = Object.assign(new Tree(0), nestingOf(n, n.length + 1)), total = Float64Array.from([whole, ...totals]);

		tree.frame = Int32Array.from([0, ...frames]);
		tree.weigh([{ self: total, total }]);
		const color = names.map((name, i) => i ? colorOf(name, "", kinds[i - 1], "kind") : ALL_COLOR);

		this.first = { names, tree };
		this.flame.show(tree, 0, { color: i => color[tree.frame[i]], text: i => names[tree.frame[i]], ink: () => "#101316",
			isDim: () => false });
	}

	async load(decoding) {
		const { meta, data } = await decoding.run({ kind: "open", meta: textOf("meta"), paths: textOf("paths") });

		byId("paths").remove();
		this.model = new Model({ meta, data });
		this.hasIdle = defaultView(this.model).chips.length > 0;
		this.shown = new Shown(this.model);
		if (meta.source) {
			this.source = new SourcePanel(this, await decodeMeta(textOf("source")));
			byId("source").remove();
		}
		if (meta.times)
			this.timeline = new TimelinePanel(this);
		this.buildTools();
		this.first = null;
		addEventListener("hashchange", () => this.read());
		addEventListener("popstate", () => this.read());
		document.addEventListener("keydown", event => this.key(event));
		this.read();
		document.body.dataset.ready = "1";
		for (let i = 0; meta.times && i < meta.times.chunks; i++) {
			const chunk = await decoding.run({ kind: "times", text: textOf("times" + i) });

			byId("times" + i).remove();
			this.model.addChunk(chunk);
			if (this.model.chunksLeft === 0 || this.model.chunks.length === 1)
				this.render();
		}
		decoding.end();
		document.body.dataset.ready = "2";
	}

	/* ------------------------------------------------------------ state */

	read() {
		const text = location.hash.slice(1);

		if (text === this.fragment)
			return;
		this.fragment = text;
		this.view = readFragment(this.model, text);
		this.render();
	}

	// Change the view.  @isSmall: the browser does not go back to what is shown now
	go(changes, isSmall) {
		const before = this.view;

		this.view = Object.assign({}, before, changes);
		if (this.view.mode !== before.mode && !("zoom" in changes))
			this.view.zoom = [];
		if (this.view.mode === "sandwich" && this.view.frame <= 0)
			this.view.frame = this.heaviest();
		this.note(isSmall);
		this.render();
	}

	// Write the view to the address
	note(isSmall) {
		const text = writeFragment(this.model, this.view);

		if (text === this.fragment)
			return;
		this.fragment = text;
		history[isSmall ? "replaceState" : "pushState"](null, "", "#" + text);
	}

	heaviest() {
		const [{ self }] = this.shown.functionRows();

		return self.reduce((most, value, i) => value > self[most] ? i : most, 1);
	}

	setMode(mode) {
		this.go({ mode });
	}

	addChip(kind, frame) {
		const { model, view } = this;

		if (frame <= 0)
			return;
		let chip = { kind, frame };

		if (!model.isFunction(frame)) {
			const dim = model.dims.findIndex(d => frame >= d.base && frame < d.base + d.values.length);

			if (dim < 0 || !["in", "only", "not", "drop"].includes(kind))
				return;
			chip = { kind: kind === "in" || kind === "only" ? "in" : "not", dim, value: frame - model.dims[dim].base };
		} else if (kind === "lib") {
			if (model.file[frame] < 0)
				return;
			chip = { kind, file: model.file[frame] };
		}
		if (!view.chips.some(c => chipText(c) === chipText(chip)))
			this.go({ chips: view.chips.concat(chip) });
	}

	select(frame) {
		if (frame > 0)
			this.go({ frame: frame === this.view.frame && this.view.mode !== "sandwich" ? -1 : frame, line: "" },
				this.view.mode !== "sandwich");
	}

	point(frame) {
		if (frame === this.hover)
			return;
		this.hover = frame;
		if (!this.model)
			return;
		this.table.mark(this.view);
		this.calls.mark(this.view);
		(this.view.mode === "sandwich" ? [this.callers, this.callees] : [this.flame]).forEach(panel => panel.remark());
	}

	/* ------------------------------------------------------------ pictures */

	panelOfCursor() {
		return this.view.mode !== "sandwich" ? this.flame :
			document.activeElement === this.callers.scroll ? this.callers : this.callees;
	}

	zoomTo(node) {
		if (!this.model)
			return;
		const { tree } = this.flame, zoom = tree.framesOf(node);

		this.flame.cursor = node;
		this.go({ zoom: node === this.flame.zoom && zoom.length ? zoom.slice(0, -1) : zoom });
		announce(this.describe(this.flame.tree, this.flame.zoom, false).slice(0, 2).join(", "));
	}

	// The cursor of a picture has moved
	moved(panel) {
		if (this.model && this.view.panel === "calls")
			this.calls.follow(panel);
	}

	// Bring a node of a tree into the window: the next match, a row of the call tree
	showNode(node, tree = this.shown.tree) {
		if (this.view.mode === "sandwich" || tree !== this.flame.tree) {
			this.go({ frame: tree.frame[node] }, true);
			return;
		}
		if (!tree.isAbove(this.flame.zoom, node))
			this.go({ zoom: [] }, true);
		if (tree.wide[node] * this.flame.width / (tree.wide[this.flame.zoom] || 1) < NARROW * 4)
			this.go({ zoom: tree.framesOf(tree.parent[node]) }, true);
		this.flame.moveTo(node);
		this.flame.hover = node;
		this.flame.mark();
		announce(this.describe(tree, node, false).slice(0, 2).join(", "));
	}

	format(n) {
		const { unit } = this.shown.choice;

		return unit === "ns" ? formatTime(n) : unit === "bytes" ? formatBytes(n) : formatCount(n);
	}

	// The same, with what is counted
	say(n) {
		const { what, unit } = this.shown.choice;

		return this.format(n) + (what && unit === "count" ? " " + (n === 1 ? singular(what) : what) : "");
	}

	color(frame) {
		return this.model.color(frame, this.view.palette);
	}

	// Lines about a node; @isRun: it stands for its neighbours, too
	describe(tree, node, isRun) {
		if (this.first || !this.model)
			return [this.first ? this.first.names[tree.frame[node]] : ""];
		const { model } = this, frame = tree.frame[node], file = model.fileOf(frame);
		const lines = [(frame ? model.names[frame] : "all") + (isRun ? " and neighbours too narrow to be drawn" : "")];

		tree.sides.forEach((side, s) => {
			const whole = this.shown.tree.sides[s].total[0], self = side.self[node];

			lines.push((tree.sides.length > 1 ? "AB"[s] + ": " : "") + this.say(side.total[node]) + ", " +
				formatShare(side.total[node], whole) + " of all" + (self ? ", self " + formatShare(self, whole) : ""));
		});
		if (tree.sides.length > 1 && tree === this.shown.tree && this.shown.samples) {
			const p = this.shown.pOf(...this.shown.samples.map(side => side.total[node]));

			lines.push("p " + (p < 0.0001 ? "< 0.0001" : "= " + p.toFixed(4)) + (p > SIGNIFICANCE ? ": may be chance" : ""));
		}
		if (file)
			lines.push(file);
		return lines;
	}

	// Colours of a tree
	paint(tree) {
		const { model, shown, search } = this, isOf = search.isOf, isComparison = shown.isComparison;
		const match = this.isDark() ? "#d8398f" : "#b0126e", [a, b] = tree.sides.map(side => side.total);
		const wholeA = shown.tree.sides[0].total[0] || 1, wholeB = isComparison ? shown.tree.sides[1].total[0] || 1 : 1;
		const samples = shown.samples && tree === shown.tree ? shown.samples.map(side => side.total) :
			shown.samples === shown.tree.sides ? [a, b] : null;
		const change = node => changeColor(a[node] / wholeA, b[node] / wholeB,
			samples && shown.pOf(samples[0][node], samples[1][node]) > SIGNIFICANCE);

		return {
			color: node => {
				const frame = tree.frame[node];

				if (isOf && isOf[frame])
					return match;
				return isComparison ? change(node) : frame ? this.color(frame) : ALL_COLOR;
			},
			text: node => tree.frame[node] ? model.names[tree.frame[node]] : "all",
			ink: node => isOf && isOf[tree.frame[node]] ? "#ffffff" : search.isDim && this.isDark() ? "#dfe3e8" : "#101316",
			isDim: node => search.isDim && !isOf[tree.frame[node]],
		};
	}

	renderPictures() {
		const { view, shown } = this, isSandwich = view.mode === "sandwich" && view.frame > 0;

		this.flame.scroll.hidden = isSandwich;
		this.sandwichBox.hidden = !isSandwich;
		if (isSandwich) {
			const both = shown.sandwich(view.frame);

			this.callers.show(both.callers, 0, this.paint(both.callers));
			this.callees.show(both.callees, 0, this.paint(both.callees));
			this.middle.textContent = this.describe(both.callees, 0, false).slice(0, 3).join(" \u2014 ");
			fill(this.chips.crumbs, el("span", { class: "note", text: "callers above, callees below; a click chooses another function" }));
			return;
		}
		const tree = view.mode === "inverted" ? shown.inverted() : shown.tree, zoom = tree.find(view.zoom);

		this.flame.isUp = view.up;
		this.flame.show(tree, zoom, this.paint(tree));
		this.chips.updateCrumbs(tree, zoom);
	}

	renderLegend() {
		const { shown, view } = this, key = shown.isComparison + view.palette;

		if (key === this.legendKey)
			return;
		this.legendKey = key;
		const swatch = (color, text) => {
			const box = el("i");

			box.style.background = color;
			return el("span", {}, box, text);
		};

		if (shown.isComparison)
			fill(this.legend, swatch(css(GREW), "more in B"), swatch(css(SHRANK), "less in B"), swatch(css(SAME), "same, or chance"),
				el("span", { text: "widths: the mean of both shares" }));
		else if (view.palette === "kind")
			fill(this.legend, ...LOOKS.map(([look, text]) => swatch(css(mix(...FAMILIES[look], 0.5)), text)));
		else
			fill(this.legend, el("span", { text: "colours: by " + view.palette }));
	}

	render() {
		if (!this.model) {
			this.flame.draw();
			return;
		}
		const start = performance.now(), { view, model } = this, shown = this.shown.update(view);

		this.search.update(view.search, model.names, shown);
		this.renderPictures();
		this.renderLegend();
		this.chips.update(view, shown);
		this.modes.forEach((b, i) => b.setAttribute("aria-pressed", MODES[i] === view.mode));
		this.weight.selectedIndex = view.weight;
		for (const tab of this.tabs) {
			const isOn = tab.id === "tab-" + view.panel;

			tab.setAttribute("aria-selected", isOn);
			this.panels[tab.id.slice(4)].hidden = !isOn;
		}
		if (view.panel === "table")
			this.table.update(view, shown);
		else if (view.panel === "detail")
			this.detail.update(view, shown);
		else if (view.panel === "calls")
			this.calls.update(view, shown);
		else if (view.panel === "source")
			this.source.update(view, shown);
		this.side.classList.toggle("wide", view.panel === "calls" || view.panel === "source");
		if (this.timeline)
			this.timeline.update(view, shown);
		this.ms = performance.now() - start;
	}

	/* ------------------------------------------------------------ keys */

	openMenu(x, y, tree, node) {
		const frame = tree.frame[node];

		if (frame > 0)
			this.menu.open(x, y, frame, this.detail.actions(frame));
	}

	async copyStack() {
		const panel = this.panelOfCursor(), text = panel.tree.framesOf(panel.cursor).map(f => this.model.names[f]).join("\n");

		try {
			await navigator.clipboard.writeText(text);
		} catch (e) {
			const area = el("textarea", { value: text });

			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		announce("stack copied");
	}

	// Keys about a frame.  Return: whether it was one
	nodeKey(key, tree, node) {
		const frame = tree ? tree.frame[node] : node, kinds = { o: "only", d: "drop", f: "focus", h: "hide", l: "lib" };

		if (kinds[key])
			this.addChip(kinds[key], frame);
		else if (key === "s" && frame > 0 && this.model.isFunction(frame))
			this.go({ mode: "sandwich", frame });
		else if (key === "v" && this.source && frame > 0)
			this.go({ panel: "source", frame, line: "" });
		else
			return false;
		return true;
	}

	key(event) {
		const { view } = this, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

		if (typing || event.ctrlKey || event.metaKey || event.altKey || this.help.open || !this.menu.box.hidden)
			return;
		const next = (list, value) => list[(list.indexOf(value) + 1) % list.length];
		const keys = {
			"/": () => this.search.box.focus(), n: () => this.search.step(1), N: () => this.search.step(-1),
			"?": () => this.help.showModal(), c: () => this.copyStack(), e: () => save(this, "svg"),
			i: () => this.go({ mode: "inverted" }), t: () => this.go({ mode: "tree" }), s: () => this.go({ mode: "sandwich" }),
			r: () => view.chips.some(c => c.kind === "rec") || this.go({ chips: view.chips.concat({ kind: "rec" }) }),
			u: () => view.chips.length && this.go({ chips: view.chips.slice(0, -1) }),
			w: () => this.go({ weight: (view.weight + 1) % this.model.weights.length }),
			k: () => this.go({ palette: next(PALETTES, view.palette) }, true), g: () => this.go({ up: !view.up }, true),
			0: () => this.go(defaultView(this.model)),
			1: () => this.go({ panel: "table" }, true), 2: () => this.go({ panel: "detail" }, true), 3: () => this.go({ panel: "account" }, true),
			4: () => this.go({ panel: "calls" }, true), x: () => this.calls.heaviest(),
			a: () => this.timeline && this.timeline.keep(),
			5: () => this.source && this.go({ panel: "source" }, true), v: () => this.source && this.go({ panel: "source" }, true),
			Escape: () => view.zoom.length && this.zoomTo(this.flame.tree.parent[this.flame.zoom]),
		};

		keys.Backspace = keys.Escape;
		if (!keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	}
}

function start() {
	const script = byId("boot").textContent + byId("viewer").textContent, viewer = new Viewer();

	viewer.build();
	try {
		viewer.drawFirst(byId("first").textContent);
	} catch (e) {
		// The data below say what is wrong
	}
	const load = () => viewer.load(new Decoding(script)).catch(e => {
		viewer.line.textContent = whyNot(e);
		document.body.dataset.ready = "failed";
	});

	document.body.viewer = viewer;
	if (document.readyState === "loading")
		document.addEventListener("DOMContentLoaded", load);
	else
		load();
}

if (typeof document === "undefined")
	serveAsWorker();
else
	start();
