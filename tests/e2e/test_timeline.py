# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples in order of time: all of them, where they were, and the views by time."""

import collections
import errno
import os
import re

import kfl
from harness import (balanced, check, folded, info, kflame, load, note, record, scratch, test,
                     workload)
from session import CONFIGURE, Session, config

FEAT_TIMELINE = 1 << 10
CF_NO_KSTACK, CF_NO_USTACK = 1 << 3, 1 << 4


def turns(names):
    """How one follows the other: a run of the same is one."""
    return [name for at, name in enumerate(names) if not at or names[at - 1] != name]


def samples_in_order(profile):
    """Per CPU they rise, and lie end to end where nothing was lost or left out."""
    for cpu, samples in profile.samples_of.items():
        for before, after in zip(samples, samples[1:]):
            check(after.time_ns >= before.time_ns + before.weight_ns,
                  "CPU %d: %r begins before the end of %r" % (cpu, after, before))
        books = profile.cpus[cpu]
        if books.samples == books.counted == len(samples):
            apart = sum(after.time_ns != before.time_ns + before.weight_ns
                        for before, after in zip(samples, samples[1:]))
            check(not apart, "CPU %d: %d holes in %d samples" % (cpu, apart, len(samples)))
    sums, weights, late = (collections.Counter() for _ in range(3))
    for samples in profile.samples_of.values():
        for sample in samples:
            sums[sample.count] += 1
            weights[sample.count] += sample.weight_ns
            late[sample.count] += sample.late_ns
    if not profile.stats[kfl.STAT_ORDER_FULL]:
        by_key = collections.Counter()
        for count in profile.counts:
            by_key[count] += 1
        for count, times in by_key.items():
            check((sums[count], weights[count], late[count]) ==
                  tuple(times * v for v in (count.samples, count.weight_ns, count.late_ns)),
                  "%r: %d samples in order" % (count, sums[count]))


@test("each sample has its exact time; the whole range is the whole profile")
def all_of_them():
    load()
    check(info()["features"] & FEAT_TIMELINE, "the module has no FEAT_TIMELINE")
    path = record("timeline", "-a", "--timeline", "-F", 997, command=(workload("mixed"), "3"))
    profile = balanced(path)
    check(profile.ordered, "no samples in order")
    check(profile.stats[kfl.STAT_ORDER_FULL] == 0, "some found no room")
    samples_in_order(profile)
    note("%d samples in order of time, %d bytes" % (profile.ordered, os.path.getsize(path)))
    for unit in ("--samples", "--time"):
        check(folded(path, unit) == folded(path, unit, "--from", "0", "--to", "100%"),
              "fold of the whole range is not fold, by", unit)
    halves = collections.Counter(folded(path, "--to", "50%"))
    halves.update(folded(path, "--from", "50%"))
    check(halves == folded(path), "the halves are not the whole")


@test("over many exchanges of tables, and with more samples than there is room for")
def many_tables():
    load()
    path = record("timeline-fast", "-a", "--timeline", "-F", 20000, "--entries", 16,
                  command=(workload("mixed"), "3"))
    profile = balanced(path)
    samples_in_order(profile)
    note("%d in order, %d not, %d exchanges" % (profile.ordered,
         profile.stats[kfl.STAT_ORDER_FULL], profile.stats[0]))
    check(profile.stats[0] > 4, "only %d tables" % profile.stats[0])
    with Session() as session:
        flags = kfl.CF_TIMELINE | CF_NO_KSTACK | CF_NO_USTACK
        session.configure(flags=flags, period_ns=50000, entries=64)
        session.start()
        # Nobody reads until there cannot be room
        kflame("record", "-a", "-o", scratch("meanwhile"), "--", workload("busy"), 3)
        session.stop()
        stream = scratch("full.data")
        with open(stream, "wb") as file:
            file.write(session.read_all())
    profile = kfl.Profile(stream)
    wrong = profile.imbalances()
    check(not wrong, "the books do not balance:", *wrong)
    samples_in_order(profile)
    check(profile.stats[kfl.STAT_ORDER_FULL], "none found the table full: %d" % profile.ordered)
    # It ends where the module's part does, which is exit status 1
    done = kflame("info", "--raw", "-i", stream, status=1)
    check("stat.order_full=%d\n" % profile.stats[kfl.STAT_ORDER_FULL] in done.stdout, done.stdout)
    check("books=balanced\n" in done.stdout, done.stdout)
    done = kflame("fold", "-i", stream, "--from", 0, status=1)
    check("samples have no time" in done.stderr, "samples without a time were not reported:", done.stderr)


@test("two functions that take turns are seen to; a range shows one of them")
def phases():
    load()
    path = record("phases", "--timeline", "-F", 997, command=(workload("phases"), 6, 500))
    profile = balanced(path)
    samples_in_order(profile)
    svg = scratch("phases.svg")
    kflame("flame", "--chart", "-i", path, "-o", svg)
    with open(svg, encoding="utf-8") as file:
        picture = file.read()
    seen = re.findall(r'<g class="u" data-x="(\d+)" data-w="(\d+)"><title>(phase_[ab])\n', picture)
    check(turns([name for _, _, name in sorted(seen, key=lambda f: int(f[0]))]) ==
          ["phase_a", "phase_b"] * 3, "the chart shows", [name for _, _, name in seen])
    start = int(re.search(r'data-from="(\d+)"', picture)[1])
    for at, width, name in seen[:2]:
        where = (start + int(at) + int(width) * 0.2, start + int(at) + int(width) * 0.8)
        there = folded(path, "--from", "%.6f" % (where[0] / 1e9), "--to", "%.6f" % (where[1] / 1e9))
        others = sum(count for stack, count in there.items() if name not in stack)
        check(others <= sum(there.values()) * 0.2, "%s at %r:" % (name, where), there)


@test("stacks that are copied have their times, too, and lie where they were")
def copied():
    load()
    path = record("phases-copied", "--timeline", "-g", "dump", "-F", 997,
                  command=(workload("phases"), 4, 500))
    profile = balanced(path)
    samples_in_order(profile)
    copies = len(profile.samples_of_tool)
    note("%d of %d samples in order were copied" % (copies, profile.ordered))
    check(copies > profile.ordered / 2, "only %d copies" % copies)
    halves = collections.Counter(folded(path, "--to", "50%"))
    halves.update(folded(path, "--from", "50%"))
    check(halves == folded(path), "the halves are not the whole")


@test("a profile without times says so; the device refuses what it cannot do")
def refused():
    load()
    path = record("no-timeline", "-a", command=("/bin/true",))
    done = kflame("fold", "-i", path, "--from", 1, status=1)
    check("record with --timeline" in done.stderr, done.stderr)
    with Session() as session:
        check(session.errno(CONFIGURE, config(flags=kfl.CF_ALL + 1)) == errno.errorcode[errno.EINVAL],
              "an unknown flag was taken")
