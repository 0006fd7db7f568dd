// SPDX-License-Identifier: GPL-2.0-or-later
// call_rows.js - the opened part of a call tree, as rows
//
// What is open is a map from each open frame to what is open below it. So it stays open in another tree, after a
// filter or with other weights.

// "12(34.5).7": 12 and 7 are open below the root, 34 and 5 below 12
function parseOpen(text) {
	const root = new Map(), way = [root];
	let last = null;

	for (const [word] of text.matchAll(/\d+|[()]/g)) {
		if (word === "(") {
			if (!last)
				break;
			way.push(last);
			last = null;
		} else if (word === ")") {
			if (way.length < 2)
				break;
			way.pop();
			last = null;
		} else {
			last = new Map();
			way[way.length - 1].set(Number(word), last);
		}
	}
	return root;
}

function writeOpen(root) {
	const words = [], way = [root.entries()];

	while (way.length) {
		const { value, done } = way[way.length - 1].next();

		if (done) {
			way.pop();
			if (way.length)
				words.push(")");
			continue;
		}
		if (words.length && words[words.length - 1] !== "(" && words[words.length - 1] !== ")")
			words.push(".");
		words.push(value[0]);
		if (value[1].size) {
			words.push("(");
			way.push(value[1].entries());
		}
	}
	return words.join("");
}

class CallRows {
	constructor(tree, open) {
		this.tree = tree;
		this.sorted = new Map();
		this.list(open);
	}

	// Callees with a weight, the heaviest first
	calleesOf(node) {
		const { tree } = this;
		let callees = this.sorted.get(node);

		if (callees)
			return callees;
		callees = [];
		for (let i = tree.firstOf(node); i >= 0; i = tree.nextOf(i))
			if (tree.wide[i])
				callees.push(i);
		callees.sort((a, b) => tree.wide[b] - tree.wide[a] || a - b);
		this.sorted.set(node, callees);
		return callees;
	}

	hasCallees(node) {
		const { tree } = this;
		let i = tree.firstOf(node);

		while (i >= 0 && !tree.wide[i])
			i = tree.nextOf(i);
		return i >= 0;
	}

	// Make the rows; the root is always open
	list(open) {
		const { tree } = this, way = [{ callees: [0], at: 0, open: new Map([[tree.frame[0], open]]) }];

		this.open = open;
		this.nodes = [];
		while (way.length) {
			const top = way[way.length - 1];

			if (top.at === top.callees.length) {
				way.pop();
				continue;
			}
			const node = top.callees[top.at++], below = top.open.get(tree.frame[node]);

			this.nodes.push(node);
			if (below)
				way.push({ callees: this.calleesOf(node), at: 0, open: below });
		}
	}

	rowOf(node) {
		return this.nodes.indexOf(node);
	}

	isOpen(row) {
		return row + 1 < this.nodes.length && this.tree.parent[this.nodes[row + 1]] === this.nodes[row];
	}

	setOpen(node, isOpen) {
		const frames = this.tree.framesOf(node), last = frames.pop();
		let at = this.open;

		if (last === undefined)
			return;
		for (const frame of frames) {
			if (!at.has(frame))
				at.set(frame, new Map());
			at = at.get(frame);
		}
		if (!isOpen)
			at.delete(last);
		else if (!at.has(last))
			at.set(last, new Map());
	}

	// Weight of a node on a side without its callees. A tree that is merged from another one has totals only
	selfOf(side, node) {
		const { tree } = this, { self, total } = tree.sides[side];

		if (!(tree instanceof LazyTree))
			return self[node];
		if (tree instanceof CalleesTree)
			return this.calleesOf(node).reduce((left, i) => left - total[i], total[node]);
		// Inverted: the first level has the functions, and all others are their callers
		return tree.depth[node] === 1 ? total[node] : 0;
	}
}
