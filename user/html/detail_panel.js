// SPDX-License-Identifier: GPL-2.0-or-later
// detail_panel.js - one function: what it weighs, in which threads, and what can be done; and the recording

class DetailPanel {
	constructor(app) {
		this.app = app;
		this.panel = el("div", { class: "detail" });
	}

	actions(frame) {
		const { app } = this, { model } = app;
		const all = [];

		if (!model.isFunction(frame))
			return [button("only this", "Only samples with it (o)", () => app.addChip("in", frame)),
				button("without it", "No samples with it (d)", () => app.addChip("not", frame))];
		all.push(button("callers, callees", "Sandwich (s)", () => app.go({ mode: "sandwich", frame })),
			button("only stacks with it", "Keep only them (o)", () => app.addChip("only", frame)),
			button("drop stacks with it", "Leave them out (d)", () => app.addChip("drop", frame)),
			button("focus", "Only its stacks, without its callers (f)", () => app.addChip("focus", frame)),
			button("hide", "Its time becomes its callers' (h)", () => app.addChip("hide", frame)));
		if (app.source && app.source.has(frame))
			all.push(button("source, instructions", "Its lines and instructions (v)", () => app.go({ panel: "source", frame, line: "" })));
		if (model.file[frame] >= 0)
			all.push(button("collapse " + model.fileOf(frame), "Its file becomes one frame (l)", () => app.addChip("lib", frame)));
		return all;
	}

	// Which threads, processes, ... have it, the heaviest first
	breakdown(dim, has, shown) {
		const { model } = this.app, sums = new Float64Array(dim.values.length), weight = shown.weights[shown.weights.length - 1];
		let all = 0;

		for (let i = 0; i < model.facts.nr; i++) {
			if (!weight[i] || !has(i))
				continue;
			all += weight[i];
			if (dim.of[model.facts.context[i]] >= 0)
				sums[dim.of[model.facts.context[i]]] += weight[i];
		}
		const rows = Array.from(sums.keys()).filter(i => sums[i]).sort((a, b) => sums[b] - sums[a]);

		return el("div", {}, el("h3", { text: "by " + dim.label }), el("table", {}, ...rows.slice(0, 8).map(i =>
			el("tr", {}, el("td", { class: "number", text: this.app.format(sums[i]) }),
				el("td", { class: "number", text: formatShare(sums[i], all) }), el("td", { text: dim.values[i] })))),
			el("p", { class: "note", text: rows.length > 8 ? formatCount(rows.length - 8) + " more" : "" }));
	}

	// Does a fact have the frame?  As the table: before paths are reshaped
	hasFrame(frame) {
		const { model } = this.app, { context } = model.facts;

		if (model.isFunction(frame)) {
			const isOf = frame < model.fileBase ? model.sameName(frame) :
				Uint8Array.from(model.file, (file, i) => file === frame - model.fileBase && i < model.fileBase ? 1 : 0);
			const has = factsWith(model, isOf);

			return i => has[i];
		}
		const dim = model.dims.find(d => frame >= d.base && frame < d.base + d.values.length);

		return i => dim.of[context[i]] === frame - dim.base;
	}

	stack() {
		const { app } = this, node = app.panelOfCursor(), names = node.tree.framesOf(node.cursor).map(f => app.model.names[f]);

		if (!names.length)
			return [];
		return [el("h3", { text: "stack at the cursor" }),
			el("div", { class: "bar" }, button("copy", "Copy the stack (c)", () => app.copyStack())),
			el("ol", { class: "stack" }, ...names.map(text => el("li", { text })))];
	}

	update(view, shown) {
		const { app } = this, { model } = app, frame = view.frame;

		if (frame <= 0) {
			fill(this.panel, el("p", { text: "Choose a function: in the table, or with Shift and a click in a picture." }),
				...this.stack());
			return;
		}
		const has = this.hasFrame(frame), isFile = frame >= model.fileBase && model.isFunction(frame);
		const sums = isFile ? shown.fileRows() : shown.functionRows(), row = isFile ? model.file[frame] : frame;
		const whole = shown.tree.sides.map(side => side.total[0]);
		const line = (key, s) => app.format(sums[s][key][row]) + " (" + formatShare(sums[s][key][row], whole[s]) + ")";
		const lines = model.isFunction(frame) ? sums.map((_, s) =>
			(sums.length > 1 ? "AB"[s] + ": " : "") + "self " + line("self", s) + ", total " + line("total", s)) : [];

		fill(this.panel, el("h2", { text: model.names[frame] }), el("p", { class: "note", text: model.fileOf(frame) }),
			...lines.map(text => el("p", { text })), el("div", { class: "actions" }, ...this.actions(frame)),
			...model.dims.filter(dim => dim.values.length > 1 && dim.key !== "event")
				.map(dim => this.breakdown(dim, has, shown)),
			...this.stack());
	}
}

// What was recorded, what was lost, and why frames have no name
function accountPanel(model) {
	const { meta } = model, notes = [];

	if (meta.times && meta.times.each > 1)
		notes.push("Times: of " + counted(meta.times.samples, "samples") + ", one of " + meta.times.each +
			" is kept with its time. Parts of the recording are estimated from these; the whole is exact.");
	notes.push("Written by kflame " + meta.version + ". The file is complete: it loads nothing.");
	return el("div", { class: "account" }, ...notes.map(text => el("p", { text })),
		el("pre", { tabindex: 0, text: meta.accounting || "Folded stacks have no accounting: they do not say what was lost." }));
}
