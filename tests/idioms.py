#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
idioms.py - words that hide what is meant may not come back

usage: tests/idioms.py

Looks through code, documents and manual pages for the words below. Each has the words to write
instead. tests/idioms.txt lists the few lines that may have one, and how many lines of tests/ still
do: that number may fall, and not rise.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

IDIOMS = {
    r"told": "reported, recorded, matched, written: whichever is meant",
    r"likewise": "say it again",
    r"learnt": "cached, verified",
    r"odd": "unsupported, unusual",
    r"that of which": "name the thing",
    r"at sight": "without a walk",
    r"nobody's": "belongs to no process; an unprivileged process",
    r"made to harm": "hostile",
    r"to the unit": "exactly",
    r"(is|are) come by": "found",
    r"[Ww]ho (asks|reads|writes|wants|gets|comes|sees|takes|gives|makes|records|walks|learns)": "name the actor",
}
PATTERN = re.compile("|".join(r"(?P<w%d>\b(?:%s)\b)" % pair for pair in enumerate(IDIOMS)))
WHERE = ("kmod", "user", "include", "docs", "man", "scripts", "dkms", "tests", "README.md", "CONTRIBUTING.md",
         "Makefile", ".ci")
NOT = re.compile(r"^tests/(fuzz/corpus/|idioms\.|bench/results/|interop/)|\.(svg|png|folded)$|^docs/kernels\.md$")


def exceptions():
    """Lines that may have an idiom, by file, and how many lines of each folder of tests/ have one."""
    lines, counts = set(), {}
    with open(os.path.join(ROOT, "tests/idioms.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            path, _, text = line.rstrip("\n").partition(": ")
            if text.isdigit():
                counts[path] = int(text)
            else:
                lines.add((path, text))
    return lines, counts


def main():
    allowed, most = exceptions()
    paths = subprocess.run(["git", "ls-files", *WHERE], cwd=ROOT, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split("\n")
    wrong, seen = [], dict.fromkeys(most, 0)
    for path in filter(None, paths):
        if NOT.search(path) or not os.path.isfile(os.path.join(ROOT, path)):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = PATTERN.search(line)
                if not found or (path, line.strip()) in allowed:
                    continue
                counted = next((folder for folder in most if path.startswith(folder)), None)
                if counted:
                    seen[counted] += 1
                else:
                    instead = list(IDIOMS.values())[int(found.lastgroup[1:])]
                    wrong.append('%s:%d: "%s": %s' % (path, number, found[0], instead))
    for folder in most:
        if seen[folder] != most[folder]:
            wrong.append("%s: %d lines with an idiom, tests/idioms.txt has %d%s" % (
                folder, seen[folder], most[folder],
                ": say it in other words" if seen[folder] > most[folder] else ": lower it there"))
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
