// SPDX-License-Identifier: GPL-2.0-or-later
// change.js - what chips do: leave facts out, reshape paths, prune a tree

// Marks the paths that contain a frame of @isOf
function pathsWith(paths, isOf) {
	const has = new Uint8Array(paths.n);

	for (let i = 1; i < paths.n; i++)
		has[i] = has[paths.parent[i]] | isOf[paths.frame[i]];
	return has;
}

// Leaves out facts of @left, a number for each fact, where @isOut(fact).  Return: their weight, by each of @weights
function leaveOut(left, isOut, weights) {
	const gone = weights.map(() => 0);

	for (let i = 0; i < left.length; i++) {
		if (!left[i] || !isOut(i))
			continue;
		left[i] = 0;
		weights.forEach((weight, s) => {
			gone[s] += weight[i];
		});
	}
	return gone;
}

// A tree that is being made anew.  Only below a path that several others became can two callees be one: then its
// callees are in a hash table
class Reshaping {
	constructor(n) {
		this.n = 1;
		this.parent = new Int32Array(n);
		this.frame = new Int32Array(n);
		this.first = new Int32Array(n).fill(-1);
		this.next = new Int32Array(n).fill(-1);
		this.isShared = new Uint8Array(n);
		this.pairs = new PairMap(1024);
	}

	share(path) {
		if (this.isShared[path])
			return;
		this.isShared[path] = 1;
		for (let i = this.first[path]; i >= 0; i = this.next[i])
			this.pairs.put(path, this.frame[i], i, this);
	}

	// The tree, whose nodes are not in the order in which they are drawn
	tree() {
		const tree = new Tree(0), depth = new Uint16Array(this.parent.length);

		for (let i = 1; i < this.n; i++)
			depth[i] = depth[this.parent[i]] + 1;
		this.parent[0] = -1;
		return Object.assign(tree, { n: this.n, parent: this.parent, frame: this.frame, first: this.first, next: this.next,
			depth }).link();
	}

	// The callee @frame of @parent, which is made if it is not there
	find(parent, frame) {
		const found = this.isShared[parent] ? this.pairs.find(parent, frame, this) : -1;

		if (found >= 0) {
			this.share(found);
			return found;
		}
		const i = this.n++;

		this.parent[i] = parent;
		this.frame[i] = frame;
		this.next[i] = this.first[parent];
		this.first[parent] = i;
		if (this.isShared[parent])
			this.pairs.put(parent, frame, i, this);
		return i;
	}
}

/*
 * A tree anew.  @frameOf(node, above): the frame that a node gets below the frame @above; -1: it becomes part of its
 * caller.  Return: { tree, place, gone }
 */
function reshape(tree, place, frameOf) {
	const { n, parent, frame } = tree, made = new Reshaping(n), map = new Int32Array(n);

	for (let i = 1; i < n; i++) {
		const above = map[parent[i]], to = frameOf(i, made.frame[above]);

		if (to < 0) {
			map[i] = above;
			made.share(above);
			continue;
		}
		// With another frame than before, callees may be equal
		if (to !== frame[i])
			made.share(above);
		map[i] = made.find(above, to);
	}
	return { tree: made.tree(), place: place.map(i => i < 0 ? -1 : map[i]), gone: n - made.n };
}

// The frames of a file become one frame, where they call each other
function collapseFiles(model, tree, place, isFile) {
	return reshape(tree, place, (i, above) => {
		const frame = tree.frame[i], file = model.file[frame];

		if (file < 0 || !isFile(file))
			return frame;
		return above === model.fileBase + file ? -1 : model.fileBase + file;
	});
}

function collapseRecursion(tree, place) {
	const { frame } = tree;

	return reshape(tree, place, (i, above) => frame[i] === above ? -1 : frame[i]);
}

function hide(tree, place, isOf) {
	const { frame } = tree;

	return reshape(tree, place, i => isOf[frame[i]] ? -1 : frame[i]);
}

// Without the callers of the functions, but with the threads and other roots.  Paths without them are filtered out
function focus(model, tree, place, isOf) {
	const has = pathsWith(tree, isOf), { frame } = tree;

	return reshape(tree, place, i => has[i] || !model.isFunction(frame[i]) ? frame[i] : -1);
}

// Nodes below @share of all become part of their callers.  Return: { tree, place, gone }
function prune(tree, place, share) {
	const least = tree.wide[0] * share, map = new Int32Array(tree.n).fill(-1), pruned = new Tree(1024);
	let gone = 0;

	map[0] = pruned.add(-1, 0);
	for (let i = 1; i < tree.n; i++) {
		if (tree.wide[i] >= least && tree.wide[i] > 0) {
			map[i] = pruned.add(map[tree.parent[i]], tree.frame[i]);
			continue;
		}
		map[i] = map[tree.parent[i]];
		gone += tree.wide[i] > 0 ? 1 : 0;
	}
	return { tree: pruned.link(), place: place.map(i => i < 0 ? -1 : map[i]), gone };
}
