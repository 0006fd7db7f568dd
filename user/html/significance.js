// SPDX-License-Identifier: GPL-2.0-or-later
// significance.js - is a difference more than chance?  As views/significance.c, which explains the tests

const SIGNIFICANCE = 0.05;

// The complementary error function of x >= 0, by its series or its continued fraction
function erfc(x) {
	if (x < 2.5) {
		let term = x, sum = x;

		for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
			term *= -x * x / n;
			sum += term / (2 * n + 1);
		}
		return 1 - 2 / Math.sqrt(Math.PI) * sum;
	}
	let fraction = 0;

	for (let n = 120; n > 0; n--)
		fraction = n / 2 / (x + fraction);
	return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

function pOfShares(a, wholeA, b, wholeB) {
	const part = (observed, expected) => observed > 0 ? observed * Math.log(observed / expected) : 0;
	const inside = a + b, all = wholeA + wholeB, outside = all - inside;

	if (!wholeA || !wholeB)
		return 1;
	const half = part(a, inside * (wholeA / all)) + part(b, inside * (wholeB / all)) +
		part(wholeA - a, outside * (wholeA / all)) + part(wholeB - b, outside * (wholeB / all));

	return half > 0 ? erfc(Math.sqrt(half)) : 1;
}

// The largest p of many tests that can be trusted (Benjamini and Hochberg); -1 for none
function largestTrusted(all) {
	const sorted = Float64Array.from(all).sort();
	let most = -1;

	sorted.forEach((p, i) => {
		if (p <= SIGNIFICANCE * (i + 1) / sorted.length)
			most = p;
	});
	return most;
}
