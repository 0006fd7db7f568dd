// SPDX-License-Identifier: GPL-2.0-or-later
// decode.js - the data of the file, as typed arrays: the reader of view_meta.c, view_paths.c, view_times.c

async function unwrap(text) {
	return inflate(fromBase64(text));
}

async function decodeMeta(text) {
	return JSON.parse(new TextDecoder().decode(await unwrap(text)));
}

/*
 * Paths come with each caller before its callees: a column has how much less deep the next one is than a callee.
 * Return: { n, parent, end, depth }, as in a tree
 */
function nestingOf(rises, n) {
	const parent = new Int32Array(n), end = new Int32Array(n), depth = new Uint16Array(n), way = [0];
	let deep = 0;

	parent[0] = -1;
	for (let i = 1; i < n; i++) {
		for (let up = rises[i - 1]; up > 0 && deep > 0; up--)
			end[way[deep--]] = i;
		parent[i] = way[deep];
		way[++deep] = i;
		depth[i] = deep;
	}
	while (deep >= 0)
		end[way[deep--]] = n;
	return { n, parent, end, depth };
}

// A callee is written as its rank among the callees of its caller's function, or 0 where it is a new one
function framesOf(parent, ranks, added, n) {
	const frame = new Int32Array(n), callees = [];

	for (let i = 1, k = 0; i < n; i++) {
		const caller = frame[parent[i]], list = callees[caller] || (callees[caller] = []);

		if (!ranks[i - 1])
			list.push(added[k++]);
		frame[i] = list[(ranks[i - 1] || list.length) - 1];
	}
	return frame;
}

function decodeFrames(reader) {
	const names = reader.texts(), files = reader.texts();
	const file = reader.ints(names.length).map(i => i - 1);

	return { names, files, file, kinds: reader.column().slice() };
}

function decodeFacts(reader, period) {
	const nr = reader.number(), path = reader.ints(nr), context = reader.ints(nr);
	const samples = reader.doubles(nr, false), weight = reader.doubles(nr, true);

	for (let i = 0, last = 0; i < nr; i++) {
		last = path[i] += last;
		weight[i] += samples[i] * period;
	}
	return { nr, path, context, samples, weight };
}

async function decodePaths(text, meta) {
	const reader = new Reader(await unwrap(text));
	const frames = decodeFrames(reader), n = reader.number();
	const nesting = nestingOf(reader.ints(n - 1), n), ranks = reader.ints(n - 1);
	const frame = framesOf(nesting.parent, ranks, unpackAll(reader.column()), n);
	const facts = decodeFacts(reader, meta.period), nrContexts = reader.number();
	const contexts = meta.dims.map(() => reader.ints(nrContexts).map(value => value - 1));
	const spots = meta.source ? reader.ints(nrContexts).map(spot => spot - 1) : null;

	return { frames, paths: { ...nesting, frame }, facts, contexts, spots };
}

// How the time of a sample follows from the ones before it: see view_times.c
function timeKeys(data, meta) {
	const cpus = data.contexts[meta.dims.findIndex(dim => dim.key === "cpu")];
	const events = data.contexts[meta.dims.findIndex(dim => dim.key === "event")];
	const nr = data.facts.nr, stream = new Int32Array(nr), base = new Float64Array(nr);

	for (let i = 0; i < nr; i++) {
		const context = data.facts.context[i], isTimer = meta.events[events[context]].timer;

		stream[i] = 2 * (cpus ? cpus[context] + 1 : 0) + (isTimer ? 1 : 0);
		base[i] = isTimer && data.facts.samples[i] ? meta.period : 0;
	}
	return { stream, base };
}

async function decodeTimes(text, keys) {
	const reader = new Reader(await unwrap(text)), nr = reader.number();
	const time = reader.doubles(nr, true), fact = reader.ints(nr), weight = reader.doubles(nr, true);
	const expected = [];
	let late = 0;

	for (let i = 0; i < nr; i++) {
		const stream = keys.stream[fact[i]], isTimer = stream & 1, base = keys.base[fact[i]];

		time[i] += expected[stream] || 0;
		weight[i] += base;
		// Late time has no length of its own: it is part of the next sample's
		expected[stream] = time[i] + (isTimer && base ? weight[i] + late : 0);
		late = isTimer && !base ? weight[i] : 0;
	}
	return { time, fact, weight };
}
