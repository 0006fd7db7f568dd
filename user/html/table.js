// SPDX-License-Identifier: GPL-2.0-or-later
// table.js - sums of a tree by function or by file, as views/functions.c: recursion counts once

// outerNodes() of a tree whose nodes are in the order in which they are drawn
function outerInOrder(tree, rowOf, nrRows) {
	const { n, frame, depth } = tree, on = new Int32Array(nrRows), outer = new Int32Array(n).fill(-1), way = new Int32Array(70000);
	let height = 0;

	for (let i = 0; i < n; i++) {
		const row = rowOf[frame[i]];

		while (height > depth[i]) {
			const left = way[--height];

			if (left >= 0)
				on[left]--;
		}
		way[height++] = row;
		if (row >= 0 && on[row]++ === 0)
			outer[i] = row;
	}
	return outer;
}

// The row of each node, or -1 if it has none, or if one of its callers has it.  @rowOf: row of each frame, or -1
function outerNodes(tree, rowOf, nrRows) {
	if (tree.isInOrder)
		return outerInOrder(tree, rowOf, nrRows);
	const { parent, frame, first, next } = tree, on = new Int32Array(nrRows), outer = new Int32Array(tree.n).fill(-1);
	let i = 0;

	for (;;) {
		const row = rowOf[frame[i]];

		if (row >= 0 && on[row]++ === 0)
			outer[i] = row;
		if (first[i] >= 0) {
			i = first[i];
			continue;
		}
		for (;;) {
			const left = rowOf[frame[i]];

			if (left >= 0)
				on[left]--;
			if (i === 0)
				return outer;
			if (next[i] >= 0)
				break;
			i = parent[i];
		}
		i = next[i];
	}
}

// Return: for each side { self, total } of each row; @outer: of outerNodes()
function sumRows(tree, sides, outer, rowOf, nrRows) {
	const { frame, n } = tree;

	return sides.map(({ total, place, weights }) => {
		const selfs = new Float64Array(nrRows), totals = new Float64Array(nrRows);

		for (let i = 0; i < place.length; i++) {
			const row = place[i] < 0 ? -1 : rowOf[frame[place[i]]];

			if (row >= 0)
				selfs[row] += weights[i];
		}
		for (let i = 1; i < n; i++)
			if (outer[i] >= 0)
				totals[outer[i]] += total[i];
		return { self: selfs, total: totals };
	});
}

// Sums of facts by a value of their contexts
function sumValues(facts, valueOf, nrValues, weights) {
	return weights.map(weight => {
		const total = new Float64Array(nrValues);

		for (let i = 0; i < facts.nr; i++) {
			const value = valueOf[facts.context[i]];

			if (value >= 0 && weight[i])
				total[value] += weight[i];
		}
		return { self: total, total };
	});
}

// The whole weight of the outermost nodes with a frame of @isOf, for each side, and how many they are
function sumMatches(tree, isOf) {
	const { parent, frame, wide, sides } = tree, inside = new Uint8Array(tree.n), sums = sides.map(() => 0);
	let nr = 0;

	for (let i = 1; i < tree.n; i++) {
		if (inside[parent[i]]) {
			inside[i] = 1;
			continue;
		}
		if (!isOf[frame[i]] || !wide[i])
			continue;
		inside[i] = 1;
		nr++;
		for (let s = 0; s < sides.length; s++)
			sums[s] += sides[s].total[i];
	}
	return { sums, nr };
}

// These nodes, the widest first
function listMatches(tree, isOf) {
	const { parent, frame, wide } = tree, inside = new Uint8Array(tree.n), nodes = [];

	for (let i = 1; i < tree.n; i++) {
		inside[i] = inside[parent[i]] | isOf[frame[i]];
		if (inside[i] && !inside[parent[i]] && wide[i])
			nodes.push(i);
	}
	return nodes.sort((a, b) => wide[b] - wide[a] || a - b);
}
