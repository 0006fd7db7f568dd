#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
pictures.py - makes the pictures of docs/guide.md: a page of shop.py's profile after the actions of view_questions.js

usage: pictures.py [KFLAME [DIRECTORY]]		(build/user/kflame, docs/views)

CHROMIUM in the environment names a browser that is not in the PATH.
"""

import base64
import collections
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
WIDTH, HEIGHT, COLORS, APART = 1200, 640, 128, 300
READY = """new Promise(done => {
	const look = () => document.body && document.body.dataset.ready === "2" ? done() : setTimeout(look, 20);

	look();
})"""
ACT = """(async () => {
	const { actions, sees } = QUESTIONS[%d], v = document.body.viewer;

	for (const action of actions) {
		action(v, document);
		await new Promise(done => setTimeout(done, 100));
	}
	return Boolean(sees(v, document));
})()"""


def smaller(png):
    """The same picture with few colours: frequent ones that are apart from each other, and for others the nearest of them."""
    at, chunks = 8, {}
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        chunks[kind] = chunks.get(kind, b"") + png[at + 8:at + 8 + length]
        at += 12 + length
    width, height, depth, color = struct.unpack_from(">2I2B", chunks[b"IHDR"])
    size = {2: 3, 6: 4}[color]
    pixels = [row[i:i + 3] for row in rows_of(zlib.decompress(chunks[b"IDAT"]), width * size, height, size)
              for i in range(0, width * size, size)]
    counts = collections.Counter(pixels)
    palette, index = [], {}
    for rgb, _ in counts.most_common():
        far = [sum((a - b) ** 2 for a, b in zip(rgb, other)) for other in palette]
        if not far or min(far) > APART and len(palette) < COLORS:
            index[rgb] = len(palette)
            palette.append(rgb)
        else:
            index[rgb] = far.index(min(far))
    data = b"".join(b"\0" + bytes(index[rgb] for rgb in pixels[y * width:(y + 1) * width]) for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (png[:8] + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", b"".join(palette)) +
            chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


def rows_of(data, length, height, size):
    """The rows of a PNG without their filters."""
    above = bytearray(length)
    for y in range(height):
        how, row = data[y * (length + 1)], bytearray(data[y * (length + 1) + 1:(y + 1) * (length + 1)])
        for i in range(length if how else 0):
            a, b, c = row[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
            if how == 4:
                far = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
                guess = a if far[0] <= far[1] and far[0] <= far[2] else b if far[1] <= far[2] else c
            else:
                guess = {1: a, 2: b, 3: (a + b) // 2}[how]
            row[i] = row[i] + guess & 255
        yield bytes(row)
        above = row


class Browser:
    """Chromium, over its pipes: requests and answers are JSON, each with a zero byte behind it."""

    def __init__(self, home):
        here, child_out = os.pipe()
        child_in, there = os.pipe()
        self.number, self.rest, self.session = 0, b"", None
        self.inp, self.out = here, there
        # The shell gives the browser the numbers 3 and 4 for its ends of the pipes
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or "google-chrome"
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (child_in, child_out), "sh", program, "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--disable-lcd-text", "--remote-debugging-pipe", "--user-data-dir=" + home, "about:blank"],
            pass_fds=(child_in, child_out), stderr=subprocess.DEVNULL)
        os.close(child_in)
        os.close(child_out)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.inp, 1 << 20)
                if not more:
                    sys.exit("pictures.py: the browser ended")
                self.rest += more
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"] if "result" in answer else sys.exit("pictures.py: %s: %s" % (method, answer["error"]))

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit("pictures.py: " + json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def show(self, address, scripts):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.run(READY)
        self.run(scripts)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(smaller(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])))

    def end(self):
        self.process.kill()
        self.process.wait()


def main():
    kflame = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/user/kflame")
    to = sys.argv[2] if len(sys.argv) > 2 else os.path.join(TOP, "docs/views")
    with open(os.path.join(HERE, "view_questions.js"), encoding="utf-8") as file:
        scripts = file.read().replace('"use strict";', "").replace("const QUESTIONS", "globalThis.QUESTIONS")
    with tempfile.TemporaryDirectory() as work:
        data, page = os.path.join(work, "shop.data"), os.path.join(work, "shop.html")
        subprocess.run([os.path.join(HERE, "shop.py"), data], check=True)
        subprocess.run([kflame, "view", data, "-o", page], check=True, stderr=subprocess.DEVNULL)
        browser = Browser(os.path.join(work, "home"))
        try:
            browser.show("file://" + page, scripts)
            questions = browser.run("QUESTIONS.map(q => [q.id, q.question])")
            for i, (name, question) in enumerate(questions):
                browser.show("file://" + page, scripts)
                if not browser.run(ACT % i):
                    sys.exit("pictures.py: the page does not answer: " + question)
                browser.picture(os.path.join(to, "ask-%s.png" % name))
        finally:
            browser.end()


if __name__ == "__main__":
    main()
