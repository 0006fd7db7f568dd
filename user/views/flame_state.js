// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is shown, as the fragment of the address: "#x=FRAME&s=REGEXP&i=1".
function kflameState(frames, inverted) {
	"use strict";

	var none = { x: 0, s: "", i: inverted };

	function write(state) {
		var parts = [];

		if (state.x)
			parts.push("x=" + state.x);
		if (state.s)
			parts.push("s=" + encodeURIComponent(state.s));
		if (state.i !== inverted)
			parts.push("i=" + Number(state.i));
		return "#" + parts.join("&");
	}

	function decode(text) {
		try {
			return decodeURIComponent(text);
		} catch (e) {
			return text;
		}
	}

	function read() {
		var next = { x: 0, s: "", i: inverted };

		location.hash.slice(1).split("&").forEach(function (part) {
			var value = part.slice(2);

			if (/^x=\d+$/.test(part) && Number(value) < frames)
				next.x = Number(value);
			if (/^i=[01]$/.test(part))
				next.i = value === "1";
			if (/^s=/.test(part))
				next.s = decode(value);
		});
		return next;
	}

	function same(a, b) {
		return a.x === b.x && a.s === b.s && a.i === b.i;
	}

	return { none: none, write: write, read: read, same: same };
}
