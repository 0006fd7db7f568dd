# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads that wait are stopped, frozen and killed, and the module comes and goes: nothing is left."""

import ctypes
import os
import signal

import kfl
from harness import check, info, load, note, run, scaled, scratch, start, test, unload, wait_until, workload
from loading import insert, refused, remove
from session import Events, Session
from waiting import need_switches, nothing_lost, profile_of, waits, watching

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT, WAIT_ALL = 17, 0x4206, 0x4207, 0x40000000


def ptrace(request, tid):
    return ctypes.CDLL(None, use_errno=True).ptrace(request, tid, None, None)


def threads_of(pid):
    return [int(tid) for tid in os.listdir("/proc/%d/task" % pid)]


def has_state(tid, letters):
    with open("/proc/%d/stat" % tid, encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] in letters


def stop_by_signal(pid):
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: all(has_state(tid, "T") for tid in threads_of(pid)), "the process is stopped")
    yield
    os.kill(pid, signal.SIGCONT)


def stop_by_tracer(pid):
    tids = threads_of(pid)
    for tid in tids:
        check(not ptrace(PTRACE_SEIZE, tid) and not ptrace(PTRACE_INTERRUPT, tid), "cannot trace", tid)
    for tid in tids:
        os.waitpid(tid, WAIT_ALL)
    check(all(has_state(tid, "t") for tid in tids), "not stopped by its tracer")
    yield
    for tid in tids:
        # Threads that were killed meanwhile remain until their tracer has waited for them.
        if ptrace(PTRACE_DETACH, tid) and tid != pid:
            os.waitpid(tid, WAIT_ALL)


def write_file(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def read_file(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def freeze(group, pid, switch, on, off, is_frozen):
    """By a control group of either version; the names of its files and their values"""
    os.makedirs(group, exist_ok=True)
    write_file(group + "/cgroup.procs", str(pid))
    write_file(group + switch, on)
    wait_until(lambda: is_frozen(group), "the group is frozen")
    yield
    write_file(group + switch, off)


def freeze_v2(pid):
    return freeze("/sys/fs/cgroup/storm", pid, "/cgroup.freeze", "1", "0",
                  lambda group: "frozen 1" in read_file(group + "/cgroup.events"))


def freeze_v1(pid):
    return freeze(scratch("freezer") + "/storm", pid, "/freezer.state", "FROZEN", "THAWED",
                  lambda group: "FROZEN" in read_file(group + "/freezer.state"))


def ways_of_stopping():
    """Those that this kernel has"""
    yield stop_by_signal
    yield stop_by_tracer
    if os.path.exists("/sys/fs/cgroup/cgroup.procs"):
        yield freeze_v2
    else:
        note("no cgroup v2 hierarchy on this kernel")
    os.makedirs(scratch("freezer"), exist_ok=True)
    done = run(["mount", "-t", "cgroup", "-o", "freezer", "none", scratch("freezer")], status=None)
    if done.returncode == 0:
        yield freeze_v1
    else:
        note("no freezer of cgroup v1 on this kernel")


def remove_groups():
    for group in ("/sys/fs/cgroup/storm", scratch("freezer") + "/storm"):
        if os.path.exists(group):
            wait_until(lambda path=group: not read_file(path + "/cgroup.procs"), "%s is empty" % group)
            os.rmdir(group)
    run(["umount", scratch("freezer")], status=None)


def stopped_and_killed(way):
    """Stop a process in this way and let it go on, then once more. rmmod meanwhile is refused. It dies while stopped"""
    child = start([workload("waits"), "block", "20"], stdout=-1)
    child.stdout.readline()
    for _ in way(child.pid):
        refused()
    for _ in way(child.pid):
        child.kill()
    child.wait()
    child.stdout.close()


@test("signals, tracers and freezers stop threads, which end meanwhile; rmmod is refused: nothing is left")
def stops():
    need_switches()
    path, rounds = scratch("stops.kfl"), max(scaled(20), 2)
    try:
        ways = list(ways_of_stopping())
        with watching(path, kfl.OFFCPU, how=kfl.EF_WAKERS, entries=32768):
            for _ in range(rounds):
                for way in ways:
                    stopped_and_killed(way)
    finally:
        remove_groups()
    profile = profile_of(path)
    nothing_lost(profile)
    stopped = sum(count.samples for count in waits(profile, "waits") if count.context == kfl.CTX_STOPPED)
    note("%d rounds of %s: %d waits of stopped threads"
         % (rounds, ", ".join(way.__name__ for way in ways), stopped))
    # Each round, a signal and a tracer each stop 21 threads, and let them go on.
    check(stopped >= rounds * 2 * 21, stopped)
    check(info()["nr_running"] == 0 and info()["memory_used"] == 0, info())
    unload()
    load()


@test("load, record and unload while threads wait, over and over: nothing is left of their waits")
def cycles():
    need_switches()
    child = start([workload("waits"), "block", "200"], stdout=-1)
    check(child.stdout.readline() == "ready\n", "the program did not begin")
    unload()
    for number in range(max(scaled(40), 4)):
        insert("")
        events = Events(kfl.OFFCPU, flags=kfl.EF_WAKERS if number % 2 else 0)
        with Session() as session:
            session.configure(**events.fields)
            session.start()
            # All of its threads begin a wait that ends after the module is gone.
            child.send_signal(signal.SIGSTOP)
            wait_until(lambda: has_state(child.pid, "T"), "the process is stopped")
            child.send_signal(signal.SIGCONT)
            if not number % 10:
                refused()
            # The other half is closed while it records.
            if number % 4 < 2:
                session.stop()
        check(info()["nr_running"] == 0 and info()["memory_used"] == 0, info())
        remove()
    child.kill()
    load()
