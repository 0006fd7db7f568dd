# SPDX-License-Identifier: GPL-2.0-or-later
"""
System calls as events: how many, how long they took, and what they returned.
"""

import ctypes
import json
import os

import kfl
from harness import (KFLAME, balanced, check, folded, in_order, info, kflame, needs_32bit, note, record, run,
                     scaled, scratch, test, torture, workload)
from probing import configured, hits_of, lost, needs
from session import Events, Session

ALL = "syscall:*"
ALL_NUMBERS = (1 << 64) - 1


def by_call(stacks):
    """Hits by the frame of the call."""
    result = {}
    for frames, hits in stacks.items():
        result[frames[-1]] = result.get(frames[-1], 0) + hits
    return result


@test("syscall:NAME and syscall:*: as many calls as the program made, each with its user stack and its name")
@needs(kfl.SYSCALL)
def counts():
    count = scaled(100000)
    path = record("counts", "-e", "syscall:getppid,syscall:*", command=(workload("syscalls"), "asks", str(count)))
    profile = balanced(path)
    for event in "syscall:getppid", ALL:
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, event, lost(profile, event))
    hits = hits_of(path, "syscall:getppid", "ask_many")
    check(by_call(hits) == {"sys_getppid": count}, hits)
    check(all(in_order(frames, ("main", "ask_many")) and frames[-2] in ("syscall", "ask_many") for frames in hits), hits)
    every = hits_of(path, ALL, "ask_many")
    check(by_call(every) == {"sys_getppid": count, "sys_read": count}, every)
    calls = by_call(folded(path, "--event", ALL))
    # Where no call returns, it counts where it began.
    check(calls["sys_exit_group"] == 1 and calls["sys_execve"] == 1, calls)
    check(all(name.startswith("sys_") for name in calls), calls)


@test("a kprobe at the entry of a call counts the same")
@needs(kfl.SYSCALL, kfl.KPROBE)
def same():
    count = scaled(2000)
    path = record("same", "-e", "syscall:read,kprobe:ksys_read", command=(workload("calls"), "reads", str(count)))
    balanced(path)
    check(by_call(hits_of(path, "syscall:read", "read_many")) == {"sys_read": count}, folded(path))
    check(sum(hits_of(path, "kprobe:ksys_read", "read_many").values()) == count, folded(path))


@test("64 threads at once: each call of each thread, counted and by its time")
@needs(kfl.SYSCALL)
def threads():
    count = scaled(1000)
    for weight in "count", "latency":
        path = record("threads", "-e", "syscall:getppid", "--weight", weight,
                      command=(workload("syscalls"), "threads", str(count)))
        profile = balanced(path)
        causes = lost(profile, "syscall:getppid")
        check(set(causes) <= {kfl.LOST_FILTER}, weight, causes)
        number, = (event.id for event in profile.events.values())
        samples = sum(one.samples for one in profile.event_counts[number])
        check(samples == 64 * count, weight, samples, "of", 64 * count)


@test("--weight latency: the time that the program measured, within 2 %")
@needs(kfl.SYSCALL)
def latency():
    count, path = 10, scratch("sleeps.txt")
    command = ("sh", "-c", "exec %s sleeps %d >%s" % (workload("calls"), count, path))
    profile_path = record("sleeps", "--syscalls=clock_nanosleep", command=command)
    profile = balanced(profile_path)
    with open(path, encoding="ascii") as file:
        measured = int(file.read().split()[1])
    hits = hits_of(profile_path, "syscall:clock_nanosleep", "sleep_many")
    check(0.98 * measured <= sum(hits.values()) <= measured, hits, measured)
    check(set(by_call(hits)) == {"sys_clock_nanosleep"}, hits)
    note("%d ns measured, %d ns in calls" % (measured, sum(hits.values())))
    report = kflame("report", "-i", profile_path).stdout
    check("sys_clock_nanosleep" in report and "from call to return" in report, report)
    lengths, = json.loads(kflame("report", "-i", profile_path, "--json").stdout)["lengths"]
    check((lengths["hits"], lengths["total_ns"]) == (count, sum(hits.values())), lengths)
    path = record("short", "--syscalls=clock_nanosleep", "--min", "1s", command=command)
    profile = balanced(path)
    check(not folded(path), folded(path))
    check(lost(profile, "syscall:clock_nanosleep")[kfl.LOST_LENGTH] == count, lost(profile, "syscall:clock_nanosleep"))


@test("--syscalls: the first line of the report is the call that takes the time")
@needs(kfl.SYSCALL)
def preset():
    path = record("preset", "--syscalls", command=(workload("calls"), "sleeps", "5"))
    balanced(path)
    calls = by_call(folded(path))
    check(max(calls, key=calls.get) == "sys_clock_nanosleep", calls)
    functions = json.loads(kflame("report", "-i", path, "--json").stdout)["by_function"]
    check(functions[0]["name"] == "sys_clock_nanosleep", functions[:3])


@test("--weight value: the bytes that reads returned, errors and the end of a file weigh nothing")
@needs(kfl.SYSCALL)
def values():
    count, path = scaled(20000), scratch("sizes.txt")
    command = ("sh", "-c", "exec %s sizes %d >%s" % (workload("calls"), count, path))
    profile_path = record("values", "-e", "syscall:read", "--weight", "value", command=command)
    profile = balanced(profile_path)
    with open(path, encoding="ascii") as file:
        read = int(file.read().split()[1])
    hits = hits_of(profile_path, "syscall:read", "read_sizes")
    check(by_call(hits) == {"sys_read": read}, hits, read)
    causes = lost(profile, "syscall:read")
    check(causes[kfl.LOST_LENGTH] >= 2 * count and set(causes) <= {kfl.LOST_LENGTH, kfl.LOST_FILTER}, causes)
    report = kflame("report", "-i", profile_path).stdout
    check("units returned by read" in report, report)


@test("a call that overwrites its number, rt_sigreturn(), has its name")
@needs(kfl.SYSCALL)
def sigreturn():
    count = scaled(1000)
    path = record("signals", "--syscalls", command=(workload("syscalls"), "signals", str(count)))
    profile = balanced(path)
    number, = (event.id for event in profile.events.values())
    names = {start: name for start, _, name in symbols(profile)}
    samples = {}
    for one in profile.event_counts[number]:
        name = names[profile.kernel_pc(one)]
        samples[name] = samples.get(name, 0) + one.samples
    check(samples["sys_rt_sigreturn"] == samples["sys_kill"] == count, samples)


def symbols(profile):
    return [(start, end, name) for start, end, name in profile.ksyms if name.startswith("sys_")]


@test("tasks that end in a call leave nothing: no call gets the end of another one")
@needs(kfl.SYSCALL)
def ends():
    count = max(20, scaled(300))
    used = info()["memory_used"]
    for what in "processes", "exits", "runs":
        path = record(what, "--syscalls", command=(workload("syscalls"), what, str(count if what == "processes" else 20)))
        profile = balanced(path)
        calls = by_call(folded(path))
        note("%s: %r" % (what, sorted(calls)))
        # These never return. Neither do reads of a pipe to which no process writes, unless a signal ends them.
        check(not {"sys_exit_group", "sys_exit"} & set(calls), calls)
        check(set(lost(profile, ALL)) <= {kfl.LOST_FILTER}, lost(profile, ALL))
        # A child does not return from its parent's call: as many forks as the parent made.
        forks = [frames for frames in folded(path) if frames[-1] in ("sys_clone", "sys_clone3", "sys_fork")]
        check(forks, calls)
    check(info()["memory_used"] == used, info()["memory_used"], "is not", used)


@test("a child that returns from a call that its parent made is not counted")
@needs(kfl.SYSCALL)
def forks():
    count = scaled(500)
    path = record("forks", "-e", "syscall:clone", "--weight", "latency",
                  command=(workload("syscalls"), "processes", str(count)))
    profile = balanced(path)
    number, = (event.id for event in profile.events.values())
    samples = sum(one.samples for one in profile.event_counts[number])
    check(samples == count, samples, "of", count)


@test("calls that began before the recording, and calls that have not ended: not accounted for")
@needs(kfl.SYSCALL)
def middle():
    gate, answer = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        # Waits in read() at START, and again at STOP
        os.read(gate[0], 1)
        os.write(answer[1], b"x")
        os.read(gate[0], 1)
        os._exit(0)
    with open("/proc/%d/stat" % child, encoding="ascii") as file:
        while file.read().split()[2] != "S":
            file.seek(0)
    only = ctypes.c_uint32(child)
    events = Events(kfl.SYSCALL, names=["all"], weight=kfl.WEIGHT_LATENCY, offset=ALL_NUMBERS)
    path = scratch("middle.data")
    with Session() as session:
        session.configure(entries=64, nr_pids=1, pids=ctypes.addressof(only), **events.fields)
        session.start()
        os.write(gate[1], b"x")
        os.read(answer[0], 1)
        with open("/proc/%d/stat" % child, encoding="ascii") as file:
            while file.read().split()[2] != "S":
                file.seek(0)
        session.stop()
        with open(path, "wb") as file:
            file.write(session.read_all())
    os.write(gate[1], b"x")
    check(os.waitpid(child, 0)[1] == 0, "the child has died")
    profile = kfl.Profile(path)
    # Only write() began and ended meanwhile.
    check(sum(one.samples for one in profile.event_counts[1]) == 1, profile.event_counts)
    check(set(lost(profile, "syscall:all")) <= {kfl.LOST_FILTER}, lost(profile, "syscall:all"))


@test("calls by the numbers of 32-bit programs are left out")
@needs(kfl.SYSCALL)
def other_numbers():
    needs_32bit()
    path = record("compat", "-e", ALL, command=("sh", "-c", "timeout 1 %s; true" % torture("spin32")))
    balanced(path)
    inside = {frames: hits for frames, hits in folded(path).items() if frames[0].startswith("spin32")}
    # What runs it is a 64-bit program, up to its execve().
    check(set(by_call(inside)) <= {"sys_execve"}, inside)


@test("a filter of user mode keeps system calls; user stacks are left out on request")
@needs(kfl.SYSCALL)
def filters():
    count = scaled(1000)
    path = record("kernel-only", "-K", "-e", "syscall:getppid", command=(workload("syscalls"), "asks", str(count)))
    balanced(path)
    check(list(folded(path).items()) == [(("syscalls", "sys_getppid"), count)], folded(path))


@test("storms: set and taken away under load, 30 times; nothing stays")
@needs(kfl.SYSCALL)
def storm():
    used = info()["memory_used"]
    child = os.fork()
    if not child:
        os.execv(workload("syscalls"), ["syscalls", "asks", str(10 ** 9)])
    for weight in (kfl.WEIGHT_OWN, kfl.WEIGHT_LATENCY, kfl.WEIGHT_VALUE) * 10:
        events = Events(kfl.SYSCALL, names=["*"], weight=weight, offset=ALL_NUMBERS)
        with Session() as session:
            session.configure(entries=64, **events.fields)
            session.start()
            session.stop()
    os.kill(child, 9)
    os.waitpid(child, 0)
    check(info()["memory_used"] == used, info()["memory_used"], "is not", used)


@test("what cannot be is refused, and the list has what can")
@needs(kfl.SYSCALL)
def refused():
    for options, why in ((("-e", "syscall:no_such"), "kflame list syscall:"), (("-U", "-e", "syscall:read"), "leave out -U"),
                         (("--syscalls=no_such",), "kflame list syscall:")):
        done = run([KFLAME, "record", *options, "-o", scratch("none"), "--", "true"], status=2)
        check(why in done.stderr, options, done.stderr)
    for fields, error in (({"offset": 4096}, "EINVAL"), ({"offset": ALL_NUMBERS - 1}, "EINVAL"), ({"file": 1}, "EINVAL"),
                          ({"weight": 3}, "EINVAL"), ({"flags": 1}, "EINVAL"), ({"shortest": 1}, "EINVAL"),
                          ({"offset": 4095}, ""), ({"offset": ALL_NUMBERS}, "")):
        seen = configured(Events(kfl.SYSCALL, names=["x"], **fields))
        check(seen == error, fields, seen, "is not", error)
    check(configured(Events(kfl.SYSCALL, kfl.SYSCALL, names=["x", "x"])) == "EINVAL", "one name twice")
    check(configured(Events(kfl.KPROBE, names=["vfs_read"], offset=1)) == "EINVAL", "a number of a function")
    names = kflame("list", "--names", "syscall:re*").stdout.split()
    check("syscall:read" in names and all(name.startswith("syscall:re") for name in names), names)
    check("syscall:*" in kflame("list", "--names", "syscall:").stdout.split(), "no event of all calls")
