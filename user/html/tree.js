// SPDX-License-Identifier: GPL-2.0-or-later
// tree.js - a call tree in typed arrays

const MOST_DEEP = 70000;

function larger(array, n, fill) {
	const copy = new array.constructor(n);

	copy.set(array);
	if (fill)
		copy.fill(fill, array.length);
	return copy;
}

// Large arrays that are used again, so that the browser need not map and clear new memory
const pool = {
	free: [],

	// @n numbers or more, which have any value
	take(type, n) {
		const at = pool.free.findIndex(({ constructor, length }) => constructor === type && length >= n && length < 2 * n);

		return at < 0 ? new type(n) : pool.free.splice(at, 1)[0];
	},

	// Nothing uses these arrays any more
	give(...arrays) {
		pool.free = arrays.concat(pool.free).slice(0, 16);
	},
};

// What the nodes of a tree weigh: with and without their callees
class Sums {
	constructor(tree, place, weights) {
		Object.assign(this, { n: tree.n, place, weights });
		const total = this.total = this.add(), { parent } = tree;

		for (let i = tree.n - 1; i > 0; i--)
			total[parent[i]] += total[i];
	}

	add() {
		const { place, weights, n } = this, sums = pool.take(Float64Array, n).fill(0, 0, n);

		for (let i = 0; i < place.length; i++)
			if (place[i] >= 0)
				sums[place[i]] += weights[i];
		return sums;
	}

	get self() {
		return this.own || (this.own = this.add());
	}
}

/*
 * Nodes are in the order in which they are drawn: node i is followed by all nodes below it, and end[i] is the first one
 * behind them
 */
class Tree {
	constructor(capacity) {
		this.n = 0;
		this.resize(capacity + 16);
	}

	resize(cap) {
		for (const key of ["parent", "frame", "end"])
			this[key] = this[key] ? larger(this[key], cap) : pool.take(Int32Array, cap);
		this.depth = this.depth ? larger(this.depth, cap) : pool.take(Uint16Array, cap);
		this.cap = cap;
	}

	// Nothing shows this tree any more
	free() {
		if (this.isFree)
			return;
		this.isFree = true;
		this.freeSums();
		pool.give(this.parent, this.frame, this.end, this.depth);
	}

	freeSums() {
		for (const side of this.sides || [])
			pool.give(side.total);
		if (this.isSum)
			pool.give(this.wide);
	}

	// A node at the end.  Return: its number
	add(parent, frame) {
		const i = this.n++;

		if (i === this.cap)
			this.resize(i * 2);
		this.parent[i] = parent;
		this.frame[i] = frame;
		this.depth[i] = parent < 0 ? 0 : this.depth[parent] + 1;
		return i;
	}

	// All nodes are added
	close() {
		const { n, parent, end } = this;

		end.fill(0, 0, n);
		for (let i = n - 1; i >= 0; i--) {
			if (!end[i])
				end[i] = i + 1;
			if (i && !end[parent[i]])
				end[parent[i]] = end[i];
		}
		return this;
	}

	// The sums of all nodes; @place: node of each fact, or -1; @weights: of each fact
	sum(place, weights) {
		return new Sums(this, place, weights);
	}

	// Sides of a comparison have a width each, of which the sum is drawn
	weigh(sides) {
		this.freeSums();
		this.sides = sides;
		this.wide = sides[0].total;
		this.isSum = sides.length > 1;
		if (!this.isSum)
			return;
		const [a, b] = sides.map(side => side.total), scaleA = a[0] ? 1 / a[0] : 0, scaleB = b[0] ? 1 / b[0] : 0;

		this.wide = pool.take(Float64Array, this.n);
		for (let i = 0; i < this.n; i++)
			this.wide[i] = a[i] * scaleA + b[i] * scaleB;
	}

	// The first callee, or -1
	firstOf(i) {
		return i + 1 < this.end[i] ? i + 1 : -1;
	}

	// The next callee of the same caller, or -1
	nextOf(i) {
		const next = this.end[i];

		return next < this.n && this.parent[next] === this.parent[i] ? next : -1;
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
				i = this.nextOf(i);
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

// By names, level by level, so that all groups below a root follow each other
function compareWays(names, a, b) {
	for (let k = 0; k < a.length && k < b.length; k++)
		if (a[k] !== b[k])
			return names[a[k]] < names[b[k]] || (names[a[k]] === names[b[k]] && a[k] < b[k]) ? -1 : 1;
	return a.length - b.length;
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
	const order = frames.map((_, i) => i).sort((a, b) => compareWays(model.names, frames[a], frames[b]));
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

// Makes a tree node by node.  open[]: the node of each depth on the way to the last one
class TreeMaker {
	constructor(capacity) {
		this.tree = new Tree(capacity);
		this.open = new Int32Array(MOST_DEEP);
		this.height = 0;
	}

	// The last nodes get no more callees, but for @height of them
	leave(height) {
		const { n, end } = this.tree;

		while (this.height > height)
			end[this.open[--this.height]] = n;
	}

	enter(frame) {
		this.open[this.height] = this.tree.add(this.height ? this.open[this.height - 1] : -1, frame);
		this.height++;
	}

	// Leaves all nodes but the roots @frames, which are entered if they are not open.  @nr: of the roots that are open
	toRoots(frames, nr) {
		let same = 0;

		while (same < frames.length && same < nr && this.tree.frame[this.open[same + 1]] === frames[same])
			same++;
		this.leave(same + 1);
		while (same < frames.length)
			this.enter(frames[same++]);
	}

	/*
	 * The nodes of facts[@from] up to facts[@to - 1], which are in the order of their paths, below the nodes that are open.
	 * Their numbers go to place[]
	 */
	addFacts({ paths, facts }, sorted, from, to, place) {
		const { open, tree } = this, base = this.height - 1, above = paths.parent, frames = paths.frame, deep = paths.depth;
		const at = this.at || (this.at = new Int32Array(MOST_DEEP));
		let { parent, frame, end, depth, n } = tree, { height } = this;

		for (let k = from; k < to; k++) {
			let path = facts.path[sorted[k]], d = base + deep[path];
			const last = d;

			for (; path !== 0 && (d >= height || at[d] !== path); d--) {
				at[d] = path;
				path = above[path];
			}
			while (height > d + 1)
				end[open[--height]] = n;
			if (n + last - d > tree.cap) {
				tree.resize((n + last - d) * 2);
				({ parent, frame, end, depth } = tree);
			}
			for (; height <= last; height++) {
				parent[n] = open[height - 1];
				frame[n] = frames[at[height]];
				depth[n] = height;
				open[height] = n++;
			}
			place[sorted[k]] = open[height - 1];
		}
		tree.n = n;
		this.height = height;
	}
}

// The tree of all paths below the roots.  Return: { tree, place }, where place has the node of each fact
function buildTree(model, roots) {
	const { facts, paths } = model, groups = groupsOf(model, roots), nrGroups = groups.frames.length;

	// Without roots the paths are the tree
	if (nrGroups < 2 && !(nrGroups && groups.frames[0].length))
		return { tree: Object.assign(new Tree(0), paths, { isFree: true }), place: facts.path };
	const { start, sorted } = sortFacts(facts, groups.of, nrGroups), place = new Int32Array(facts.nr).fill(-1);
	const maker = new TreeMaker(Math.ceil(paths.n * 1.4) + nrGroups);

	maker.enter(0);
	for (let g = 0; g < nrGroups; g++) {
		maker.toRoots(groups.frames[g], g ? groups.frames[g - 1].length : 0);
		maker.addFacts(model, sorted, start[g], start[g + 1], place);
	}
	maker.leave(0);
	return { tree: maker.tree, place };
}
