// SPDX-License-Identifier: GPL-2.0-or-later
// save.js - saves the picture as SVG or PNG, and the tree as folded stacks

function download(name, blob) {
	const link = el("a", { href: URL.createObjectURL(blob), download: name });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The picture of a panel as SVG; texts are text nodes, so that a name cannot be markup
function pictureAsSvg(app, panel) {
	const NS = "http://www.w3.org/2000/svg", { boxes, rows } = panel.layout, height = rows * ROW + 46;
	const make = (tag, attributes, text) => {
		const e = document.createElementNS(NS, tag);

		Object.entries(attributes).forEach(([key, value]) => e.setAttribute(key, value));
		if (text !== undefined)
			e.textContent = text;
		return e;
	};
	const svg = make("svg", { xmlns: NS, width: panel.width, height, viewBox: "0 0 " + panel.width + " " + height });

	svg.append(make("rect", { width: "100%", height: "100%", fill: "#fff" }),
		make("text", { x: 4, y: 18, "font-family": "sans-serif", "font-size": 15, fill: "#1c2024" }, app.model.meta.title),
		make("text", { x: 4, y: 36, "font-family": "sans-serif", "font-size": 12, fill: "#59626c" }, app.model.meta.line));
	for (let i = 0; i < boxes.nr; i++) {
		const node = boxes.node[i] < 0 ? ~boxes.node[i] : boxes.node[i], row = boxes.row[i];
		const y = 46 + (panel.isUp ? rows - 1 - row : row) * ROW, w = boxes.w[i], letters = Math.floor((w - 6) / 7.3);
		const text = panel.paint.text(node), g = make("g", {});

		g.append(make("title", {}, app.describe(panel.tree, node, boxes.node[i] < 0).join("\n")),
			make("rect", { x: boxes.x[i].toFixed(2), y, width: Math.max(0.3, w - 0.5).toFixed(2), height: ROW - 1, fill: panel.paint.color(node) }));
		if (letters >= 3 && boxes.node[i] >= 0)
			g.append(make("text", { x: (boxes.x[i] + 3).toFixed(2), y: y + 13, "font-family": "monospace", "font-size": 12,
				fill: panel.paint.ink(node) }, text.length > letters ? text.slice(0, letters - 1) + "\u2026" : text));
		svg.append(g);
	}
	return new XMLSerializer().serializeToString(svg);
}

// FlameGraph's format: a line for each stack of the tree that is shown
function treeAsFolded(app) {
	const { model, shown } = app, { tree } = shown, side = tree.sides[tree.sides.length - 1], lines = [];
	const clean = model.names.map(name => name.replace(/;/g, ":").replace(/[\0-\x1f\x7f]/g, "?"));

	for (let i = 1; i < tree.n; i++)
		if (side.self[i])
			lines.push(tree.framesOf(i).map(frame => clean[frame]).join(";") + " " + Math.round(side.self[i]));
	return lines.join("\n") + "\n";
}

function savePng(app, panel) {
	const canvas = el("canvas"), { width, height } = panel.canvas, c = canvas.getContext("2d");

	canvas.width = width;
	canvas.height = height;
	c.fillStyle = app.isDark() ? "#14171b" : "#ffffff";
	c.fillRect(0, 0, width, height);
	c.drawImage(panel.canvas, 0, 0);
	canvas.toBlob(blob => download("profile.png", blob), "image/png");
}

function save(app, kind) {
	const panel = app.panelOfCursor();

	if (kind === "svg")
		download("profile.svg", new Blob([pictureAsSvg(app, panel)], { type: "image/svg+xml" }));
	else if (kind === "folded")
		download("profile.folded", new Blob([treeAsFolded(app)], { type: "text/plain" }));
	else
		savePng(app, panel);
}
