# SPDX-License-Identifier: GPL-2.0-or-later
"""A real-time task that keeps a CPU to itself cannot keep a session from ending."""

import glob
import multiprocessing
import os
import signal
import subprocess
import sys
import time

from harness import check, load, note, run, start, test, workload
from session import Session

RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
# FIFO tasks starve everything else on their CPU; this only ends what would hang for ever
LIMIT = 20
# To unload a module takes an RCU grace period. On PREEMPT_RT there is none while the thread rcuc
# of a CPU never runs: always where the kernel has no share for the others of RT tasks (from 6.12
# on), at times before. That is so for every module: a small one of the kernel's own tells. Where there is none,
# ours must be unloaded whatever happens.
CONTROL = "dummy"


def set_runtime(text):
    with open(RUNTIME, "w", encoding="ascii") as file:
        file.write(text)


def move_interrupts(cpu):
    """To a CPU: on PREEMPT_RT their threads, and so the disk, starve beside the hog."""
    for irq in os.listdir("/proc/irq"):
        try:
            with open("/proc/irq/%s/smp_affinity_list" % irq, "w", encoding="ascii") as file:
                file.write(str(cpu))
        except OSError:
            pass  # not every interrupt can be moved; those of a CPU alone need not


def where_tasks_wait():
    """Kernel stacks of the test, and of who waits for something that no signal ends."""
    test_itself = "/proc/%d/" % os.getppid()
    for path in glob.glob("/proc/[0-9]*/task/[0-9]*"):
        try:
            with open(path + "/stat", encoding="ascii", errors="replace") as file:
                name, state = file.read().rpartition(")")[::2]
            with open(path + "/stack", encoding="ascii") as file:
                stack = file.read()
        except OSError:
            continue
        if stack and (state.split()[0] == "D" or path.startswith(test_itself)):
            yield "%s) %s\n%s" % (name, state.split()[0], stack)


def watch(name, hog):
    """
    In a process of its own: after LIMIT seconds, say what waits for what, and end the hog, so that
    it goes on. It is a real-time task: on PREEMPT_RT others sleep by a softirq, and so by a thread
    that may be one of those that wait.
    """
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))
    time.sleep(LIMIT)
    note("%s has not ended after %d s\n%s" % (name, LIMIT, "\n".join(where_tasks_wait())))
    sys.stdout.flush()
    if hog:
        # not hog.kill(), which looks first whether this process's child lives, and it has none
        os.kill(hog.pid, signal.SIGKILL)


def timed(took, name, function, hog=None):
    """Do it; if it does not end, end the hog, so that it does.  Return: what it returns"""
    watcher = multiprocessing.get_context("fork").Process(target=watch, args=(name, hog), daemon=True)
    watcher.start()
    begin = time.monotonic()
    try:
        return function()
    finally:
        took[name] = time.monotonic() - begin
        watcher.kill()
        watcher.join()


def unloads(name):
    """Can this module, if it is loaded, be unloaded beside the hog? It is, later at least."""
    if not os.path.exists("/sys/module/" + name):
        return True
    control = start(["rmmod", name])
    try:
        return control.wait(8) == 0
    except subprocess.TimeoutExpired:
        return False


def beside_hog(cpu, usual):
    hog = start(["taskset", "-c", str(cpu), "chrt", "-f", "99", workload("busy"), "600"],
                stdout=subprocess.PIPE)
    check(hog.stdout.readline() == "ready\n", "the hog did not start")
    session, took = Session(), {}
    # No share is kept for others: the usual 95% would hide a wait for that CPU
    set_runtime("-1")
    try:
        timed(took, "configure", lambda: session.configure(period_ns=1003009, entries=1024), hog)
        timed(took, "start", session.start, hog)
        timed(took, "read", lambda: os.read(session.fd, 1 << 18), hog)
        timed(took, "stop", session.stop, hog)
        timed(took, "read the rest", session.read_all, hog)
        timed(took, "close", session.close, hog)
    finally:
        set_runtime(usual)
    unload = {}
    if timed(unload, CONTROL, lambda: unloads(CONTROL), hog) and unload[CONTROL] < LIMIT:
        timed(took, "rmmod", lambda: run(["rmmod", "kflame"], timeout=LIMIT), hog)
        check(hog.poll() is None, "the hog has ended", took)
    else:
        check("PREEMPT_RT" in os.uname().version, CONTROL, "was not unloaded beside the task")
        note("no module of this kernel can be unloaded now, not even %s: rmmod waits for RCU,"
             " and the thread that RCU waits for never runs" % CONTROL)
        hog.kill()
        hog.wait()
        timed(took, "rmmod without the task", lambda: run(["rmmod", "kflame"], timeout=LIMIT))
    note("CPU %d: %s" % (cpu, ", ".join("%s %.2f s" % item for item in took.items())))
    check(max(took.values()) < LIMIT, took)
    hog.kill()
    hog.wait()


@test("START, STOP, close and rmmod end beside a FIFO-99 task on each CPU in turn")
def each_cpu():
    every = os.sched_getaffinity(0)
    check(len(every) > 1, "needs two CPUs")
    with open(RUNTIME, encoding="ascii") as file:
        usual = file.read()
    for cpu in sorted(every):
        load()
        run(["modprobe", CONTROL], status=None)
        os.sched_setaffinity(0, every - {cpu})
        move_interrupts(min(every - {cpu}))
        try:
            beside_hog(cpu, usual)
        finally:
            os.sched_setaffinity(0, every)
