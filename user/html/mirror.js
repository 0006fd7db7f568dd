// SPDX-License-Identifier: GPL-2.0-or-later
// mirror.js - the part of a flame graph around the cursor, as tree items for screen readers

const MIRRORED = 12;

class Mirror {
	constructor(panel, name) {
		this.panel = panel;
		this.list = el("div", { class: "hidden", role: "group", "aria-label": name });
		this.id = "item" + Mirror.nr++;
	}

	item(node, isCursor) {
		const { tree, app } = this.panel, lines = app.describe(tree, node, false);

		return el("div", { role: "treeitem", "aria-level": tree.depth[node] + 1, "aria-selected": isCursor,
			"aria-expanded": tree.firstOf(node) >= 0, id: isCursor ? this.id : "", text: lines.slice(0, 2).join(", ") });
	}

	// The callers of the cursor, itself, and its first callees
	update() {
		const { tree, cursor } = this.panel, items = [];

		for (let i = tree.parent[cursor]; i >= 0; i = tree.parent[i])
			items.unshift(this.item(i, false));
		items.push(this.item(cursor, true));
		for (let i = tree.firstOf(cursor), nr = 0; i >= 0 && nr < MIRRORED; i = tree.nextOf(i))
			if (tree.wide[i] && ++nr)
				items.push(this.item(i, false));
		fill(this.list, ...items);
		this.panel.scroll.setAttribute("aria-activedescendant", this.id);
	}
}

Mirror.nr = 0;
