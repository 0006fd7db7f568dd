// SPDX-License-Identifier: GPL-2.0-or-later
// flame_panel.js - a flame graph in the window: scrolls, zooms, points, and is worked by keys

const LAZY_ROWS = 8;

class FlamePanel {
	/*
	 * @name: for screen readers; @app: the viewer; @isUp: callers are below, as flames are; @onzoom(node)
	 */
	constructor(app, name, onzoom) {
		this.app = app;
		this.onzoom = onzoom;
		this.isUp = false;
		this.scroll = el("div", { class: "scroll", tabindex: 0, role: "tree", "aria-label": name });
		this.space = el("div", { class: "space" });
		this.canvas = el("canvas", { "aria-hidden": "true" });
		this.over = el("canvas", { "aria-hidden": "true", class: "over" });
		this.hold = el("div", { class: "hold" }, this.canvas, this.over);
		this.mirror = new Mirror(this, name);
		this.scroll.append(this.hold, this.space, this.mirror.list);
		this.painter = new Painter(this.canvas);
		this.marker = new Painter(this.over);
		this.tree = null;
		this.zoom = this.cursor = 0;
		this.hover = -1;
		this.redraw = onceAFrame(() => this.draw());
		this.remark = onceAFrame(() => this.mark());
		this.listen();
	}

	listen() {
		const on = (name, fn, options) => this.scroll.addEventListener(name, fn, options);

		on("scroll", () => this.redraw(), { passive: true });
		on("mousemove", event => this.point(event));
		on("mouseleave", () => this.leave());
		on("click", event => this.click(event));
		on("dblclick", event => event.preventDefault());
		on("contextmenu", event => this.menu(event));
		on("keydown", event => this.key(event));
		on("focus", () => this.remark());
		new ResizeObserver(() => this.redraw()).observe(this.scroll);
	}

	// Show a tree: @paint as for Painter.draw()
	show(tree, zoom, paint) {
		if (tree !== this.tree || zoom !== this.zoom)
			this.layout = null;
		if (tree !== this.tree || !tree.isAbove(zoom, this.cursor))
			this.cursor = zoom;
		Object.assign(this, { tree, zoom, paint, hover: -1 });
		this.draw();
	}

	get width() {
		return this.scroll.clientWidth;
	}

	need(rows) {
		const most = this.tree instanceof LazyTree ? rows + LAZY_ROWS : Infinity;

		if (this.layout && this.layout.width === this.width && this.layout.sides === this.tree.sides &&
		    (!this.layout.isMore || this.layout.most >= most))
			return;
		const start = performance.now(), down = this.bottomGap();

		this.layout = layOut(this.tree, this.zoom, this.width, most);
		Object.assign(this.layout, { width: this.width, sides: this.tree.sides, most, ms: performance.now() - start });
		this.layout.height = (this.layout.rows + (this.layout.isMore ? 10 : 0)) * ROW;
		this.space.style.height = this.layout.height + "px";
		if (this.isUp)
			this.scroll.scrollTop = this.scroll.scrollHeight - this.scroll.clientHeight - down;
	}

	bottomGap() {
		return this.layout ? this.scroll.scrollHeight - this.scroll.clientHeight - this.scroll.scrollTop : 0;
	}

	// Return: the function from a row to its top in the window.  It asks the browser once, which may have to lay out
	rowTop() {
		const top = this.scroll.scrollTop, height = Math.max(this.layout.height, this.scroll.clientHeight);

		return this.isUp ? row => height - (row + 1) * ROW - top : row => row * ROW - top;
	}

	yOf(row) {
		return this.rowTop()(row);
	}

	draw() {
		if (!this.tree || !this.width)
			return;
		const height = this.scroll.clientHeight;

		// A picture whose root is below has its first rows at the end of its space
		this.need(Math.ceil(((this.isUp ? this.bottomGap() : this.scroll.scrollTop) + height) / ROW));
		this.painter.resize(this.width, height);
		this.hold.style.height = height + "px";
		this.painter.draw(this.layout, this.rowTop(), this.paint);
		this.mark();
	}

	// What the pointer, the keys and the other panels point at
	mark() {
		const { app, tree } = this;

		if (!this.layout)
			return;
		const yOf = this.rowTop();

		this.marker.resize(this.width, this.scroll.clientHeight);
		this.marker.begin();
		const outline = (isOf, color, width) => this.marker.outline(this.layout, yOf, isOf, color, width);
		const ink = app.isDark() ? "#ffffff" : "#101316";

		if (app.view.frame > 0)
			outline(i => i >= 0 && tree.frame[i] === app.view.frame, app.isDark() ? "#7db8f2" : "#0b5cad", 2);
		if (app.hover > 0)
			outline(i => i >= 0 && tree.frame[i] === app.hover, ink, 1);
		if (this.hover >= 0)
			outline(i => i === this.hover, ink, 1.5);
		if (document.activeElement === this.scroll)
			outline(i => i === this.cursor, "#d0267e", 2.5);
	}

	nodeAt(event) {
		const place = this.hold.getBoundingClientRect(), x = event.clientX - place.left;
		const top = event.clientY - place.top + this.scroll.scrollTop;
		const height = Math.max(this.layout.height, this.scroll.clientHeight);
		const row = Math.floor((this.isUp ? height - top : top) / ROW), box = boxAt(this.layout, row, x);

		return box < 0 ? -1 : this.layout.boxes.node[box];
	}

	point(event) {
		if (!this.layout)
			return;
		const node = this.nodeAt(event);

		this.hover = node;
		this.app.point(node < 0 ? -1 : this.tree.frame[node]);
		this.app.tip.show(event, node === -1 ? null : this.app.describe(this.tree, node < 0 ? ~node : node, node < 0));
	}

	leave() {
		this.hover = -1;
		this.app.point(-1);
		this.app.tip.hide();
	}

	click(event) {
		const node = this.layout ? this.nodeAt(event) : -1;

		if (node === -1)
			return;
		this.cursor = node < 0 ? ~node : node;
		if (event.ctrlKey || event.metaKey)
			this.app.addChip("drop", this.tree.frame[this.cursor]);
		else if (event.shiftKey || event.altKey)
			this.app.select(this.tree.frame[this.cursor]);
		else
			this.onzoom(this.cursor);
	}

	menu(event) {
		const node = this.layout ? this.nodeAt(event) : -1;

		if (node < 0)
			return;
		event.preventDefault();
		this.cursor = node;
		this.app.openMenu(event.clientX, event.clientY, this.tree, node);
	}

	// Move to another node, and into the window
	moveTo(node) {
		if (node < 0)
			return;
		this.cursor = node;
		const row = this.tree.depth[node], y = this.yOf(row);

		if (y < 0 || y + ROW > this.scroll.clientHeight)
			this.scroll.scrollTop += y - this.scroll.clientHeight / 2;
		this.app.point(this.tree.frame[node]);
		this.mirror.update();
		this.mark();
		this.app.moved(this);
	}

	sibling(by) {
		const { tree, cursor } = this, all = [];

		if (cursor === 0)
			return -1;
		for (let i = tree.firstOf(tree.parent[cursor]); i >= 0; i = tree.nextOf(i))
			if (tree.wide[i])
				all.push(i);
		const at = all.indexOf(cursor) + by;

		return at < 0 || at >= all.length ? -1 : all[at];
	}

	// The widest callee
	heaviest() {
		let most = -1;

		for (let i = this.tree.firstOf(this.cursor); i >= 0; i = this.tree.nextOf(i))
			if (this.tree.wide[i] && (most < 0 || this.tree.wide[i] > this.tree.wide[most]))
				most = i;
		return most;
	}

	key(event) {
		const inwards = this.isUp ? "ArrowUp" : "ArrowDown", outwards = this.isUp ? "ArrowDown" : "ArrowUp";

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		switch (event.key) {
		case inwards: this.moveTo(this.heaviest()); break;
		case outwards: this.moveTo(this.cursor ? this.tree.parent[this.cursor] : -1); break;
		case "ArrowLeft": this.moveTo(this.sibling(-1)); break;
		case "ArrowRight": this.moveTo(this.sibling(1)); break;
		case "Home": this.moveTo(this.zoom); break;
		case "Enter": this.onzoom(this.cursor); break;
		case " ": this.app.select(this.tree.frame[this.cursor]); break;
		case "ContextMenu": this.app.openMenu(innerWidth / 2, innerHeight / 3, this.tree, this.cursor); break;
		default:
			if (!this.app.nodeKey(event.key, this.tree, this.cursor))
				return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}

// What the pointer is on; within the window
class Tip {
	constructor() {
		this.box = el("div", { id: "tip", hidden: "" });
	}

	show(event, lines) {
		if (!lines) {
			this.hide();
			return;
		}
		fill(this.box, ...lines.map((text, i) => el("div", { text, class: i ? "" : "name" })));
		this.box.hidden = false;
		const { width, height } = this.box.getBoundingClientRect();
		const x = Math.min(event.clientX + 14, innerWidth - width - 6);
		const y = event.clientY + 18 + height > innerHeight ? event.clientY - height - 8 : event.clientY + 18;

		this.box.style.left = Math.max(4, x) + "px";
		this.box.style.top = Math.max(4, y) + "px";
	}

	hide() {
		this.box.hidden = true;
	}
}
