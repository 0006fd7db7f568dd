// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of the source panel: its numbers are those of 'kflame report --annotate', and hostile source does nothing
"use strict";

const panelRows = selector => all(".source .rows tr" + selector);
const frameOf = (v, name) => v.model.names.indexOf(name);

// Rows with samples as sorted lines: place, self, inlined
function sourceRows(v, weights, which) {
	const rows = new Map();

	weights.forEach((weight, unit) => {
		v.go({ weight });
		const { f, sums: [side] } = v.source.now, list = which === "l" ? f.lines : f.code;
		let path = "";

		list.forEach(([kind, number, text], i) => {
			const self = side[which].self[i + 1], inlined = side[which].inlined[i + 1];

			path = kind === ROW_SOURCE ? text : path;
			if (!self && !inlined)
				return;
			const key = which === "l" ? path + ":" + number : number;

			rows.set(key, (rows.get(key) || "") + " " + [unit, self, which === "l" ? 0 : inlined].join());
		});
		if (side[which].self[0] || side[which].inlined[0])
			rows.set("rest", "rest");
	});
	return Array.from(rows, ([key, text]) => key + text).sort();
}

const ROW_SOURCE = 0;

function reportRows(expected, which) {
	const list = which === "l" ? expected.annotated_lines : expected.annotated_instructions;

	return list.flatMap(row => {
		const key = which === "l" ? row.source + ":" + row.line : row.address.toString(16);
		const text = ["samples", "ns"].map((unit, i) =>
			row.self[unit] || (row.inlined && row.inlined[unit]) ?
				" " + [i, row.self[unit], row.inlined ? row.inlined[unit] : 0].join() : "").join("");

		return text ? [key + text] : [];
	}).sort();
}

async function checkSourceNumbers() {
	const v = await open("source.html");
	const compare = (name, expected, title) => {
		v.go({ panel: "source", frame: frameOf(v, name) });
		// Lines of the report have no samples of inlined functions of their own
		const lines = sourceRows(v, [0, 1], "l").filter(row => !/ 0,0,0 1,0,0$/.test(row));

		same(lines.join("\n"), reportRows(expected, "l").join("\n"), title + ": lines as kflame report --annotate");
		same(sourceRows(v, [0, 1], "c").join("\n"), reportRows(expected, "c").join("\n"),
			title + ": instructions as kflame report --annotate");
	};

	for (const name of ["outer", "inner", "main", "strange3"])
		compare(name, EXPECTED["source-" + name], name);
	v.go({ range: [1e9, 2.5e9] });
	compare("outer", EXPECTED["source-part"], "a part of the recording");
	v.go({ range: null, chips: [{ kind: "in", dim: v.model.dim("comm"), value: v.model.dims[v.model.dim("comm")].values.indexOf("thread10") }] });
	compare("outer", EXPECTED["source-thread"], "one thread");
	v.go({ chips: [], range: [1e9, 2e9], other: [3e9, 5e9], weight: 0, frame: frameOf(v, "outer") });
	const self = v.shown.functionRows().map(side => side.self[frameOf(v, "outer")]);

	same(v.source.now.sums.map(side => side.self), self, "two parts: the panel has the self samples of both");
	same(panelRows(" th").filter(th => th.textContent.startsWith("self")).length, 4, "and a column for each");
	// A stack that ends in the kernel ends at no address of its callers
	v.go({ range: null, other: null, frame: frameOf(v, "do_work") });
	check(byText(".source .between", "no instructions, only addresses: that kernel does not run here"),
		"kernel code that is not here says what would show it");
}

async function checkSourceSafety() {
	const v = await open("source.html#p=source"), d = page();

	same(all(".source ol li").length, v.source.data.functions.length, "without a function, the panel lists those with source");
	v.go({ frame: frameOf(v, "inner") });
	check(byText(".source td.text", "</script><script>document.body.dataset.hacked = 1</script>"), "source with markup is shown as text");
	check(!d.body.dataset.hacked && !d.querySelector("img, iframe") && all("script:not([type])").length === 2, "and does nothing");
	v.go({ frame: frameOf(v, "outer") });
	check(byText(".source td.text", "\ufffd\ufffd\ufffd \ufffd reversed \ufffd[31m"), "bytes that are no UTF-8, and control characters, are replaced");
	check(all(".source td.text").every(td => td.textContent.length <= 410), "a long line is cut");
	for (const [i, text] of [[0, "the file is not here"], [1, "the file is not here"], [2, "the file is not here"], [3, "the file is not text"],
				 [4, "the file is not here"], [6, "newer than the program"], [7, "the file is not here"]]) {
		v.go({ frame: frameOf(v, "strange" + i) });
		check(byText(".source .between", text) && panelRows("[data-row]").length, "strange" + i + ": " + text);
	}
	same(all("img").length, 0, "a path with markup is text");
	v.go({ panel: "account" });
	const files = all(".account .note li").map(li => li.textContent.replace(/.*\//, ""));

	same(files.sort(), "newer.c,outer.c", "the page lists the files whose lines it has");
	check(byText(".account .note", "contains code of the recorded programs"), "and says that it has code");
}

async function checkSourceLinks() {
	const v = await open("source.html#l=c5"), w = frame("page").contentWindow, outer = frameOf(v, "outer");
	const selected = () => all(".source tr.selected").map(row => row.dataset.row).join(), line = text => byText(".source tr[data-row]", text);

	v.go({ panel: "detail", frame: outer });
	byText(".actions button", "source, instructions").click();
	same([v.view.panel, v.view.line], "source,", "a function leads to its source");
	line("sink *= 3").click();
	const texts = all(".source .rows:last-child tr.selected .text").map(td => td.textContent);

	check(texts.some(text => text.startsWith("leal")) && !texts.some(text => text.startsWith("ret")),
		"a line marks its instructions", texts.join());
	const o = await open("source.html" + w.location.hash, "other");
	const others = Array.from(frame("other").contentDocument.querySelectorAll(".source tr.selected")).map(row => row.dataset.row).join();

	same([o.view.panel, o.view.frame, others], ["source", outer, selected()], "a fragment shows the same rows in another window");
	line("retq").click();
	check(byText(".source .rows tr.selected", "}"), "an instruction marks its line");
	key(line("retq"), "ArrowUp");
	key(page().activeElement, "Enter");
	check(v.view.line && v.view.line !== line("retq").dataset.row, "arrow keys and Enter choose another one", v.view.line);
	line("sink *= 3").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
	check(all(".source tr.hover").length > 2, "pointing at a line marks its instructions");
	v.go({ panel: "table", frame: -1, line: "" });
	mouse(v, v.flame, "outer", "mousemove");
	v.flame.cursor = v.flame.tree.find([v.model.dims[v.model.dim("comm")].base, frameOf(v, "main"), outer]);
	key(v.flame.scroll, "v");
	same([v.view.panel, v.view.frame], ["source", outer], "the key v shows the source of the frame at the cursor");
	const n = await open("check.html#p=source");

	same([n.view.panel, all("[role=tab]").length], "table,4", "a page without source has no such panel");
}
