# SPDX-License-Identifier: GPL-2.0-or-later
"""Little memory: nobody is killed for the module's sake."""

import errno
import os
import subprocess
import threading

from harness import (balanced, check, info, load, note, record, run, scratch, start, test,
                     unload, wait_until, workload, Skipped)
from session import Session

# MiB; with less, the programs of the test itself are read in over and over
LEFT = 160
CGROUP = "/sys/fs/cgroup/kflame-test"


def kills():
    """Of the OOM killer, since boot; a kernel without CONFIG_VM_EVENT_COUNTERS only logs them."""
    with open("/proc/vmstat", encoding="ascii") as file:
        counted = dict(line.split() for line in file).get("oom_kill")
    return run(["dmesg"]).stdout.count("Killed process") if counted is None else int(counted)


def available():
    with open("/proc/meminfo", encoding="ascii") as file:
        return {line.split(":")[0]: int(line.split()[1]) << 10 for line in file}["MemAvailable"]


def about(total):
    """Entries of tables with which a session takes a part of total bytes, from 0.3 to 1.5."""
    memory = []
    for entries in (1 << 14, 1 << 15):
        with Session() as session:
            memory.append(session.configure(entries=entries)["memory"])
    entry = (memory[1] - memory[0]) / (1 << 14)
    return [round(total * part / 20 / entry) for part in range(6, 31)]


@test("sessions when memory is nearly gone: refused with an error, no OOM kill")
def pressure():
    load("memory_cap=4096")
    before = kills()
    hog = scratch("hog")
    # tmpfs pages, without swap, are as good as gone
    run(["mount", "-o", "remount,size=100%", os.path.dirname(os.path.dirname(hog))])
    fill = max(0, available() - (LEFT << 20))
    with open(hog, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, fill)
    refused = 0
    try:
        # some that are far too large, and some that would take nearly all, or just too much
        sizes = [1 << 10, 1 << 14, *about(LEFT << 20), 1 << 20]
        for entries in sizes:
            with Session() as session:
                try:
                    session.configure(entries=entries)
                    session.start()
                    session.stop()
                except OSError as error:
                    check(error.errno == errno.ENOMEM, "errno", error)
                    refused += 1
    finally:
        os.unlink(hog)
    note("%d of %d were refused with %d MiB left" % (refused, len(sizes), LEFT))
    check(kills() == before, "the OOM killer took %d" % (kills() - before))
    check(refused > 0, "a session of gigabytes was taken")
    check(refused < len(sizes), "not even a small session was taken")
    check(info()["memory_used"] == 0, "memory was not given back", info())
    unload()


def start_at(barrier, session, entries, taken):
    session.configure(entries=entries)
    barrier.wait()
    try:
        session.start()
        taken.append(entries)
    except OSError as error:
        check(error.errno == errno.ENOMEM, "errno", error)


# Red without alloc_lock in kmod/session/session.c
@test("two sessions that begin at once: the second one has half of what the first one left")
def two_at_once():
    load("memory_cap=4096")
    for _ in range(4):
        entries, taken, barrier = about(available())[2], [], threading.Barrier(2, timeout=60)
        with Session() as one, Session() as other:
            both = [threading.Thread(target=start_at, args=(barrier, session, entries, taken))
                    for session in (one, other)]
            for thread in both:
                thread.start()
            for thread in both:
                thread.join()
        check(len(taken) == 1, "%d of two took 0.4 of what was free" % len(taken))
        wait_until(lambda: info()["memory_used"] == 0, "memory is given back")
    unload()


@test("a memory cgroup that is full, sampled: no OOM kill that was not its own")
def full_cgroup():
    load()
    if not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        raise Skipped("no cgroups here")
    with open("/sys/fs/cgroup/cgroup.controllers", encoding="ascii") as file:
        if "memory" not in file.read():
            raise Skipped("no memory controller here")
    with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
        file.write("+memory")
    os.makedirs(CGROUP)
    try:
        joins = "echo 0 >%s/cgroup.procs; exec %s 3000" % (CGROUP, workload("busy"))
        child = start(["/bin/sh", "-c", joins], stdout=subprocess.PIPE)
        check(child.stdout.readline() == "ready\n", "busy did not start in the group")
        # all it needs it has now; the next pages would be too many
        with open(os.path.join(CGROUP, "memory.max"), "w", encoding="ascii") as file:
            file.write("%d" % (charged() + (16 << 10)))
        before = kills()
        path = record("cgroup", "-a", "-F", 1999, command=(workload("busy"), "3"))
        profile = balanced(path)
        check(kills() == before, "the OOM killer took %d" % (kills() - before))
        note("charged to the group: %d kB" % (charged() >> 10))
        check(child.poll() is None, "what ran in the group did not survive")
        check(child.pid in {count.tgid for count in profile.counts}, "it was not sampled")
        child.kill()
        child.wait()
    finally:
        wait_until(empty, "the group is empty")
        os.rmdir(CGROUP)


def charged():
    with open(os.path.join(CGROUP, "memory.current"), encoding="ascii") as file:
        return int(file.read())


def empty():
    with open(os.path.join(CGROUP, "cgroup.procs"), encoding="ascii") as file:
        return not file.read()


def asked(entries):
    """What CONFIGURE answers: entries of a table, bytes of the session."""
    with Session() as session:
        answer = session.configure(entries=entries)
        return answer["entries"], answer["memory"]


@test("tables of the default size are as large as a quarter of the cap allows; others as asked for")
def default_size():
    sizes = set()
    for cap in (512, 48, 24, 16):
        load("memory_cap=%d" % cap)
        entries, memory = asked(0)
        note("%d MiB: %d entries, %.1f MiB" % (cap, entries, memory / (1 << 20)))
        check(memory <= cap << 18 or entries == 2048, "a default larger than a quarter")
        check(entries == 16384 or asked(2 * entries)[1] > cap << 18, "less than there is room for")
        check(asked(4096)[0] == 4096, "others than were asked for")
        sizes.add(entries)
    check(len(sizes) > 2, "no cap made a difference:", sizes)
