// SPDX-License-Identifier: GPL-2.0-or-later
// bytes.js - base64 and columns of numbers: the reader of blob.c

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const chars = atob(text), bytes = new Uint8Array(chars.length);

	for (let i = 0; i < chars.length; i++)
		bytes[i] = chars.charCodeAt(i);
	return bytes;
}

// Reads numbers of seven-bit groups, the lowest first, into all of a typed array
function unpack(bytes, to, isSigned) {
	let at = 0;

	for (let i = 0; i < to.length; i++) {
		let byte = bytes[at++], value = byte & 127;

		for (let unit = 128; byte > 127; unit *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * unit;
		}
		if (isSigned)
			value = value % 2 ? -(value + 1) / 2 : value / 2;
		to[i] = value;
	}
	return to;
}

// All numbers of a column
function unpackAll(bytes) {
	let nr = 0;

	for (const byte of bytes)
		nr += byte < 128 ? 1 : 0;
	return unpack(bytes, new Float64Array(nr), false);
}

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let byte, value = 0, unit = 1;

		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte > 127);
		return value;
	}

	column() {
		const length = this.number();

		this.at += length;
		return this.bytes.subarray(this.at - length, this.at);
	}

	text() {
		return new TextDecoder().decode(this.column());
	}

	// Texts that end with NUL bytes
	texts() {
		const all = this.text().split("\0");

		all.pop();
		return all;
	}

	ints(n) {
		return unpack(this.column(), new Int32Array(n), false);
	}

	doubles(n, isSigned) {
		return unpack(this.column(), new Float64Array(n), isSigned);
	}
}
