# SPDX-License-Identifier: GPL-2.0-or-later
"""
Time off the CPU by looking at all threads from time to time: works on every kernel.
"""

import collections

import kfl
from harness import (PATIENCE, balanced, check, folded, info, kflame, load, note, record, run, scaled, scratch,
                     start, test, workload)
from session import Events, Session
from waiting import MS, profile_of, watching

SLEEPS = {kfl.CTX_INTERRUPTIBLE, kfl.CTX_UNINTERRUPTIBLE, kfl.CTX_IOWAIT, kfl.CTX_STOPPED}


def waits_of(profile, kind, comm):
    number, = (event.id for event in profile.events.values() if event.kind == kind)
    return [count for count in profile.event_counts[number]
            if count.comm == comm and count.context & ~kfl.CTX_STILL in SLEEPS]


@test("sampled: as much time as each wait by itself adds up to, within the error that is stated")
def as_exact():
    load()
    path = scratch("sampled.kfl")
    exactly = [kfl.OFFCPU] if info()["events"] >> kfl.OFFCPU & 1 else []
    with watching(path, kfl.SLEEPERS, *exactly, flags=kfl.CF_PER_THREAD):
        done = run([workload("waits"), "each", "100", str(max(scaled(10), 4))])
    profile = profile_of(path)
    lines = [line.split() for line in done.stdout.strip().split("\n")]
    main = [count for count in waits_of(profile, kfl.SLEEPERS, "waits") if count.tid == int(lines[0][1])]
    looks, seen = sum(count.samples for count in main), sum(count.weight_ns for count in main)
    if exactly:
        exact = sum(count.weight_ns for count in waits_of(profile, kfl.OFFCPU, "waits") if count.tid == main[0].tid)
    else:
        exact = sum(int(ns) for *_, ns in lines)
    note("%d looks, %d ms; %d ms exactly: %+.1f%%" % (looks, seen / MS, exact / MS, 100 * (seen / exact - 1)))
    check(abs(seen / exact - 1) < 3 / looks ** 0.5, seen, exact, looks)


@test("sampled: a thread that sleeps has its kernel stack, and the report says how well its time is known")
def stacks():
    load()
    path = record("sampled", "--off-cpu=sampled", command=(workload("waits"), "each", "100", "3"))
    balanced(path)
    seen = collections.Counter()
    for frames, ns in folded(path, "--time").items():
        if frames[0] == "waits":
            seen[";".join(frames)] += ns
    check(any("nanosleep" in text for text in seen), seen)
    check(any("futex" in text for text in seen), seen)
    check(any("pipe_read" in text for text in seen), seen)
    # A thread faults in the middle of write(2): its stack goes on behind the exception.
    if any("handle_userfault" in text for text in seen):
        check(any("pipe_write" in text and "handle_userfault" in text for text in seen), seen)
    text = kflame("report", "-i", path).stdout
    check("each look at a waiting thread stands for about" in text, text)


@test("sampled: -p; kernel threads; sessions that come and go while processes begin and end")
def others():
    path = record("kthreads", "-a", "--off-cpu=sampled", "-d", "1")
    profile = balanced(path)
    names = {count.comm for count in waits_of(profile, kfl.SLEEPERS, "kthreadd")}
    check(names == {"kthreadd"}, names)
    # A kernel that takes long for a look has long times between two.
    path = record("one", "--off-cpu=sampled", command=("sleep", str(2 * PATIENCE)))
    profile = balanced(path)
    number, = profile.events
    names = {count.comm for count in profile.event_counts[number]}
    check(names == {"sleep"} or names == {"sleep", "kflame"}, names)
    children = [start(["sh", "-c", "while :; do (exec true); done"]) for _ in range(3)]
    for _ in range(scaled(20)):
        events = Events(kfl.SLEEPERS, shortest=MS)
        with Session() as session:
            session.configure(**events.fields)
            session.start()
            session.stop()
            session.start()
            session.stop()
    for child in children:
        child.kill()
