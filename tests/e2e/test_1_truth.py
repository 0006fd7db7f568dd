# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 1: shares are true, and the callers of frameless leaves are there."""

import math

from harness import balanced, check, folded, kflame, load, note, scratch, test, workload
from harness import in_order


@test("shares of 70, 20 and 10% are what the program measured itself")
def shares():
    load()
    path = scratch("shares.data")
    done = kflame("record", "-F", 997, "--budget", 0, "-o", path, "--", workload("shares"), 16)
    balanced(path)
    truth = {}
    for line in done.stdout.split("\n"):
        if line.startswith("share_"):
            name, ns = line.split()
            truth[name] = int(ns)
    check(len(truth) == 3, "the program printed:", done.stdout)
    seen = dict.fromkeys(truth, 0)
    for frames, count in folded(path).items():
        for name in truth:
            if name in frames:
                seen[name] += count
    samples, total = sum(seen.values()), sum(truth.values())
    check(samples >= 10000, "only %d samples" % samples)
    for name, ns in truth.items():
        true, share = ns / total, seen[name] / samples
        allowed = max(4 * math.sqrt(true * (1 - true) / samples), 0.015)
        note("%s: true %.2f%%, seen %.2f%%, allowed %.2f points of %d samples"
             % (name, 100 * true, 100 * share, 100 * allowed, samples))
        check(abs(share - true) <= allowed, "%s: %.4f is not %.4f" % (name, share, true))


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
    check(all_of >= 1000, "only %d samples with %s" % (all_of, leaf))
    note("%s: %d of %d" % (" > ".join(wanted), have, all_of))
    check(have >= 0.99 * all_of, "%d of %d samples; without:" % (have, all_of), worst)


@test("main > top > mid > leaf: mid is in 99% of the samples of a leaf without a frame")
def chain():
    load()
    path = scratch("chain.data")
    kflame("record", "-F", 997, "--budget", 0, "-o", path, "--", workload("chain"), 4)
    balanced(path)
    caller_share(path, "leaf", ("chain", "main", "top", "mid", "leaf"))


@test("the caller of libc's read() is in 99% of its samples")
def readloop():
    load()
    path = scratch("readloop.data")
    kflame("record", "-F", 997, "--budget", 0, "-o", path, "--", workload("readloop"), 4)
    balanced(path)
    caller_share(path, "ksys_read", ("readloop", "main", "read_caller", "ksys_read"))
    # and in libc itself, before and after the system call
    for leaf in ("read", "__read", "__libc_read", "__GI___libc_read"):
        if any(leaf in frames for frames in folded(path)):
            caller_share(path, leaf, ("readloop", "main", "read_caller", leaf))
            return
    check(False, "no frame of libc's read() in", sorted(folded(path))[:10])
