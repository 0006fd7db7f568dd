// SPDX-License-Identifier: GPL-2.0-or-later
// table.js - sums of a tree by function or by file, as views/functions.c: recursion counts once

// @rowOf: row of each frame, or -1.  Return: for each side { self, total } of each row
function sumRows(tree, rowOf, nrRows) {
	const { parent, frame, first, next, wide, sides } = tree, on = new Int32Array(nrRows);
	const sums = sides.map(() => ({ self: new Float64Array(nrRows), total: new Float64Array(nrRows) }));
	let i = 0;

	for (;;) {
		const row = rowOf[frame[i]];

		if (row >= 0) {
			const isOuter = on[row]++ === 0;

			for (let s = 0; s < sides.length; s++) {
				sums[s].self[row] += sides[s].self[i];
				if (isOuter)
					sums[s].total[row] += sides[s].total[i];
			}
		}
		if (first[i] >= 0 && wide[i]) {
			i = first[i];
			continue;
		}
		for (;;) {
			const left = rowOf[frame[i]];

			if (left >= 0)
				on[left]--;
			if (i === 0)
				return sums;
			if (next[i] >= 0)
				break;
			i = parent[i];
		}
		i = next[i];
	}
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

// The whole weight of the outermost nodes with a frame of @isOf, for each side, and these nodes
function sumMatches(tree, isOf) {
	const inside = new Uint8Array(tree.n), nodes = [], sums = tree.sides.map(() => 0);

	for (let i = 1; i < tree.n; i++) {
		if (inside[tree.parent[i]]) {
			inside[i] = 1;
			continue;
		}
		if (!isOf[tree.frame[i]] || !tree.wide[i])
			continue;
		inside[i] = 1;
		nodes.push(i);
		tree.sides.forEach((side, s) => {
			sums[s] += side.total[i];
		});
	}
	return { sums, nodes };
}
