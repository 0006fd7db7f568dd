# SPDX-License-Identifier: GPL-2.0-or-later
"""Many switches of threads: each one is counted, as often as the kernel counted it itself."""

import os

from harness import PATIENCE, Skipped, check, in_full, scaled, test, workload
from waiting import compare_with_kernel, need_switches


@test("a million switches on one CPU: as many as the kernel counted itself")
def million():
    need_switches()
    if not in_full() or PATIENCE > 1:
        raise Skipped("a million switches take a minute, and more on a slow kernel; KFLAME_SCALE=1 asks for them")
    cpu = min(os.sched_getaffinity(0))
    _, switches = compare_with_kernel("taskset", "-c", str(cpu), workload("waits"), "pingpong", "505000")
    check(switches >= 1000000, switches)


@test("switches of 400 threads that write to each other, on all CPUs: as many as the kernel counted itself")
def groups():
    need_switches()
    threads, _ = compare_with_kernel(workload("waits"), "groups", "10", str(100 if in_full() else max(scaled(20), 2)))
    check(threads == 400, threads)
