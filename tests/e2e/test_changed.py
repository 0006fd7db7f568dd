# SPDX-License-Identifier: GPL-2.0-or-later
"""Mappings that change while they are sampled: what is new has a name, what is gone gives none."""

import os
import platform

from harness import balanced, check, enough, folded, load, note, record, scratch, test, unload, workload


def shares(path, comm="remaps"):
    """Samples of the program in user mode: by stack."""
    stacks = {";".join(stack): count for stack, count in folded(path).items()}
    return {stack: count for stack, count in stacks.items()
            if stack.startswith(comm + ";") and ("call;" in stack or "made" in stack)}


@test("code that is mapped after the first sample, in memory of any kind, is named under its callers")
def made_code():
    load()
    for way in ("auto", "dwarf", "fp"):
        for kind in ("rwx", "shared", "zero", "memfd", "heap") if way == "auto" else ("rwx",):
            enough(lambda seconds: made_samples(way, kind, seconds), 300, 1, "samples under call;made")
    unload()


def made_samples(way, kind, seconds):
    path = record("made", "-F", 997, "-g", way, command=(workload("remaps"), kind, str(seconds)))
    balanced(path)
    stacks = shares(path)
    made = sum(count for stack, count in stacks.items() if "call;made" in stack)
    unknown = sum(count for stack, count in stacks.items() if "[" in stack.split(";")[-1])
    note("%s, %s: %d samples named, %d not" % (way, kind, made, unknown))
    # until the module has looked again
    check(unknown <= 0.05 * max(made, 100), "%s, %s: %r" % (way, kind, stacks))
    return made


# On arm64 a replacement may be seen a second late (kf_mm_changes()): so little must be a small part
SWAP_S = 8 if platform.machine() == "aarch64" else 2


@test("a mapping that another of the same size replaces is named by each in its time")
def replaced():
    load()
    samples = None

    def take(seconds):
        nonlocal samples
        samples = in_swapped(way, seconds)
        return sum(samples.values())

    for way in ("auto", "fp"):
        enough(take, 501, SWAP_S)
        both = sum(samples.values())
        check(0.3 * both < samples["second"] < 0.7 * both, "%s: %r" % (way, samples))
    unload()


def in_swapped(way, seconds):
    """Record it for that long.  Return: the samples in each of the two files."""
    where = scratch("swap")
    os.makedirs(where, exist_ok=True)
    profile = balanced(record("swap", "-F", 997, "-g", way, command=(workload("remaps"), "swap", str(seconds), where)))
    samples = {"first": 0, "second": 0}
    for count in profile.counts:
        if not count.ustack or not profile.stacks[count.ustack].ip:
            continue
        at = profile.stacks[count.ustack].ip[0]
        for mapping in profile.mappings[count.aspace]:
            name = os.path.basename(profile.files[mapping.file].path) if mapping.file else ""
            if mapping.start <= at < mapping.end and name in samples:
                samples[name] += count.samples
    note("%s: %r" % (way, samples))
    return samples


@test("text that is moved to pages of no file keeps its names and its callers")
def moved():
    load()
    for kind, way in (("move", "auto"), ("begin", "auto"), ("begin", "fp")):
        enough(lambda seconds: moved_for(kind, way, seconds), 1001, 3)
    unload()


def moved_for(kind, way, seconds):
    """Record it for that long, and judge if there are enough samples.  Return: how many."""
    path = record("moved", "-F", 997, "-g", way, command=(workload("remaps"), kind, seconds))
    profile = balanced(path)
    named = lost = 0
    for stack, count in folded(path).items():
        # by frame pointers the caller is not always known
        if stack[0] == "remaps" and stack[-1].endswith("work"):
            named += count if way == "fp" or "main" in stack and "call" in stack else 0
        elif stack[0] == "remaps" and any("anonymous" in frame for frame in stack):
            lost += count
    here = sum(count.samples for count in profile.counts if count.comm == "remaps")
    note("%s, %s: %d of %d samples are in work under main, %d in memory of no file" % (kind, way, named, here, lost))
    if here > 1000:
        # until the module has looked again
        check(lost <= 0.02 * here, "%s, %s: %d of %d samples in memory of no file" % (kind, way, lost, here))
        check(named >= 0.8 * here, "%s, %s: %d of %d samples in work" % (kind, way, named, here))
    return here


@test("a program that flips protections all the time has its samples, and few walks")
def flipping():
    load()
    path = record("flip", "-F", 997, command=(workload("remaps"), "flip", "3"))
    profile = balanced(path)
    numbers = sum(1 for aspace in profile.aspaces.values() if aspace.comm.startswith("remaps"))
    note("%d numbers in 3 s" % numbers)
    # 16 at once, then ten a second at most
    check(2 <= numbers <= 16 + 10 * 5, "%d numbers" % numbers)
    unload()
