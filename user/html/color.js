// SPDX-License-Identifier: GPL-2.0-or-later
// color.js - the colour of a frame, as in views/color.c: its kind gives the hue, its name the shade

// enum frame_kind of stacks/stacks.h
const KIND = { COMM: 0, USER: 1, INLINED: 2, KERNEL: 3, SOFTIRQ: 4, NOTE: 5, ROOT: 6, SCRIPT: 7 };

const FAMILIES = {
	thread: [0xc2c9d2, 0xd0d6de], user: [0xf6b24e, 0xffdc86], inlined: [0xe4dc7a, 0xf3efae],
	jit: [0x2f9e6c, 0x52be8e], script: [0xa4ee44, 0xbafc58], kernel: [0x629cd6, 0x8fbde8], interrupt: [0xc47cb4, 0xdaa0c8],
	ready: [0x8e8ef0, 0xa6a6fc], note: [0xe6e6e2, 0xf0f0ec], lost: [0xcf5f42, 0xe17456],
	group: [0x9ab79a, 0xaec9ae],
};
const LOOKS = [["user", "user code"], ["inlined", "inlined"], ["jit", "JIT"], ["script", "script"], ["kernel", "kernel"],
	["interrupt", "softirq"], ["lost", "frames missing"], ["note", "note"], ["thread", "thread"]];

const LOST = ["[truncated", "[damaged", "[no frame pointer", "[no unwind information]", "[unwind table pending]",
	"[32-bit: no stack]", "[no user registers]", "[foreign page tables]", "[deeper frames", "[gap]", "[late",
	"[lost"];
const READY = ["[runnable]", "[preempted]"];
const UNNAMED = ["[stripped: ", "[not named: ", "[gone: ", "[changed: ", "[time limit: "];

function lookOfNote(name) {
	const begins = list => list.some(begin => name.startsWith(begin));

	return begins(LOST) ? "lost" : begins(READY) ? "ready" : begins(UNNAMED) ? "user" : "note";
}

function lookOf(name, file, kind) {
	switch (kind) {
	case KIND.COMM: return "thread";
	case KIND.USER: return file === "JIT" ? "jit" : "user";
	case KIND.INLINED: return "inlined";
	case KIND.KERNEL: return "kernel";
	case KIND.SOFTIRQ: return "interrupt";
	case KIND.ROOT: return "group";
	case KIND.SCRIPT: return "script";
	default: return lookOfNote(name);
	}
}

function hashOf(text) {
	let h = 2166136261;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h ^ h >>> 15) >>> 0;
}

function mix(from, to, at) {
	const part = shift => Math.round((from >> shift & 255) * (1 - at) + (to >> shift & 255) * at) << shift;

	return part(16) | part(8) | part(0);
}

function css(rgb) {
	return "#" + rgb.toString(16).padStart(6, "0");
}

// One of 24 hues, light enough for dark letters
function hueOf(h) {
	const wheel = [0x78, 0x98, 0xb8, 0xd8, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xd8, 0xb8, 0x98,
		0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78, 0x78], at = h % 24;

	return wheel[(at + 8) % 24] << 16 | wheel[at] << 8 | wheel[(at + 16) % 24];
}

const PALETTES = ["kind", "file", "hot", "grey"];

function colorOf(name, file, kind, palette) {
	const look = lookOf(name, file, kind), at = (hashOf(name) & 255) / 255;

	if (palette === "hot" && look !== "thread" && look !== "group")
		return css(mix(0xd8623e, 0xffe066, at));
	if (palette === "file" && file)
		return css(hueOf(hashOf(file)));
	if (palette !== "kind")
		return css(mix(0xb4bac2, 0xdce0e6, at));
	return css(mix(FAMILIES[look][0], FAMILIES[look][1], at));
}

const ALL_COLOR = "#d5dae0";
const SAME = 0xe4e4e0, GREW = 0xf07f4f, SHRANK = 0x6aa6e8;

// Orange grew, blue shrank, grey may be chance; as in views/diff_flame.c
function changeColor(base, other, isChance) {
	if (isChance || base === other)
		return css(SAME);
	const strength = 60 / 255 + 195 / 255 * Math.abs(base - other) / Math.max(base, other);

	return css(mix(SAME, base > other ? SHRANK : GREW, strength));
}
