# SPDX-License-Identifier: GPL-2.0-or-later
"""
Returns of kernel functions as events: how many, how long the calls took, and what they returned.
"""

import json
import os
import re
import sys

import kfl
from harness import (KFLAME, Skipped, balanced, check, folded, in_order, kflame, note, record, run, scaled, scratch,
                     test, workload)
from probing import can_probe, configured, hits_of, lost, needs, whole
from session import Events, Session

# Two ends of a TCP connection; the guest's loopback device may be down
TALK = """
import fcntl, socket, struct
server = socket.socket()
fcntl.ioctl(server, 0x8914, struct.pack("16sh14x", b"lo", 0x49))
server.bind(("127.0.0.1", 0))
server.listen()
one = socket.create_connection(server.getsockname())
two = server.accept()[0]
for i in range(100):
    one.sendall(bytes(777))
    left = 777
    while left:
        left -= len(two.recv(left))
"""
READS, OUTER = "kretprobe:vfs_read", "kretprobe:ksys_read"


def call(what, count):
    """A command for record(), and what it printed, as a function that returns a dictionary."""
    path = scratch(what + ".txt")

    def printed():
        with open(path, encoding="ascii") as file:
            return {key: int(value) for key, value in (line.split() for line in file)}
    return ("sh", "-c", "exec %s %s %d >%s" % (workload("calls"), what, count, path)), printed


def no_trampoline(frames):
    """The kernel puts the address of its trampoline where the return address was, and it has a name of its own."""
    return not any("rethook" in frame or "kretprobe" in frame for frame in frames)


def total(stacks):
    return sum(stacks.values())


def leaf_is(name):
    return lambda frames: frames[-1] == name and no_trampoline(frames)


@test("kretprobe: as many returns as the program made calls, each with its whole stack")
@needs(kfl.KRETPROBE)
def returns():
    count = scaled(100000)
    path = record("returns", "-e", READS, command=(workload("calls"), "reads", str(count)))
    profile = balanced(path)
    causes = lost(profile, READS)
    note("lost: %r" % dict(causes))
    check(set(causes) <= {kfl.LOST_FILTER}, causes)
    whole(hits_of(path, READS, "read_many"), count, ("read_many", "ksys_read"), leaf_is("vfs_read"))


@test("a kretprobe and a kprobe of one function: the same stacks")
@needs(kfl.KRETPROBE, kfl.KPROBE)
def same():
    count = scaled(2000)
    path = record("same", "-e", "kprobe:vfs_read," + READS, command=(workload("calls"), "reads", str(count)))
    balanced(path)
    check(hits_of(path, READS, "read_many") == hits_of(path, "kprobe:vfs_read", "read_many"),
          hits_of(path, READS, "read_many"), hits_of(path, "kprobe:vfs_read", "read_many"))


@test("--weight value: the bytes that reads returned, errors and the end of a file weigh nothing")
@needs(kfl.KRETPROBE)
def values():
    count = scaled(20000)
    command, printed = call("sizes", count)
    path = record("values", "-e", READS, "--weight", "value", command=command)
    profile = balanced(path)
    said = printed()
    check([event.unit for event in profile.events.values()] == [kfl.UNIT_VALUE], profile.events)
    hits = hits_of(path, READS, "read_sizes")
    check(total(hits) == said["bytes"], hits, said)
    causes = lost(profile, READS)
    check(causes[kfl.LOST_LENGTH] >= 2 * count and set(causes) <= {kfl.LOST_LENGTH, kfl.LOST_FILTER}, causes)
    report = kflame("report", "-i", path).stdout
    check("units returned by vfs_read" in report and "values were too small or too large" in report, report)
    svg = scratch("values.svg")
    kflame("flame", "-i", path, "-o", svg)
    with open(svg, encoding="utf-8") as file:
        check("units returned by vfs_read" in file.read(), "no unit in the picture")


@test("--file-io: bytes read and written, each exact, by the stack")
@needs(kfl.KRETPROBE)
def file_io():
    count = scaled(5000)
    command, printed = call("sizes", count)
    path = record("file-io", "--file-io", command=command)
    balanced(path)
    said = printed()
    check(total(hits_of(path, READS, "read_sizes")) == said["bytes"], folded(path), said)
    # The program writes what it says
    written = total({frames: n for frames, n in folded(path, "--event", "kretprobe:vfs_write").items() if "calls" in frames})
    check(written == sum(len("%s %d\n" % item) for item in said.items()), written, said)


@test("--net: bytes sent and received over TCP, each exact")
@needs(kfl.KRETPROBE, kfl.TRACEPOINT)
def net():
    path = record("net", "--net", command=(sys.executable, "-c", TALK))
    balanced(path)
    for event in "kretprobe:tcp_sendmsg", "kretprobe:tcp_recvmsg":
        check(total(folded(path, "--event", event)) == 100 * 777, event, folded(path, "--event", event))
    check(not folded(path, "--event", "kretprobe:udp_sendmsg"), "nothing was sent by UDP")


@test("--exec and --signals: programs that begin, processes that start, signals, as many as there were")
@needs(kfl.TRACEPOINT)
def starts():
    path = record("starts", "--exec", "--signals",
                  command=("sh", "-c", "trap '' USR1; for i in 1 2 3 4 5 6 7; do /bin/true; kill -USR1 $$; done"))
    balanced(path)
    programs = folded(path, "--event", "tracepoint:sched:sched_process_exec")
    check(sum(n for frames, n in programs.items() if frames[0] == "true") == 7, programs)
    forks = folded(path, "--event", "tracepoint:sched:sched_process_fork")
    check(sum(n for frames, n in forks.items() if frames[0] == "sh") == 7, forks)
    signals = folded(path, "--event", "tracepoint:signal:signal_generate")
    check(sum(n for frames, n in signals.items() if any("kill" in frame for frame in frames)) == 7, signals)


@test("--min and --max: returns beyond them are lost by that cause, and are in the accounting")
@needs(kfl.KRETPROBE)
def bounds():
    count = scaled(20000)
    sizes = [i * 37 % 5000 + 1 for i in range(1, count + 1)]
    chosen = [size for size in sizes if 1000 <= size <= 4000]
    command, printed = call("sizes", count)
    path = record("bounds", "-e", READS, "--weight", "value", "--min", "1000", "--max", "4000", command=command)
    profile = balanced(path)
    check(printed()["bytes"] == sum(sizes), "the program reads other sizes")
    check(total(hits_of(path, READS, "read_sizes")) == sum(chosen), hits_of(path, READS, "read_sizes"))
    check(lost(profile, READS)[kfl.LOST_LENGTH] >= 3 * count - len(chosen), lost(profile, READS))


@test("--weight latency: the time that the program measured, within 2 %")
@needs(kfl.KRETPROBE)
def latency():
    count = 10
    name = next((name for name in ("hrtimer_nanosleep", "common_nsleep") if can_probe(kfl.KRETPROBE, name)), None)
    if not name:
        raise Skipped("no function of nanosleep can be probed")
    event = "kretprobe:" + name
    command, printed = call("sleeps", count)
    path = record("sleeps", "-e", event, "--weight", "latency", command=command)
    profile = balanced(path)
    measured = printed()["ns"]
    hits = hits_of(path, event, "sleep_many")
    note("%d ns measured, %d ns in calls" % (measured, total(hits)))
    check(0.98 * measured <= total(hits) <= measured, total(hits), measured)
    for frames in hits:
        check(in_order(frames, ("main", "sleep_many", name)) and no_trampoline(frames), frames)
    number, = (event.id for event in profile.events.values())
    check(sum(one.samples for one in profile.event_counts[number]) == count, profile.event_counts)
    report = kflame("report", "-i", path).stdout
    check("recorded %s" % event in report and " in calls" in report, report)
    lengths, = json.loads(kflame("report", "-i", path, "--json").stdout)["lengths"]
    check((lengths["hits"], lengths["total_ns"]) == (count, total(hits)), lengths)
    check(lengths["longest_ns"] >= lengths["p50_ns"] * 0.93 and "from call to return" in report, lengths)
    path = record("short", "-e", event, "--weight", "latency", "--min", "1s", command=command)
    profile = balanced(path)
    check(not folded(path) and lost(profile, event)[kfl.LOST_LENGTH] == count, lost(profile, event))


@test("functions that call each other, and recursion: each stack is whole or marked as cut, and has no wrong name")
@needs(kfl.KRETPROBE)
def nested():
    count = scaled(2000)
    path = record("nested", "-e", READS + "," + OUTER, command=(workload("calls"), "reads", str(count)))
    profile = balanced(path)
    for event, leaf in (READS, "vfs_read"), (OUTER, "ksys_read"):
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, lost(profile, event))
        hits = hits_of(path, event, "read_many")
        check(total(hits) == count, hits)
        for frames in hits:
            check(frames[-1] == leaf and in_order(frames, ("main", "read_many", "ksys_read")), frames)
            read_is_called(frames, profile, leaf != "ksys_read")
    with open("/proc/kallsyms", encoding="ascii") as file:
        names = {line.split()[2] for line in file if "ep_eventpoll_poll" in line or "ep_item_poll" in line}
    name = next((name for name in sorted(names) if name != "ep_eventpoll_poll" and can_probe(kfl.KRETPROBE, name)), None)
    if not name:
        raise Skipped("no recursive function can be probed")
    event = "kretprobe:" + name
    path = record("polls", "-e", event, command=(workload("calls"), "polls", str(count)))
    profile = balanced(path)
    hits = hits_of(path, event, "poll_many")
    note({(frames.count(name), len(frames)): hits[frames] for frames in hits})
    for frames in hits:
        kernel = frames[frames.index("poll_many") + 1:]
        check(frames[-1] == name and all(re.search("poll|ep_|sys|entry|el0", frame) for frame in kernel), frames)
    check(cut(profile) or max(frames.count(name) for frames in hits) >= 3, hits)


def cut(profile):
    """Kernel stacks that the unwinder could not walk to their end."""
    return sum(stack.kind == kfl.STACK_KERNEL and stack.end == kfl.END_UNWIND for stack in profile.stacks.values())


def read_is_called(frames, profile, may_be_cut):
    """ksys_read() is called by the system call's entry, or the stack is cut there, and says so."""
    before = frames[frames.index("ksys_read") - 1]
    if may_be_cut and before in ("read_many", "read", "__read", "__libc_read", "__GI___libc_read"):
        check(cut(profile), frames)
    else:
        check(before in ("do_syscall_64", "x64_sys_call", "__x64_sys_read", "__arm64_sys_read", "invoke_syscall"),
              frames)


@test("the timer's samples in a function whose return is probed: whole or marked as cut, without a wrong name")
@needs(kfl.KRETPROBE)
def beside():
    for options in (), ("--unwind", "save"):
        path = record("beside", "-e", "cpu-clock," + OUTER, *options,
                      command=(workload("calls"), "blocks", str(max(100, scaled(2000)))))
        profile = balanced(path)
        stacks = {frames: hits for frames, hits in folded(path, "--event", "cpu-clock").items()
                  if "read_many" in frames and "ksys_read" in frames}
        note("%d samples in ksys_read; %d stacks are cut" % (total(stacks), cut(profile)))
        check(total(stacks) > 20, stacks)
        for frames in stacks:
            read_is_called(frames, profile, True)


@test("many tasks at once: all returns are counted; a call that has not returned at STOP leaves nothing")
@needs(kfl.KRETPROBE)
def many():
    count, tasks = scaled(2000), 20
    command = "for i in $(seq %d); do %s reads %d & done; wait" % (tasks, workload("calls"), count)
    path = record("many", "-e", READS, command=("sh", "-c", command))
    profile = balanced(path)
    check(set(lost(profile, READS)) <= {kfl.LOST_FILTER}, lost(profile, READS))
    check(total(hits_of(path, READS, "read_many")) == tasks * count, hits_of(path, READS, "read_many"))
    ends = os.pipe()
    child = os.fork()
    if not child:
        os.read(ends[0], 1)
        os._exit(0)
    events = Events(kfl.KRETPROBE, names=["vfs_read"])
    for _ in range(3):
        with Session() as session:
            session.configure(entries=64, **events.fields)
            session.start()
            session.stop()
    os.write(ends[1], b"x")
    check(os.waitpid(child, 0)[1] == 0, "the reader has died")


@test("a task that ends inside of a probed function: nothing hangs, and all balances")
@needs(kfl.KRETPROBE)
def exits():
    name = next((name for name in ("do_group_exit", "__x64_sys_exit_group", "do_exit")
                 if can_probe(kfl.KRETPROBE, name)), None)
    if not name:
        raise Skipped("no function that ends tasks can be probed")
    event = "kretprobe:" + name
    path = record("exits", "-e", event, "--weight", "latency", command=(workload("calls"), "forks", "50"))
    profile = balanced(path)
    check(not hits_of(path, event, "fork_many"), "a task has returned from its end")
    note("%s; lost: %r" % (name, dict(lost(profile, event))))


@test("what cannot be is refused, and the message says why")
@needs(kfl.KRETPROBE)
def refused():
    for options, why in (
            (("-e", "kprobe:vfs_read", "--weight", "latency"), "use kretprobe:FUNC"),
            (("-e", READS + ",tracepoint:a:b", "--weight", "value"), "use kretprobe:FUNC"),
            (("-e", "cpu-clock", "--weight", "value"), "add -e kretprobe:FUNC or -e syscall:NAME"),
            (("-e", READS, "--weight", "size"), "is a field of tracepoints"),
            (("-e", READS, "--min", "5"), "add --weight latency, value, argN"),
            (("-e", READS, "--weight", "latency", "--min", "5"), "the unit is missing"),
            (("-e", READS, "--weight", "value", "--min", "1ms"), "such as 4096"),
            (("-e", READS, "--weight", "value", "--min", "5", "--max", "4"), "less than --min"),
            (("-e", READS + "+4"), "kretprobe:FUNC"), (("-e", "kretprobe:"), "kretprobe:FUNC"),
            (("-U", "-e", READS), "leaves out the kernel")):
        done = run([KFLAME, "record", *options, "-o", scratch("none"), "--", "true"], status=2)
        check(why in done.stderr, options, done.stderr)
    for name, why in (("no_such_function", "this kernel has no function no_such_function"),
                      ("kf_sample_take_any", "or it is part of kflame")):
        done = run([KFLAME, "record", "-e", "kretprobe:" + name, "-o", scratch("none"), "--", "true"], status=1)
        check(why in done.stderr and "kretprobe:" + name in done.stderr, done.stderr)
    for fields, error in (({"weight": 3}, "EINVAL"), ({"weight": 1 << 31}, "EINVAL"), ({"shortest": 1}, "EINVAL"),
                          ({"longest": 1}, "EINVAL"), ({"weight": kfl.WEIGHT_VALUE, "shortest": 2, "longest": 1}, "EINVAL"),
                          ({"flags": 1}, "EINVAL"), ({"weight": kfl.WEIGHT_LATENCY, "shortest": 1}, "")):
        seen = configured(Events(kfl.KRETPROBE, names=["vfs_read"], **fields))
        check(seen == error, fields, seen, "is not", error)
    for kind, name in (kfl.TIMER, ""), (kfl.OFFCPU, ""), (kfl.KPROBE, "vfs_read"):
        for weight in kfl.WEIGHT_LATENCY, kfl.WEIGHT_VALUE:
            check(configured(Events(kind, names=[name] if name else (), weight=weight)) == "EINVAL", kind, weight)
    check(configured(Events(kfl.KRETPROBE, names=["vfs_read+4"])) == "EINVAL", "a return at an offset")


@test("merge: returns add up, but not with another weight")
@needs(kfl.KRETPROBE)
def merged():
    paths = [record("merge%d" % i, "-e", READS, "--weight", weight, command=(workload("calls"), "reads", "50"))
             for i, weight in enumerate(("value", "value", "latency"))]
    path = scratch("merged.data")
    kflame("merge", "-o", path, *paths[:2])
    check(total(hits_of(path, READS, "read_many")) == 100, folded(path))
    done = run([KFLAME, "merge", "-o", path, *paths], status=1)
    check("--weight" in done.stderr, done.stderr)
