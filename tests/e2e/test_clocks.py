# SPDX-License-Identifier: GPL-2.0-or-later
"""Clocks that are set, tasks that are stopped."""

import os
import re
import signal
import subprocess
import threading
import time

from harness import (balanced, check, enough, load, no_losses, note, record, start, test, wait_until,
                     workload)


@test("the wall clock is set back and forth during a recording: the books balance")
def set_clock():
    load()
    over = threading.Event()

    def jump():
        step = 3600
        while not over.wait(0.1):
            time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
            step = -step

    thread = threading.Thread(target=jump)
    thread.start()
    try:
        path = record("clock", "-a", "-F", 997, command=(workload("busy"), "3"))
    finally:
        over.set()
        thread.join()
    profile = balanced(path)
    no_losses(profile)
    active = sum(books.active_ns for books in profile.cpus.values())
    note("%.1f s of all CPUs" % (active / 1e9))
    check(active < 120e9, "an hour got into the books: %d ns" % active)


@test("a task that is stopped has no samples; it has again when it goes on")
def stopped():
    load()
    child = start([workload("busy"), "1000"], stdout=subprocess.PIPE)
    check(child.stdout.readline() == "ready\n", "busy did not start")

    def samples(name, seconds=1):
        profile = balanced(record(name, "-p", child.pid, "-F", 997, "-d", seconds))
        return sum(count.samples for count in profile.counts)

    def gave_up_its_cpu():
        with open("/proc/%d/status" % child.pid, encoding="ascii") as file:
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M)[1])

    before = gave_up_its_cpu()
    os.kill(child.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    # waitid() returns before the task has left its CPU, and the task may be preempted in between
    wait_until(lambda: gave_up_its_cpu() > before, "the task has left its CPU")
    check(samples("stopped") == 0, "a stopped task was sampled")
    os.kill(child.pid, signal.SIGCONT)
    enough(lambda seconds: samples("continued", seconds), 100, 1)
