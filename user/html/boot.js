// SPDX-License-Identifier: GPL-2.0-or-later
// boot.js - inflates the viewer's script and runs it: deflated it is a third as long.  The page's policy has the hashes
// of both scripts. The viewer's worker runs both, too, and inflates nothing here

function whyNot(e) {
	return "This file cannot be shown: " + (e && e.message || e) + ". Copy it again, or use a newer browser.";
}

function boot() {
	const code = document.getElementById("code");

	inflate(fromBase64(code.textContent)).then(bytes => {
		const script = document.createElement("script");

		script.id = "viewer";
		script.textContent = new TextDecoder().decode(bytes);
		code.replaceWith(script);
	}).catch(e => document.body.append(whyNot(e)));
}

if (typeof document !== "undefined") {
	document.currentScript.id = "boot";
	boot();
}
