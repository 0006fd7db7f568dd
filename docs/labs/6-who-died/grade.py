#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 6: processes shorter than a period

Reads the student's answers, and the two recordings as folded stacks. The seed says which program is the one. Numbers
are compared with the student's own recordings: shares may be off by 2 percent points, seen processes by 5, the error by a
fifth, the CPU time of a process by a tenth.
"""

import collections
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from grading import Lab, check  # noqa: E402

PROGRAMS = ["stamp", "weigh", "label"]
LINES = ["north", "south", "east"]
PERIOD_MS = 1000 / 997

lab = Lab(__doc__)


def folded(work, name):
    """The stacks, outermost function first, with their number."""
    pairs = [line.rpartition(" ") for line in work.read(name).splitlines()]
    return [(stack.split(";"), int(number)) for stack, _, number in pairs if number.isdigit()]


def samples(work):
    """(process, thread's name, number) of each stack of the first recording."""
    rows = [(stack[0], stack[1], number) for stack, number in folded(work, "cpu.folded") if stack[0].startswith("pid ")]
    check(rows, "cpu.folded is empty, or has no processes: make record")
    return rows


def starts(work):
    """How often each program was started."""
    found = collections.Counter()
    for stack, number in folded(work, "exec.folded"):
        if stack[0].endswith("sched_process_exec"):
            found[stack[1]] += number
    check(found.keys() & set(PROGRAMS), "exec.folded has no program of the factory. It takes a second recording, of "
          "events, in out/exec.kfl (task 3)")
    return found


def answer(work, key):
    value = work.answers().get(key, "")
    check(value, "answers.txt has no answer to '%s'%s" % (
        key, ". A share without its error cannot be compared with another one" if key == "plus-minus" else ""))
    return value


def number(work, key):
    value = re.sub(r"^\+-|[% ms]+$", "", answer(work, key)).strip()
    check(re.fullmatch(r"\d+(\.\d+)?", value), "%s: '%s' is no number" % (key, value))
    return float(value)


def right(work):
    """The program that the seed made the costly one, and its line's name."""
    value = work.answers().get("seed", "1") or "1"
    check(value.isdigit(), "seed: '%s' is no number" % value)
    seed = int(value)
    kind = -seed % 3
    return PROGRAMS[kind], LINES[(kind + seed // 3) % 3]


def counted(work):
    """Samples of the program, all samples, its starts."""
    program, _ = right(work)
    rows = samples(work)
    return (sum(n for _, name, n in rows if name == program), sum(n for _, _, n in rows),
            lambda: starts(work)[program])


@lab.point("recorded", 2, "both recordings have the factory's programs")
def recorded(work):
    check({name for _, name, _ in samples(work)} & set(PROGRAMS), "cpu.folded has no program of the factory")
    starts(work)


@lab.point("biggest", 2, "the short-lived program with most samples")
def biggest(work):
    given = answer(work, "biggest")
    check(given != "belt", "'belt' runs all the time: it is one process, and no short-lived one")
    check(given == right(work)[0], "'%s' is not it. Add up the samples of all processes of the same name" % given)


@lab.point("share", 1, "its share of all samples")
def share(work):
    given = number(work, "percent")
    of_program, total, _ = counted(work)
    check(abs(given - 100 * of_program / total) <= 2, "%g %% is not what cpu.folded says. All samples of the factory are the "
          "whole, those of the belt, too" % given)


@lab.point("error", 2, "the error of that share")
def error(work):
    given = number(work, "plus-minus")
    of_program, total, _ = counted(work)
    p = of_program / total
    true = 200 * math.sqrt(p * (1 - p) / total)
    check(abs(given - true) <= 0.2 * true, "plus or minus %g is not two standard errors. n is the number of all samples. "
          "Percent points: times 100" % given)


@lab.point("starts", 2, "how often it was started")
def started(work):
    given = number(work, "starts")
    true = counted(work)[2]()
    check(given == true, "%g is not what exec.folded says. Samples are no starts: the events sched_process_exec of the "
          "program are its starts" % given)


@lab.point("starter", 2, "which process starts it")
def starter(work):
    starts(work)
    given = answer(work, "starter")
    check(given == right(work)[1], "'%s' is not it%s. A fork shows the process that starts another one. "
          "Which forks are as many as the program's starts?" % (
        given, ", though it starts another program" if given in LINES else ""))


@lab.point("cost", 2, "the CPU time of one process")
def cost(work):
    given = number(work, "cost-ms")
    of_program, _, of_starts = counted(work)
    true = of_program * PERIOD_MS / of_starts()
    what = " Is it divided by the processes that have a sample? Those without a sample ran, too" if given > 1.1 * true else ""
    check(abs(given - true) <= 0.1 * true, "%g ms is not samples times the period, divided by the number of processes.%s"
          % (given, what))


@lab.point("seen", 2, "the percentage of its processes that have a sample")
def seen(work):
    given = number(work, "seen-percent")
    program, _ = right(work)
    met = len({pid for pid, name, _ in samples(work) if name == program})
    true = 100 * met / counted(work)[2]()
    check(abs(given - true) <= 5, "%g %% is not what cpu.folded and exec.folded say.%s" % (
        given, " A process shorter than a period is often met by no sample" if given > true else ""))


if __name__ == "__main__":
    lab.main()
