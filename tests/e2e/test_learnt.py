# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel stacks by learnt steps: the same as the unwinder's, whatever the machine does."""

import os
import platform
import re

from harness import (check, lasting, load, matches, note, raw_info, record, run, start,
                     test, workload, Skipped, TEST_MODULES)

TRACING = "/sys/kernel/tracing"
# Where the load below spends its time, and those whose return address is replaced there. Tracers
# patch them while there is no load: a CPU of QEMU before 8.1 that runs what another one patches may
# go on with what was there for a moment, for ever.
PROBED = "vfs_read ksys_write do_sys_openat2".split()
GRAPHED = "ksys_read vfs_write handle_mm_fault".split()
# Those that take long and seldom begin can be patched at any time.
SELDOM = "bprm_execve begin_new_exec exit_mmap".split()


def needs_orc():
    """Only there is something to learn: this function of ORC's is in no other kernel."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        if platform.machine() != "x86_64" or not matches(r" unwind_module_init$", file.read()):
            raise Skipped("this kernel's unwinder is not ORC")


def counters(path):
    """How many kernel stacks were walked by learnt steps, and left to the unwinder."""
    raw = raw_info(path)
    return [int(raw["stat.kstacks_" + name]) for name in ("learnt", "left")]


def checked(name):
    """
    Record all CPUs under a mixed load, each stack walked both ways.

    Return: stacks by learnt steps, and stacks left to the unwinder.
    """
    load("learn_check=1")
    spawn = 'while :; do /bin/true; dd if=/bin/sh of=/tmp/learnt bs=4096 count=64; sleep 0.05; done'
    loads = [start([workload("fixed-sysh"), "100000000"]),
             start(["/bin/sh", "-c", spawn + " 2>/dev/null"])]
    path = record("learnt-" + name, "-a", "-F", 1999, "-g", "fp", "-d", lasting(1))
    for child in loads:
        child.kill()
        child.wait()
    learnt, left = counters(path)
    told = re.findall(r"learn_check: (\d+) kernel stacks, (\d+) differ", run(["dmesg"]).stdout)
    check(told, "nothing of learn_check in the log")
    seen, differ = (int(number) for number in told[-1])
    note("%s: %d stacks by learnt steps, %d (%.1f%%) left to the unwinder"
         % (name, learnt, left, 100 * left / max(1, learnt + left)))
    check(not differ, "%d of %d stacks differ:\n%s"
          % (differ, seen, "\n".join(run(["dmesg"]).stdout.split("\n")[-60:])))
    check(seen == learnt, "%d stacks were checked, %d learnt" % (seen, learnt))
    check(learnt, "no stack was walked by learnt steps")
    return learnt, left


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


@test("learnt steps give the unwinder's stacks, while modules and function_graph come and go")
def mixed():
    needs_orc()
    needs_tracing("available_filter_functions")
    module = os.path.join(TEST_MODULES, "torture/borrow/borrow.ko")
    cycle = "while :; do insmod %s pid=$$; rmmod borrow; sleep 0.1; done 2>/dev/null"
    start(["/bin/sh", "-c", cycle % module])
    tracing("set_ftrace_filter", "\n".join(traceable(SELDOM)) + "\n")
    switch = "while :; do echo function_graph; sleep 0.2; echo nop; sleep 0.2; done 2>/dev/null"
    child = start(["/bin/sh", "-c", "%s > %s/current_tracer" % (switch, TRACING)])
    try:
        learnt, left = checked("mixed")
    finally:
        child.kill()
        child.wait()
        tracing("current_tracer", "nop")
        tracing("set_ftrace_filter", "")
    # not most: on a slow machine there are few samples, and the first ones are to learn from
    check(learnt * 4 > left, "nearly all stacks were left to the unwinder")


@test("likewise where return probes and function_graph have replaced return addresses")
def replaced():
    needs_orc()
    needs_tracing("available_filter_functions")
    needs_tracing("kprobe_events")
    probes = "".join("r:learnt/%s %s\n" % (name, name) for name in traceable(PROBED))
    tracing("kprobe_events", probes)
    try:
        tracing("events/learnt/enable", "1")
        if has_graph():
            tracing("set_ftrace_filter", "\n".join(traceable(GRAPHED)) + "\n")
            tracing("current_tracer", "function_graph")
        _, left = checked("replaced")
        check(left, "no stack was left to the unwinder: was anything traced?")
    finally:
        if has_graph():
            tracing("current_tracer", "nop")
            tracing("set_ftrace_filter", "")
        tracing("events/learnt/enable", "0")
        tracing("kprobe_events", "")


@test("learn=0 learns nothing")
def switched_off():
    load("learn=0")
    seen = counters(record("learnt-off", "-a", "-F", 997, command=(workload("readloop"), "1")))
    check(not any(seen), seen)
    load("learn=1")
