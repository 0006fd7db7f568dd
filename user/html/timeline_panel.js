// SPDX-License-Identifier: GPL-2.0-or-later
// timeline_panel.js - how busy each thread, CPU, ... was when; a brush that all panels follow, and a second one to
// compare with

const LANES = 10, LANE = 14, SUM_HEIGHT = 36, LANE_NAME = 150, BIN = 3;

class TimelinePanel {
	constructor(app) {
		const { times } = app.model.meta;

		this.app = app;
		this.from = times.from;
		this.to = times.to;
		this.canvas = el("canvas", { "aria-hidden": "true" });
		this.box = el("div", { class: "times", tabindex: 0, role: "slider", "aria-label": "Time: arrow keys move the chosen part, with Shift they change its end, Escape chooses all",
			"aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 }, this.canvas);
		this.lanes = el("select", { "aria-label": "Lanes", onchange: () => this.chooseLanes() },
			...app.model.dims.filter(dim => dim.key !== "side" && dim.key !== "event" && dim.values.length)
				.map(dim => el("option", { value: dim.key, text: dim.label })));
		this.note = el("span", { class: "note" });
		this.panel = el("section", { class: "timeline", "aria-label": "Time" }, el("div", { class: "bar" },
			el("label", { text: "time, by " }, this.lanes), button("all", "Choose the whole recording", () => this.choose(null)),
			this.keeper = button("keep as A", "Compare this part with the one that is chosen next (a)", () => this.keep()), this.note), this.box);
		this.painter = new Painter(this.canvas);
		const cpu = app.model.dim("cpu");

		this.lanes.value = app.model.dims[cpu >= 0 && app.model.dims[cpu].values.length <= 16 ? cpu : app.model.dim("comm")].key;
		this.listen();
	}

	listen() {
		this.box.addEventListener("pointerdown", event => this.down(event));
		this.box.addEventListener("pointermove", event => this.move(event));
		this.box.addEventListener("pointerup", event => this.up(event));
		this.box.addEventListener("keydown", event => this.keyDown(event));
		new ResizeObserver(onceAFrame(() => {
			this.key = null;
			this.update(this.app.view, this.app.shown);
		})).observe(this.box);
	}

	chooseLanes() {
		this.key = null;
		this.update(this.app.view, this.app.shown);
	}

	get plotWidth() {
		return Math.max(60, this.box.clientWidth - LANE_NAME);
	}

	xOf(time) {
		return LANE_NAME + (time - this.from) / (this.to - this.from) * this.plotWidth;
	}

	timeOf(event) {
		const x = event.clientX - this.canvas.getBoundingClientRect().left - LANE_NAME;

		return this.from + Math.min(1, Math.max(0, x / this.plotWidth)) * (this.to - this.from);
	}

	down(event) {
		if (event.button)
			return;
		this.box.setPointerCapture(event.pointerId);
		this.drag = { at: this.timeOf(event), isOther: event.altKey || event.shiftKey };
		this.box.focus({ preventScroll: true });
	}

	move(event) {
		if (!this.drag)
			return;
		const time = this.timeOf(event);

		this.brush = [Math.min(time, this.drag.at), Math.max(time, this.drag.at)];
		this.draw();
	}

	up(event) {
		if (!this.drag)
			return;
		const { isOther } = this.drag, brush = this.brush, isClick = !brush || this.xOf(brush[1]) - this.xOf(brush[0]) < 3;

		this.drag = this.brush = null;
		// A click chooses one bin
		this.choose(isClick ? this.binAt(this.timeOf(event)) : brush.map(Math.round), isOther);
	}

	binAt(time) {
		const step = (this.to - this.from) / this.bins, bin = Math.min(this.bins - 1, Math.floor((time - this.from) / step));

		return [Math.round(this.from + bin * step), Math.round(this.from + (bin + 1) * step)];
	}

	choose(range, isOther) {
		const { view } = this.app;

		if (isOther && view.range)
			this.app.go({ other: range, sort: "change" });
		else
			this.app.go(range ? { range, sort: view.other ? "change" : view.sort } : { range: null, other: null });
	}

	// The part becomes side A of a comparison. The part that is chosen next is side B
	keep() {
		const { range } = this.app.view;

		if (range)
			this.app.go({ range: null, other: range });
	}

	// The part that keys move first: the one behind side A, as long as that
	firstPart() {
		const { other } = this.app.view, length = other ? other[1] - other[0] : (this.to - this.from) / 50;
		const from = other && other[1] + length <= this.to + 1 ? other[1] : this.from;

		return [from, from + length];
	}

	keyDown(event) {
		const step = (this.to - this.from) / 50, { range: chosen, other } = this.app.view, range = chosen || this.firstPart();
		const by = { ArrowLeft: -step, ArrowRight: step }[event.key];

		if (event.key === "Escape")
			this.choose(null);
		else if (by && other && !chosen)
			this.choose(range.map(Math.round));
		else if (by && event.shiftKey && range[1] + by > range[0])
			this.choose([range[0], Math.min(this.to, Math.round(range[1] + by))]);
		else if (by && range[0] + by >= this.from - 1 && range[1] + by <= this.to + 1)
			this.choose(range.map(time => Math.round(Math.min(this.to, Math.max(this.from, time + by)))));
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	// Leave out facts that count bytes, pages, ...: bars are time. A profile without time has bars of its counts
	timesOf(left) {
		const { model } = this.app, isTime = model.meta.events.map(e => !e.counted);
		const event = model.dims[model.dim("event")].of, { context } = model.facts;

		return isTime.includes(true) ? left.map((isLeft, i) => isLeft && isTime[event[context[i]]] ? 1 : 0) : left;
	}

	// The heaviest values of the lanes' dimension
	chooseValues(dim, left) {
		const { context, weight } = this.app.model.facts, sums = new Float64Array(dim.values.length);

		for (let i = 0; i < left.length; i++)
			if (left[i] && dim.of[context[i]] >= 0)
				sums[dim.of[context[i]]] += weight[i];
		const values = Array.from(sums.keys()).filter(i => sums[i]).sort((a, b) => sums[b] - sums[a]).slice(0, LANES);

		return dim.key === "cpu" ? values.sort((a, b) => a - b) : values;
	}

	addToBins(to, firstOf, left, scale, nr) {
		const { from } = this;

		for (const { time, fact, weight } of this.app.model.chunks)
			for (let i = 0; i < time.length; i++)
				if (left[fact[i]])
					to[firstOf[fact[i]] + Math.min(nr - 1, (time[i] - from) * scale | 0)] += weight[i];
	}

	spreadOverBins(bins, isWait, firstOf, left, scale, nr) {
		const { model } = this.app, { from } = this, { context } = model.facts, step = 1 / scale;

		model.eachSample(from, this.to, (f, begin, end, weight) => {
			if (!left[f])
				return;
			const to = bins[isWait[context[f]]], first = firstOf[f];
			let bin = Math.min(nr - 1, (begin - from) * scale | 0);

			for (let rest = weight; rest > 0 && bin < nr; bin++) {
				const part = Math.min(rest, Math.max(1, from + (bin + 1) * step - begin));

				to[first + bin] += part;
				rest -= part;
				begin += part;
			}
		});
	}

	// Add up bins: run and wait of each lane; the last lane has all
	count(shown) {
		const { model } = this.app, dim = model.dims[model.dim(this.lanes.value)];
		const left = this.timesOf(shown.left), values = this.chooseValues(dim, left);
		const nr = Math.max(20, Math.floor(this.plotWidth / BIN)), last = values.length * nr, { context } = model.facts;
		const laneOf = new Int32Array(dim.values.length).fill(-1), isWait = model.endsContext();
		const bins = [0, 1].map(() => new Float64Array(nr * (values.length + 1)));

		values.forEach((value, i) => {
			laneOf[value] = i * nr;
		});
		// Where the bins of a fact begin: of its lane, or of all
		const firstOf = Int32Array.from(context, c => dim.of[c] < 0 || laneOf[dim.of[c]] < 0 ? last : laneOf[dim.of[c]]);
		const { from } = this, scale = nr / (this.to - from), step = 1 / scale;

		// Most often a sample is much shorter than a bin. Others are spread, or bins that got one more would stand out.
		if (!isWait.includes(1) && model.meta.period * 16 <= step)
			this.addToBins(bins[0], firstOf, left, scale, nr);
		else
			this.spreadOverBins(bins, isWait, firstOf, left, scale, nr);
		// All: the sum of the lanes, and what is in none of them
		for (const to of bins)
			for (let i = 0; i < last; i++)
				to[last + i % nr] += to[i];
		Object.assign(this, { bins: nr, run: bins[0], wait: bins[1], names: values.map(v => dim.values[v]),
			frames: values.map(v => dim.base + v) });
	}

	update(view, shown) {
		const { model } = this.app, { times } = model.meta;

		if (!model.chunks.length || !this.box.clientWidth) {
			this.note.textContent = "reading times\u2026";
			return;
		}
		const key = [model.chunks.length, view.chips.map(chipText), this.lanes.value, this.plotWidth].join();

		if (key !== this.key) {
			this.key = key;
			this.count(shown);
		}
		this.note.textContent = (model.chunksLeft ? "reading times\u2026 " : "") +
			(view.other ? "A: " + this.say(view.other) + (view.range ? ", B: " + this.say(view.range) : "; drag to choose B") : view.range ? this.say(view.range) :
			 "drag to choose a part; with Shift, a second part to compare with") +
			(times.each > 1 ? "; estimated from one sample of " + times.each : "");
		this.keeper.disabled = !view.range;
		this.box.setAttribute("aria-valuetext", view.range ? this.say(view.range) : "all");
		this.box.setAttribute("aria-valuenow", view.range ? Math.round(100 * (view.range[0] - this.from) / (this.to - this.from)) : 0);
		this.draw();
	}

	say(range) {
		return formatTime(range[0]) + " to " + formatTime(range[1]);
	}

	draw() {
		const lanes = this.names.length, height = SUM_HEIGHT + lanes * LANE + 18, isDark = this.app.isDark(), c = this.painter.context;

		this.box.style.height = height + "px";
		this.painter.resize(this.box.clientWidth, height);
		this.painter.begin();
		c.font = '11px system-ui, "DejaVu Sans", sans-serif';
		this.drawSum(c, isDark);
		for (let lane = 0; lane < lanes; lane++)
			this.drawLane(c, lane, isDark);
		this.drawAxis(c, height, isDark);
		const { view } = this.app;

		this.drawBrush(c, this.drag && !this.drag.isOther ? this.brush : view.range, height, "#0b5cad");
		this.drawBrush(c, this.drag && this.drag.isOther ? this.brush : view.other, height, "#8a5a00");
	}

	drawSum(c, isDark) {
		const first = this.names.length * this.bins, width = this.plotWidth / this.bins;
		let most = 0;

		for (let i = 0; i < this.bins; i++)
			most = Math.max(most, this.run[first + i] + this.wait[first + i]);
		for (let i = 0; i < this.bins; i++) {
			const run = SUM_HEIGHT * this.run[first + i] / (most || 1), wait = SUM_HEIGHT * this.wait[first + i] / (most || 1);

			c.fillStyle = isDark ? "#e2a04a" : "#e08f1f";
			c.fillRect(LANE_NAME + i * width, SUM_HEIGHT - run, width + 0.3, run);
			c.fillStyle = "#6a90e0";
			c.fillRect(LANE_NAME + i * width, SUM_HEIGHT - run - wait, width + 0.3, wait);
		}
		c.fillStyle = isDark ? "#a4adb8" : "#59626c";
		c.fillText("all", 4, SUM_HEIGHT / 2);
	}

	drawLane(c, lane, isDark) {
		const y = SUM_HEIGHT + 2 + lane * LANE, first = lane * this.bins, width = this.plotWidth / this.bins;
		const full = (this.to - this.from) / this.bins, paper = isDark ? 0x1f242a : 0xf1f3f5;

		c.fillStyle = css(paper);
		c.fillRect(LANE_NAME, y, this.plotWidth, LANE - 2);
		for (let i = 0; i < this.bins; i++) {
			const run = this.run[first + i] / full, wait = this.wait[first + i] / full;

			if (!run && !wait)
				continue;
			c.fillStyle = css(mix(paper, run >= wait ? isDark ? 0xf6a83c : 0xc96a00 : 0x4a72d0, Math.min(1, 0.15 + 0.85 * Math.max(run, wait))));
			c.fillRect(LANE_NAME + i * width, y, width + 0.3, LANE - 2);
		}
		c.fillStyle = isDark ? "#e6e9ed" : "#1c2024";
		c.save();
		c.beginPath();
		c.rect(0, y, LANE_NAME - 6, LANE);
		c.clip();
		c.fillText(this.names[lane], 4, y + LANE / 2 - 1);
		c.restore();
	}

	drawAxis(c, height, isDark) {
		const length = this.to - this.from, raw = length / 8, unit = Math.pow(10, Math.floor(Math.log10(raw)));
		const step = [1, 2, 5, 10].map(n => n * unit).find(n => n >= raw);

		c.fillStyle = c.strokeStyle = isDark ? "#a4adb8" : "#59626c";
		c.lineWidth = 1;
		for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
			c.fillRect(this.xOf(time), height - 16, 1, 4);
			c.fillText(time >= 1e9 || step >= 1e8 ? (time / 1e9).toFixed(step < 1e8 ? 2 : step < 1e9 ? 1 : 0) + " s" : formatTime(time),
				this.xOf(time) + 3, height - 7);
		}
	}

	drawBrush(c, range, height, color) {
		if (!range)
			return;
		const a = this.xOf(range[0]), b = Math.max(a + 1, this.xOf(range[1]));

		c.fillStyle = color;
		c.globalAlpha = 0.18;
		c.fillRect(a, 0, b - a, height - 14);
		c.globalAlpha = 1;
		c.fillRect(a - 1, 0, 2, height - 14);
		c.fillRect(b - 1, 0, 2, height - 14);
	}
}
