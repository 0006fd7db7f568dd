// SPDX-License-Identifier: GPL-2.0-or-later
// change.js - what chips do: leave facts out, reshape paths, prune a tree

// Which paths have a frame of @isOf on their way
function pathsWith(paths, isOf) {
	const has = new Uint8Array(paths.n);

	for (let i = 1; i < paths.n; i++)
		has[i] = has[paths.parent[i]] | isOf[paths.frame[i]];
	return has;
}

// Leaves out facts of @left, a number for each fact, where @isOut(fact).  Return: which they are, by weight
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

/*
 * Paths anew.  @frameOf(path, above): the frame that a path gets below the frame @above; -1 if it becomes part of
 * its caller; -2 if it is left out, and its callees are below the root.
 * Return: { n, parent, frame, map }: map has the new path of each one, or -1
 */
function reshape(paths, frameOf) {
	const parent = new Int32Array(paths.n), frame = new Int32Array(paths.n), map = new Int32Array(paths.n).fill(-1);
	const pairs = new PairMap(paths.n);
	let n = 1;

	map[0] = 0;
	for (let i = 1; i < paths.n; i++) {
		const above = map[paths.parent[i]], to = above < 0 ? 0 : above, f = frameOf(i, frame[to]);

		if (f < 0) {
			map[i] = f === -1 ? above : -1;
			continue;
		}
		const found = pairs.find(to, f, parent, frame);

		if (found >= 0) {
			map[i] = found;
			continue;
		}
		parent[n] = to;
		frame[n] = f;
		pairs.set(~found, n);
		map[i] = n++;
	}
	return { n, parent, frame, map };
}

// The frames of a file become one frame, where they call each other
function collapseFiles(model, paths, isFile) {
	return reshape(paths, (path, above) => {
		const frame = paths.frame[path], file = model.file[frame];

		if (file < 0 || !isFile(file))
			return frame;
		return above === model.fileBase + file ? -1 : model.fileBase + file;
	});
}

function collapseRecursion(paths) {
	return reshape(paths, (path, above) => paths.frame[path] === above ? -1 : paths.frame[path]);
}

function hide(paths, isOf) {
	return reshape(paths, path => isOf[paths.frame[path]] ? -1 : paths.frame[path]);
}

// Only paths with one of the functions, without its callers
function focus(paths, isOf) {
	const has = pathsWith(paths, isOf);

	return reshape(paths, path => has[path] ? paths.frame[path] : -2);
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
	return { tree: pruned, place: place.map(i => i < 0 ? -1 : map[i]), gone };
}
