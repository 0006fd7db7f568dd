// SPDX-License-Identifier: GPL-2.0-or-later
// call_tree_panel.js - the tree of the picture as rows that open and close; only rows in the window are elements

const CALL_ROW = 20, TALLEST = 8e6, STEP = 12, SIBLINGS = 100;

class CallTreePanel {
	constructor(app) {
		this.app = app;
		this.head = el("div", { class: "callrow head", "aria-hidden": "true" });
		this.hold = el("div", { class: "hold", role: "presentation" });
		this.space = el("div", { class: "space", role: "presentation" });
		this.list = el("div", { class: "scroll", tabindex: 0, role: "tree", "aria-label": "Call tree" }, this.hold, this.space);
		this.panel = el("div", { class: "calls" }, el("div", { class: "bar" },
			button("heaviest path", "Open the heaviest path below the cursor (x)", () => this.heaviest()),
			button("close all", "Close all rows", () => app.go({ open: "", at: [] }, true))), this.head, this.list);
		this.id = "call";
		this.cursor = 0;
		this.redraw = onceAFrame(() => this.draw());
		this.listen();
	}

	listen() {
		const on = (name, fn) => this.list.addEventListener(name, fn);
		const nodeOf = event => {
			const row = event.target.closest("[data-node]");

			return row ? Number(row.dataset.node) : -1;
		};
		const onNode = fn => event => nodeOf(event) >= 0 && fn(nodeOf(event), event);

		on("scroll", () => this.redraw());
		on("click", onNode((node, event) =>
			event.target.classList.contains("twisty") ? this.toggle(node) : this.choose(node)));
		on("dblclick", onNode(node => this.toggle(node)));
		on("mouseover", onNode(node => this.app.point(this.tree.frame[node])));
		on("mouseleave", () => this.app.point(-1));
		on("contextmenu", onNode((node, event) => {
			event.preventDefault();
			this.move(node);
			this.app.openMenu(event.clientX, event.clientY, this.tree, node);
		}));
		on("keydown", event => this.press(event));
		on("focus", () => this.redraw());
		on("blur", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(this.list);
	}

	// The picture with the same tree
	picture() {
		return this.app.view.mode === "sandwich" ? this.app.callees : this.app.flame;
	}

	get tree() {
		return this.rows.tree;
	}

	update(view, shown) {
		const picture = this.picture(), key = [shown.key, view.mode, view.mode === "sandwich" ? view.frame : ""].join("/");

		if (key !== this.key || picture.tree !== this.tree) {
			this.key = key;
			this.openText = view.open;
			this.rows = new CallRows(picture.tree, parseOpen(view.open));
			this.cursor = this.tree.find(view.at);
			this.followed = view.at.length ? picture.cursor : 0;
		} else if (view.open !== this.openText) {
			this.openText = view.open;
			this.rows.list(parseOpen(view.open));
			if (this.rows.rowOf(this.cursor) < 0)
				this.cursor = this.tree.find(view.at);
		}
		this.follow(picture);
		this.heads(shown);
		this.draw();
	}

	// Show the node that was chosen in the picture
	follow(picture) {
		if (picture !== this.picture() || picture.cursor === this.followed)
			return;
		this.followed = picture.cursor;
		this.reveal(picture.cursor);
	}

	// Open the callers of a node, and go there
	reveal(node) {
		const { tree, rows } = this;

		for (let i = tree.parent[node]; i > 0; i = tree.parent[i])
			rows.setOpen(i, true);
		this.changed();
		this.move(node);
	}

	// What is open has changed
	changed() {
		this.rows.list(this.rows.open);
		this.openText = this.app.view.open = writeOpen(this.rows.open);
		this.app.note(true);
	}

	move(node) {
		const row = this.rows.rowOf(node), height = this.list.clientHeight;

		if (row < 0)
			return;
		this.cursor = node;
		this.app.view.at = this.tree.framesOf(node);
		this.scale();
		const y = row * CALL_ROW - this.list.scrollTop * this.factor;

		if (y < 0 || y + CALL_ROW > height)
			this.list.scrollTop = Math.max(0, (row * CALL_ROW - height / 2) / this.factor);
		this.draw();
		this.link(node);
	}

	// The cursor of the picture goes to the same node
	link(node) {
		const picture = this.picture();

		this.followed = node;
		if (picture.tree === this.tree && picture.tree.isAbove(picture.zoom, node) && picture.cursor !== node)
			picture.moveTo(node);
		else
			this.app.point(this.tree.frame[node]);
	}

	// A click: all panels mark the function, and the picture shows the node
	choose(node) {
		const { app } = this, { tree } = this;

		this.move(node);
		app.go({ frame: tree.frame[node] > 0 ? tree.frame[node] : -1, at: tree.framesOf(node) }, true);
		if (node)
			app.showNode(node, tree);
	}

	toggle(node) {
		const isOpen = this.rows.isOpen(this.rows.rowOf(node));

		if (!node || (!isOpen && !this.rows.hasCallees(node)))
			return;
		this.rows.setOpen(node, !isOpen);
		this.changed();
		this.move(node);
	}

	heaviest() {
		const { app } = this;

		if (app.view.panel !== "calls")
			app.go({ panel: "calls" }, true);
		const { rows, tree } = this;
		let node = this.cursor, callees;

		// As far as a callee has more than the function itself
		while ((callees = rows.calleesOf(node)).length) {
			const self = callees.reduce((left, i) => left - tree.wide[i], tree.wide[node]);

			if (self > tree.wide[callees[0]])
				break;
			node = callees[0];
		}
		this.reveal(node);
		this.list.focus({ preventScroll: true });
	}

	openSiblings() {
		const { tree, rows, cursor } = this;

		for (const i of rows.calleesOf(Math.max(0, tree.parent[cursor])).slice(0, SIBLINGS))
			if (rows.hasCallees(i))
				rows.setOpen(i, true);
		this.changed();
		this.move(cursor);
	}

	/* ------------------------------------------------------------ keys */

	// As in the tree view of the ARIA practices
	press(event) {
		const { rows, cursor, tree } = this, row = rows.rowOf(cursor), last = rows.nodes.length - 1;
		const page = Math.max(1, Math.floor(this.list.clientHeight / CALL_ROW) - 1);
		const to = at => this.move(rows.nodes[Math.max(0, Math.min(last, at))]);
		const keys = {
			ArrowDown: () => to(row + 1), ArrowUp: () => to(row - 1), PageDown: () => to(row + page), PageUp: () => to(row - page),
			Home: () => to(0), End: () => to(last),
			ArrowRight: () => rows.isOpen(row) ? to(row + 1) : this.toggle(cursor),
			ArrowLeft: () => cursor && rows.isOpen(row) ? this.toggle(cursor) : this.move(Math.max(0, tree.parent[cursor])),
			"*": () => this.openSiblings(), " ": () => this.choose(cursor), Enter: () => this.zoom(cursor),
			ContextMenu: () => this.app.openMenu(innerWidth / 2, innerHeight / 3, tree, cursor),
		};

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (keys[event.key])
			keys[event.key]();
		else if (!this.app.nodeKey(event.key, tree, cursor))
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	zoom(node) {
		if (this.picture() === this.app.flame && this.tree === this.app.flame.tree)
			this.app.zoomTo(node);
	}

	/* ------------------------------------------------------------ rows */

	heads(shown) {
		const columns = shown.isComparison ? ["total A", "total B", "change", "self A", "self B"] : ["total", "%", "self", "%"];

		fill(this.head, ...columns.map(text => el("span", { class: "number", text })), el("span", { class: "function", text: "name" }));
	}

	cells(node) {
		const { app } = this, { sides } = this.tree, whole = app.shown.tree.sides.map(side => side.total[0]);
		const total = sides.map(side => side.total[node]), self = sides.map((_, s) => this.rows.selfOf(s, node));
		const number = (text, more) => el("span", { class: "number" + (more || ""), text });
		const share = (values, s) => number(formatShare(values[s], whole[s]));

		if (sides.length < 2)
			return [number(app.format(total[0])), share(total, 0), number(app.format(self[0])), share(self, 0)];
		const [a, b] = total.map((value, s) => whole[s] ? value / whole[s] : 0), p = this.pOf(node);
		const look = p > SIGNIFICANCE ? " chance" : a < b ? " grew" : a > b ? " shrank" : "";

		return [share(total, 0), share(total, 1), number(formatPoints(b - a), look), share(self, 0), share(self, 1)];
	}

	// Of samples, as for the colours of the picture
	pOf(node) {
		const { shown } = this.app;

		if (!shown.samples)
			return 0;
		if (this.tree === shown.tree)
			return shown.pOf(...shown.samples.map(side => side.total[node]));
		return shown.samples === shown.tree.sides ? shown.pOf(...this.tree.sides.map(side => side.total[node])) : 0;
	}

	row(index, indent) {
		const { app, rows, tree } = this, node = rows.nodes[index], frame = tree.frame[node], { search } = app;
		const hasCallees = rows.hasCallees(node), isOpen = rows.isOpen(index), lines = app.describe(tree, node, false);
		const siblings = node ? rows.calleesOf(tree.parent[node]) : [node];
		const name = el("span", { class: "function", title: lines.join("\n") },
			el("span", { class: "twisty", text: !hasCallees || !node ? "" : isOpen ? "\u25be" : "\u25b8" }), el("span", { class: "dot" }),
			el("span", { class: "text", text: frame ? app.model.names[frame] : "all" }));
		const e = el("div", { class: "callrow", role: "treeitem", id: this.id + index, "data-node": node,
			"aria-level": tree.depth[node] + 1, "aria-selected": node === this.cursor, "aria-setsize": siblings.length,
			"aria-posinset": siblings.indexOf(node) + 1, "aria-label": lines.slice(0, 1 + tree.sides.length).join(", ") },
			...this.cells(node), name);

		if (hasCallees)
			e.setAttribute("aria-expanded", isOpen);
		if (search.isOf && search.isOf[frame])
			e.classList.add("match");
		name.style.paddingLeft = indent + "px";
		name.children[1].style.background = frame ? app.color(frame) : ALL_COLOR;
		return e;
	}

	// A browser limits how tall an element is: a step of its scroll bar can be more than a step of the rows
	scale() {
		const height = this.rows.nodes.length * CALL_ROW, tall = Math.min(height, TALLEST), seen = this.list.clientHeight;

		this.factor = height > tall ? (height - seen) / (tall - seen) : 1;
		this.space.style.height = tall + "px";
	}

	draw() {
		if (!this.rows || !this.list.clientHeight)
			return;
		this.scale();
		const { nodes } = this.rows, { depth } = this.tree, top = this.list.scrollTop * this.factor;
		const first = Math.max(0, Math.floor(top / CALL_ROW)), nr = Math.ceil(this.list.clientHeight / CALL_ROW) + 1;
		const seen = nodes.slice(first, first + nr), least = Math.min(...seen.map(node => depth[node]));
		const most = Math.max(...seen.map(node => depth[node]));
		// Deep rows leave room for their names
		const room = this.head.lastChild ? this.head.lastChild.clientWidth * 0.55 : 100;
		const step = Math.min(STEP, room / Math.max(1, most - least));

		this.hold.style.height = this.list.clientHeight + "px";
		fill(this.hold, ...seen.map((node, i) => this.row(first + i, (depth[node] - least) * step)));
		if (this.hold.firstChild)
			this.hold.firstChild.style.marginTop = first * CALL_ROW - top + "px";
		const at = seen.indexOf(this.cursor);

		if (at >= 0)
			this.list.setAttribute("aria-activedescendant", this.id + (first + at));
		else
			this.list.removeAttribute("aria-activedescendant");
		this.mark(this.app.view);
	}

	mark(view) {
		const { frame } = this.rows ? this.tree : {};

		for (const row of this.hold.children) {
			const node = Number(row.dataset.node);

			row.classList.toggle("hover", frame[node] === this.app.hover);
			row.classList.toggle("selected", view.frame > 0 && frame[node] === view.frame);
			row.classList.toggle("cursor", node === this.cursor);
		}
	}
}
