// SPDX-License-Identifier: GPL-2.0-or-later
// draw.js - lays a tree out as boxes, and draws those in the window.  Neighbours that are too narrow to be seen
// are one box

const ROW = 18, NARROW = 0.8, LEAST = 0.25, TEXT_FONT = '12px "DejaVu Sans Mono", Menlo, Consolas, monospace';

class Boxes {
	constructor() {
		this.nr = 0;
		this.x = new Float32Array(4096);
		this.w = new Float32Array(4096);
		this.row = new Uint16Array(4096);
		this.node = new Int32Array(4096);
	}

	// @node: of several narrow ones, ~ the widest
	add(row, x, w, node) {
		const i = this.nr++;

		if (i === this.x.length)
			for (const key of ["x", "w", "row", "node"])
				this[key] = larger(this[key], i * 2);
		this.x[i] = x;
		this.w[i] = w;
		this.row[i] = row;
		this.node[i] = node;
	}
}

// Neighbours in a row that are too narrow for boxes of their own
class Runs {
	constructor(boxes) {
		this.boxes = boxes;
		this.begin = [];
		this.end = [];
		this.node = [];
		this.widest = [];
	}

	add(row, x, w, node) {
		if (this.end[row] !== undefined && x - this.end[row] > NARROW)
			this.flush(row);
		if (this.end[row] === undefined) {
			this.begin[row] = x;
			this.widest[row] = 0;
		}
		this.end[row] = x + w;
		if (w > this.widest[row]) {
			this.widest[row] = w;
			this.node[row] = node;
		}
	}

	flush(row) {
		if (this.end[row] === undefined)
			return;
		this.boxes.add(row, this.begin[row], this.end[row] - this.begin[row], ~this.node[row]);
		this.end[row] = undefined;
	}

	flushAll() {
		this.end.forEach((_, row) => this.flush(row));
	}
}

/*
 * Boxes of a tree from @zoom on, in rows below @most; callers of @zoom are as wide as the window.
 * Return: { boxes, rows, isMore }
 */
function layOut(tree, zoom, width, most) {
	const boxes = new Boxes(), runs = new Runs(boxes), way = [];
	let { parent } = tree;
	const scale = tree.wide[zoom] ? width / tree.wide[zoom] : 0, xs = [];
	let rows = 0, isMore = false;

	for (let i = zoom; i >= 0; i = parent[i])
		way.push(i);
	way.reverse().forEach((i, row) => boxes.add(row, 0, width, i));
	rows = way.length;
	if (!scale)
		return { boxes, rows, isMore };
	let row = rows - 1, i = zoom;

	xs[row] = 0;
	for (;;) {
		const w = tree.wide[i] * scale, isWide = w >= NARROW;

		if (i !== zoom && w > 0) {
			if (isWide) {
				runs.flush(row);
				boxes.add(row, xs[row], w, i);
			} else {
				runs.add(row, xs[row], w, i);
			}
			rows = Math.max(rows, row + 1);
		}
		const first = w >= LEAST && row + 1 < most ? tree.firstOf(i) : -1;

		// A lazy tree may have moved
		({ parent } = tree);
		if (w >= LEAST && row + 1 >= most)
			isMore = true;
		if (first >= 0) {
			xs[row + 1] = xs[row];
			row++;
			i = first;
			continue;
		}
		let next = -1;

		while (i !== zoom && (next = tree.nextOf(i)) < 0) {
			i = parent[i];
			row--;
		}
		if (i === zoom)
			break;
		xs[row] += tree.wide[i] * scale;
		i = next;
	}
	runs.flushAll();
	return { boxes, rows, isMore };
}

class Painter {
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: true });
	}

	resize(width, height) {
		const ratio = window.devicePixelRatio || 1;

		if (this.width === width && this.height === height && this.ratio === ratio)
			return;
		Object.assign(this, { width, height, ratio });
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = width + "px";
		this.canvas.style.height = height + "px";
	}

	begin() {
		this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.context.clearRect(0, 0, this.width, this.height);
		this.context.font = TEXT_FONT;
		this.context.textBaseline = "middle";
		if (!this.letter)
			this.letter = this.context.measureText("mmmmmmmmmm").width / 10;
	}

	label(text, x, y, width, color) {
		const most = Math.floor((width - 6) / this.letter);

		if (most < 3 && text.length > most)
			return;
		this.context.fillStyle = color;
		this.context.fillText(text.length > most ? text.slice(0, most - 1) + "\u2026" : text, x + 3, y + ROW / 2);
	}

	/*
	 * @layout: of layOut(); @yOf(row): top of a row in the canvas; @paint: { color(node), text(node), ink(node),
	 * isDim(node) }
	 */
	draw(layout, yOf, paint) {
		const { boxes } = layout, c = this.context;

		this.begin();
		for (let i = 0; i < boxes.nr; i++) {
			const y = yOf(boxes.row[i]);

			if (y <= -ROW || y >= this.height)
				continue;
			const node = boxes.node[i] < 0 ? ~boxes.node[i] : boxes.node[i], w = boxes.w[i];

			c.globalAlpha = paint.isDim(node) ? 0.45 : 1;
			c.fillStyle = paint.color(node);
			c.fillRect(boxes.x[i], y, w > 2 ? w - 0.6 : Math.max(w, 0.5), ROW - 1);
		}
		c.globalAlpha = 1;
		this.labels(layout, yOf, paint);
	}

	labels(layout, yOf, paint) {
		const { boxes } = layout;

		for (let i = 0; i < boxes.nr; i++) {
			const y = yOf(boxes.row[i]), node = boxes.node[i], w = boxes.w[i];

			if (w > 24 && y > -ROW && y < this.height)
				this.label(node < 0 ? "\u2026" : paint.text(node), boxes.x[i], y, w, paint.ink(node < 0 ? ~node : node));
		}
	}

	outline(layout, yOf, isOf, color, width) {
		const { boxes } = layout, c = this.context;

		c.strokeStyle = color;
		c.lineWidth = width;
		for (let i = 0; i < boxes.nr; i++) {
			const y = yOf(boxes.row[i]);

			if (y > -ROW && y < this.height && boxes.w[i] > 1 && isOf(boxes.node[i]))
				c.strokeRect(boxes.x[i] + width / 2, y + width / 2, Math.max(1, boxes.w[i] - width - 0.6),
					ROW - 1 - width);
		}
	}
}

// The box at a point; -1 for none
function boxAt(layout, row, x) {
	const { boxes } = layout;
	let found = -1;

	for (let i = 0; i < boxes.nr; i++)
		if (boxes.row[i] === row && x >= boxes.x[i] && x < boxes.x[i] + Math.max(boxes.w[i], 1.5))
			found = i;
	return found;
}
