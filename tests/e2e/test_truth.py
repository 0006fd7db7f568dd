# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 1: shares are true, and the callers of frameless leaves are there."""

import math

from harness import (balanced, check, enough, folded, in_order, kflame, late_part, load, note,
                     right_unless_late, scratch, test, workload)


def shares_of(program, functions, wanted):
    """Shares of functions in that program's samples are those that it measured."""
    load()
    right_unless_late(lambda: measure(program, functions, wanted))


def measure(program, functions, wanted):
    """Return: the function whose share is wrong, "" for none; the part of the program's time that came late."""
    path = scratch(program + ".data")
    truth, seen, late = {}, {}, [0]

    def take(seconds):
        done = kflame("record", "-F", 997, "--budget", 0, "-o", path, "--",
                      workload(program), seconds)
        late[0] = late_part(balanced(path), program)
        truth.clear()
        for line in done.stdout.split("\n"):
            name, _, ns = line.partition(" ")
            if name in functions:
                truth[name] = int(ns)
        check(len(truth) == len(functions), "the program printed:", done.stdout)
        seen.update(dict.fromkeys(truth, 0))
        for frames, count in folded(path).items():
            for name in truth:
                if name in frames:
                    seen[name] += count
        return sum(seen.values())

    enough(take, wanted, 16)
    samples, total = sum(seen.values()), sum(truth.values())
    wrong = ""
    for name, ns in truth.items():
        true, share = ns / total, seen[name] / samples
        allowed = max(4 * math.sqrt(true * (1 - true) / samples), 0.015)
        note("%s: true %.2f%%, seen %.2f%%, allowed %.2f points of %d samples; %.2f%% of the time came late"
             % (name, 100 * true, 100 * share, 100 * allowed, samples, 100 * late[0]))
        if abs(share - true) > allowed:
            wrong = "%s: %.4f is not %.4f" % (name, share, true)
    return wrong, late[0]


@test("shares of 70, 20 and 10% are what the program measured itself")
def shares():
    shares_of("shares", ("share_70", "share_20", "share_10"), 10000)


@test("stacks that differ in one outer frame stay separate: shares of 75 and 25%")
def twins():
    shares_of("twins", ("twin_three", "twin_one"), 3000)


def samples_with(path, leaf):
    return sum(count for frames, count in folded(path).items() if leaf in frames)


def caller_share(path, leaf, wanted):
    """Of the samples with leaf on the stack, how many have the wanted order of frames?"""
    have = all_of = 0
    without = {}
    for frames, count in folded(path).items():
        if leaf in frames:
            all_of += count
            if in_order(frames, wanted):
                have += count
            else:
                without[frames] = count
    worst = sorted(without.items(), key=lambda item: -item[1])[:5]
    note("%s: %d of %d" % (" > ".join(wanted), have, all_of))
    check(have >= 0.99 * all_of, "%d of %d samples; without:" % (have, all_of), worst)


def record_with(path, program, leaf):
    """Record a program until there are samples enough with that function."""

    def take(seconds):
        kflame("record", "-F", 997, "--budget", 0, "-o", path, "--", workload(program), seconds)
        balanced(path)
        return samples_with(path, leaf)

    enough(take, 1000, 4)


@test("main > top > mid > leaf: mid is in 99% of the samples of a leaf without a frame")
def chain():
    load()
    path = scratch("chain.data")
    record_with(path, "chain", "leaf")
    caller_share(path, "leaf", ("chain", "main", "top", "mid", "leaf"))


@test("the caller of libc's read() is in 99% of its samples")
def readloop():
    load()
    path = scratch("readloop.data")
    record_with(path, "readloop", "ksys_read")
    caller_share(path, "ksys_read", ("readloop", "main", "read_caller", "ksys_read"))
    # and in libc itself, before and after the system call
    for leaf in ("read", "__read", "__libc_read", "__GI___libc_read"):
        if samples_with(path, leaf):
            caller_share(path, leaf, ("readloop", "main", "read_caller", leaf))
            return
    check(False, "no frame of libc's read() in", sorted(folded(path))[:10])
