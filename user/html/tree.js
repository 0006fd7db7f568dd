// SPDX-License-Identifier: GPL-2.0-or-later
// tree.js - a call tree in typed arrays.  A caller has a lower number than its callees

function larger(array, n, fill) {
	const copy = new array.constructor(n);

	copy.set(array);
	if (fill)
		copy.fill(fill, array.length);
	return copy;
}

// What the nodes of a tree weigh: with and without their callees
class Sums {
	constructor(tree, place, weights) {
		Object.assign(this, { n: tree.n, place, weights });
		const total = this.total = this.add(), { parent } = tree;

		for (let i = tree.n - 1; i > 0; i--)
			total[parent[i]] += total[i];
	}

	add() {
		const { place, weights } = this, sums = new Float64Array(this.n);

		for (let i = 0; i < place.length; i++)
			if (place[i] >= 0)
				sums[place[i]] += weights[i];
		return sums;
	}

	get self() {
		return this.own || (this.own = this.add());
	}
}

class Tree {
	constructor(capacity) {
		this.n = 0;
		this.resize(capacity + 16);
	}

	resize(cap) {
		for (const key of ["parent", "frame", "first", "next"])
			this[key] = this[key] ? larger(this[key], cap) : new Int32Array(cap);
		this.depth = this.depth ? larger(this.depth, cap) : new Uint16Array(cap);
	}

	// Adds a node that no list of callees has yet.  Return: its number
	add(parent, frame) {
		const i = this.n++;

		if (i === this.parent.length)
			this.resize(i * 2);
		this.parent[i] = parent;
		this.frame[i] = frame;
		this.depth[i] = parent < 0 ? 0 : this.depth[parent] + 1;
		return i;
	}

	// Makes the lists of callees, in the order of their numbers
	link() {
		const { n, parent, first, next } = this;

		first.fill(-1, 0, n);
		next.fill(-1, 0, n);
		for (let i = n - 1; i > 0; i--) {
			next[i] = first[parent[i]];
			first[parent[i]] = i;
		}
		return this;
	}

	// The sums of all nodes; @place: node of each fact, or -1; @weights: of each fact
	sum(place, weights) {
		return new Sums(this, place, weights);
	}

	// Sides of a comparison have a width each, of which the sum is drawn
	weigh(sides) {
		this.sides = sides;
		this.wide = sides[0].total;
		if (sides.length < 2)
			return;
		const [a, b] = sides.map(side => side.total), scaleA = a[0] ? 1 / a[0] : 0, scaleB = b[0] ? 1 / b[0] : 0;

		this.wide = new Float64Array(this.n);
		for (let i = 0; i < this.n; i++)
			this.wide[i] = a[i] * scaleA + b[i] * scaleB;
	}

	firstOf(i) {
		return this.first[i];
	}

	framesOf(i) {
		const frames = [];

		for (; i > 0; i = this.parent[i])
			frames.push(this.frame[i]);
		return frames.reverse();
	}

	// The node with these frames from the root on, or as many of them as there are
	find(frames) {
		let at = 0;

		for (const frame of frames) {
			let i = this.firstOf(at);

			while (i >= 0 && (this.frame[i] !== frame || !this.wide[i]))
				i = this.next[i];
			if (i < 0)
				break;
			at = i;
		}
		return at;
	}

	isAbove(outer, i) {
		while (i > outer)
			i = this.parent[i];
		return i === outer;
	}
}

// Paths by their callers and frames: open addressing
class PairMap {
	constructor(size) {
		this.mask = size - 1;
		this.slots = new Int32Array(size).fill(-1);
		this.nr = 0;
	}

	slotOf(parent, frame) {
		const at = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);

		return (at ^ at >>> 15) & this.mask;
	}

	// @of: has parent[] and frame[].  Return: the path, or -1
	find(parent, frame, of) {
		for (let at = this.slotOf(parent, frame); this.slots[at] >= 0; at = at + 1 & this.mask)
			if (of.parent[this.slots[at]] === parent && of.frame[this.slots[at]] === frame)
				return this.slots[at];
		return -1;
	}

	put(parent, frame, path, of) {
		let at = this.slotOf(parent, frame);

		while (this.slots[at] >= 0)
			at = at + 1 & this.mask;
		this.slots[at] = path;
		if (++this.nr * 2 <= this.mask)
			return;
		const old = this.slots;

		this.mask = old.length * 2 - 1;
		this.slots = new Int32Array(old.length * 2).fill(-1);
		this.nr = 0;
		for (const i of old)
			if (i >= 0)
				this.put(of.parent[i], of.frame[i], i, of);
	}
}

// Groups of facts by the roots that are wanted: the group of each context, and the frames of each group, in order
function groupsOf(model, roots) {
	const ids = new Map(), frames = [], of = new Int32Array(model.nrContexts);

	for (let i = 0; i < of.length; i++) {
		const way = [];

		for (const dim of roots)
			if (model.dims[dim].of[i] >= 0)
				way.push(model.dims[dim].base + model.dims[dim].of[i]);
		const key = way.join();

		if (!ids.has(key)) {
			ids.set(key, frames.length);
			frames.push(way);
		}
		of[i] = ids.get(key);
	}
	const names = frames.map(way => way.map(frame => model.names[frame]).join("\0"));
	const order = frames.map((_, i) => i).sort((a, b) => names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b);
	const rank = new Int32Array(order.length);

	order.forEach((group, i) => {
		rank[group] = i;
	});
	return { of: of.map(group => rank[group]), frames: order.map(group => frames[group]) };
}

// Facts by group: those of group g are sorted[start[g]] up to sorted[start[g + 1] - 1]
function sortFacts(facts, of, nrGroups) {
	const start = new Int32Array(nrGroups + 1), sorted = new Int32Array(facts.nr);

	for (let i = 0; i < facts.nr; i++)
		start[of[facts.context[i]] + 1]++;
	for (let g = 0; g < nrGroups; g++)
		start[g + 1] += start[g];
	const at = start.slice();

	for (let i = 0; i < facts.nr; i++)
		sorted[at[of[facts.context[i]]]++] = i;
	return { start, sorted };
}

function addRoots(tree, known, frames) {
	let node = 0, key = "";

	for (const frame of frames) {
		key += "." + frame;
		if (!known.has(key))
			known.set(key, tree.add(node, frame));
		node = known.get(key);
	}
	return node;
}

/*
 * The tree of all paths below the roots.  Return: { tree, place }, where place has the node of each fact.
 * Nodes are in the order in which they are drawn: the facts of a group are in the order of their paths
 */
function buildTree(model, roots) {
	const { facts, paths } = model, groups = groupsOf(model, roots), nrGroups = groups.frames.length;
	const { start, sorted } = sortFacts(facts, groups.of, nrGroups), known = new Map(), way = new Int32Array(70000);
	const tree = new Tree(Math.ceil(paths.n * 1.4) + nrGroups), place = new Int32Array(facts.nr).fill(-1);
	const node = new Int32Array(paths.n).fill(-1), above = paths.parent, frames = paths.frame;

	tree.add(-1, 0);
	for (let g = 0; g < nrGroups; g++) {
		const root = addRoots(tree, known, groups.frames[g]);
		let { parent, frame, depth, n } = tree;

		// Nodes of earlier groups have lower numbers
		for (let k = start[g]; k < start[g + 1]; k++) {
			let path = facts.path[sorted[k]], nr = 0;

			for (; path !== 0 && node[path] <= root; path = above[path])
				way[nr++] = path;
			let at = path === 0 ? root : node[path], deep = depth[at];

			if (n + nr > parent.length) {
				tree.resize((n + nr) * 2);
				({ parent, frame, depth } = tree);
			}
			while (nr > 0) {
				path = way[--nr];
				parent[n] = at;
				frame[n] = frames[path];
				depth[n] = ++deep;
				at = node[path] = n++;
			}
			place[sorted[k]] = at;
		}
		tree.n = n;
	}
	tree.isInOrder = true;
	return { tree: tree.link(), place };
}
