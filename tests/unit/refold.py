#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
refold.py - does a converted profile hold the same stacks as 'kflame fold' printed?

usage: refold.py FORMAT FILE FOLDED	(collapsed, speedscope, chrome, firefox)

Reads FILE as its viewers do, and makes folded stacks of it.  Names are compared as far as formats
have them alike: ';' is ':', and what is no character in one or in the other is '?', one for many.
Blanks are '_' in a thread's name and at the beginning of another, as perf script's text has them.
Exits with 1, and says what differs, unless all stacks and all sums are the same.
"""

import collections
import decimal
import json
import re
import sys


def clean(name):
    name = re.sub("[\x00-\x1f\x7f-\x9f\ufffd\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", "?", name)
    return re.sub("^ ", "_", re.sub(r"\?+", "?", name.replace(";", ":")))


def fold(frames):
    thread, *others = map(clean, frames)
    return ";".join([thread.replace(" ", "_"), *others])


def collapsed(path):
    with open(path, encoding="utf-8", errors="replace", newline="\n") as f:
        for line in f:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            yield fold(stack.split(";")), int(count)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_float=decimal.Decimal)


def speedscope(path):
    file = load(path)
    names = [f["name"] for f in file["shared"]["frames"]]
    profile, = file["profiles"]
    assert profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds")
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] == sum(profile["weights"])
    for stack, weight in zip(profile["samples"], profile["weights"]):
        yield fold(names[i] for i in stack), weight


def chrome(path):
    """Self time of each stack: what is not its children's.  Events nest, and times never fall."""
    file = load(path)
    unit = 1000 if file["otherData"]["unit"] == "time" else 1
    stack, last = [], 0
    for event in file["traceEvents"]:
        if event["ph"] == "M":
            continue
        now = event["ts"] * unit
        assert now >= last and now == int(now)
        if stack:
            yield fold(stack), int(now - last)
        else:
            assert now == last
        last = now
        if event["ph"] == "B":
            stack.append(event["name"])
        else:
            assert event["ph"] == "E" and stack.pop() == event["name"]
    assert not stack


def firefox(path):
    file = load(path)
    thread, = file["threads"]
    names = file["shared"]["stringArray"]
    functions, frames = thread["funcTable"], thread["frameTable"]
    stacks, samples = thread["stackTable"], thread["samples"]
    for table in functions, frames, stacks, samples, thread["resourceTable"]:
        assert all(len(c) == table["length"] for c in table.values() if isinstance(c, list))
    assert all(c < len(file["meta"]["categories"]) for c in frames["category"])
    unit = 1000000 if samples["weightType"] == "tracing-ms" else 1
    assert sorted(samples["time"]) == samples["time"]
    for stack, weight in zip(samples["stack"], samples["weight"]):
        found = []
        while stack is not None:
            found.append(names[functions["name"][frames["func"][stacks["frame"][stack]]]])
            assert stacks["prefix"][stack] is None or stacks["prefix"][stack] < stack
            stack = stacks["prefix"][stack]
        assert weight * unit == int(weight * unit)
        yield fold(reversed(found)), int(weight * unit)


def add_up(pairs):
    sums = collections.Counter()
    for stack, count in pairs:
        if count:
            sums[stack] += count
    return sums


def main():
    name, path, folded = sys.argv[1:]
    got = add_up(globals()[name](path))
    want = add_up(collapsed(folded))
    different = [s for s in set(got) | set(want) if got[s] != want[s]]
    for stack in sorted(different)[:5]:
        print("%.300s: %d in %s, %d in folded stacks" % (stack, got[stack], name, want[stack]))
    return 1 if different or not want else 0


if __name__ == "__main__":
    sys.exit(main())
