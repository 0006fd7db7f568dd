#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 3: a student's sampler, in a guest

The module is built here, with the given files as they were. A guest loads it, and it samples programs whose stacks
are known. Tolerances: one period in a hundred, and three, for the rate; one sample in twenty for the stack of
nest, one in fifty for the caller of leaf(). Everything else is exact.
"""

import bisect
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from grading import ROOT, Lab, Lost, check  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
GIVEN = ["Makefile", "Kbuild", "lab.h", "lab.c", "programs"]
PERIOD_NS = 1003009
FEW = 50


def prepare(work):
    """Builds it. Returns why that failed."""
    folder = work.copy(GIVEN, os.path.join(HERE, "start"))
    done = subprocess.run(["make", "-s", "-C", folder, "KFLAME=" + ROOT], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    said = done.stdout.splitlines()
    work.warnings = [line for line in said if "warning:" in line and folder not in line.split("warning:")[1]]
    if done.returncode or not os.path.exists(os.path.join(folder, "sampler.ko")):
        errors = [line for line in said if "error:" in line or "undefined!" in line] or said
        return "it does not build: " + "\n".join(errors[:3])
    return ""


lab = Lab(__doc__, prepare=prepare, command=os.path.join(HERE, "measure.sh"))


class Symbols:
    """Names of addresses of a program, as nm has them."""

    def __init__(self, path):
        lines = subprocess.run(["nm", "-n", path], check=True, text=True, stdout=subprocess.PIPE).stdout.split("\n")
        pairs = [line.split() for line in lines]
        self.pairs = [(int(words[0], 16), words[2]) for words in pairs if len(words) == 3 and words[1] in "tTwW"]

    def name(self, address):
        at = bisect.bisect_right(self.pairs, (address, "\x7f")) - 1
        return self.pairs[at][1] if at >= 0 and address < 1 << 32 else "%#x" % address


def cpus(work, which="first"):
    """What is counted of each CPU: dictionaries."""
    rows = [words for words in work.all_facts(which) if words[0] == "cpu"]
    return [{"cpu": int(row[1]), **dict(zip(row[2::2], map(int, row[3::2]), strict=True))} for row in rows]


def stacks(work, tgid=None):
    """(count, tgid, addresses) of each slot."""
    rows = [words[1:] for words in work.all_facts("first") if words[0] == "stack"]
    return [(int(row[0]), int(row[1]), [int(word, 16) for word in row[2:]]) for row in rows
            if tgid is None or int(row[1]) == tgid]


def named(work, program):
    """(count, names from the leaf on) of the samples of a program; enough of them."""
    tgid = next(int(words[1]) for words in work.all_facts("tgid") if words[0] == program)
    symbols = Symbols(os.path.join(work.run_in, "programs", program))
    found = [(count, [symbols.name(ip if not at else ip - 1) for at, ip in enumerate(ips)])
             for count, _, ips in stacks(work, tgid)]
    check(sum(count for count, _ in found) >= FEW, "only %d samples of programs/%s are in the table. Does the timer "
          "restart, and is every sample counted?" % (sum(count for count, _ in found), program))
    return found


def most(found):
    """The commonest of these stacks, as text."""
    return " < ".join(max(found, default=(0, ["none"]))[1]) or "no frame"


@lab.point("builds", 1, "the module builds without a warning, and loads")
def builds(work):
    check(not work.failed, work.failed)
    check(not work.warnings, "\n".join(work.warnings[:3]))
    work.all_facts("loaded")


@lab.point("context", 2, "each CPU's timer is pinned to it, and expires in a hard interrupt")
def context(work):
    check(all(row["samples"] for row in cpus(work)), "a CPU has no sample: is a timer started on each?")
    words = next(words for words in work.all_facts("first") if words[0] == "context")
    noted = dict(zip(words[1::2], map(int, words[2::2]), strict=True))
    check(not noted["not_hard"], "%d samples were taken by a timer that need not expire in a hard interrupt. The mode "
          "is HRTIMER_MODE_..._PINNED_HARD, for hrtimer_init() and for hrtimer_start()" % noted["not_hard"])
    check(not noted["elsewhere"], "%d timers expired on another CPU than theirs: pin them" % noted["elsewhere"])


@lab.point("rate", 3, "997 periods a second on each CPU, each sampled or counted as missed")
def rate(work):
    for row in cpus(work):
        should = row["ns"] / PERIOD_NS
        check(row["periods"] > 1, "CPU %d: the timer expired %d times in all. Is it started, and does expired() return "
              "HRTIMER_RESTART?" % (row["cpu"], row["periods"]))
        check(row["ns"] and abs(row["periods"] - should) <= 3 + should / 100,
              "CPU %d: %d periods in %.2f s are %.0f a second, and not 997. Samples at the tick's rate (HZ, 250 here) "
              "move in lockstep with the kernel's own work. Missed periods are what hrtimer_forward_now() returns, "
              "less one" % (row["cpu"], row["periods"], row["ns"] / 1e9, row["periods"] * 1e9 / max(row["ns"], 1)))


@lab.point("books", 3, "counts and lost samples add up to the samples taken")
def books(work):
    counted = sum(count for count, _, _ in stacks(work)) + sum(row["lost"] for row in cpus(work))
    least, at_most = (sum(row["samples"] for row in cpus(work, which)) for which in ("first", "second"))
    check(least, "no sample was counted")
    check(counted >= least, "%d samples were taken, and %d are in the table or lost: where are the others?"
          % (least, counted))
    check(counted <= at_most, "%d samples were taken, and %d are in the table or lost: some are counted twice. "
          "Does a sample that finds its slot go on to take a free one?" % (at_most, counted))


@lab.point("walk", 3, "the stack of programs/nest is inner < middle < outer < main")
def walk(work):
    found = [(count, names) for count, names in named(work, "nest") if names[:1] == ["inner"] or not names]
    good = sum(count for count, names in found if names[:4] == ["inner", "middle", "outer", "main"])
    total = sum(count for count, _ in found)
    check(total and good >= 0.95 * total, "%d of %d samples have that stack. The commonest is %s. A return address "
          "is eight bytes above the saved frame pointer" % (good, total, most(found)))


@lab.point("leaf", 2, "a function that has no frame yet keeps its caller (programs/leafy)")
def leaf(work):
    found = [(count, names) for count, names in named(work, "leafy") if names[:1] == ["leaf"]]
    total = sum(count for count, _ in found)
    check(total, "no sample of programs/leafy has leaf() as its leaf")
    lost = sum(count for count, names in found if names[1:2] != ["busy"])
    check(lost <= total / 50, "%d of %d samples in leaf() lost its caller busy(), such as %s. At 'push %%rbp', the "
          "first instruction, the frame pointer is still the caller's: the return address is at the stack pointer"
          % (lost, total, most([pair for pair in found if pair[1][1:2] != ["busy"]])))


@lab.point("bounds", 2, "nothing outside of the stack is taken for a frame (programs/liar)")
def bounds(work):
    found = [(count, names) for count, names in named(work, "liar") if names[:1] == ["lies"]]
    check(found, "no sample of programs/liar has lies() as its leaf")
    wrong = [(count, names) for count, names in found if "never_called" in names]
    check(not wrong, "%d samples read beyond the stack: %s. A frame lies between the stack pointer and its start, at "
          "most MAX_STACK above. It is aligned, and above the frame before it" % (
              sum(count for count, _ in wrong), most(wrong)))


@lab.point("faults", 2, "page faults are disabled while user memory is read")
def faults(work):
    named(work, "nest")
    words = next(words for words in work.all_facts("first") if words[0] == "context")
    may = int(words[words.index("may_fault") + 1])
    check(not may, "%d reads could have slept: a page that is not there is fetched, unless pagefault_disable() "
          "comes before the walk. This kernel got away with it; one with other options does not" % may)


@lab.point("mm", 3, "kernel threads have no user stack, and a thread in a system call has one (programs/caller)")
def mm(work):
    idle = [(count, ips) for count, tgid, ips in stacks(work, 0)]
    check(idle, "the idle tasks (process 0) were never sampled")
    wrong = [pair for pair in idle if pair[1]]
    check(not wrong, "%d samples of the idle task have a user stack. It borrows the memory of the process before it, "
          "and its registers are no user registers: look at current->mm" % sum(count for count, _ in wrong))
    found = named(work, "caller")
    kept = sum(count for count, names in found if "asks" in names and "main" in names)
    total = sum(count for count, _ in found)
    check(kept >= 0.9 * total, "%d of %d samples of programs/caller have asks() and main(). When the kernel was "
          "interrupted, the user registers are task_pt_regs(current)" % (kept, total))


@lab.point("teardown", 3, "the module is unloaded, six times, and no timer is left")
def teardown(work):
    first, second = (sum(row["samples"] for row in cpus(work, which)) for which in ("first", "second"))
    check(first, "no timer was ever started, so none could be left")
    check(not work.died, "rmmod killed the guest: %s. hrtimer_cancel() must be called for each CPU's timer. Your "
          "machine is none the worse" % work.died)
    check(first == second, "samples were counted after sampler_stop() returned")
    if not work.has("alive"):
        raise Lost("the module could not be unloaded and loaded again")


if __name__ == "__main__":
    lab.main()
