// SPDX-License-Identifier: GPL-2.0-or-later
// numbers.js - numbers as people read them; the same in every locale

function formatCount(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

// The singular of a word, or of the last one of several
function singular(words) {
	return words.replace(/ies$/, "y").replace(/(ss|x|ch|sh)es$/, "$1").replace(/([^s])s$/, "$1");
}

// "1 row", "2 rows"
function counted(n, words) {
	return formatCount(n) + " " + (n === 1 ? singular(words) : words);
}

function formatTime(ns) {
	if (ns >= 1e9)
		return formatCount(Math.floor(ns / 1e9)) + (ns % 1e9 / 1e9).toFixed(3).replace(/^[01]/, "") + " s";
	if (ns >= 1e6)
		return (ns / 1e6).toFixed(2) + " ms";
	return ns >= 1e3 ? (ns / 1e3).toFixed(1) + " us" : Math.round(ns) + " ns";
}

function formatBytes(n) {
	const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;

	for (; n >= 10240 && i < units.length - 1; i++)
		n /= 1024;
	return i ? n.toFixed(1) + " " + units[i] : counted(n, "bytes");
}

function formatShare(part, whole) {
	const share = whole ? 100 * part / whole : 0;

	return (share && share < 0.995 ? share.toPrecision(2).slice(0, 6) : share.toFixed(1)) + "%";
}

function formatPoints(difference) {
	return (difference < 0 ? "-" : "+") + Math.abs(100 * difference).toFixed(2) + "%";
}
