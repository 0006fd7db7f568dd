# SPDX-License-Identifier: GPL-2.0-or-later
"""
One event of many kernel functions, and storms of probes: what is set is removed, whatever happens meanwhile.
"""

import collections
import fcntl
import os
import signal
import struct
import subprocess

import kfl
from harness import (KFLAME, PATIENCE, balanced, check, folded, info, kflame, load, note, record, run, scaled, scratch,
                     start, test, unload, wait_until, workload)
from many import Functions, call, many_loaded, symbols, MODULE
from probing import configured, hits_of, lost, needs
from session import CONFIGURE, START, Session, config, run as run_request

PROBES = "/sys/kernel/debug/kprobes/list"
KTIME = "ktime_get_mono_fast_ns"


def probes():
    """Kernel functions that have a probe, of anybody."""
    if not os.path.exists(PROBES):
        run(["mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug"])
    with open(PROBES, encoding="ascii") as file:
        return file.read()


def nothing_left():
    check(info()["nr_running"] == 0, info())
    check(not probes(), probes())


def hits(data, event=1):
    """Samples of an event in a stream, by its leaf's address, and in all."""
    path = scratch("hits.data")
    with open(path, "wb") as file:
        file.write(data)
    profile = kfl.Profile(path)
    return sum(count.samples for count in profile.event_counts[event])


@test("kprobe:PATTERN: each call of each function is counted, with the function as its leaf")
@needs(kfl.KPROBE)
def pattern():
    event = "kprobe:many_f01*"
    with many_loaded():
        path = scratch("pattern.data")
        done = kflame("record", "-e", event + ",cpu-clock", "-o", path, "--", "/bin/sh", "-c",
                      "echo 3 > /sys/module/many/parameters/each")
        check(event + ": 10 functions: many_f010, many_f011, " in done.stderr and "left out" not in done.stderr,
              done.stderr)
        profile = balanced(path)
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, lost(profile, event))
        seen = collections.Counter()
        for frames, number in hits_of(path, event, "call_each").items():
            check(frames[-2] == "call_each", frames)
            seen[frames[-1]] += number
        check(seen == {"many_f01%d" % number: 3 for number in range(10)}, seen)
        check("many_f010" in kflame("report", "-i", path, "--event", event).stdout, "report")
    nothing_left()


@test("kretprobe:PATTERN: each return of each function is counted, or weighs its latency, with the function as its leaf")
@needs(kfl.KRETPROBE)
def returns():
    event = "kretprobe:many_f01*"
    command = ("/bin/sh", "-c", "for i in 1 2 3 4 5; do echo 40 > /sys/module/many/parameters/each; done")
    with many_loaded():
        path = record("returns", "-e", event, command=command)
        profile = balanced(path)
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, lost(profile, event))
        seen = collections.Counter()
        for frames, number in hits_of(path, event, "call_each").items():
            check(frames[-2] == "call_each", frames)
            seen[frames[-1]] += number
        functions = {"many_f01%d" % number for number in range(10)}
        check(seen == dict.fromkeys(functions, 200), seen)
        path = record("latencies", "-e", event, "--weight", "latency", command=command)
        balanced(path)
        check({frames[-1] for frames, ns in folded(path, "--event", event).items() if ns} == functions, folded(path))
    nothing_left()


@test("PATTERN: too many functions, none, and an offset: errors that say what to do")
@needs(kfl.KPROBE)
def errors():
    for event, status, words in (
            ("kprobe:*", 1, "functions match, and an event has at most 1,000"),
            ("kprobe:vfs_reed?", 1, "no function that can be probed matches. Similar ones: "),
            ("kprobe:q*q*q*q", 1, "no function that can be probed matches"),
            ("kretprobe:*", 1, "functions match, and an event has at most 1,000"),
            ("kretprobe:vfs_*+1", 2, ""), ("kprobe:vfs_*+1", 2, "")):
        done = run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=status)
        check(words in done.stderr, done.stderr)
        check(not os.path.exists(scratch("none")), "a profile of nothing")


@test("CONFIGURE leaves out functions that cannot be probed, with the error of each, or refuses them")
@needs(kfl.KPROBE)
def left_out():
    names = ["vfs_read", "no_such_function", "get_kprobe", "vfs_read", "kf_event_arm", "vfs_write"]
    for kind in kfl.KPROBE, kfl.KRETPROBE:
        some = Functions(names, kind=kind)
        check(configured(some) == "", "not configured")
        check(list(some.errors) == [0, -2, -22, -17, -22, 0], kind, list(some.errors))
    none = Functions(["no_such_function", "get_kprobe"])
    check(configured(none) == "ENOENT" and list(none.errors) == [-2, -22], list(none.errors))
    strict = Functions(names, wants_errors=False)
    raw = bytearray(config(**strict.fields))
    with Session() as session:
        try:
            fcntl.ioctl(session.fd, CONFIGURE, raw)
            check(False, "it was configured")
        except FileNotFoundError:
            pass
    check(struct.unpack_from("<I", raw, struct.calcsize("<2I2Q7I")) == (1,), "reserved does not name the event")
    nothing_left()


@test("CONFIGURE refuses lists that are none")
@needs(kfl.KPROBE)
def refused():
    two = ["vfs_read", "vfs_write"]
    wrong = [({"nr": 3}, "EINVAL"), ({"nr": 1}, "EINVAL"), ({"nr": 0}, "EINVAL"), ({"len": 3}, "EINVAL"),
             ({"len": 0}, "EINVAL"), ({"pad2": 1}, "EINVAL"), ({"functions": 0}, "EFAULT"), ({"nr": 1001}, "E2BIG"),
             ({"len": 1 << 20}, "E2BIG"), ({"at": 8}, "EFAULT"), ({"to": 8}, "EFAULT"),
             ({"kind": kfl.TRACEPOINT}, "EINVAL")]
    for fields, error in wrong:
        seen = configured(Functions(two, **fields))
        check(seen == error, fields, seen, "is not", error)
    for names in ["vfs_read", ""], ["vfs_read+0"], ["a b"], ["x" * 128]:
        check(configured(Functions(names)) == "EINVAL", names)
    check(configured(Functions(two, name="")) == "EINVAL", "no name")
    nothing_left()


@test("CONFIGURE: a wrong address is only slower, one inside a function is not probed")
@needs(kfl.KPROBE)
def addresses():
    with many_loaded():
        at = symbols("many_f00")
        names = sorted(at)
        for wrong in (lambda name: at[name] + 1, lambda name: 1, lambda name: (1 << 64) - 1,
                      lambda name: at["many_f000"]):
            events = Functions(names, addresses=[wrong(name) for name in names])
            with Session() as session:
                session.configure(entries=64, **events.fields)
                check(set(events.errors) == {0}, list(events.errors))
                session.start()
                call("each", 1)
                session.stop()
                check(hits(session.read_all()) == len(names), "hits")


@test("a function in two events and in two sessions: each counts all its calls")
@needs(kfl.KPROBE)
def shared():
    count = scaled(5000)
    outer, inner = scratch("outer.data"), scratch("inner.data")
    events = "kprobe:vfs_read,kprobe:vfs_[rw]*"
    run([KFLAME, "record", "-a", "-e", events, "-o", outer, "--", KFLAME, "record", "-e", "kprobe:vfs_rea?",
         "-o", inner, "--", workload("calls"), "reads", str(count)])
    for path, words in (outer, events.split(",")), (inner, ["kprobe:vfs_rea?"]):
        balanced(path)
        for event in words:
            seen = hits_of(path, event, "read_many")
            check(sum(seen.values()) == count, event, seen)
    nothing_left()


@test("recursion 50 deep: each call is a hit, and each return")
@needs(kfl.KPROBE, kfl.KRETPROBE)
def recursion():
    command = ("/bin/sh", "-c", "for i in 1 2 3; do echo 50 > /sys/module/many/parameters/deep; done")
    with many_loaded():
        # Each alone: before Linux 5.16, a probed return cuts the stacks of its callees
        path = record("deep", "-e", "kprobe:many_dee*", command=command)
        balanced(path)
        calls = collections.Counter()
        for frames, number in folded(path, "--event", "kprobe:many_dee*").items():
            calls[frames.count("many_deep")] += number
        check(calls == {depth: 3 for depth in range(1, 52)}, calls)
        path = record("returns", "-e", "kretprobe:many_deep", command=command)
        balanced(path)
        check(sum(folded(path, "--event", "kretprobe:many_deep").values()) == 3 * 51, "returns")
    nothing_left()


@test("uprobe: recursion 50 deep, and longjmp() out of all of it: each call is a hit")
@needs(kfl.UPROBE)
def jumps():
    count = scaled(200)
    file = workload("jumps")
    down, out = "uprobe:%s:jump_down" % file, "uprobe:%s:jump_out" % file
    path = record("jumps", "-e", "%s,%s" % (down, out), command=(file, str(count), "50"))
    balanced(path)
    calls = collections.Counter()
    for frames, number in folded(path, "--event", down).items():
        calls[frames.count("jump_down")] += number
    check(calls == {depth: count for depth in range(1, 52)}, calls)
    check(sum(folded(path, "--event", out).values()) == count, "jump_out")


@test("the module of probed functions is unloaded meanwhile: hits until then count, and START finds it when it is back")
@needs(kfl.KPROBE)
def unloaded():
    with Session() as session:
        with many_loaded():
            events = Functions(sorted(symbols("many_f00")))
            session.configure(entries=256, **events.fields)
            session.start()
            call("each", 2)
        with many_loaded():
            call("each", 5)
            session.stop()
            data = session.read_all()
            check(hits(data) == 20, "hits before it was unloaded")
            session.start()
            call("each", 3)
            session.stop()
            data += session.read_all()
            check(hits(data) == 50, "hits after it was loaded again")
        check(session.errno(START, run_request()) == "ENOENT", "START without the module")
        nothing_left()
        with many_loaded():
            session.start()
        session.stop()
    nothing_left()


@test("the same with the tool: the recording ends as others do")
@needs(kfl.KPROBE)
def tool_unloaded():
    event = "kprobe:many_f00?"
    run(["insmod", MODULE])
    path = record("unloaded", "-e", event, command=(
        "/bin/sh", "-c", "cd /sys/module/many/parameters; echo 2 > each; cd /; rmmod many; insmod %s;"
        " echo 7 > /sys/module/many/parameters/each; rmmod many" % MODULE))
    profile = balanced(path)
    check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, lost(profile, event))
    check(sum(folded(path, "--event", event).values()) == 20, folded(path, "--event", event))
    nothing_left()


@test("lost hits balance: a function that each sample calls is nested at least once in each sample")
@needs(kfl.KPROBE)
def nested():
    names = ["vfs_read", KTIME]
    events = Functions(names, name="inner_*")
    with Session() as session:
        # With the time of each sample, each one calls KTIME
        session.configure(entries=4096, flags=1 << 10 | 1 << 6, **events.fields)
        check(set(events.errors) == {0}, list(events.errors))
        session.start()
        run([workload("calls"), "reads", str(max(5000, scaled(20000)))])
        session.stop()
        path = scratch("nested.data")
        with open(path, "wb") as file:
            file.write(session.read_all())
    profile = kfl.Profile(path)
    inner = lost(profile, "kprobe:inner_*")[kfl.LOST_NESTED]
    taken = sum(books.samples for books in profile.event_cpus[1].values()) - inner
    note("%d samples were taken, %d nested" % (taken, inner))
    check(not profile.imbalances(), profile.imbalances())
    # Some samples call it more than once, such as the first one of an address space
    check(5000 <= taken <= inner < 2 * taken, taken, inner)
    nothing_left()


@test("SIGKILL of the recorder while its probes are hit: nothing is left")
@needs(kfl.KPROBE)
def killed():
    with many_loaded():
        for _ in range(scaled(50)):
            path = scratch("killed.data")
            child = start([KFLAME, "record", "-a", "-e", "cpu-clock,kprobe:many_f0[01]?", "-o", path, "-d", "600"],
                          stderr=subprocess.DEVNULL)
            wait_until(lambda: info()["nr_running"] == 1, "the recording runs")
            call("each", 10)
            child.send_signal(signal.SIGKILL)
            child.wait()
            wait_until(lambda: info()["nr_running"] == 0, "the session ended")
    unload()
    check(not probes(), probes())
    load()


class Interrupt(Exception):
    """A signal came."""


@test("a signal while many probes are set: EINTR, none is left, and the next START sets all")
@needs(kfl.KPROBE)
def interrupted():
    def handler(*_):
        raise Interrupt()

    with many_loaded():
        at = symbols("many_f")
        names = sorted(at)[:100]
        events = Functions(names, addresses=[at[name] for name in names])
        before = signal.signal(signal.SIGALRM, handler)
        with Session() as session:
            session.configure(entries=256, **events.fields)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                session.start()
                note("it was set before the signal came")
                session.stop()
            except (Interrupt, InterruptedError):
                nothing_left()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
            session.start()
            call("each", 1)
            session.stop()
            check(hits(session.read_all()) >= len(names), "hits")
    nothing_left()


def storm(names, rounds, kind=kfl.KPROBE):
    """Set and remove probes of these functions while others call some of them."""
    others = [start(["nice", "-n", "19", "/bin/sh", "-c", "while :; do %s %s 300; done" % (workload("calls"), kind)])
              for kind in ("reads", "forks")]
    counted = 0
    events = Functions(names, name="storm", kind=kind)
    for _ in range(rounds):
        with Session() as session:
            session.configure(entries=4096, **events.fields)
            session.start()
            with open("/proc/self/stat", "rb") as file:
                file.read()
            session.stop()
            counted += hits(session.read_all())
    for child in others:
        check(child.poll() is None, "the load ended")
    left = {name: error for name, error in zip(names, events.errors) if error}
    note("%d functions, left out: %r, %d rounds, %d hits" % (len(names), left, rounds, counted))
    check(counted > 0, "no hit")
    nothing_left()


def some_functions(number):
    """So many of the kernel's functions, from all parts of it; always the same."""
    words = [word.partition(":")[2] for word in kflame("list", "--names", "kprobe:*").stdout.splitlines()]
    step = len(words) / (number - 1)
    return sorted({"vfs_read", *(words[int(step * index)] for index in range(number - 1))})


@test("storm: 50 functions are probed again and again under load")
@needs(kfl.KPROBE)
def storm_rounds():
    storm(some_functions(50), scaled(100))


@test("storm: 1,000 functions are probed under load, fewer on a kernel that checks all it does")
@needs(kfl.KPROBE)
def storm_large():
    storm(some_functions(1000 // PATIENCE), scaled(2))


@test("storm: returns of 50 functions are probed again and again under load, then those of many")
@needs(kfl.KRETPROBE)
def storm_returns():
    storm(some_functions(50), scaled(50), kfl.KRETPROBE)
    storm(some_functions(max(50, scaled(500)) // PATIENCE), 1, kfl.KRETPROBE)
