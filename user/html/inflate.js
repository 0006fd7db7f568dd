// SPDX-License-Identifier: GPL-2.0-or-later
// inflate.js - raw deflate (RFC 1951), by the browser, or here where it cannot

const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
	163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
	2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// The symbols by rising code, and how many there are of each length
function makeCode(lengths) {
	const count = new Uint16Array(16), at = new Uint16Array(16), symbols = new Uint16Array(lengths.length);

	for (const length of lengths)
		count[length]++;
	count[0] = 0;
	for (let i = 1; i < 16; i++)
		at[i] = at[i - 1] + count[i - 1];
	lengths.forEach((length, i) => {
		if (length)
			symbols[at[length]++] = i;
	});
	return { count, symbols };
}

class Inflater {
	constructor(bytes) {
		this.from = bytes;
		this.at = this.hold = this.held = this.nr = 0;
		this.to = new Uint8Array(bytes.length * 4 + 1024);
	}

	bits(n) {
		while (this.held < n) {
			if (this.at >= this.from.length)
				throw new Error("the data of this file end early");
			this.hold |= this.from[this.at++] << this.held;
			this.held += 8;
		}
		const value = this.hold & ((1 << n) - 1);

		this.hold >>>= n;
		this.held -= n;
		return value;
	}

	symbol(code) {
		let value = 0, first = 0, index = 0;

		for (let length = 1; length < 16; length++) {
			value |= this.bits(1);
			if (value - code.count[length] < first)
				return code.symbols[index + value - first];
			index += code.count[length];
			first = (first + code.count[length]) << 1;
			value <<= 1;
		}
		throw new Error("the data of this file are damaged");
	}

	room(more) {
		if (this.nr + more <= this.to.length)
			return;
		const larger = new Uint8Array((this.nr + more) * 2);

		larger.set(this.to);
		this.to = larger;
	}

	stored() {
		this.hold = this.held = 0;
		const length = this.from[this.at] | this.from[this.at + 1] << 8;

		this.at += 4;
		this.room(length);
		this.to.set(this.from.subarray(this.at, this.at + length), this.nr);
		this.at += length;
		this.nr += length;
	}

	codes(literals, distances) {
		for (;;) {
			const symbol = this.symbol(literals);

			if (symbol === 256)
				return;
			this.room(258);
			if (symbol < 256) {
				this.to[this.nr++] = symbol;
				continue;
			}
			const length = LENGTH_BASE[symbol - 257] + this.bits(LENGTH_BITS[symbol - 257]);
			const code = this.symbol(distances);
			const distance = DISTANCE_BASE[code] + this.bits(code < 4 ? 0 : (code >> 1) - 1);

			for (let i = 0; i < length; i++, this.nr++)
				this.to[this.nr] = this.to[this.nr - distance];
		}
	}

	dynamic() {
		const literals = this.bits(5) + 257, distances = this.bits(5) + 1, codes = this.bits(4) + 4;
		const order = new Array(19).fill(0), lengths = [];

		for (let i = 0; i < codes; i++)
			order[CODE_ORDER[i]] = this.bits(3);
		const code = makeCode(order);

		while (lengths.length < literals + distances) {
			const symbol = this.symbol(code);

			if (symbol < 16) {
				lengths.push(symbol);
				continue;
			}
			const value = symbol === 16 ? lengths[lengths.length - 1] : 0;
			let times = symbol === 16 ? 3 + this.bits(2) : symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7);

			while (times--)
				lengths.push(value);
		}
		this.codes(makeCode(lengths.slice(0, literals)), makeCode(lengths.slice(literals)));
	}

	fixed() {
		const lengths = Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);

		this.codes(makeCode(lengths), makeCode(new Array(30).fill(5)));
	}

	run() {
		for (let last = 0; !last;) {
			last = this.bits(1);
			[() => this.stored(), () => this.fixed(), () => this.dynamic()][this.bits(2)]();
		}
		return this.to.subarray(0, this.nr);
	}
}

async function inflate(bytes) {
	let stream;

	try {
		stream = new DecompressionStream("deflate-raw");
	} catch (e) {
		return new Inflater(bytes).run();
	}
	try {
		return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
	} catch (e) {
		throw new Error("its data are damaged");
	}
}
