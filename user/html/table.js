// SPDX-License-Identifier: GPL-2.0-or-later
// table.js - sums of a tree by function or by file, as views/functions.c: recursion counts once

// The weights of facts by the row of the function that ran.  @rowOf: row of each frame, or -1
function sumSelf({ frame }, { place, weights }, rowOf, nrRows) {
	const sums = new Float64Array(nrRows);

	for (let i = 0; i < place.length; i++) {
		const row = place[i] < 0 ? -1 : rowOf[frame[place[i]]];

		if (row >= 0)
			sums[row] += weights[i];
	}
	return sums;
}

// The totals of the outermost nodes of each row; until[]: where the last of them ends
function sumTotal({ n, frame, end }, { total }, rowOf, nrRows) {
	const sums = new Float64Array(nrRows), until = new Int32Array(nrRows);

	for (let i = 1; i < n; i++) {
		const row = rowOf[frame[i]];

		if (row < 0 || i < until[row])
			continue;
		until[row] = end[i];
		sums[row] += total[i];
	}
	return sums;
}

// Return: for each side { self, total } of each row
function sumRows(tree, sides, rowOf, nrRows) {
	return sides.map(side => ({ self: sumSelf(tree, side, rowOf, nrRows), total: sumTotal(tree, side, rowOf, nrRows) }));
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

// The outermost nodes with a frame of @isOf and a width
function matchesOf(tree, isOf) {
	const { n, frame, end, wide } = tree, nodes = [];

	for (let i = 1; i < n;) {
		if (isOf[frame[i]] && wide[i]) {
			nodes.push(i);
			i = end[i];
		} else {
			i++;
		}
	}
	return nodes;
}

// The whole weight of these nodes, for each side, and how many they are
function sumMatches(tree, isOf) {
	const nodes = matchesOf(tree, isOf);

	return { nr: nodes.length, sums: tree.sides.map(({ total }) => {
		let sum = 0;

		for (const i of nodes)
			sum += total[i];
		return sum;
	}) };
}

// These nodes, the widest first
function listMatches(tree, isOf) {
	const { wide } = tree;

	return matchesOf(tree, isOf).sort((a, b) => wide[b] - wide[a] || a - b);
}
