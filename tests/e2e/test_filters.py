# SPDX-License-Identifier: GPL-2.0-or-later
"""Filters in the kernel: each leaves out what it says, and counts what it left out."""

import ctypes
import os
import signal
import subprocess

import kfl
from harness import (balanced, check, enough, folded, host, kflame, load, no_losses, note, record, run,
                     scratch, start, test, wait_until, workload, KFLAME, Skipped, UNNAMED)
from session import CONFIGURE, Session, config


def busy(seconds="30"):
    child = start([workload("busy"), seconds], stdout=subprocess.PIPE)
    check(child.stdout.readline() == "ready\n", "busy did not start")
    return child


def of_tasks(profile):
    return [count for count in profile.counts if count.context in (kfl.CTX_TASK, kfl.CTX_SOFTIRQ)]


@test("-p: that process alone, the rest is counted as left out")
def process():
    load()
    child, other = busy(), busy()
    profile = balanced(record("pid", "-p", child.pid, "-d", 2))
    no_losses(profile)
    tgids = {count.tgid for count in of_tasks(profile)}
    check(tgids == {child.pid}, "processes", tgids, "asked for", child.pid, "not", other.pid)
    check(profile.lost(kfl.LOST_FILTER) > 0, "nothing was left out")


# Red while the walk up the parents ended before process 1
@test("-p 1: its descendants, too, which are all but the kernel's threads")
def init():
    load()
    child = busy()
    profile = balanced(record("init", "-p", 1, "-d", 1, "-F", 997, "--budget", 0))
    mine = sum(count.samples for count in of_tasks(profile) if count.tgid == child.pid)
    check(mine > 0, "no samples of a descendant of process 1")


@test("-p of a process that waits: time in which a CPU was away is not counted, and record says that it waited")
def waiting():
    load()
    path = scratch("waiting.data")
    child = start(["sleep", "600"])
    recorder = start([KFLAME, "record", "-p", str(child.pid), "-o", path], stderr=subprocess.PIPE)
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the recorder runs")
    host("stop 1")
    recorder.send_signal(signal.SIGINT)
    message = recorder.communicate(timeout=240)[1]
    check(recorder.returncode == 0 and "it waited" in message, message)
    profile = balanced(path)
    gaps = [count for count in profile.counts if count.context == kfl.CTX_GAP]
    check(not gaps, "%d counts of gaps" % len(gaps))


@test("what the recorder did is left out with --no-self, and nothing else is")
def no_self():
    load()
    path = record("no-self", "-a", "-F", 997, command=(workload("busy"), "1"))
    every, others = folded(path), folded(path, "--no-self")
    own = {stack: count for stack, count in every.items() if "kflame" in stack}
    check(own and any(stack[0] == "kflame" for stack in own), "the recorder has no sample")
    check(others == {stack: count for stack, count in every.items() if stack not in own},
          "other stacks are left out")


@test("diff says where only the ends of stacks differ")
def cut_is_no_change():
    load()
    loop = ("/bin/sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    cut, whole = (record("ends-" + way, "-F", 997, "-g", way, command=loop) for way in ("fp", "dwarf"))
    check("did not change" in kflame("diff", cut, whole).stderr, "nothing is said")
    check("did not change" not in kflame("diff", whole, whole).stderr, "of one and the same")


@test("a command: it and its children, and not the recorder")
def children():
    load()
    path = scratch("children.data")
    recorder = start([KFLAME, "record", "-o", path, "--budget", "0", "--", "/bin/sh", "-c",
                      "%s 1; %s 1" % (workload("busy"), workload("busy"))], stderr=subprocess.PIPE)
    said = recorder.communicate(timeout=240)[1]
    check(recorder.returncode == 0, said)
    profile = balanced(path)
    comms = {count.comm for count in of_tasks(profile)}
    check("busy" in comms, "commands", comms)
    check(recorder.pid not in {count.tgid for count in of_tasks(profile)}, "the recorder was sampled")


@test("-C: that CPU alone")
def cpus():
    load()
    profile = balanced(record("cpu", "-a", "-C", 1, "-d", 1))
    check(set(profile.cpus) == {1}, "CPUs", set(profile.cpus))


@test("-K and -U: kernel alone, user alone")
def modes():
    load()
    for option, kept, other in ("-K", "kstack", "ustack"), ("-U", "ustack", "kstack"):
        profile = balanced(record("one" + option, "-a", option, command=(workload("readloop"), "2")))
        loop = [count for count in of_tasks(profile) if count.comm == "readloop"]
        check(loop and all(getattr(count, kept) for count in loop), option, "left out too much")
        check(not any(getattr(count, other) for count in profile.counts), option, "left out too little")
        check(profile.lost(kfl.LOST_FILTER) > 0, option, "left out nothing")


@test("control groups: those and what is below them, and nothing else")
def cgroups():
    load()
    if not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        raise Skipped("no cgroups here")
    child = {}
    for name in ("one", "one/below", "other"):
        where = os.path.join("/sys/fs/cgroup", "kflame-" + name)
        os.mkdir(where)
        child[name] = busy("600")
        with open(os.path.join(where, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(child[name].pid))
    fd = os.open("/sys/fs/cgroup/kflame-one", os.O_PATH | os.O_DIRECTORY)

    def sampled(fds, **fields):
        array = (ctypes.c_uint32 * len(fds))(*fds)
        with Session() as session:
            session.configure(nr_cgroups=len(fds), cgroups=ctypes.addressof(array), **fields)
            session.start()
            run([workload("busy"), "1"])
            session.stop()
            path = scratch("cgroup.kfl")
            with open(path, "wb") as file:
                file.write(session.read_all())
        profile = kfl.Profile(path)
        check(not profile.imbalances(), profile.imbalances())
        return {count.tgid for count in of_tasks(profile)}

    inside = {child["one"].pid, child["one/below"].pid}
    check(sampled([fd]) == inside, "one:", sampled([fd]), "not", inside)
    pids = (ctypes.c_uint32 * 2)(child["one"].pid, child["other"].pid)
    both = sampled([fd], nr_pids=2, pids=ctypes.addressof(pids))
    check(both == {child["one"].pid}, "in one and of two processes:", both)
    os.close(fd)
    for path in ("kflame-one", "/kflame-one", "/sys/fs/cgroup/kflame-one"):
        profile = balanced(record("cgroup", "--cgroup", path, command=(workload("busy"), "1")))
        seen = {count.tgid for count in of_tasks(profile)}
        check(seen == inside, "--cgroup", path, seen, "not", inside)
    profile = balanced(record("cgroups", "--cgroup", "kflame-one/below", "--cgroup",
                              "kflame-other", command=(workload("busy"), "1")))
    seen = {count.tgid for count in of_tasks(profile)}
    check(seen == {child["one/below"].pid, child["other"].pid}, "two of them:", seen)
    done = run([KFLAME, "record", "--cgroup", "none-such", "-d", "1"], status=None)
    check(done.returncode == 1 and "none-such" in done.stderr, done.stderr)
    array = (ctypes.c_uint32 * 1)(os.open("/tmp", os.O_PATH))
    with Session() as session:
        for number, error in ((1, "EBADF"), (65, "EINVAL")):
            wrong = config(nr_cgroups=number, cgroups=ctypes.addressof(array))
            got = session.errno(CONFIGURE, wrong)
            check(got == error, number, "of no control group:", got)


@test("--no-idle: no idle samples, and they are counted as left out")
def no_idle():
    load()

    def take(seconds):
        profile = balanced(record("no-idle", "-a", "--no-idle", "-d", seconds))
        check(not any(c.context == kfl.CTX_IDLE for c in profile.counts), "idle samples")
        return profile.lost(kfl.LOST_IDLE)

    enough(take, 500, 2, "idle samples that were left out")


@test("the command's exit status is passed on, also that of a killed one")
def status():
    load()
    for command, expected in (("exit 7", 7), ("kill -TERM $$", 128 + 15)):
        done = run([KFLAME, "record", "-o", scratch("status.data"), "--",
                    "/bin/sh", "-c", command], status=None)
        check(done.returncode == expected, command, "gave", done.returncode, done.stderr)


@test("a library that was loaded while being sampled is named")
def dlopen():
    load()
    path = record("dlopen", command=(workload("dlopener"), workload("plugin.so"), "3"))
    balanced(path)
    counts = dict.fromkeys(("before_dlopen", "plugin_work"), 0)
    # the dynamic loader of the distribution is stripped, the library is not
    bad = tuple(set(UNNAMED) - {"[stripped"}) + ("[stripped: plugin.so",)
    for frames, count in folded(path).items():
        check(not frames[-1].startswith(bad), "a leaf without a name:", ";".join(frames))
        for name in counts:
            counts[name] += count * (name in frames)
    note(counts)
    # how many there are is up to the host, which shares its CPUs; that they are there is not
    check(min(counts.values()) > 0, counts)


@test("more memory than the cap is refused, and the message says what to change")
def cap():
    load()
    done = run([KFLAME, "record", "-a", "--entries", "100000000", "-d", "1", "-o",
                scratch("cap.data")], status=None)
    check(done.returncode != 0, "100,000,000 entries were taken")
    check("--entries" in done.stderr, done.stderr)


@test("the profile is readable by its owner alone")
def private():
    load()
    path = record("private", "-a", command=("/bin/true",))
    check(os.stat(path).st_mode & 0o777 == 0o600, oct(os.stat(path).st_mode))
