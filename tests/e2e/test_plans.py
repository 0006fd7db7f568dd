# SPDX-License-Identifier: GPL-2.0-or-later
"""What most sessions want has timer callbacks of its own (enum kf_plan): they are used, and do the same."""

import collections
import ctypes
import os
import platform
import re
import signal
import subprocess

from harness import (balanced, check, enough, folded, load, note, run, scratch, start, test,
                     wait_until, workload, KFLAME, PATIENCE, Skipped)
from learnt import needs_learning
from session import Session

TIMERS = "/proc/timer_list"
FP, TABLES, ANY = {"fp"}, {"tables"}, {"any"}
# Options of record, and the callback of such a session
TOOL = [
    (("-a", "-g", "fp"), FP),
    (("-a", "-g", "dwarf"), TABLES),
    (("-a", "-g", "auto"), TABLES),
]
EXCLUDE_USER, EXCLUDE_IDLE, NO_KSTACK, NO_USTACK = 1 << 0, 1 << 2, 1 << 3, 1 << 4
PER_THREAD, TIMELINE = 1 << 6, 1 << 10
UWAY_FP, UWAY_AUTO, UWAY_TABLE, KWAY_SAVE = 0, 1, 2, 1
DUMP_ALL, DUMP_REST = 1, 2
MYSELF = (ctypes.c_uint32 * 1)(os.getpid())
# Configurations of a session, and its callback
PLANS = [
    ({"flags": EXCLUDE_IDLE, "uway": UWAY_FP}, FP),
    ({"flags": EXCLUDE_IDLE, "uway": UWAY_AUTO}, TABLES),
    ({"kdepth": 8, "udepth": 8, "uway": UWAY_FP}, FP),
    ({"udepth": 1, "uway": UWAY_FP}, ANY),
    ({"flags": PER_THREAD, "uway": UWAY_FP}, ANY),
    ({"flags": TIMELINE, "uway": UWAY_FP}, ANY),
    ({"flags": EXCLUDE_USER, "uway": UWAY_FP}, ANY),
    ({"flags": NO_USTACK, "uway": UWAY_FP}, ANY),
    ({"flags": NO_KSTACK, "uway": UWAY_TABLE}, ANY),
    # on arm64 the cached steps are those of KWAY_SAVE
    ({"kway": KWAY_SAVE, "uway": UWAY_FP}, FP if platform.machine() == "aarch64" else ANY),
    ({"dump": DUMP_ALL, "uway": UWAY_FP}, ANY),
    ({"dump": DUMP_REST, "uway": UWAY_AUTO}, TABLES),
    ({"nr_pids": 1, "pids": ctypes.addressof(MYSELF), "uway": UWAY_FP}, ANY),
]


def callbacks():
    with open(TIMERS, encoding="ascii") as file:
        return set(re.findall(r"\bkf_sample_(\w+)", file.read()))


def callbacks_of(options):
    """Of a recorder with these options, while it records."""
    recorder = start([KFLAME, "record", *options, "-F", "97", "-o", scratch("plan.data")],
                     stderr=subprocess.PIPE)
    wait_until(lambda: callbacks() or recorder.poll() is not None, "a timer of kflame's",
               60 * PATIENCE)
    found = callbacks()
    recorder.send_signal(signal.SIGINT)
    message = recorder.communicate(timeout=60 * PATIENCE)[1]
    check(recorder.returncode == 0, options, message)
    return found


def callbacks_with(**fields):
    """Of a session that is configured like that."""
    with Session() as session:
        session.configure(**fields)
        session.start()
        return callbacks()


@test("what most want has callbacks of its own, and all else has another")
def chosen():
    needs_learning()
    if not os.path.exists(TIMERS):
        raise Skipped("this kernel has no " + TIMERS)
    run(["dmesg", "-C"])
    load("dyndbg=+p")
    # without one all sessions have the general callback; without dyndbg the module cannot say so
    if "samples are timed by a counter" not in run(["dmesg"]).stdout:
        raise Skipped("there is no counter to time samples by, or the module cannot say so")
    for options, wanted in TOOL:
        found = callbacks_of(options)
        check(found == wanted, options, "wanted", wanted, "found", found)
    for fields, wanted in PLANS:
        found = callbacks_with(**fields)
        check(found == wanted, fields, "wanted", wanted, "found", found)
    for parameter in "learn=0", "learn_check=1":
        load(parameter)
        found = callbacks_with(uway=UWAY_FP)
        check(found == ANY, parameter, found)


def calls(path, comm):
    """Of a command's samples that were walked: how many; the share in which each call is, as two names."""
    found = collections.Counter()
    samples = 0
    for frames, count in folded(path).items():
        if frames[0] == comm and "[unwind table pending]" not in frames:
            samples += count
            for call in set(zip(frames, frames[1:])):
                found[call] += count
    return samples, {call: count / samples for call, count in found.items()}


def most_apart(graph, usual, other):
    """The call whose share differs most, and by how much, of those that are in a tenth of the samples."""
    large = {call for plan in (usual, other) for call, share in plan.items() if share > 0.1}
    # what the load is in most of the time differs: a kernel for real time takes longer
    check(("main", "time_of") in large, "-g", graph, usual, other)
    apart = {call: abs(usual.get(call, 0) - other.get(call, 0)) for call in large}
    call = max(apart, key=apart.get)
    note("-g %s: of %d calls %r differs most: %.3f" % (graph, len(large), call, apart[call]))
    return call, apart[call]


# Red when user_depth() is 2 in what is usual
@test("the same stacks by each callback")
def same():
    needs_learning()
    load("learn=1")
    child = start([workload("fixed"), "100000000"])
    for graph in "fp", "dwarf":
        shares = {}

        def both(seconds):
            # at once: where an emulator is interrupted varies with its load; and at rates that
            # drift, or one of them is always interrupted as long after the other
            tools = {plan: start([KFLAME, "record", "-a", "-F", rate, "-d", str(seconds), "--budget", "0",
                                  "-g", graph, "-o", scratch("plan-" + plan), *options],
                                 stderr=subprocess.PIPE)
                     for plan, rate, options in (("usual", "997", ()),
                                                 ("any", "1049", ("--per-thread",)))}
            samples = []
            for plan, tool in tools.items():
                message = tool.communicate(timeout=240 * PATIENCE)[1]
                check(tool.returncode == 0, message)
                balanced(scratch("plan-" + plan))
                total, shares[plan] = calls(scratch("plan-" + plan), "fixed")
                samples.append(total)
            return min(samples)

        # A busy machine takes the CPU away for parts of rounds: what differs by that is other calls
        # each time, and less the longer it is. What differs by the callback stays
        for seconds in 4, 12, 36:
            enough(both, 500 * seconds, seconds)
            call, apart = most_apart(graph, shares["usual"], shares["any"])
            if apart < 0.08:
                break
        check(apart < 0.08, "-g", graph, call, shares["usual"].get(call), shares["any"].get(call))
    child.kill()
