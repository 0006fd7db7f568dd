# SPDX-License-Identifier: GPL-2.0-or-later
"""
Kernel stacks by cached unwind steps, where tracers replace return addresses.

For guests of one CPU: a CPU of QEMU that runs what another one patches may go on with what was
there for a moment, a breakpoint that nobody waits for any more (seen with QEMU 7.2: an oops of
int3 in __schedule(), where by then the call was again that was to be there).
"""

import os

from harness import check, run, start, test, Skipped
from learnt import checked, needs_learning

TRACING = "/sys/kernel/tracing"
# Where the load spends its time, and whose return address is replaced there
PROBED = "vfs_read ksys_write do_sys_openat2".split()
GRAPHED = "ksys_read vfs_write handle_mm_fault".split()
SWITCHED = "bprm_execve begin_new_exec exit_mmap ksys_read".split()


def tracing(file, text):
    with open(os.path.join(TRACING, file), "w", encoding="ascii") as out:
        out.write(text)


def needs_tracing(tracer):
    if not os.path.exists(TRACING + "/trace"):
        run(["mount", "-t", "tracefs", "none", TRACING], status=None)
    if not os.path.exists(os.path.join(TRACING, tracer)):
        raise Skipped("this kernel has no " + tracer)


def has_graph():
    """Needs tracefs, see needs_tracing()."""
    with open(TRACING + "/available_tracers", encoding="ascii") as file:
        return "function_graph" in file.read().split()


def traceable(names):
    """Those of them that this kernel can trace: compilers inline some."""
    with open(TRACING + "/available_filter_functions", encoding="ascii") as file:
        known = set(file.read().split())
    found = [name for name in names if name in known]
    check(found, "none of %s can be traced" % names)
    return found


@test("cached steps give the unwinder's stacks while function_graph is switched on and off")
def switched():
    needs_learning()
    needs_tracing("available_filter_functions")
    if not has_graph():
        raise Skipped("this kernel has no function_graph tracer")
    tracing("set_ftrace_filter", "\n".join(traceable(SWITCHED)) + "\n")
    switch = "while :; do echo function_graph; sleep 0.2; echo nop; sleep 0.2; done 2>/dev/null"
    child = start(["/bin/sh", "-c", "%s > %s/current_tracer" % (switch, TRACING)])
    try:
        checked("switched")
    finally:
        child.kill()
        child.wait()
        tracing("current_tracer", "nop")
        tracing("set_ftrace_filter", "")


@test("cached steps give the unwinder's stacks where return probes and a tracer replaced return addresses")
def replaced():
    needs_learning()
    needs_tracing("available_filter_functions")
    needs_tracing("kprobe_events")
    probes = "".join("r:cached/%s %s\n" % (name, name) for name in traceable(PROBED))
    tracing("kprobe_events", probes)
    try:
        tracing("events/cached/enable", "1")
        if has_graph():
            tracing("set_ftrace_filter", "\n".join(traceable(GRAPHED)) + "\n")
            tracing("current_tracer", "function_graph")
        _, left = checked("replaced")
        check(left, "no stack was left to the unwinder: was anything traced?")
    finally:
        if has_graph():
            tracing("current_tracer", "nop")
            tracing("set_ftrace_filter", "")
        tracing("events/cached/enable", "0")
        tracing("kprobe_events", "")
