// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * builtins.js - work whose stacks go through V8's builtins, which are linked into node
 *
 * usage: node --perf-basic-prof --interpreted-frames-native-stack builtins.js SECONDS
 *
 * The callers are driver() and outer(), then one of the five.
 */
'use strict';

function inner(n) {
	let sum = 0;

	for (let i = 0; i < n; i++)
		sum += Math.sqrt(i) * (i % 7);
	return sum;
}

function sortWork() {
	const all = [];

	for (let i = 0; i < 3000; i++)
		all.push((i * 7919) % 3001);
	all.sort((x, y) => x - y);
	return all[5];
}

function mapWork() {
	const map = new Map();
	let sum = 0;

	for (let i = 0; i < 3000; i++)
		map.set('k' + (i % 500), i);
	map.forEach((value) => { sum += value; });
	return sum;
}

function jsonWork() {
	const all = [];

	for (let i = 0; i < 300; i++)
		all.push({ i, name: 'v' + i });
	return JSON.parse(JSON.stringify(all)).length;
}

function regexWork() {
	let found = 0;

	for (let i = 0; i < 300; i++)
		found += /(\d+)-(\w+)/.test('abc ' + i + '-xyz');
	return found;
}

function outer() {
	return inner(20000) + sortWork() + mapWork() + jsonWork() + regexWork();
}

function driver(seconds) {
	const end = Date.now() + seconds * 1000;
	let sum = 0;

	while (Date.now() < end)
		sum += outer();
	return sum;
}

driver(Number(process.argv[2]));
