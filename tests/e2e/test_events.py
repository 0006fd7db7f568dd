# SPDX-License-Identifier: GPL-2.0-or-later
"""
Several events in one session: each has its own accounting, in its own unit, and all balance.

The timer is the first event, page faults are the second.
"""

import collections
import contextlib
import ctypes
import functools
import os
import glob

import kfl
import session as dev
from harness import (KFLAME, Skipped, balanced, check, enough, folded, info, kflame, load, note, record, run, scratch,
                     test, workload)
from session import CONFIGURE, STATS, Events, Session, config

FEAT_EVENTS = 1 << 17
PAGES = 3000


def need_faults():
    load()
    check(info()["features"] & FEAT_EVENTS, "no KFLAME_FEAT_EVENTS")
    if not info()["events"] >> kfl.FAULTS & 1 or os.uname().machine != "x86_64":
        raise Skipped("this kernel has no tracepoints of page faults")


@contextlib.contextmanager
def held():
    """
    Two sessions of page faults, of a process that has hardly any.

    The kernel patches its code when an event gets its first or second session, or loses it. QEMU before 8.1
    may translate code while another CPU patches it, and keep that translation: the guest hangs. The kernel's
    own events of page faults do that within some hundred times, without the module. With two sessions that last,
    nothing is patched while programs fault.
    """
    nobody = ctypes.c_uint32(1)
    events = Events(kfl.FAULTS)
    with Session() as one, Session() as other:
        for session in one, other:
            session.configure(entries=64, nr_pids=1, pids=ctypes.addressof(nobody), **events.fields)
            session.start()
        yield


def faults_test(title):
    """A test that needs page faults."""
    def mark(function):
        @functools.wraps(function)
        def whole():
            need_faults()
            with held():
                function()

        return test(title)(whole)

    return mark


def profile_of(kinds, *commands, between=None, **fields):
    """A session with these events while the commands run."""
    events, path = Events(*kinds), scratch("events.kfl")
    with Session() as session:
        session.configure(**{**events.fields, **fields})
        session.start()
        for i, command in enumerate(commands):
            run(command)
            if between and not i:
                between(session)
        session.stop()
        with open(path, "wb") as file:
            file.write(session.read_all())
    profile = kfl.Profile(path)
    wrong = profile.imbalances()
    check(not wrong, "\n".join(wrong))
    check(profile.stats is not None, "the stream has no end")
    return profile


def counted(counts, comm):
    return sum(count.samples for count in counts if count.comm == comm)


def faults_of(profile):
    """Counts of page faults, and the sum of their accounting."""
    number, = (event.id for event in profile.events.values() if event.kind == kfl.FAULTS)
    books = profile.event_cpus[number].values()
    return profile.event_counts[number], {
        "samples": sum(cpu.samples for cpu in books), "nested": sum(cpu.lost[kfl.LOST_NESTED] for cpu in books),
        "handler_ns": sum(cpu.handler_ns for cpu in books)}


@faults_test("page faults and the timer in one session: both balance, and each fault is counted")
def together():
    profile = profile_of((kfl.TIMER, kfl.FAULTS), [workload("faults"), str(PAGES)], [workload("busy"), "2"])
    check([(event.id, event.name, event.unit) for event in profile.events.values()] ==
          [(0, "cpu-clock", kfl.UNIT_NS), (2, "page-faults", kfl.UNIT_EVENTS)], profile.events)
    faults, books = faults_of(profile)
    note("%d samples of the timer; %d page faults, %d of them nested; %d ns each"
         % (profile.samples, books["samples"], books["nested"], books["handler_ns"] / books["samples"]))
    # All faults of one instruction have one stack, whose id changes when tables are exchanged.
    stacks = collections.Counter()
    for count in faults:
        if count.comm == "faults" and count.ustack:
            stacks[profile.stacks[count.ustack].ip] += count.samples
    check(PAGES <= max(stacks.values()) <= PAGES + 1, stacks.most_common(3))
    check(all(count.weight_ns == count.samples and not count.late_ns for count in faults), "a fault weighs one")
    check(counted(profile.counts, "busy"), "the timer counted nothing")


@faults_test("page faults alone: the timer does not run")
def alone():
    profile = profile_of((kfl.FAULTS,), [workload("faults"), str(PAGES)])
    faults, _ = faults_of(profile)
    check(counted(faults, "faults") >= PAGES, counted(faults, "faults"))
    check(not profile.counts and not profile.cpus, profile.cpus)


@test("a stream of the timer alone names no event")
def nothing_new():
    load()
    profile = profile_of((), [workload("busy"), "1"])
    check(not profile.events and not profile.kinds[kfl.EVENT_COUNTS] and not profile.kinds[kfl.EVENT_CPU],
          profile.kinds)


@faults_test("a fault that the sample path causes itself is lost as nested, and counted as that")
def nested():
    own = books = None

    def take(seconds):
        nonlocal own, books
        profile = profile_of((kfl.TIMER, kfl.FAULTS), [workload("faults"), "--absent", str(seconds)])
        _, books = faults_of(profile)
        own = counted(profile.counts, "faults")
        note("%d samples of the program, %d nested faults" % (own, books["nested"]))
        return own

    enough(take, 501, 2)
    # Each of its samples faults once or more; a few are of the kernel, or before its loop.
    check(books["nested"] > own * 0.9, books)


@faults_test("sessions whose samples fault do not sample each other without end")
def many():
    enough(many_sessions, 1001, 1, "nested faults in a session")


def many_sessions(seconds):
    """Record with twelve sessions at once.  Return: the fewest nested faults that one of them had."""
    events = Events(kfl.TIMER, kfl.FAULTS)
    nested_faults = []
    sessions = [Session() for _ in range(12)]
    for session in sessions:
        session.configure(entries=256, **events.fields)
        session.start()
    run([workload("faults"), "--absent", str(seconds)])
    for i, session in enumerate(sessions):
        session.stop()
        path = scratch("many-%d.kfl" % i)
        with open(path, "wb") as file:
            file.write(session.read_all())
        session.close()
        profile = kfl.Profile(path)
        wrong = profile.imbalances()
        check(not wrong, "\n".join(wrong))
        # Its own start has some 60 faults. Those of the samples of other sessions are nested, too.
        faults, books = faults_of(profile)
        check(counted(faults, "faults") < 300, counted(faults, "faults"), books)
        nested_faults.append(books["nested"])
    return min(nested_faults)


@faults_test("page faults while CPUs go offline and come online balance")
def hotplug():
    online = [path for path in sorted(glob.glob("/sys/devices/system/cpu/cpu[0-9]*/online"))]
    if not online:
        raise Skipped("no CPU can go offline")

    def off_and_on(_session):
        for value in "01" * 3:
            with open(online[-1], "w", encoding="ascii") as file:
                file.write(value)

    profile = profile_of((kfl.FAULTS, kfl.TIMER), [workload("faults"), str(PAGES)], [workload("faults"), str(PAGES)],
                         between=off_and_on)
    faults, _ = faults_of(profile)
    check(counted(faults, "faults") >= 2 * PAGES, counted(faults, "faults"))


@faults_test("times of page faults are in the stream, apart from those of the timer")
def times():
    profile = profile_of((kfl.TIMER, kfl.FAULTS), [workload("faults"), str(PAGES)], flags=kfl.CF_TIMELINE)
    samples = [sample for of_cpu in profile.event_samples.values() for sample in of_cpu]
    check(sum(sample.count.comm == "faults" for sample in samples) >= PAGES, len(samples))
    for of_cpu in profile.event_samples.values():
        check(all(a.time_ns <= b.time_ns for a, b in zip(of_cpu, of_cpu[1:])), "times of a CPU do not rise")


def stats(session, event):
    raw = dev.struct.pack("<2I", dev.STATS_SIZE + 8, 0xFFFFFFFF).ljust(dev.STATS_SIZE, b"\0")
    return raw + dev.struct.pack("<2I", event, 0)


@faults_test("events that cannot be are refused, and a session without them takes the old structures")
def refused():
    wrong = [(Events(99), "EINVAL"), (Events(kfl.FAULTS, kfl.FAULTS), "EINVAL"), (Events(kfl.FAULTS, flags=1), "EINVAL"),
             (Events(kfl.FAULTS, size=8), "EINVAL"), (Events(*[kfl.FAULTS] * 9), "EINVAL"),
             (Events(kfl.FAULTS, size=168, tail=bytes(96) + b"\1" + bytes(7)), "E2BIG"),
             (Events(kfl.FAULTS, shortest=1), "EINVAL"), (Events(kfl.FAULTS, longest=1), "EINVAL")]
    for events, error in wrong:
        with Session() as session:
            seen = session.errno(CONFIGURE, config(**events.fields))
            check(seen == error, events.fields, seen, "is not", error)
    with Session() as session:
        check(session.errno(CONFIGURE, config(nr_events=1, events=1)) == "EFAULT", "events at address 1")
        check(session.errno(CONFIGURE, config(pad2=1)) == "EINVAL", "padding")
        longer = Events(kfl.FAULTS, size=168, tail=bytes(104))
        session.configure(**longer.fields)
        session.start()
        check(session.errno(STATS, stats(session, 2)) == "ENOENT", "event 2 of one")
        check(not session.errno(STATS, stats(session, 1)), "event 1")
        check(session.books()["samples"] == 0, "the timer runs")


# ------------------------------------------------------------------ the tool


def touched(path, *options):
    """Page faults in touch_pages() of a profile."""
    return sum(count for frames, count in folded(path, *options).items() if frames[-1] == "touch_pages")


@faults_test("record -e cpu-clock,page-faults: each view shows one event, whole and named")
def views():
    path = record("events", "-e", "clock,faults", "--budget", 0, command=(workload("faults"), str(PAGES)))
    balanced(path)
    check(PAGES <= touched(path, "--event", "page-faults") <= PAGES + 1, folded(path, "--event", "page-faults"))
    stack, = [frames for frames in folded(path, "--event", "faults") if frames[-1] == "touch_pages"]
    check(stack[0] == "faults" and "main" in stack, stack)
    raw = kflame("info", "-i", path, "--raw").stdout
    check("books=balanced" in raw and "event.2.name=page-faults" in raw, raw)
    shown = kflame("info", "-i", path).stdout
    check("page-faults\n" in shown and "books: balanced" in shown, shown)
    note(shown[shown.index("\nsamples"):shown.index("\nCPU ")])
    report = kflame("report", "-i", path, "--event", "page-faults").stdout
    note("\n".join(report.split("\n")[:16]))
    check("page-faults" in report and "touch_pages" in report and "late " not in report, report)
    plain = kflame("report", "-i", path).stdout
    check("late " in plain and "touch_pages" not in plain.split("\n")[0], plain)
    svg = scratch("faults.svg")
    kflame("flame", "-i", path, "--event", "page-faults", "-o", svg)
    with open(svg, encoding="utf-8") as file:
        drawn = file.read()
    check("touch_pages" in drawn and "page-faults" in drawn, drawn[-3000:])
    wrong = run([KFLAME, "report", "-i", path, "--event", "cycles"], status=1)
    check("has no event 'cycles'. It has: cpu-clock, page-faults" in wrong.stderr, wrong.stderr)
    times = run([KFLAME, "flame", "-i", path, "--event", "page-faults", "--time", "-o", svg], status=1)
    check("holds no times" in times.stderr, times.stderr)


@faults_test("record -e page-faults alone is shown without being named; merge and diff know what is counted")
def others():
    alone = record("alone", "-e", "page-faults", command=(workload("faults"), str(PAGES)))
    both = record("both", "-e", "page-faults,cpu-clock", command=(workload("faults"), str(2 * PAGES)))
    for path in (alone, both):
        balanced(path)
    check(PAGES <= touched(alone) <= PAGES + 1, folded(alone))
    merged = scratch("merged.data")
    kflame("merge", "-o", merged, alone, both)
    check(3 * PAGES <= touched(merged, "--event", "page-faults") <= 3 * PAGES + 2, "merged")
    check("books=balanced" in kflame("info", "-i", merged, "--raw").stdout, "the sum's accounting")
    wrong = run([KFLAME, "diff", alone, both], status=1)
    check("name one event that both have, with --event" in wrong.stderr, wrong.stderr)
    shares = kflame("diff", "--raw", "--event", "page-faults", alone, both).stdout
    check("touch_pages" in shares and "page-faults" in shares, shares)


@faults_test("-e refuses what is no event, and one event twice")
def no_event():
    for events, why in (("cycles", "off-cpu-sampled, kprobe:FUNC"), ("faults,page-faults", "twice"),
                        ("", "off-cpu-sampled, kprobe:FUNC")):
        done = run([KFLAME, "record", "-e", events, "-o", scratch("none"), "--", "true"], status=2)
        check(why in done.stderr, done.stderr)


@test("a kernel that does not report page faults: CONFIGURE and the tool say so")
def unsupported():
    load()
    if info()["events"] >> kfl.FAULTS & 1:
        raise Skipped("this kernel reports them")
    events = Events(kfl.FAULTS)
    with Session() as session:
        seen = session.errno(CONFIGURE, config(**events.fields))
    # Two names of one number
    check(seen in ("EOPNOTSUPP", "ENOTSUP"), "CONFIGURE:", seen)
    done = run([KFLAME, "record", "-e", "page-faults", "-o", scratch("none"), "--", "true"], status=1)
    check("leave page-faults out of -e" in done.stderr, done.stderr)


@faults_test("copies of stacks: page faults whose stack the tool unwinds are counted as page faults")
def copies():
    path = record("copies", "-e", "cpu-clock,page-faults", "-g", "dump", command=(workload("faults"), str(PAGES)))
    profile = balanced(path)
    # On a busy machine, the ring of copies may be full at times.
    lost = faults_lost(profile)
    seen = sum(count.samples for counts in profile.event_counts.values() for count in counts)
    check(seen + lost >= PAGES, "%d copies, %d lost" % (seen, lost))
    check(PAGES <= touched(path, "--event", "page-faults") + lost <= PAGES + 1 + lost,
          folded(path, "--event", "page-faults"))


def faults_lost(profile):
    return sum(sum(cpu.lost) for books in profile.event_cpus.values() for cpu in books.values())
