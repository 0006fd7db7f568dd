// SPDX-License-Identifier: GPL-2.0-or-later
// change.js - what chips do: leave facts out, reshape paths, prune a tree

// Which facts have a path with a frame of @isOf: 1 for each.  Facts are in the order of their paths
function factsWith({ paths, facts }, isOf) {
	const { n, frame, end } = paths, { nr, path } = facts, has = new Uint8Array(nr);
	let fact = 0;

	for (let i = 1; i < n;) {
		if (!isOf[frame[i]]) {
			i++;
			continue;
		}
		while (fact < nr && path[fact] < i)
			fact++;
		for (i = end[i]; fact < nr && path[fact] < i; fact++)
			has[fact] = 1;
	}
	return has;
}

// Which facts have a context with this value of a dimension
function factsIn({ facts, nrContexts }, of, value) {
	const { nr, context } = facts, isIn = new Uint8Array(nrContexts), has = new Uint8Array(nr);

	for (let c = 0; c < nrContexts; c++)
		isIn[c] = of[c] === value ? 1 : 0;
	for (let i = 0; i < nr; i++)
		has[i] = isIn[context[i]];
	return has;
}

// Leaves out the facts of @left whose @has is not @stays.  Return: their weight, by each of @weights
function leaveOut(left, has, stays, weights) {
	const gone = weights.map(() => 0);

	for (let i = 0; i < left.length; i++) {
		if (!left[i] || has[i] === stays)
			continue;
		left[i] = 0;
		for (let s = 0; s < gone.length; s++)
			gone[s] += weights[s][i];
	}
	return gone;
}

// Marks of nodes: it becomes part of its caller; it or a node below it changes
const GONE = 1, CHANGED = 2;

function marksOf(n) {
	return pool.take(Uint8Array, n).fill(0, 0, n);
}

function markChanged(mark, parent, i) {
	for (; i >= 0 && !(mark[i] & CHANGED); i = parent[i])
		mark[i] |= CHANGED;
}

function mapped(place, map) {
	const to = new Int32Array(place.length);

	for (let i = 0; i < to.length; i++)
		to[i] = place[i] < 0 ? -1 : map[place[i]];
	return to;
}

/*
 * Makes a tree from another one. A node has sources: nodes of the other tree that became one. While they wait, map[]
 * has the next source of the same node, and sibling[] of a first source the first source of the next node. Then map[]
 * has the node that a source became. Where nothing changes, the tree is copied.
 */
class Reshaping {
	constructor(tree, mark, to) {
		Object.assign(this, { from: tree, mark, to, tree: new Tree(tree.n) });
		this.map = pool.take(Int32Array, tree.n);
		this.sibling = pool.take(Int32Array, tree.n);
		this.last = new Int32Array(to.length);
		this.seen = new Int32Array(to.length).fill(-1);
	}

	// Add the node whose first source is @head.  Return: the first source of its first callee, or -1
	add(head, parent, depth) {
		const { tree, map, mark, to, sibling, last, seen } = this, { end, frame } = this.from, node = tree.n++;
		let first = -1, latest = -1, next;

		tree.parent[node] = parent;
		tree.frame[node] = to[frame[head]];
		tree.depth[node] = depth;
		for (let source = head; source >= 0; source = next) {
			next = map[source];
			map[source] = node;
			for (let i = source + 1; i < end[source];) {
				// Its callees come next, as if they were the source's
				if (mark[i] & GONE) {
					map[i++] = node;
					continue;
				}
				const f = to[frame[i]];

				map[i] = -1;
				if (seen[f] === node) {
					map[last[f]] = i;
				} else {
					seen[f] = node;
					sibling[i] = -1;
					if (latest < 0)
						first = i;
					else
						sibling[latest] = i;
					latest = i;
				}
				last[f] = i;
				i = end[i];
			}
		}
		return first;
	}

	// A node and all below it, in which nothing changes
	copy(head, above, deep) {
		const { tree, map } = this, { parent, frame, depth, end } = this.from, by = tree.n - head, deeper = deep - depth[head];

		for (let i = head; i < end[head]; i++) {
			const node = map[i] = i + by;

			tree.parent[node] = parent[i] + by;
			tree.frame[node] = frame[i];
			tree.end[node] = end[i] + by;
			tree.depth[node] = depth[i] + deeper;
		}
		tree.parent[tree.n] = above;
		tree.n = end[head] + by;
	}

	run() {
		const { tree, map, mark, sibling } = this, todo = new Int32Array(MOST_DEEP), open = new Int32Array(MOST_DEEP);
		let depth = 1;

		map[0] = -1;
		todo[1] = this.add(0, -1, 0);
		while (depth > 0) {
			const head = todo[depth];

			if (head < 0) {
				tree.end[open[--depth]] = tree.n;
				continue;
			}
			todo[depth] = sibling[head];
			if (map[head] < 0 && !mark[head]) {
				this.copy(head, open[depth - 1], depth);
				continue;
			}
			open[depth] = tree.n;
			todo[depth + 1] = this.add(head, open[depth - 1], depth);
			depth++;
		}
		return this;
	}
}

// Return: { tree, place, gone }; @mark: the marks of nodes; @to: the frame that each frame becomes
function reshape(tree, place, mark, to) {
	const made = new Reshaping(tree, mark, to).run(), shaped = mapped(place, made.map);

	pool.give(mark, made.map, made.sibling);
	return { tree: made.tree, place: shaped, gone: tree.n - made.tree.n };
}

function sameFrames(model) {
	return Int32Array.from(model.names, (_, i) => i);
}

// The frames of a file become one frame, where they call each other.  @only: this file, or -1 for all
function collapseFiles(model, tree, place, only) {
	const { n, frame, parent } = tree, mark = marksOf(n), to = sameFrames(model), isOf = new Uint8Array(to.length);

	for (let f = 0; f < to.length; f++) {
		const file = model.file[f];

		if (file < 0 || (only >= 0 && file !== only))
			continue;
		to[f] = model.fileBase + file;
		isOf[f] = 1;
	}
	for (let i = 1; i < n; i++) {
		const f = frame[i];

		if (!isOf[f])
			continue;
		if (to[f] === to[frame[parent[i]]])
			mark[i] |= GONE;
		else if (to[f] === f)
			continue;
		markChanged(mark, parent, i);
	}
	return reshape(tree, place, mark, to);
}

function collapseRecursion(model, tree, place) {
	const { n, frame, parent } = tree, mark = marksOf(n);

	for (let i = 1; i < n; i++)
		if (frame[i] === frame[parent[i]]) {
			mark[i] |= GONE;
			markChanged(mark, parent, i);
		}
	return reshape(tree, place, mark, sameFrames(model));
}

function hide(model, tree, place, isOf) {
	const { n, frame, parent } = tree, mark = marksOf(n);

	for (let i = 1; i < n; i++)
		if (isOf[frame[i]]) {
			mark[i] |= GONE;
			markChanged(mark, parent, i);
		}
	return reshape(tree, place, mark, sameFrames(model));
}

// Without the callers of the functions, but with the threads and other roots.  Paths without them are filtered out
function focus(model, tree, place, isOf) {
	const { n, frame, parent, end } = tree, mark = marksOf(n), isFunction = sameFrames(model).map(f => model.isFunction(f) ? 1 : 0);

	for (let i = 1; i < n;) {
		if (isOf[frame[i]]) {
			i = end[i];
			continue;
		}
		if (isFunction[frame[i]]) {
			mark[i] |= GONE;
			markChanged(mark, parent, i);
		}
		i++;
	}
	return reshape(tree, place, mark, sameFrames(model));
}

// Nodes below @share of all become part of their callers.  Return: { tree, place, gone }
function prune(tree, place, share) {
	const { n, wide, parent, frame, end } = tree, least = wide[0] * share, map = new Int32Array(n), pruned = new Tree(1024);
	let gone = 0;

	map[0] = pruned.add(-1, 0);
	for (let i = 1; i < n;) {
		const above = map[parent[i]];

		if (wide[i] >= least && wide[i] > 0) {
			map[i] = pruned.add(above, frame[i]);
			i++;
			continue;
		}
		for (const last = end[i]; i < last; i++) {
			map[i] = above;
			gone += wide[i] > 0 ? 1 : 0;
		}
	}
	return { tree: pruned.close(), place: mapped(place, map), gone };
}
