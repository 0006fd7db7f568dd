// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a page of the viewer shows, in the form of the tool's JSON
"use strict";

// enum frame_kind, as views/json_parts.c writes it
const KINDS = ["thread", "user", "inlined", "kernel", "softirq", "note", "root"];

// Rows as sorted lines: name, file, kind, and both weights of self and total
function linesOf(rows) {
	return rows.map(r => [r.name, r.file || "", r.kind, r.self.samples, r.self.ns, r.total.samples, r.total.ns].join("|"))
		.sort();
}

// The rows of a table of the viewer; both weights: the index of samples, and of time or -1
function rowsOf(viewer, by, samples, time) {
	const { model } = viewer, tables = [samples, time].map(weight => {
		if (weight < 0)
			return null;
		viewer.go({ weight });
		const shown = viewer.shown;

		return by === "function" ? shown.functionRows()[0] : by === "file" ? shown.fileRows()[0] :
			shown.valueRows(model.dim(by))[0];
	});
	const rows = [];

	for (let i = 0; i < tables[0].total.length; i++) {
		const of = key => ({ samples: tables[0][key][i], ns: tables[1] ? tables[1][key][i] : 0 });
		const row = { self: of("self"), total: of("total") };

		if (!row.total.samples && !row.total.ns)
			continue;
		if (by === "function")
			Object.assign(row, { name: model.names[i], file: model.fileOf(i), kind: KINDS[model.kind[i]] });
		else
			Object.assign(row, { name: viewer.table.source({ by: by === "file" ? "files" : by }, viewer.shown).nameOf(i), kind: "" });
		rows.push(row);
	}
	return rows;
}

// All nodes of a tree as "name > name": total
function pathsOf(viewer, tree) {
	const paths = {}, walk = (node, way) => {
		for (let i = tree.firstOf(node); i >= 0; i = tree.nextOf(i)) {
			const path = way.concat(viewer.model.names[tree.frame[i]]);

			if (tree.sides[0].total[i])
				paths[path.join(" > ")] = tree.sides[0].total[i];
			walk(i, path);
		}
	};

	walk(0, []);
	return paths;
}

// The same of a call tree of 'kflame report --json', without its first level
function pathsOfReport(calls) {
	const paths = {}, ways = [];

	calls.forEach((call, i) => {
		ways[i] = call.caller === null ? [] : ways[call.caller].concat(call.name);
		if (ways[i].length)
			paths[ways[i].join(" > ")] = (paths[ways[i].join(" > ")] || 0) + call.total.samples;
	});
	return paths;
}

function sameObject(a, b) {
	const sorted = o => JSON.stringify(Object.entries(o).sort(([x], [y]) => x < y ? -1 : 1));

	return sorted(a) === sorted(b) ? "" : sorted(a).slice(0, 300) + " is not " + sorted(b).slice(0, 300);
}
