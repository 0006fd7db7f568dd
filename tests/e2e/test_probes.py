# SPDX-License-Identifier: GPL-2.0-or-later
"""
Probes as events: each hit of a kernel function or a tracepoint is counted, with its stacks.
"""

import contextlib
import fcntl
import os
import random
import struct

import kfl
from harness import (KFLAME, Skipped, balanced, check, folded, info, kflame, note, record, run, scaled, scratch,
                     test, workload)
from probing import can_probe, configured, hits_of, lost, needs, whole
from session import CONFIGURE, Events, Session, config

# Here raw_syscalls:sys_enter would be hit by every other program, too.
FORK = "tracepoint:sched:sched_process_fork"


@contextlib.contextmanager
def sessions_of(kind, name, number):
    """So many sessions of a probe that run meanwhile."""
    events = Events(kind, names=[name])
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            session = stack.enter_context(Session())
            session.configure(entries=64, **events.fields)
            session.start()
        yield


@test("kprobe: as many hits as the program made calls, each with its whole stack")
@needs(kfl.KPROBE)
def reads():
    count = scaled(100000)
    path = record("reads", "-e", "kprobe:vfs_read", command=(workload("calls"), "reads", str(count)))
    profile = balanced(path)
    causes = lost(profile, "kprobe:vfs_read")
    note("lost: %r" % dict(causes))
    check(set(causes) <= {kfl.LOST_FILTER}, causes)
    whole(hits_of(path, "kprobe:vfs_read", "read_many"), count, ("read_many", "ksys_read"),
          lambda frames: frames[-1] == "vfs_read")


@test("kprobe with an offset, and by stack_trace_save(): the same stacks")
@needs(kfl.KPROBE)
def ways():
    count = scaled(2000)
    events = ("kprobe:vfs_read", "kprobe:ksys_read+0x0", offset_event())
    for options in (), ("--unwind", "save"):
        path = record("ways", "-e", ",".join(events), *options, command=(workload("calls"), "reads", str(count)))
        balanced(path)
        for event in events:
            leaf = event.partition(":")[2].partition("+")[0]
            whole(hits_of(path, event, "read_many"), count, ("read_many",),
                  lambda frames, leaf=leaf: frames[-1] == leaf and "ksys_read" in frames)


def offset_event():
    """vfs_read at some instruction after its first ones."""
    for offset in range(1, 64):
        error = configured(Events(kfl.KPROBE, names=["vfs_read+%d" % offset]))
        if not error and offset > 5:
            note("offset %d" % offset)
            return "kprobe:vfs_read+%d" % offset
        check(error in ("", "EILSEQ", "EINVAL"), offset, error)
    raise Skipped("no instruction of vfs_read can be probed")


@test("tracepoint: as many hits as the program forked, each with its whole stack")
@needs(kfl.TRACEPOINT)
def forks():
    count = scaled(1000)
    # With two sessions of it, the kernel calls their probes from a function of its own.
    with sessions_of(kfl.TRACEPOINT, "sched:sched_process_fork", 1):
        path = record("forks", "-e", FORK, command=(workload("calls"), "forks", str(count)))
    profile = balanced(path)
    causes = lost(profile, FORK)
    check(set(causes) <= {kfl.LOST_FILTER}, causes)
    whole(hits_of(path, FORK, "fork_many"), count, ("fork_many", "kernel_clone"),
          lambda frames: not any("trace" in frame for frame in frames))
    path = record("save", "-e", FORK, "--unwind", "save", command=(workload("calls"), "forks", "10"))
    whole(hits_of(path, FORK, "fork_many"), 10, ("fork_many", "kernel_clone"),
          lambda frames: not any("trace" in frame for frame in frames))


@test("probes beside the timer: each event by its name in report, flame, info, and merge")
@needs(kfl.KPROBE, kfl.TRACEPOINT)
def together():
    count = scaled(5000)
    events = "cpu-clock,kprobe:vfs_read,kprobe:ksys_read,%s" % FORK
    path = record("together", "-e", events, "--timeline", command=(workload("calls"), "reads", str(count)))
    profile = balanced(path)
    check([(event.kind, event.name) for event in profile.events.values()] ==
          [(kfl.TIMER, "cpu-clock"), (kfl.KPROBE, "kprobe:vfs_read"), (kfl.KPROBE, "kprobe:ksys_read"),
           (kfl.TRACEPOINT, FORK)], profile.events)
    for event in "kprobe:vfs_read", "kprobe:ksys_read":
        hits = hits_of(path, event, "read_many")
        check(sum(hits.values()) == count, event, hits)
    other = record("other", "-e", FORK, command=(workload("calls"), "forks", "7"))
    merged = scratch("merged.data")
    kflame("merge", "-o", merged, path, other)
    check("books=balanced" in kflame("info", "-i", merged, "--raw").stdout, "the sum's accounting")
    check(sum(hits_of(merged, FORK, "fork_many").values()) == 7, folded(merged, "--event", FORK))
    report = kflame("report", "-i", merged, "--event", "kprobe:vfs_read").stdout
    check("vfs_read" in report and "read_many" in report, report)
    check("kprobe:vfs_read\n" in kflame("info", "-i", merged).stdout, kflame("info", "-i", merged).stdout)
    check(".name=%s\n" % FORK in kflame("info", "-i", path, "--raw").stdout, "info --raw")
    svg = scratch("probes.svg")
    kflame("flame", "-i", merged, "--event", "kprobe:vfs_read", "-o", svg)
    with open(svg, encoding="utf-8") as file:
        check("read_many" in file.read(), "not drawn")
    wrong = run([KFLAME, "report", "-i", merged, "--event", "kprobe"], status=1)
    check("has no event 'kprobe'. It has: " in wrong.stderr and FORK in wrong.stderr, wrong.stderr)


@test("-p: hits of the chosen process only, all others are lost by the filter")
@needs(kfl.KPROBE)
def chosen():
    path = record("chosen", "-e", "kprobe:vfs_read", "-p", str(os.getpid()), "-d", "2", "--no-children")
    profile = balanced(path)
    seen = {count.tgid for counts in profile.event_counts.values() for count in counts}
    check(seen <= {os.getpid()}, seen)
    check(lost(profile, "kprobe:vfs_read")[kfl.LOST_FILTER] > 0, "the tool itself reads")


@test("probes of the timer's interrupt, and of functions that samples call: nested hits are lost as that")
@needs(kfl.KPROBE)
def nested():
    inner = [name for name in ("irq_work_queue", "ktime_get_mono_fast_ns", "_raw_spin_unlock_irqrestore",
                               "copy_from_kernel_nofault", "unwind_next_frame") if can_probe(kfl.KPROBE, name)]
    events = ",".join("kprobe:" + name for name in ("hrtimer_interrupt", *inner))
    path = record("nested", "-a", "-e", "cpu-clock," + events, "--timeline", "--entries", "16",
                  command=(workload("busy"), "2"))
    profile = balanced(path)
    seen = {event.name: sum(count.samples for count in profile.event_counts[event.id])
            for event in profile.events.values() if event.id}
    note("counted %r; lost %r" % (seen, {name: dict(lost(profile, name)) for name in seen}))
    # Each sample of the timer comes from such an interrupt, and few interrupts have two.
    hits = seen["kprobe:hrtimer_interrupt"] + sum(lost(profile, "kprobe:hrtimer_interrupt").values())
    check(seen["kprobe:hrtimer_interrupt"] > 0 and 2 * hits >= sum(cpu.samples for cpu in profile.cpus.values()), hits)
    check(sum(lost(profile, name)[kfl.LOST_NESTED] for name in seen) > 0, "none is nested")
    # Also on an idle CPU, where the timer's samples have no stack
    stacks = folded(path, "--event", "kprobe:hrtimer_interrupt")
    check(all(frames[-1] == "hrtimer_interrupt" for frames in stacks), stacks)


@test("tracepoints that the sample path and its locks pass: nothing hangs, and all balances")
@needs(kfl.TRACEPOINT)
def own_path():
    names = [name for name in ("irq:softirq_entry", "timer:hrtimer_expire_entry", "timer:timer_start",
                               "lock:contention_end", "lock:lock_acquire", "sched:sched_switch", "sched:sched_waking")
             if can_probe(kfl.TRACEPOINT, name)]
    events = ",".join(["cpu-clock", *("tracepoint:" + name for name in names)])
    path = record("own", "-a", "-e", events, "--timeline", command=(workload("busy"), "1"))
    profile = balanced(path)
    note({event.name: (sum(count.samples for count in profile.event_counts[event.id]),
                       dict(lost(profile, event.name))) for event in profile.events.values() if event.id})


def listed(*pattern):
    """Words that kflame list prints."""
    return kflame("list", "--names", *pattern).stdout.splitlines()


def traceable():
    """Functions that ftrace can patch; None without it. Of others the kernel refuses those that begin with a static branch."""
    try:
        with open("/sys/kernel/tracing/available_filter_functions", encoding="ascii") as functions:
            return {"kprobe:" + line.split()[0] for line in functions}
    except OSError:
        return None


@test("kflame list: what it prints can be recorded, and what may not be probed is left out")
@needs(kfl.KPROBE, kfl.TRACEPOINT)
def lists():
    chosen = random.Random()
    seed = int.from_bytes(os.urandom(4), "little")
    chosen.seed(seed)
    words = listed()
    functions, tracepoints = listed("kprobe:*"), listed("tracepoint:*")
    note("%d functions, %d tracepoints, seed %d" % (len(functions), len(tracepoints), seed))
    check(set(functions) | set(tracepoints) < set(words), len(words))
    check(functions == sorted(set(functions)) and tracepoints == sorted(set(tracepoints)), "sorted")
    check("kprobe:vfs_read" in functions and FORK in tracepoints, len(words))
    # Of the first two, the first is freed after boot, and the kernel refuses the second
    check(not {"kprobe:start_kernel", "kprobe:do_int3", "kprobe:kf_event_arm"} & set(functions), "left out")
    for kinds, some in ((kfl.KPROBE, functions), (kfl.TRACEPOINT, tracepoints)):
        refused = {}
        for word in chosen.sample(some, min(len(some), scaled(1000))):
            error = configured(Events(kinds, names=[word.partition(":")[2]]))
            if error:
                refused[word] = error
        note("refused: %s" % refused)
        known = traceable() if kinds == kfl.KPROBE else None
        check(not [word for word in refused if known is None or word in known], seed, refused)
        functions = [word for word in functions if word not in refused and (known is None or word in known)]
    some = chosen.sample(functions + tracepoints, 50)
    for at in range(0, len(some), 7):
        record("listed", "-e", ",".join(["cpu-clock", *some[at:at + 7]]), command=("true",))
    fields = kflame("list", "-v", FORK).stdout
    check("pid_t parent_pid" in fields and "common_pid" not in fields, fields)
    check(run([KFLAME, "list", "no_such_function"], status=1).stdout == "", "nothing is found")


@test("a function that is missing, or that may not be probed: an error that says which, and exit status 1")
@needs(kfl.KPROBE)
def errors():
    for event, why in (("kprobe:no_such_function", "this kernel has no function no_such_function"),
                       ("kprobe:kprobe_dispatcher_or_not", "this kernel has no function"),
                       ("kprobe:kf_sample_take_any", "or it is part of kflame"),
                       ("kprobe:get_kprobe", "does not let get_kprobe be probed"),
                       ("kprobe:vfs_read+0xfffffff", "")):
        done = run([KFLAME, "record", "-e", "cpu-clock," + event, "-o", scratch("none"), "--", "true"], status=1)
        check(event in done.stderr and why in done.stderr, done.stderr)
        check(not os.path.exists(scratch("none")), "a profile of nothing")
    for event in "kprobe:", "kprobe:a+", "kprobe:a+x", "kprobe:+1", "tracepoint:sched", "tracepoint::x", "kprobe":
        run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=2)
    run([KFLAME, "record", "-U", "-e", "kprobe:vfs_read", "-o", scratch("none"), "--", "true"], status=2)


def uses(module):
    """How many use that module: what keeps it from being unloaded. None if it is not loaded."""
    with open("/proc/modules", encoding="ascii") as modules:
        return next((int(line.split()[2]) for line in modules if line.split()[0] == module), None)


@test("tracepoints of a module: each hit, and pairs of them. The module stays loaded as long as they are watched")
@needs(kfl.TRACEPOINT, kfl.PAIR)
def of_module():
    module, sent, answered = "9pnet", "9p:9p_client_req", "9p:9p_client_res"
    before = uses(module)
    if before is None:
        raise Skipped("this kernel has 9p built in, or none")
    check("tracepoint:" + sent in listed("tracepoint:9p:*"), listed("tracepoint:9p:*"))
    where = os.path.dirname(os.path.abspath(__file__))
    modules = scratch("modules.txt")
    # The root of the guest is on 9p. A file that was not read before takes requests.
    path = record("of_module", "-e", "tracepoint:%s,tracepoint:%s..%s" % (sent, sent, answered.partition(":")[2]), "--weight", "count",
                  command=("sh", "-c", "cat /proc/modules >%s; cat %s/*.py >/dev/null; ls -R /usr/share/doc >/dev/null" % (modules, where)))
    balanced(path)
    sums = {event: sum(folded(path, "--event", event).values()) for event in
            ("tracepoint:" + sent, "tracepoint:%s..%s" % (sent, answered.partition(":")[2]))}
    note(sums)
    # Each request of the program is answered before the program goes on.
    check(len(set(sums.values())) == 1 and 0 not in sums.values(), sums)
    hits = folded(path, "--event", "tracepoint:" + sent)
    check(all("p9_client_rpc" in frames or "p9_client_zc_rpc.constprop.0" in frames for frames in hits), list(hits)[:3])
    with open(modules, encoding="ascii") as file:
        meanwhile = next(int(line.split()[2]) for line in file if line.split()[0] == module)
    check(meanwhile >= before + 3 and uses(module) == before, before, meanwhile, uses(module))


@test("a tracepoint that is missing: the error names it")
@needs(kfl.TRACEPOINT)
def no_tracepoint():
    for event in "tracepoint:sched:no_such_event", "tracepoint:syscalls:sys_enter_nothing":
        done = run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=1)
        check("this kernel has no tracepoint %s" % event.partition(":")[2] in done.stderr, done.stderr)


@test("CONFIGURE refuses names that cannot be, and says of which event")
@needs(kfl.KPROBE)
def refused():
    wrong = [({"names": ["no_such_function"]}, "ENOENT"), ({"names": [""]}, "EINVAL"), ({"names": ["a b"]}, "EINVAL"),
             ({"names": ["x" * 121]}, "ENAMETOOLONG"), ({"names": ["vfs_read"], "weight": 1}, "EINVAL"),
             ({"names": ["vfs_read"], "flags": 1}, "EINVAL"), ({"names": ["vfs_read"], "shortest": 1}, "EINVAL"),
             ({"names": ["vfs_read+"]}, "EINVAL"), ({}, "EINVAL")]
    for fields, error in wrong:
        seen = configured(Events(kfl.KPROBE, **fields))
        check(seen == error, fields, seen, "is not", error)
    check(configured(Events(kfl.KPROBE, kfl.KPROBE, names=["vfs_read", "vfs_read"])) == "EINVAL", "one probe twice")
    check(configured(Events(kfl.TIMER, names=["timer"])) == "EINVAL", "a name of the timer")
    events = Events(kfl.KPROBE, kfl.KPROBE, names=["vfs_read", "no_such_function"])
    raw = bytearray(config(**events.fields))
    with Session() as session:
        try:
            fcntl.ioctl(session.fd, CONFIGURE, raw)
            check(False, "no_such_function was found")
        except FileNotFoundError:
            pass
    at = struct.calcsize("<2I2Q7I")
    check(struct.unpack_from("<I", raw, at) == (2,), "reserved does not name the second event")


@test("probes are set and removed again and again, while their functions are called")
@needs(kfl.KPROBE)
def again():
    kinds, names = [kfl.KPROBE, kfl.KPROBE], ["vfs_read", "hrtimer_interrupt"]
    if info()["events"] >> kfl.TRACEPOINT & 1:
        kinds, names = [*kinds, kfl.TRACEPOINT], [*names, "sched:sched_process_fork"]
    for _ in range(scaled(100)):
        events = Events(*kinds, names=names)
        with Session() as session:
            session.configure(entries=64, **events.fields)
            session.start()
            with open("/proc/self/stat", "rb") as file:
                file.read()
            session.stop()
