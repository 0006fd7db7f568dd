// SPDX-License-Identifier: GPL-2.0-or-later
// boot.js - inflates the viewer's script and runs it: deflated it is a third as long.  The page's policy has the hashes
// of both scripts

function boot() {
	const own = document.currentScript, code = document.getElementById("code");

	inflate(fromBase64(code.textContent)).then(bytes => {
		const script = document.createElement("script");

		script.id = "viewer";
		script.textContent = new TextDecoder().decode(bytes);
		code.replaceWith(script);
		own.remove();
	}).catch(e => document.body.append("This file cannot be shown: " + (e && e.message || e) + ". Copy it again, or use a newer browser."));
}

boot();
