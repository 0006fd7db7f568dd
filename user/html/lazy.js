// SPDX-License-Identifier: GPL-2.0-or-later
// lazy.js - trees that are merged from another one, each level when it is wanted: callers, callees, inverted
//
// A node has sources: nodes of the other tree.  For callers, source i counts with the weight of its start.  Callees of
// one node share the arrays of their sources, each from its index on

class LazyTree extends Tree {
	constructor(from, frames, nrFrames) {
		super(1024);
		this.from = from;
		this.sources = [];
		this.isOpen = [];
		this.group = new Int32Array(nrFrames).fill(-1);
		this.sides = from.sides.map(() => ({ self: new Float64Array(0), total: new Float64Array(1040) }));
		this.wide = new Float64Array(1040);
		this.add(-1, frames);
		this.first[0] = this.next[0] = -1;
	}

	resize(cap) {
		super.resize(cap);
		for (const key of ["first", "next"])
			this[key] = this[key] ? larger(this[key], cap) : new Int32Array(cap);
		if (!this.wide)
			return;
		this.wide = larger(this.wide, cap);
		for (const side of this.sides)
			side.total = larger(side.total, cap);
	}

	firstOf(i) {
		if (!this.isOpen[i])
			this.open(i);
		return this.first[i];
	}

	nextOf(i) {
		return this.next[i];
	}

	// Set the width of a node whose sides have their totals
	widen(i) {
		if (this.sides.length < 2) {
			this.wide[i] = this.sides[0].total[i];
			return;
		}
		this.wide[i] = this.sides.reduce((sum, side, k) => {
			const whole = this.from.sides[k].total[0];

			return sum + (whole ? side.total[i] / whole : 0);
		}, 0);
	}

	// Number the frames of @nodes.  Return: the frames, and how often each is there; this.group has their numbers
	countGroups(nodes, nr) {
		const { group } = this, of = this.from.frame, frames = [], count = [];

		for (let k = 0; k < nr; k++) {
			const frame = of[nodes[k]];

			if (group[frame] < 0) {
				group[frame] = frames.length;
				frames.push(frame);
				count.push(0);
			}
			count[group[frame]]++;
		}
		return { frames, count };
	}

	// Sort @nodes and @starts by group.  Return: where each group ends
	sortGroups(nodes, starts, nr, count, sorted, sortedStarts, weights) {
		const { group, weight } = this, of = this.from.frame, at = new Int32Array(count.length);

		for (let g = 1; g < count.length; g++)
			at[g] = at[g - 1] + count[g - 1];
		for (let k = 0; k < nr; k++) {
			const g = group[of[nodes[k]]], start = starts ? starts[k] : nodes[k], to = at[g]++;

			sorted[to] = nodes[k];
			if (starts)
				sortedStarts[to] = start;
			for (let s = 0; s < weights.length; s++)
				weights[s][g] += weight[s][start];
		}
		return at;
	}

	// Add callees of @i, the heaviest first; each with its part of @nodes, and of @starts
	addGroups(i, nodes, nr, starts) {
		const { frames, count } = this.countGroups(nodes, nr), weights = this.sides.map(() => new Float64Array(frames.length));
		const sorted = new Int32Array(nr), sortedStarts = starts && new Int32Array(nr);
		const end = this.sortGroups(nodes, starts, nr, count, sorted, sortedStarts, weights);
		const wholes = this.from.sides.map(side => side.total[0] || 1), keys = new Float64Array(frames.length);
		let last = -1;

		for (let g = 0; g < frames.length; g++) {
			this.group[frames[g]] = -1;
			for (let s = 0; s < wholes.length; s++)
				keys[g] += weights[s][g] / wholes[s];
		}
		for (const g of frames.map((_, k) => k).sort((a, b) => keys[b] - keys[a] || frames[a] - frames[b])) {
			const child = this.add(i, frames[g]);

			this.first[child] = this.next[child] = -1;
			if (last < 0)
				this.first[i] = child;
			else
				this.next[last] = child;
			last = child;
			for (let s = 0; s < weights.length; s++)
				this.sides[s].total[child] = weights[s][g];
			this.widen(child);
			this.sources[child] = { nodes: sorted, starts: sortedStarts, from: end[g] - count[g], to: end[g] };
			this.isOpen[child] = false;
		}
	}

	begin(nodes, starts) {
		this.sides.forEach((side, s) => {
			side.total[0] = 0;
			for (let i = 0; i < nodes.length; i++)
				side.total[0] += this.weight[s][starts ? starts[i] : nodes[i]];
		});
		this.widen(0);
	}
}

// From functions to their callers
class CallersTree extends LazyTree {
	// @nodes: where to begin; @starts: for each the index of its weight in @weight, of each side
	constructor(from, nodes, starts, weight, frame, nrFrames) {
		super(from, frame, nrFrames);
		this.weight = weight;
		this.begin(nodes, starts);
		this.sources[0] = { nodes, starts, from: 0, to: nodes.length };
		this.isInverted = !frame;
		this.isOpen[0] = false;
	}

	open(i) {
		const { nodes, starts, from, to } = this.sources[i], { parent } = this.from, nr = to - from;

		this.isOpen[i] = true;
		// The whole tree inverted begins with the functions themselves
		if (i === 0 && this.isInverted) {
			this.addGroups(i, nodes, nr, starts);
			return;
		}
		const callers = new Int32Array(nr), of = new Int32Array(nr);
		let left = 0;

		for (let k = from; k < to; k++) {
			const caller = parent[nodes[k]];

			if (caller <= 0)
				continue;
			callers[left] = caller;
			of[left++] = starts[k];
		}
		this.addGroups(i, callers, left, of);
		this.sources[i] = null;
	}
}

// From a function to its callees, wherever it was called
class CalleesTree extends LazyTree {
	constructor(from, nodes, frame, nrFrames) {
		super(from, frame, nrFrames);
		this.weight = from.sides.map(side => side.total);
		this.begin(nodes, null);
		this.sources[0] = { nodes, from: 0, to: nodes.length };
		this.isOpen[0] = false;
	}

	open(i) {
		const { nodes, from, to } = this.sources[i], { end, wide } = this.from;
		const callees = [];

		this.isOpen[i] = true;
		for (let k = from; k < to; k++)
			for (let c = nodes[k] + 1; c < end[nodes[k]]; c = end[c])
				if (wide[c])
					callees.push(c);
		this.addGroups(i, callees, callees.length, null);
		this.sources[i] = null;
	}
}

// Begins with the facts
function invert(from, nrFrames) {
	const { place } = from.sides[0], weights = from.sides.map(side => side.weights), a = weights[0], b = weights[weights.length - 1];
	const nodes = new Int32Array(place.length), starts = new Int32Array(place.length);
	let nr = 0;

	for (let i = 0; i < place.length; i++)
		if (place[i] > 0 && (a[i] || b[i])) {
			nodes[nr] = place[i];
			starts[nr++] = i;
		}
	return new CallersTree(from, nodes.subarray(0, nr), starts.subarray(0, nr), weights, 0, nrFrames);
}

/*
 * Callers and callees of the function @isOf (by frame).  Of a function that calls itself, the innermost frame of a
 * stack has the callers, and the outermost one the callees: as 'kflame report --callers' and '--callees'
 */
function sandwich(from, isOf, frame, nrFrames) {
	const { wide, sides, n, end } = from, frames = from.frame, outer = [], all = [], within = [];
	const own = sides.map(() => []);

	// within: those of them that are above a node, as indexes in all[]
	for (let i = 1; i < n; i++) {
		if (!isOf[frames[i]] || !wide[i])
			continue;
		while (within.length && end[all[within[within.length - 1]]] <= i)
			within.pop();
		if (!within.length)
			outer.push(i);
		for (let s = 0; s < sides.length; s++) {
			own[s].push(sides[s].total[i]);
			if (within.length)
				own[s][within[within.length - 1]] -= sides[s].total[i];
		}
		within.push(all.push(i) - 1);
	}
	const starts = all.map((_, k) => k).filter(k => own.some(weight => weight[k]));

	return {
		callers: new CallersTree(from, Int32Array.from(starts, k => all[k]), Int32Array.from(starts), own, frame, nrFrames),
		callees: new CalleesTree(from, Int32Array.from(outer), frame, nrFrames),
	};
}
