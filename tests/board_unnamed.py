#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
board_unnamed.py - has a copy of a root a symbol for a frame that has no name?

usage: tests/board_unnamed.py ROOT FOLDED...

Reads folded stacks of kflame. For each frame [stripped: FILE+0xOFFSET] it asks nm for the symbols of FILE below ROOT,
and of the debug file in .debug beside it. Frames of files that were gone or changed, and those of no file, are
wrong if the root has that file. The exit status is 1 if a frame should have had a name.
"""

import os
import re
import subprocess
import sys

NM, READELF = "aarch64-linux-gnu-nm", "aarch64-linux-gnu-readelf"
UNNAMED = re.compile(r"\[(stripped|gone|changed|damaged|not named): ([^\]+]*)(?:\+0x([0-9a-f]+))?\]")


def lines(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.splitlines()


def files_of(root):
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and os.path.basename(folder) != ".debug":
                found[name] = path
    return found


def functions(path):
    """Of a file and its debug file: (first file offset, one past the last)."""
    loads = [[int(word, 16) for word in line.split()[1:5]] for line in lines(READELF, "-lW", path)
             if line.split()[:1] == ["LOAD"]]
    debug = os.path.join(os.path.dirname(path), ".debug", os.path.basename(path))
    result = []
    for line in (lines(NM, "-S", "--defined-only", path) + lines(NM, "-SD", "--defined-only", path)
                 + (lines(NM, "-S", "--defined-only", debug) if os.path.exists(debug) else [])):
        words = line.split()
        if len(words) == 4 and words[2] in "tTwWi":
            value, size = int(words[0], 16), int(words[1], 16)
            for offset, start, _, length in loads:
                if start <= value < start + length:
                    result.append((value - start + offset, value - start + offset + size))
    return result


def main():
    root, known = sys.argv[1], {}
    files = files_of(root)
    wrong, unnamed, named = set(), 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                stack, count = line.rstrip("\n").rsplit(" ", 1)
                for frame in stack.split(";")[1:]:
                    match = UNNAMED.match(frame)
                    if not match:
                        named += int(count)
                        continue
                    unnamed += int(count)
                    why, name, at = match.groups()
                    if name not in files:
                        continue
                    if why != "stripped" or at is None:
                        wrong.add(frame)
                        continue
                    if name not in known:
                        known[name] = functions(files[name])
                    if any(start <= int(at, 16) < end for start, end in known[name]):
                        wrong.add(frame)
    print("%d frames with a name; %d without, of which the root has a symbol for %d" % (named, unnamed, len(wrong)))
    for frame in sorted(wrong)[:10]:
        print(frame)
    sys.exit(bool(wrong))


main()
