#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
refold.py - does a converted profile hold the same stacks as 'kflame fold' printed?

usage: refold.py FORMAT FILE FOLDED	(collapsed, speedscope, chrome, firefox, svg, report_json, report)

Reads FILE as its viewers do, and makes folded stacks of it.  Names are compared as far as formats
have them alike: ';' is ':', and what is no character in one or in the other is '?', one for many.
Blanks are '_' in a thread's name and at the beginning of another, as perf script's text has them.
Exits with 1, and says what differs, unless all stacks and all sums are the same.
"""

import collections
import decimal
import functools
import json
import re
import sys
import xml.etree.ElementTree


@functools.lru_cache(maxsize=None)
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


def sums_of(profile):
    sums = collections.Counter()
    for stack, weight in zip(profile["samples"], profile["weights"]):
        sums[tuple(stack)] += weight
    return sums


def speedscope(path):
    file = load(path)
    names = [f["name"] for f in file["shared"]["frames"]]
    every, *threads = file["profiles"]
    for profile in file["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds")
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
    # The first profile has what the others, one a thread, have together
    assert not threads or sums_of(every) == sum(map(sums_of, threads), collections.Counter())
    assert len({t["name"] for t in threads}) == len(threads) != 1
    for stack, weight in zip(every["samples"], every["weights"]):
        yield fold(names[i] for i in stack), weight


def chrome(path):
    """
    Self time of each stack: what is not its children's.  Events nest, and times never fall.

    Beginnings and ends are two queues, as speedscope has them: of the same time the end is first, but
    if both have the same name and arguments, since that is an event of no duration.
    """
    file = load(path)
    if file["otherData"]["unit"] == "moments":
        yield from chrome_chart(file["traceEvents"])
        return
    unit = 1000 if file["otherData"]["unit"] == "time" else 1
    events = [e for e in file["traceEvents"] if e["ph"] != "M"]
    assert [e["ts"] for e in events] == sorted(e["ts"] for e in events)
    begins = collections.deque(e for e in events if e["ph"] == "B")
    ends = collections.deque(e for e in events if e["ph"] == "E")
    assert len(begins) + len(ends) == len(events)
    stack, last = [], 0
    while ends:
        same = begins and all(begins[0].get(k) == ends[0].get(k) for k in ("ts", "name", "args"))
        event = (begins if begins and (begins[0]["ts"] < ends[0]["ts"] or same) else ends).popleft()
        now = event["ts"] * unit
        assert now == int(now)
        assert stack or now == last
        if now != last:  # folding is what takes the time
            yield fold(stack), int(now - last)
        last = now
        if event["ph"] == "B":
            stack.append(event["name"])
        else:
            assert stack.pop() == event["name"]
    assert not stack and not begins


def chrome_chart(events):
    """Self time of each stack. Events of a thread nest: one begins after its caller and ends before it"""
    names = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    lanes = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            lanes[e["pid"], e["tid"]].append(e)
    assert names == set(lanes)
    for lane in lanes.values():
        callers = []  # of each: its end, the names down to it, its own time
        for e in [*lane, {"ts": 1 << 50, "dur": 0, "name": ""}]:
            begin, dur = round(1000 * e["ts"]), round(1000 * e["dur"])
            while callers and callers[-1][0] <= begin:
                _, names, left = callers.pop()
                if left:
                    yield fold(names), left
            assert not callers or begin + dur <= callers[-1][0]
            names = callers[-1][1] if callers else []
            if callers:
                callers[-1][2] -= dur
            callers.append([begin + dur, [*names, e["name"]], dur])


def firefox(path):
    file = load(path)
    every, *threads = [list(firefox_thread(file, t)) for t in file["threads"]]
    # The first thread has what the others have together, in order of time
    assert not threads or sorted(every) == sorted(stack for t in threads for stack in t)
    assert len({(t["pid"], t["tid"]) for t in file["threads"][1:]}) == len(threads) != 1
    return every


def firefox_thread(file, thread):
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


def own(open_frames):
    """The innermost frame's stack and what is its own, if anything is"""
    _, names, left = open_frames.pop()
    if left:
        yield fold(names[1:]) if open_frames else "", left


def svg(path):
    """What is not the callees' of each frame.  Nothing in it is a script, but the one that it brings."""
    root = xml.etree.ElementTree.parse(path).getroot()
    elements = list(root.iter())
    assert sum(e.tag.endswith("}script") for e in elements) == 1
    assert not any(a.startswith("on") or "javascript" in v for e in elements for a, v in e.attrib.items())
    open_frames = []  # [end, names, what is left of it]
    for e in elements:
        if "data-x" not in e.attrib:
            continue
        begin, width = int(e.attrib["data-x"]), int(e.attrib["data-w"])
        while open_frames and begin >= open_frames[-1][0]:
            yield from own(open_frames)
        names = open_frames[-1][1] if open_frames else []
        title = e.find("{http://www.w3.org/2000/svg}title").text
        if open_frames:
            assert begin + width <= open_frames[-1][0]
            open_frames[-1][2] -= width
        open_frames.append([begin + width, names + [title.split("\n")[0]], width])
    while open_frames:
        yield from own(open_frames)


def report_json(path):
    """Of --tree: own weight of each call"""
    file = load(path)
    unit = "samples" if file["summary"]["shares_of"] == "samples" else "ns"
    calls = file["tree"]
    stacks = []
    for call in calls:
        assert call["caller"] is None or call["caller"] < len(stacks)
        stacks.append((stacks[call["caller"]] if call["caller"] is not None else []) + [call["name"]])
        if call["self"][unit]:
            yield fold(stacks[-1]), call["self"][unit]
    below = collections.Counter()
    for call in calls:
        below[call["caller"]] += call["total"]["samples"]
    assert all(below[i] + c["self"]["samples"] == c["total"]["samples"] for i, c in enumerate(calls))


def report(path):
    """Own samples of each function, as the table has them"""
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.read().split("\n")
    table = lines[next(i for i, line in enumerate(lines) if "Self count" in line):]
    where = table[0].index("Function")
    for line in table[1:table.index("")]:
        yield clean(line[where:]), int(line.split()[2].replace(",", ""))


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
    if name == "report":
        # What is in no function is of its thread alone, and in another table
        want = add_up((stack.split(";")[-1], count) for stack, count in want.items()
                      if ";" in stack or re.fullmatch(r"\[.*\]", stack))
    different = [s for s in set(got) | set(want) if got[s] != want[s]]
    for stack in sorted(different)[:5]:
        print("%.300s: %d in %s, %d in folded stacks" % (stack, got[stack], name, want[stack]))
    return 1 if different or not want else 0


if __name__ == "__main__":
    sys.exit(main())
