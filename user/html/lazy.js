// SPDX-License-Identifier: GPL-2.0-or-later
// lazy.js - trees that are merged from another one, each level when it is wanted: callers, callees, inverted
//
// A node has sources: nodes of the other tree.  For callers, source i counts with the weight of its start.

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
	}

	grow(cap) {
		super.grow(cap);
		this.wide = larger(this.wide, cap);
		for (const side of this.sides)
			side.total = larger(side.total, cap);
	}

	firstOf(i) {
		if (!this.isOpen[i])
			this.open(i);
		return this.first[i];
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

	// Number the frames of @nodes: this.group has the number of a frame, and count how often it is there
	countGroups(nodes, nr) {
		const { group, from } = this, frames = [], count = [];

		for (let i = 0; i < nr; i++) {
			const frame = from.frame[nodes[i]];

			if (group[frame] < 0) {
				group[frame] = frames.length;
				frames.push(frame);
				count.push(0);
			}
			count[group[frame]]++;
		}
		return { frames, count };
	}

	// Add callees of @i, the heaviest first; each with its part of @nodes, and of @starts
	addGroups(i, nodes, nr, starts) {
		const { group, from } = this, { frames, count } = this.countGroups(nodes, nr);
		const parts = count.map(n => ({ nodes: new Int32Array(n), starts: starts && new Int32Array(n), nr: 0 }));
		const weights = this.sides.map(() => new Float64Array(frames.length));

		for (let k = 0; k < nr; k++) {
			const g = group[from.frame[nodes[k]]], part = parts[g];

			part.nodes[part.nr] = nodes[k];
			if (starts)
				part.starts[part.nr] = starts[k];
			part.nr++;
			for (let s = 0; s < weights.length; s++)
				weights[s][g] += this.weight[s][starts ? starts[k] : nodes[k]];
		}
		for (const frame of frames)
			group[frame] = -1;
		const key = g => weights.reduce((sum, w, s) => sum + w[g] / (this.from.sides[s].total[0] || 1), 0);
		const keys = frames.map((_, g) => key(g));

		for (const g of frames.map((_, k) => k).sort((a, b) => keys[b] - keys[a] || frames[a] - frames[b])) {
			const child = this.add(i, frames[g]);

			this.sides.forEach((side, s) => {
				side.total[child] = weights[s][g];
			});
			this.widen(child);
			this.sources[child] = parts[g];
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
	// @nodes: where to start; @weight: of each node of @from, for each side
	constructor(from, nodes, weight, frame, nrFrames) {
		super(from, frame, nrFrames);
		this.weight = weight;
		this.begin(nodes, nodes);
		this.sources[0] = { nodes, starts: nodes, nr: nodes.length };
		this.isInverted = !frame;
		this.isOpen[0] = false;
	}

	open(i) {
		const { nodes, starts, nr } = this.sources[i], parent = this.from.parent;

		this.isOpen[i] = true;
		// The whole tree inverted begins with the functions themselves
		if (i === 0 && this.isInverted) {
			this.addGroups(i, nodes, nr, starts);
			return;
		}
		const callers = new Int32Array(nr), of = new Int32Array(nr);
		let left = 0;

		for (let k = 0; k < nr; k++) {
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
		this.sources[0] = { nodes, nr: nodes.length };
		this.isOpen[0] = false;
	}

	open(i) {
		const { nodes, nr } = this.sources[i], { first, next, wide } = this.from;
		const callees = [];

		this.isOpen[i] = true;
		for (let k = 0; k < nr; k++)
			for (let c = first[nodes[k]]; c >= 0; c = next[c])
				if (wide[c])
					callees.push(c);
		this.addGroups(i, callees, callees.length, null);
		this.sources[i] = null;
	}
}

function invert(from, nrFrames) {
	const nodes = [], selfs = from.sides.map(side => side.self), a = selfs[0], b = selfs[selfs.length - 1];

	for (let i = 1; i < from.n; i++)
		if (a[i] || b[i])
			nodes.push(i);
	return new CallersTree(from, Int32Array.from(nodes), from.sides.map(side => side.self), 0, nrFrames);
}

/*
 * Callers and callees of the function @isOf (by frame).  Of a function that calls itself, the innermost frame of a
 * stack has the callers, and the outermost one the callees: as 'kflame report --callers' and '--callees'
 */
function sandwich(from, isOf, frame, nrFrames) {
	const { parent, wide, sides, n } = from, frames = from.frame, outer = [], all = [], inside = new Int32Array(n).fill(-1);
	const own = sides.map(() => new Float64Array(n));

	for (let i = 1; i < n; i++) {
		const above = inside[parent[i]];

		if (!isOf[frames[i]] || !wide[i]) {
			inside[i] = above;
			continue;
		}
		inside[i] = i;
		all.push(i);
		if (above < 0)
			outer.push(i);
		for (let s = 0; s < sides.length; s++) {
			own[s][i] += sides[s].total[i];
			if (above >= 0)
				own[s][above] -= sides[s].total[i];
		}
	}
	return {
		callers: new CallersTree(from, Int32Array.from(all.filter(i => own.some(w => w[i]))), own, frame, nrFrames),
		callees: new CalleesTree(from, Int32Array.from(outer), frame, nrFrames),
	};
}
