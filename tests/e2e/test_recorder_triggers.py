# SPDX-License-Identifier: GPL-2.0-or-later
"""Triggers of the flight recorder: each is seen to fire, and not to fire below its limit."""

import os
import signal
import subprocess
import time

import flight
from flight import recorder
from harness import (DEVICE, KFLAME, Skipped, balanced, check, info, kflame, load, note, run, scratch, start, test,
                     unload, wait_until, workload)

SECOND = 1000000000
RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"


def afresh():
    """A module without a recorder"""
    unload()
    load()


def cat(name):
    path = scratch(name)
    with open(path, "wb") as out:
        subprocess.run(["busybox", "cat", DEVICE], stdout=out, check=True, timeout=240)
    return path


def frozen(cause):
    """Wait for the freeze.  Return: the status"""
    wait_until(lambda: recorder()["state"] == flight.FROZEN, "it fires")
    status = recorder()
    note("cause %d, detail %d, all CPUs stopped after %.3f ms" % (status["cause"], status["detail"],
                                                                status["freeze_ns"] / 1e6))
    check(status["cause"] == cause, status)
    check(status["triggers"] >> cause & 1 or cause >= flight.PROBE, status)
    balanced(cat("frozen.kfl"))
    return status


def begin(**asked):
    recorder(flight.BEGIN, span_ns=2 * SECOND, **asked)


def runs(seconds):
    """It does not fire within some seconds."""
    run(["sleep", str(seconds)])
    status = recorder()
    check(status["state"] == flight.RUNNING, status)
    recorder(flight.END)


class Unthrottled:
    """Real-time tasks may take all of a CPU."""

    def __enter__(self):
        with open(RUNTIME, "r+", encoding="ascii") as file:
            self.usual = file.read()
            file.write("-1")

    def __exit__(self, *_):
        with open(RUNTIME, "w", encoding="ascii") as file:
            file.write(self.usual)


def hog(seconds):
    """A task that starves another one on the last CPU.  Return: both"""
    cpu = str(max(os.sched_getaffinity(0)))
    tasks = (start(["taskset", "-c", cpu, workload("busy"), "600"], stdout=subprocess.DEVNULL),
             start(["taskset", "-c", cpu, "chrt", "-f", "50", workload("busy"), str(seconds)],
                   stdout=subprocess.DEVNULL))
    return tasks


def end(tasks):
    for task in tasks:
        task.kill()
        task.wait()


@test("trigger: a task that waits for a CPU freezes above the limit, also while it waits, and not below")
def run_queue():
    afresh()
    before = info()["memory_used"]
    with Unthrottled():
        # The hog goes on, so the wait has not ended
        begin(runq_ns=SECOND)
        tasks = hog(600)
        status = frozen(flight.RUNQ)
        check(SECOND < status["detail"] < 600 * SECOND, status)
        end(tasks)
        recorder(flight.END)
        begin(runq_ns=500 * SECOND)
        tasks = hog(2)
        check(tasks[1].wait(120) == 0, "the hog failed")
        end(tasks)
        runs(1)
    check(info()["memory_used"] == before, "memory stays taken")


@test("trigger: a task that waited for a CPU freezes when it gets one: preempted, woken, or new")
def end_of_wait():
    afresh()
    # Two tasks of one CPU take turns. Each waits some milliseconds, and no look in between sees that
    begin(runq_ns=100000)
    cpu = str(max(os.sched_getaffinity(0)))
    tasks = [start(["taskset", "-c", cpu, workload("busy"), "600"], stdout=subprocess.DEVNULL) for _ in range(2)]
    status = frozen(flight.RUNQ)
    check(status["detail"] > 100000, status)
    end(tasks)
    unload()


@test("trigger: more tasks in uninterruptible sleep than asked for freeze, as many do not")
def blocked():
    afresh()
    tasks = [start([workload("blocked")]) for _ in range(3)]

    def states():
        words = []
        for task in tasks:
            with open("/proc/%d/stat" % task.pid, encoding="ascii") as file:
                words.append(file.read().split()[2])
        return words

    wait_until(lambda: states() == ["D"] * 3, "all sleep")
    # They slept before it was started
    begin(most_blocked=2)
    status = frozen(flight.BLOCKED)
    check(status["detail"] >= 3, status)
    recorder(flight.END)
    begin(most_blocked=1000)
    runs(3)
    end(tasks)
    unload()


@test("a freeze on request may name pressure or a signal as its cause, and no other cause")
def reported():
    afresh()
    check(flight.error(flight.BEGIN, span_ns=SECOND, pad2=1) == "EINVAL", "padding")
    for cause in (flight.PRESSURE, flight.SIGNAL):
        begin()
        recorder(flight.FREEZE, cause=cause, detail=2)
        check(frozen(cause)["detail"] == 2, recorder())
        recorder(flight.END)
    begin()
    for wrong in ({"cause": flight.PANIC}, {"cause": flight.PROBE}, {"cause": 99}, {"detail": 1}, {"runq_ns": 1},
                  {"cause": flight.SIGNAL, "samples": 1}, {"cause": flight.PRESSURE, "detail": 4}):
        check(flight.error(flight.FREEZE, **wrong) == "EINVAL", wrong)
    check(flight.error(flight.STATUS, cause=flight.SIGNAL) == "EINVAL", "status took a cause")
    runs(0)
    unload()


def watch(*options):
    """kflame recorder watch, which takes signals"""
    child = start([KFLAME, "recorder", "watch", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def takes_signals():
        with open("/proc/%d/status" % child.pid, encoding="ascii") as file:
            masks = dict(line.split(":", 1) for line in file if line.startswith("Sig"))
        return int(masks["SigCgt"], 16) >> signal.SIGUSR1 - 1 & 1 and int(masks["SigBlk"], 16) >> signal.SIGUSR1 - 1 & 1 == 0

    # It waits in ppoll(), which unblocks the signal
    wait_until(takes_signals, "it waits for signals")
    return child


def saved(child, name, word):
    """It ends after it has saved the profile."""
    out, err = child.communicate(timeout=240)
    check(child.returncode == 0, out, err)
    check("frozen by:  " + word in out, out)
    balanced(scratch(name))


@test("kflame recorder watch: a signal freezes and saves; what a trigger has frozen is saved, too")
def watch_signal():
    afresh()
    check("does not run" in kflame("recorder", "watch", status=1).stderr, "watch without a recorder")
    kflame("recorder", "start", "-s", "1", "-F", "199")
    child = watch("-o", scratch("signal.kfl"))
    check(recorder()["state"] == flight.RUNNING, recorder())
    child.send_signal(signal.SIGUSR1)
    saved(child, "signal.kfl", "signal: number 10")
    check(recorder()["cause"] == flight.SIGNAL, recorder())
    note("all CPUs stopped after %.3f ms" % (recorder()["freeze_ns"] / 1e6))
    kflame("recorder", "start")
    child = watch("--again", "-o", scratch("again.kfl"))
    for _ in range(2):
        flight.trigger("freeze")
        wait_until(lambda: recorder()["state"] == flight.RUNNING, "it continues")
    check(child.poll() is None, "it ended")
    check(os.path.exists(scratch("again.kfl.old")), "the first profile is gone")
    child.send_signal(signal.SIGTERM)
    saved(child, "again.kfl", "request")
    check(recorder()["state"] == flight.RUNNING, "it ended, and left a frozen recorder")
    unload()


@test("kflame recorder watch --pressure: tasks that wait for a CPU freeze, and other pressure does not")
def watch_pressure():
    if not os.path.exists("/proc/pressure/cpu"):
        raise Skipped("this kernel does not measure pressure (CONFIG_PSI)")
    afresh()
    kflame("recorder", "start", "-s", "1", "-F", "199")
    quiet = watch("--pressure", "memory:999", "--pressure", "io:999", "-o", scratch("never.kfl"))
    tasks = [start(["taskset", "-c", "0", workload("busy"), "600"], stdout=subprocess.DEVNULL) for _ in range(3)]
    child = watch("--pressure", "cpu:100", "-o", scratch("pressure.kfl"))
    saved(child, "pressure.kfl", "pressure: cpu")
    check(recorder()["cause"] == flight.PRESSURE, recorder())
    note("all CPUs stopped after %.3f ms" % (recorder()["freeze_ns"] / 1e6))
    quiet.kill()
    quiet.wait()
    kflame("recorder", "start")
    quiet = watch("--pressure", "memory:999", "--pressure", "io:999", "-o", scratch("never.kfl"))
    runs(3)
    check(quiet.wait(60) == 1, "it watches a recorder that is gone")
    end(tasks)
    for wrong in (["--pressure", "disk:5"], ["--pressure", "io:0"], ["--pressure", "io:5", "--pressure", "io:6"]):
        kflame("recorder", "watch", *wrong, status=2)
    kflame("recorder", "freeze", "--again", status=2)
    unload()


def freezing(*options):
    """A recording whose hits freeze the recorder, which has begun"""
    child = start([KFLAME, "record", "--freeze", "-o", scratch("hits.kfl"), *options], stderr=subprocess.PIPE)
    wait_until(lambda: info()["nr_running"] == 2, "the recording has begun")
    return child


def ended(child):
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=240)
    check(child.returncode == 0, err)
    return balanced(scratch("hits.kfl"))


@test("kflame record --freeze: a probe's latency over its limit freezes the recorder, and below does not")
def probe():
    afresh()
    sleep = "uretprobe:%s:busy_work" % workload("busy")
    for event in (sleep, "kretprobe:do_nanosleep"):
        begin()
        child = freezing("-a", "-e", event, "--weight", "latency", "--min", "400s")
        run([workload("busy"), "1"])
        run(["sleep", "1"])
        check(not any(ended(child).event_counts.values()), "a call lasted 400 s")
        check(recorder()["state"] == flight.RUNNING, recorder())
        child = freezing("-a", "-e", event, "--weight", "latency", "--min", "800ms")
        run([workload("busy"), "1"])
        run(["sleep", "1"])
        status = frozen(flight.PROBE)
        check(status["detail"] >= 800000000, status)
        check(any(ended(child).event_counts.values()), "the recording has not the call")
        # Later hits find a frozen recorder, or none
        recorder(flight.END)
    child = freezing_without()
    run(["sleep", "1"])
    ended(child)
    unload()


def freezing_without():
    """The same without a recorder: it only records"""
    child = start([KFLAME, "record", "--freeze", "-o", scratch("hits.kfl"), "-a", "-e", "kretprobe:do_nanosleep",
                   "--weight", "latency", "--min", "800ms"], stderr=subprocess.PIPE)
    wait_until(lambda: info()["nr_running"] == 1, "the recording has begun")
    return child


@test("--activate: a recording and the recorder begin after an instant of the wall clock")
def activate():
    afresh()
    every = 2 * SECOND
    before = time.time_ns()
    kflame("record", "-a", "-d", "0.2", "--activate", "/2s", "-o", scratch("a.kfl"))
    profile = balanced(scratch("a.kfl"))
    began = profile.session.start_realtime_ns
    note("asked %.3f s before the instant, and begun %.3f s after it" % ((every - before % every) / 1e9,
                                                                       began % every / 1e9))
    check(began >= (before // every + 1) * every, began, before)
    before = time.time_ns()
    kflame("recorder", "start", "--activate", "/2s")
    check(time.time_ns() >= (before // every + 1) * every, "it began at once")
    check(recorder()["state"] == flight.RUNNING, recorder())
    kflame("recorder", "stop")
    kflame("recorder", "stop", "--activate", "/2s", status=2)
    unload()
