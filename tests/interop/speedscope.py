#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
speedscope.py - opens a file in speedscope, in a headless Chromium, and compares what it shows

usage: speedscope.py NODE_MODULES/speedscope FILE FOLDED

speedscope is served on the loopback device, with the file. Of its table (sandwich view) the rows that
are in sight are compared with folded stacks: each function's own samples.
"""

import collections
import html
import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    package, path, folded = sys.argv[1:]
    own = collections.Counter()
    with open(folded, encoding="utf-8") as f:
        for line in f:
            stack, count = line.rsplit(" ", 1)
            own[stack.split(";")[-1]] += int(count)
    total = sum(own.values())
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(os.path.join(package, "dist/release"), os.path.join(root, "app"))
        name = os.path.basename(path)
        shutil.copy(path, os.path.join(root, name))
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=root))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d/app/index.html#profileURL=/%s&view=sandwich" % (
            server.server_port, name)
        page = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
             "--user-data-dir=" + os.path.join(root, "browser"), "--virtual-time-budget=60000", "--dump-dom", url],
            capture_output=True, text=True, timeout=300).stdout
        server.shutdown()
    text = [html.unescape(t).strip() for t in re.findall(r">([^<]+)", page)]
    weight = re.compile(r"([\d,]+) \([\d.]+%\)$")
    shown = collections.Counter()
    for both, mine, name in zip(text, text[1:], text[2:]):
        found = weight.match(mine)
        if found and weight.match(both) and name in own:
            shown[name] += int(found[1].replace(",", ""))
    rows = 0
    for name, count in shown.items():
        # A function may have further rows, out of sight: of another file, or in softirqs
        if count > own[name]:
            sys.exit("%s: %d in speedscope, %d in folded stacks" % (name, count, own[name]))
        rows += count == own[name]
    print("# speedscope: %d functions as in folded stacks, of %d samples" % (rows, total))
    return 0 if rows >= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
