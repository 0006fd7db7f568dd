// SPDX-License-Identifier: GPL-2.0-or-later
// model.js - the profile: its frames, dimensions, weights, and samples with a time

function makeWeights(events) {
	const choices = [], timer = events.findIndex(e => e.timer), wait = events.findIndex(e => e.wait);

	events.forEach((e, i) => {
		const add = (label, of, unit, what) => choices.push({ label, of, unit, what, events: [i] });

		if (e.counted) {
			add(e.counted === e.name || e.counted === "samples" ? e.counted : e.counted + " (" + e.name + ")",
			    "weight", e.counted === "bytes" ? "bytes" : "count", e.counted);
			return;
		}
		const what = e.timer ? "samples" : e.wait ? "waits" : "calls";
		const time = e.timer ? "time on CPU" : e.wait ? "time waiting" : "time in calls";

		add(what + " (" + e.name + ")", "samples", "count", what);
		add(time + " (" + e.name + ")", "weight", "ns", "");
		if (!e.timer)
			choices.splice(-2, 2, ...choices.slice(-2).reverse());
	});
	if (timer >= 0 && wait >= 0)
		choices.push({ label: "all time: running and waiting", of: "weight", unit: "ns", what: "",
			events: [timer, wait] });
	return choices;
}

class Model {
	constructor({ meta, data }) {
		this.meta = meta;
		this.paths = data.paths;
		this.facts = data.facts;
		this.spots = data.spots;
		this.nrContexts = data.contexts.length ? data.contexts[0].length : 0;
		this.makeFrames(data.frames);
		this.makeDims(data.contexts);
		this.weights = makeWeights(meta.events);
		this.defaultWeight = Math.max(0, this.weights.findIndex(w => w.events[0] === meta.event));
		this.chunks = [];
		this.chunksLeft = meta.times ? meta.times.chunks : 0;
		this.sides = this.dim("side") >= 0 ? this.dims[this.dim("side")].values : null;
		this.colors = {};
		this.hasIdle = this.names.some((name, i) => name === "[idle]" && this.kind[i] === KIND.NOTE);
	}

	// Frames: functions; then a frame for each file; then one for each value of a dimension
	makeFrames({ names, files, file, kinds }) {
		this.fileBase = names.length;
		this.files = files;
		this.names = names.concat(files.map(name => "[" + name + "]"));
		this.kind = Array.from(kinds).concat(files.map(() => KIND.USER));
		this.file = new Int32Array(this.names.length).fill(-1);
		file.forEach((f, i) => {
			this.file[i] = f;
			if (f >= 0 && (kinds[i] === KIND.KERNEL || kinds[i] === KIND.SOFTIRQ))
				this.kind[this.fileBase + f] = KIND.KERNEL;
		});
		files.forEach((_, i) => {
			this.file[this.fileBase + i] = i;
		});
	}

	makeDims(contexts) {
		this.dims = this.meta.dims.map((dim, i) => {
			const base = this.names.length;

			this.names = this.names.concat(dim.values);
			for (let k = 0; k < dim.values.length; k++)
				this.kind.push(dim.key === "comm" ? KIND.COMM : KIND.ROOT);
			return { key: dim.key, label: dim.label, values: dim.values, base, of: contexts[i] };
		});
		this.nrFrames = this.names.length;
		this.file = larger(this.file, this.nrFrames, -1);
	}

	dim(key) {
		return this.dims.findIndex(dim => dim.key === key);
	}

	fileOf(frame) {
		return this.file[frame] < 0 ? "" : this.files[this.file[frame]];
	}

	isFunction(frame) {
		return frame > 0 && frame < this.fileBase + this.files.length;
	}

	color(frame, palette) {
		const colors = this.colors[palette] || (this.colors[palette] = []);

		return colors[frame] || (colors[frame] =
			colorOf(this.names[frame], this.fileOf(frame), this.kind[frame], palette));
	}

	// All frames with the name of @frame: 1 in an array by frame
	sameName(frame) {
		const isOf = new Uint8Array(this.nrFrames), name = this.names[frame];
		const from = this.isFunction(frame) ? 1 : this.fileBase, to = this.isFunction(frame) ? this.fileBase : this.nrFrames;

		for (let i = from; i < to; i++)
			isOf[i] = this.names[i] === name ? 1 : 0;
		isOf[frame] = 1;
		return isOf;
	}

	// Which contexts have an event of the choice
	usesContext(choice) {
		const event = this.dims[this.dim("event")].of;

		return Uint8Array.from(event, e => choice.events.includes(e) ? 1 : 0);
	}

	// The weight of each fact, of the whole recording
	factWeights(choice, side) {
		const { nr, context, samples, weight } = this.facts, uses = this.usesContext(choice);
		const from = choice.of === "samples" ? samples : weight, to = new Float64Array(nr);
		const sides = side === undefined ? null : this.dims[this.dim("side")].of;

		for (let i = 0; i < nr; i++)
			if (uses[context[i]] && (!sides || sides[context[i]] === side))
				to[i] = from[i];
		return to;
	}

	addChunk(chunk) {
		this.chunks.push(chunk);
		this.chunksLeft--;
	}

	// Which contexts have samples that are recorded at the end of their time: waits and calls
	endsContext() {
		const event = this.dims[this.dim("event")].of;

		if (!this.ends)
			this.ends = Uint8Array.from(event, e =>
				!this.meta.events[e].timer && !this.meta.events[e].counted ? 1 : 0);
		return this.ends;
	}

	// Calls fn(fact, begin, end, weight, isLate) for each sample between two times; a wait is cut to them
	eachSample(from, to, fn) {
		const ends = this.endsContext(), hasEnds = ends.includes(1), { context, samples } = this.facts;

		for (const { time, fact, weight } of this.chunks) {
			for (let i = hasEnds ? 0 : lowerBound(time, from); i < time.length && (hasEnds || time[i] < to); i++) {
				const f = fact[i], at = time[i], w = weight[i];

				if (!ends[context[f]]) {
					if (at >= from && at < to)
						fn(f, at, at + w, w, !samples[f]);
					continue;
				}
				const begin = at > w ? at - w : 0;

				if (begin === at ? at >= from && at < to : begin < to && at > from) {
					const a = begin > from ? begin : from, b = at < to ? at : to;

					fn(f, a, b, b - a, false);
				}
			}
		}
	}

	// As factWeights(), of a part of the recording
	rangeWeights(choice, [from, to]) {
		const { nr, context, samples } = this.facts, sums = new Float64Array(nr), uses = this.usesContext(choice);
		const { each } = this.meta.times, isSamples = choice.of === "samples";

		if (this.endsContext().includes(1))
			this.eachSample(from, to, (f, begin, end, weight) => {
				sums[f] += isSamples ? 1 : weight;
			});
		else
			this.addSamples(sums, from, to, isSamples);
		// Late time is no sample of its own
		for (let i = 0; i < nr; i++)
			sums[i] = uses[context[i]] && (!isSamples || samples[i]) ? sums[i] * each : 0;
		return sums;
	}

	// The common case: each sample is recorded when its time begins
	addSamples(sums, from, to, isSamples) {
		for (const { time, fact, weight } of this.chunks) {
			const end = lowerBound(time, to);

			for (let i = lowerBound(time, from); i < end; i++)
				sums[fact[i]] += isSamples ? 1 : weight[i];
		}
	}
}

function lowerBound(sorted, value) {
	let low = 0, high = sorted.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * What is shown: the tree of a view, made in steps. Each step is made again only if something before it changed.
 */
class Shown {
	constructor(model) {
		this.model = model;
		this.cache = {};
	}

	step(name, key, make) {
		const known = this.cache[name];

		if (known && known.key === key)
			return known.value;
		// Without chips that reshape it, the tree is in both steps
		delete this.cache[name];
		if (known && !(this.cache.tree && this.cache.tree.value.tree === known.value.tree))
			known.value.tree.free();
		const value = make();

		this.cache[name] = { key, value };
		return value;
	}

	// The weights of each side: of two profiles, of two parts of one, or only one
	sideWeights(choice, view) {
		if (this.model.sides)
			return [0, 1].map(side => this.model.factWeights(choice, side));
		if (view.range && view.other && this.model.chunks.length)
			return [this.model.rangeWeights(choice, view.other), this.model.rangeWeights(choice, view.range)];
		// A part that waits for the other one to compare with
		if ((view.range || view.other) && this.model.chunks.length)
			return [this.model.rangeWeights(choice, view.range || view.other)];
		return [this.model.factWeights(choice)];
	}

	// Leaves out of @left what a filter takes away.  Return: its weight
	leaveOutBy(chip, left, weights) {
		const { model } = this;

		if (chip.kind === "in" || chip.kind === "not")
			return leaveOut(left, factsIn(model, model.dims[chip.dim].of, chip.value), chip.kind === "in" ? 1 : 0, weights);
		const isOf = chip.kind === "idle" ? this.idleFrames() : model.sameName(chip.frame);
		const isOnly = chip.kind === "only" || chip.kind === "focus";

		return leaveOut(left, factsWith(model, isOf), isOnly ? 1 : 0, weights);
	}

	idleFrames() {
		return Uint8Array.from(this.model.names, (name, i) =>
			name === "[idle]" && this.model.kind[i] === KIND.NOTE ? 1 : 0);
	}

	// Which facts stay, and what each chip took away
	filter(chips, weights) {
		const left = new Uint8Array(this.model.facts.nr).fill(1), gone = new Map();

		for (const chip of chips)
			if (FILTERS.includes(chip.kind))
				gone.set(chipText(chip), this.leaveOutBy(chip, left, weights));
		return { left, gone };
	}

	reshapeBy(chip, tree, place) {
		const { model } = this;

		switch (chip.kind) {
		case "hide": return hide(model, tree, place, model.sameName(chip.frame));
		case "focus": return focus(model, tree, place, model.sameName(chip.frame));
		case "rec": return collapseRecursion(model, tree, place);
		default: return collapseFiles(model, tree, place, chip.file);
		}
	}

	// The tree after hide, focus and collapse
	shape(chips, { tree, place }) {
		const gone = new Map(), built = tree;

		for (const chip of chips) {
			if (!SHAPES.includes(chip.kind))
				continue;
			const shaped = this.reshapeBy(chip, tree, place);

			gone.set(chipText(chip), shaped.gone);
			if (tree !== built)
				tree.free();
			({ tree, place } = shaped);
		}
		return { tree, place, gone };
	}

	// The sums of the facts that filters left, for each side
	sums(tree, place, weights, left) {
		for (const weight of weights)
			for (let i = 0; i < left.length; i++)
				if (!left[i])
					weight[i] = 0;
		return weights.map(weight => tree.sum(place, weight));
	}

	// Samples decide what is significant, whatever is drawn
	sampleTree(view, choice, tree, place, left) {
		const other = this.model.weights.find(w => w.of === "samples" && w.events[0] === choice.events[0]);

		if (choice.what === "samples")
			return tree.sides;
		if (tree.sides.length < 2 || !other || other.what !== "samples" || choice.events.length > 1)
			return null;
		return this.sums(tree, place, this.sideWeights(other, view), left);
	}

	update(view) {
		const choice = this.model.weights[view.weight], chipKey = kinds =>
			view.chips.filter(chip => kinds.includes(chip.kind)).map(chipText).join();
		const timeKey = [view.weight, view.range, view.other, view.range || view.other ? this.model.chunks.length : 0].join();
		const rootKey = view.roots.join(), treeKey = chipKey(SHAPES) + "/" + rootKey;
		const allKey = [timeKey, treeKey, chipKey(FILTERS), chipKey(["below"])].join("/");

		if (this.key === allKey)
			return this;
		const built = this.step("tree", rootKey, () => buildTree(this.model, view.roots));
		const shaped = this.step("shape", treeKey, () => this.shape(view.chips, built));
		let { tree, place } = shaped;
		const weights = this.sideWeights(choice, view), whole = weights.map(w => w.reduce((a, b) => a + b, 0));
		const { left, gone } = this.filter(view.chips, weights);

		tree.weigh(this.sums(tree, place, weights, left));
		shaped.gone.forEach((nr, chip) => gone.set(chip + "#", nr));
		for (const chip of view.chips.filter(c => c.kind === "below")) {
			const pruned = prune(tree, place, chip.share);

			({ tree, place } = pruned);
			tree.weigh(this.sums(tree, place, weights, left));
			gone.set(chipText(chip) + "#", pruned.gone);
		}
		Object.assign(this, { key: allKey, choice, tree, place, weights, whole, left, gone, tables: {}, lazy: {} });
		this.samples = this.sampleTree(view, choice, tree, place, left);
		return this;
	}

	get isComparison() {
		return this.tree.sides.length > 1;
	}

	// p of a node, or of sums of a row: of samples on both sides; 1 if there is no test
	pOf(base, other) {
		const [a, b] = this.samples ? this.samples.map(side => side.total[0]) : [0, 0];

		return this.samples ? pOfShares(base, a, other, b) : 1;
	}

	inverted() {
		return this.lazy.inverted || (this.lazy.inverted = invert(this.tree, this.model.nrFrames));
	}

	sandwich(frame) {
		if (this.lazy.frame !== frame)
			Object.assign(this.lazy, { frame,
				both: sandwich(this.tree, this.model.sameName(frame), frame, this.model.nrFrames) });
		return this.lazy.both;
	}

	// The row of each frame in a table of functions or files, and how many rows there are
	rowsOf(by) {
		const { model } = this, last = model.files.length;

		if (!model.rowsOf)
			model.rowsOf = {
				functions: { nr: model.fileBase + last, of: Int32Array.from(model.names, (_, i) => model.isFunction(i) ? i : -1) },
				files: { nr: last + 2, of: Int32Array.from(model.names, (_, i) =>
					!model.isFunction(i) ? -1 : model.file[i] >= 0 ? model.file[i] :
					last + (model.kind[i] === KIND.KERNEL || model.kind[i] === KIND.SOFTIRQ ? 0 : 1)) },
			};
		return model.rowsOf[by];
	}

	sumRows(by, sides) {
		const rows = this.rowsOf(by);

		return sumRows(this.tree, sides, rows.of, rows.nr);
	}

	functionRows() {
		return this.tables.functions || (this.tables.functions = this.sumRows("functions", this.tree.sides));
	}

	// Significance needs sums of samples, too
	sampleRows() {
		if (!this.samples || this.samples === this.tree.sides)
			return this.functionRows();
		return this.tables.samples || (this.tables.samples = this.sumRows("functions", this.samples));
	}

	fileRows() {
		return this.tables.files || (this.tables.files = this.sumRows("files", this.tree.sides));
	}

	valueRows(dim) {
		const key = "dim" + dim, { model } = this;

		return this.tables[key] || (this.tables[key] =
			sumValues(model.facts, model.dims[dim].of, model.dims[dim].values.length, this.weights));
	}
}
