# SPDX-License-Identifier: GPL-2.0-or-later
"""
Pairs of tracepoints as events: from one to another one of the same task, or of the same request of a block device.
"""

import contextlib
import json
import os

import kfl
from harness import (KFLAME, Skipped, balanced, check, folded, in_order, info, kflame, note, record, run, scaled, scratch,
                     test, workload)
from lent import DISK, slow_disk
from probing import can_probe, configured, hits_of, lost, needs
from session import Events, Session

CALLS = "tracepoint:raw_syscalls:sys_enter..sys_exit"
SLOW_NS, BLOCK = 20000000, 65536
# Writes and reads so many blocks by O_DIRECT, and prints how long that took
WRITER = """
import mmap, os, sys, time
fd = os.open("%s", os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, %d)
begin = time.monotonic_ns()
for i in range(int(sys.argv[1])):
    os.pwrite(fd, block, i * len(block))
for i in range(int(sys.argv[2])):
    os.preadv(fd, [block], i * len(block))
print(time.monotonic_ns() - begin)
""" % (DISK, BLOCK)


@contextlib.contextmanager
def disk(scheduler):
    """A disk whose requests end by a timer's interrupt, after 20 ms."""
    with slow_disk(SLOW_NS):
        run(["modprobe", "mq-deadline"], status=None)
        if scheduler not in said("queue/scheduler"):
            raise Skipped("no scheduler %s" % scheduler)
        with open("/sys/block/nullb0/queue/scheduler", "w", encoding="ascii") as file:
            file.write(scheduler)
        yield


def said(name):
    with open("/sys/block/nullb0/" + name, encoding="ascii") as file:
        return file.read()


def stat():
    """Reads and writes that have ended, their bytes, and their time in ms, as /proc/diskstats has them."""
    words = [int(word) for word in said("stat").split()]
    return words[0] + words[4], 512 * (words[2] + words[6]), words[3] + words[7]


def write_and_read(name, *options, writes=10, reads=5):
    """The profile, what the disk counted meanwhile, and how long the program took, in ns."""
    path = scratch(name + ".txt")
    before = stat()
    profile = record(name, *options, command=("sh", "-c", "exec python3 -c '%s' %d %d >%s" % (WRITER, writes, reads, path)))
    after = stat()
    with open(path, encoding="ascii") as file:
        return profile, [b - a for a, b in zip(before, after)], int(file.read())


def of_python(path):
    return {frames: hits for frames, hits in folded(path).items() if frames[0] == "python3"}


def samples_of(profile):
    number, = profile.event_counts
    return sum(one.samples for one in profile.event_counts[number])


def issuer(scheduler):
    with disk(scheduler):
        path, counted, took = write_and_read("latency-" + scheduler, "--block-io")
        profile = balanced(path)
        hits = of_python(path)
        note("%s: %r; program %d ns, requests %d ns" % (scheduler, counted, took, sum(hits.values())))
        check(samples_of(profile) == counted[0] == 15, samples_of(profile), counted)
        # The program waits for each request, and does little beside
        check(15 * SLOW_NS <= sum(hits.values()) <= took, hits, took)
        check(abs(sum(hits.values()) / 1e6 - counted[2]) <= 15 * 4 + 0.02 * counted[2], hits, counted)
        for frames in hits:
            check(any("vfs_write" in frame or "vfs_read" in frame for frame in frames), frames)
        report = json.loads(kflame("report", "-i", path, "--by", "label", "--json").stdout)
        check([row["name"] for row in report["by_label"] if row["name"].startswith("null")] == ["nullb0"], report["by_label"])
        check(all(frames[-1] == "nullb0" for frames in folded(path, "--labels") if frames[0] == "python3"), folded(path, "--labels"))
        path, counted, _ = write_and_read("bytes-" + scheduler, "--block-io=bytes")
        profile = balanced(path)
        hits = of_python(path)
        check(sum(hits.values()) == counted[1] == 15 * BLOCK, hits, counted)
        written = sum(n for frames, n in hits.items() if any("vfs_write" in frame for frame in frames))
        check(written == 10 * BLOCK, hits)
        check([event.unit for event in profile.events.values()] == [kfl.UNIT_BYTES], profile.events)
        check("bytes" in kflame("report", "-i", path).stdout, "no unit")
        path, _, _ = write_and_read("short-" + scheduler, "--block-io", "--min", "10s")
        profile = balanced(path)
        event, = profile.events.values()
        check(not folded(path) and lost(profile, event.name)[kfl.LOST_LENGTH] == 15, lost(profile, event.name))


@test("--block-io: requests that go to the disk at once, against what the disk and the program say")
@needs(kfl.PAIR)
def direct():
    issuer("none")


@test("--block-io: requests that a scheduler sorts, against what the disk and the program say")
@needs(kfl.PAIR)
def sorted_ones():
    issuer("mq-deadline")


@test("a pair of a task: each call of a program, with the stack of its begin")
@needs(kfl.PAIR)
def tasks():
    count = scaled(20000)
    path = record("tasks", "-e", CALLS, "--weight", "count", command=(workload("syscalls"), "asks", str(count)))
    profile = balanced(path)
    hits = hits_of(path, CALLS, "ask_many")
    check(sum(hits.values()) == 2 * count, hits)
    for frames in hits:
        check(in_order(frames, ("main", "ask_many")) and "syscall" in frames[-1], frames)
    check(not lost(profile, CALLS), lost(profile, CALLS))


@test("64 threads at once: each call of each thread")
@needs(kfl.PAIR)
def threads():
    count = scaled(500)
    path = record("threads", "-e", CALLS, "--weight", "count", command=(workload("syscalls"), "threads", str(count)))
    profile = balanced(path)
    check(not lost(profile, CALLS), lost(profile, CALLS))
    check(sum(hits_of(path, CALLS, "ask_many").values()) == 64 * 2 * count, folded(path))


@test("the time of a pair is that which the program measured, within 2 %")
@needs(kfl.PAIR)
def latency():
    count, path = 10, scratch("sleeps.txt")
    profile = record("sleeps", "-e", CALLS, command=("sh", "-c", "exec %s sleeps %d >%s" % (workload("calls"), count, path)))
    balanced(profile)
    with open(path, encoding="ascii") as file:
        measured = int(file.read().split()[1])
    hits = hits_of(profile, CALLS, "sleep_many")
    check(0.98 * measured <= sum(hits.values()) <= 1.02 * measured, hits, measured)
    check("from begin to end" in kflame("report", "-i", profile).stdout, "no lengths")


@test("tasks that end between the two leave nothing; storms leave nothing")
@needs(kfl.PAIR)
def ends():
    used = info()["memory_used"]
    path = record("ends", "-e", CALLS, command=(workload("syscalls"), "processes", str(max(20, scaled(300)))))
    profile = balanced(path)
    check(not lost(profile, CALLS), lost(profile, CALLS))
    for frames in folded(path):
        check(not any("exit_group" in frame for frame in frames), frames)
    child = os.fork()
    if not child:
        os.execv(workload("syscalls"), ["syscalls", "asks", str(10 ** 9)])
    for weight in (kfl.WEIGHT_OWN, kfl.WEIGHT_LATENCY) * 10:
        events = Events(kfl.PAIR, names=["raw_syscalls:sys_enter..sys_exit"], weight=weight)
        with Session() as session:
            session.configure(entries=64, **events.fields)
            session.start()
            session.stop()
    os.kill(child, 9)
    os.waitpid(child, 0)
    check(info()["memory_used"] == used, info()["memory_used"], "is not", used)


@test("waits for kernel locks, also for those that samples take: nothing hangs, and all balances")
@needs(kfl.PAIR)
def kernel_locks():
    event = "lock:contention_begin..contention_end"
    if not can_probe(kfl.PAIR, event):
        raise Skipped("this kernel has no tracepoints of contended locks")
    forks = "i=0; while [ $i -lt %d ]; do /bin/true & i=$((i+1)); done; wait" % max(20, scaled(1000))
    path = record("locks", "-a", "-e", "tracepoint:" + event, "--timeline", command=("/bin/sh", "-c", forks))
    balanced(path)


@test("what cannot be is refused, and the message says why")
@needs(kfl.PAIR)
def refused():
    for options, why in ((("-e", CALLS, "--weight", "value"), "use --block-io"), (("-U", "--block-io"), "leave out -U"),
                         (("--block-io=pages",), "there are latency and bytes")):
        done = run([KFLAME, "record", *options, "-o", scratch("none"), "--", "true"], status=2)
        check(why in done.stderr, options, done.stderr)
    for name, why in (("a:no_such..sys_exit", "lacks one of both"), ("a:sys_enter..no_such", "lacks one of both"),
                      ("a:sys_enter|..sys_exit", "is SYSTEM:BEGIN..END")):
        done = run([KFLAME, "record", "-e", "tracepoint:" + name, "-o", scratch("none"), "--", "true"], status=1)
        check(why in done.stderr, name, done.stderr)
    for name, error in (("a:sys_enter", "EINVAL"), ("sys_enter..sys_exit", "EINVAL"), ("a:sys_enter..", "EINVAL"),
                        ("a:..sys_exit", "EINVAL"), (":sys_enter..sys_exit", "EINVAL"),
                        ("a:none|sys_enter..sys_exit", ""), ("a:a|b|c|d|sys_enter..sys_exit", "EINVAL")):
        seen = configured(Events(kfl.PAIR, names=[name]))
        check(seen == error, name, seen, "is not", error)
    for fields in {"offset": 1}, {"file": 1}, {"flags": 1}, {"weight": 3}, {"shortest": 1}:
        check(configured(Events(kfl.PAIR, names=["a:sys_enter..sys_exit"], **fields)) == "EINVAL", fields)
    events = Events(kfl.PAIR, names=["a:sys_enter..sys_exit"], weight=kfl.WEIGHT_VALUE)
    with Session() as session:
        session.configure(entries=64, **events.fields)
        try:
            session.start()
        except OSError:
            return
        check(False, "bytes of a task")
