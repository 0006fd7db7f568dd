// SPDX-License-Identifier: GPL-2.0-or-later
// tree.js - a call tree in typed arrays.  A caller has a lower number than its callees

function larger(array, n, fill) {
	const copy = new array.constructor(n);

	copy.set(array);
	if (fill)
		copy.fill(fill, array.length);
	return copy;
}

class Tree {
	constructor(capacity) {
		const cap = capacity + 16;

		this.n = 0;
		this.parent = new Int32Array(cap);
		this.frame = new Int32Array(cap);
		this.depth = new Uint16Array(cap);
		this.first = new Int32Array(cap).fill(-1);
		this.next = new Int32Array(cap).fill(-1);
		this.last = new Int32Array(cap).fill(-1);
	}

	// Adds a callee behind the callees that @parent has.  Return: its number
	add(parent, frame) {
		const i = this.n++;

		if (i === this.parent.length)
			this.grow(i * 2);
		this.parent[i] = parent;
		this.frame[i] = frame;
		if (parent < 0)
			return i;
		this.depth[i] = this.depth[parent] + 1;
		if (this.last[parent] < 0)
			this.first[parent] = i;
		else
			this.next[this.last[parent]] = i;
		this.last[parent] = i;
		return i;
	}

	grow(cap) {
		this.parent = larger(this.parent, cap);
		this.frame = larger(this.frame, cap);
		this.depth = larger(this.depth, cap);
		this.first = larger(this.first, cap, -1);
		this.next = larger(this.next, cap, -1);
		this.last = larger(this.last, cap, -1);
	}

	// Return: { self, total } of all nodes; @place: node of each fact, or -1; @weights: of each fact
	sum(place, weights) {
		const self = new Float64Array(this.n), parent = this.parent;

		for (let i = 0; i < place.length; i++)
			if (weights[i] && place[i] >= 0)
				self[place[i]] += weights[i];
		const total = self.slice();

		for (let i = this.n - 1; i > 0; i--)
			total[parent[i]] += total[i];
		return { self, total };
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

// Numbers by two others, as a caller and a function: open addressing
class PairMap {
	constructor(nr) {
		let size = 1024;

		while (size < nr * 2)
			size *= 2;
		this.mask = size - 1;
		this.slots = new Int32Array(size).fill(-1);
	}

	// The number of (a, b), for which @first[number] is a and @second[number] is b; ~slot if there is none
	find(a, b, first, second) {
		let at = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;

		at = (at ^ at >>> 15) & this.mask;
		for (; this.slots[at] >= 0; at = at + 1 & this.mask) {
			const i = this.slots[at];

			if (first[i] === a && second[i] === b)
				return i;
		}
		return ~at;
	}

	set(slot, number) {
		this.slots[slot] = number;
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
 * The tree of all paths below the roots.  @paths: { n, parent, frame }; @pathOf: path of each fact, or -1.
 * Return: { tree, place }, where place has the node of each fact, or -1
 */
function buildTree(model, paths, pathOf, roots) {
	const groups = groupsOf(model, roots), nrGroups = groups.frames.length;
	const { start, sorted } = sortFacts(model.facts, groups.of, nrGroups);
	const tree = new Tree(Math.ceil(paths.n * 1.4) + nrGroups), place = new Int32Array(model.facts.nr).fill(-1);
	const seen = new Int32Array(paths.n).fill(-1), node = new Int32Array(paths.n), way = new Int32Array(70000);
	const known = new Map();

	tree.add(-1, 0);
	for (let g = 0; g < nrGroups; g++) {
		const root = addRoots(tree, known, groups.frames[g]);

		for (let k = start[g]; k < start[g + 1]; k++) {
			let path = pathOf[sorted[k]], nr = 0;

			if (path < 0)
				continue;
			for (; path !== 0 && seen[path] !== g; path = paths.parent[path])
				way[nr++] = path;
			let at = path === 0 ? root : node[path];

			while (nr > 0) {
				path = way[--nr];
				at = tree.add(at, paths.frame[path]);
				seen[path] = g;
				node[path] = at;
			}
			place[sorted[k]] = at;
		}
	}
	return { tree, place };
}
