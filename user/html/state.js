// SPDX-License-Identifier: GPL-2.0-or-later
// state.js - a view: what is shown and how.  The fragment of the address has it, so that the browser goes back to it

const FILTERS = ["idle", "drop", "only", "focus", "in", "not"];
const SHAPES = ["hide", "focus", "lib", "rec"];
const MODES = ["tree", "inverted", "sandwich"];

function defaultView(model) {
	const comm = model.dim("comm"), chips = [], first = model.dim(model.meta.root);

	if (model.hasIdle)
		chips.push({ kind: "idle" });
	return { weight: model.defaultWeight, roots: [first, comm].filter(dim => dim >= 0), chips, range: null, other: null, mode: "tree",
		frame: -1, zoom: [], search: "", sort: model.sides ? "change" : "self", by: "functions", panel: "table",
		palette: "kind", up: false, open: "", at: [], line: "" };
}

// A chip as a word, which parseChip() reads
function chipText(chip) {
	switch (chip.kind) {
	case "idle":
	case "rec": return chip.kind;
	case "lib": return "lib:" + chip.file;
	case "below": return "below:" + chip.share;
	case "in":
	case "not": return [chip.kind, chip.dim, chip.value].join(":");
	default: return chip.kind + ":" + chip.frame;
	}
}

function parseChip(model, text) {
	const [kind, a, b] = text.split(":"), n = Number(a);
	const isIndex = (value, nr) => Number.isInteger(value) && value >= 0 && value < nr;

	if (kind === "idle" || kind === "rec")
		return { kind };
	if (kind === "lib")
		return n === -1 || isIndex(n, model.files.length) ? { kind, file: n } : null;
	if (kind === "below")
		return n > 0 && n < 1 ? { kind, share: n } : null;
	if (kind === "in" || kind === "not")
		return isIndex(n, model.dims.length) && isIndex(Number(b), model.dims[n].values.length) ?
			{ kind, dim: n, value: Number(b) } : null;
	return FILTERS.concat(SHAPES).includes(kind) && isIndex(n, model.nrFrames) ? { kind, frame: n } : null;
}

function parseRange(text) {
	const [from, to] = text.split("-").map(Number);

	return from >= 0 && to > from ? [from, to] : null;
}

function parseWhole(text, low, high, otherwise) {
	const n = Number(text);

	return text !== "" && Number.isInteger(n) && n >= low && n < high ? n : otherwise;
}

// What differs from the default
function writeFragment(model, view) {
	const usual = defaultView(model), words = [];
	const put = (key, value, other) => {
		if (value !== other)
			words.push(key + "=" + encodeURIComponent(value));
	};

	put("w", view.weight, usual.weight);
	put("r", view.roots.map(dim => model.dims[dim].key).join(), usual.roots.map(dim => model.dims[dim].key).join());
	put("c", view.chips.map(chipText).join(), usual.chips.map(chipText).join());
	put("t", view.range ? view.range.map(Math.round).join("-") : "", "");
	put("u", view.other ? view.other.map(Math.round).join("-") : "", "");
	put("m", view.mode, usual.mode);
	put("f", view.frame, usual.frame);
	put("z", view.zoom.join("."), "");
	put("q", view.search, "");
	put("s", view.sort, usual.sort);
	put("b", view.by, usual.by);
	put("p", view.panel, usual.panel);
	put("l", view.line, "");
	put("k", view.palette, usual.palette);
	put("o", view.up ? 1 : 0, 0);
	put("e", view.open, "");
	put("a", view.at.join("."), "");
	return words.join("&");
}

// Whatever a fragment says, the view is a valid one
function readFragment(model, text) {
	const view = defaultView(model), words = new Map();
	const of = (key, otherwise) => words.has(key) ? words.get(key) : otherwise;
	const oneOf = (key, list, otherwise) => list.includes(of(key)) ? of(key) : otherwise;

	for (const word of text.replace(/^#/, "").split("&")) {
		const at = word.indexOf("=");

		try {
			words.set(word.slice(0, at), decodeURIComponent(word.slice(at + 1)));
		} catch (e) {
			// A fragment that was cut
		}
	}
	view.weight = parseWhole(of("w", ""), 0, model.weights.length, view.weight);
	if (words.has("r"))
		view.roots = of("r").split(",").map(key => model.dim(key))
			.filter((dim, i, all) => dim >= 0 && model.dims[dim].key !== "side" && all.indexOf(dim) === i);
	if (words.has("c"))
		view.chips = of("c").split(",").map(chip => parseChip(model, chip)).filter(Boolean);
	view.range = model.meta.times ? parseRange(of("t", "")) : null;
	view.other = model.meta.times ? parseRange(of("u", "")) : null;
	view.mode = oneOf("m", MODES, view.mode);
	view.frame = parseWhole(of("f", ""), 0, model.nrFrames, -1);
	const way = key => of(key, "").split(".").filter(Boolean).map(Number).filter(Number.isInteger);

	view.zoom = way("z");
	view.at = way("a");
	view.open = writeOpen(parseOpen(of("e", "")));
	view.search = of("q", "");
	view.sort = oneOf("s", ["self", "total", "name", "change"], view.sort);
	view.by = oneOf("b", ["functions", "files"].concat(model.dims.map(dim => dim.key)), view.by);
	view.panel = oneOf("p", ["table", "detail", "account", "calls"].concat(model.meta.source ? "source" : []), view.panel);
	view.line = /^[lc]\d{1,6}$/.test(of("l")) ? of("l") : "";
	view.palette = oneOf("k", PALETTES, view.palette);
	view.up = of("o") === "1";
	return view;
}
