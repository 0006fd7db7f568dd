// SPDX-License-Identifier: GPL-2.0-or-later
// dom.js - elements.  Texts are set as text, never as markup

function el(tag, properties, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(properties || {})) {
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else if (key === "text")
			e.textContent = value;
		else if (key === "value" || key === "checked" || key === "selected" || key === "disabled")
			e[key] = value;
		else
			e.setAttribute(key, value);
	}
	e.append(...children);
	return e;
}

function button(text, title, onclick) {
	return el("button", { type: "button", text, title, onclick });
}

function byId(id) {
	return document.getElementById(id);
}

// The data of an element.  A file that was cut has no later ones
function textOf(id) {
	const e = byId(id);

	if (!e)
		throw new Error("it is not complete");
	return e.textContent;
}

// Replace the children of an element
function fill(e, ...children) {
	e.replaceChildren(...children);
	return e;
}

function announce(text) {
	byId("live").textContent = text;
}

// One call for all calls in a frame
function onceAFrame(fn) {
	let isWaiting = false;

	return () => {
		if (isWaiting)
			return;
		isWaiting = true;
		requestAnimationFrame(() => {
			isWaiting = false;
			fn();
		});
	};
}
