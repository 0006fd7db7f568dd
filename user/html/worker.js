// SPDX-License-Identifier: GPL-2.0-or-later
// worker.js - decodes in a worker, which has this same script; or here, where workers are not permitted

function buffersOf(value, to) {
	if (ArrayBuffer.isView(value))
		to.add(value.buffer);
	else if (value && typeof value === "object")
		Object.values(value).forEach(part => buffersOf(part, to));
	return to;
}

// Runs in the worker, or is called directly
class Decoder {
	async run(job) {
		if (job.kind === "times")
			return decodeTimes(job.text, this.keys);
		const meta = await decodeMeta(job.meta), data = await decodePaths(job.paths, meta);

		if (meta.times)
			this.keys = timeKeys(data, meta);
		return { meta, data };
	}
}

function serveAsWorker() {
	const decoder = new Decoder();

	self.onmessage = async event => {
		try {
			const result = await decoder.run(event.data);

			self.postMessage({ id: event.data.id, result }, Array.from(buffersOf(result, new Set())));
		} catch (e) {
			self.postMessage({ id: event.data.id, error: String(e && e.message || e) });
		}
	};
}

class Decoding {
	constructor(script) {
		this.waiting = new Map();
		this.nr = 0;
		this.local = new Decoder();
		try {
			const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));

			this.worker = new Worker(url);
			this.worker.onmessage = event => this.answer(event.data);
			this.worker.onerror = event => this.giveUp(event);
		} catch (e) {
			this.worker = null;
		}
	}

	answer({ id, result, error }) {
		const { done, refuse } = this.waiting.get(id);

		this.waiting.delete(id);
		if (error)
			refuse(new Error(error));
		else
			done(result);
	}

	// No worker here after all: what waits is decoded by this thread
	giveUp(event) {
		const waiting = Array.from(this.waiting.values());

		event.preventDefault();
		this.worker = null;
		this.waiting.clear();
		for (const { job, done, refuse } of waiting)
			this.local.run(job).then(done, refuse);
	}

	run(job) {
		if (!this.worker)
			return this.local.run(job);
		return new Promise((done, refuse) => {
			job.id = this.nr++;
			this.waiting.set(job.id, { job, done, refuse });
			this.worker.postMessage(job);
		});
	}

	end() {
		if (this.worker)
			this.worker.terminate();
	}
}
