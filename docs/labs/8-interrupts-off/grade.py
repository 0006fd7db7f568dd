#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 8: interrupts off, and a softirq on an idle CPU

Reads the student's answers, and the recording as folded stacks. The seed says which functions are the problem.
Percentages are compared with the student's own recording: 1 may be missing for late time, 2 for the softirq. The time
of interrupts off may be wrong by one period.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from grading import Lab, check  # noqa: E402

THREAD = ["flush_ring", "poll_card", "read_sensor"]
TIMERS = ["send_beacon", "age_entries"]
OFF_MS = 6
LATE = "[late: irqs off or stolen]"

lab = Lab(__doc__)


def folded(work, name):
    """The stacks, outermost function first, with their weight."""
    pairs = [line.rpartition(" ") for line in work.read(name).splitlines()]
    return [(stack.split(";"), int(weight)) for stack, _, weight in pairs if weight.isdigit()]


def percent(work, wanted):
    """The share of all time that the stacks have for which wanted() is true."""
    stacks = folded(work, "time.folded")
    total = sum(weight for _, weight in stacks)
    check(total, "time.folded is empty: make record")
    return 100 * sum(weight for stack, weight in stacks if wanted(stack)) / total


def answer(work, key):
    value = work.answers().get(key, "")
    check(value, "answers.txt has no answer to '%s'" % key)
    return re.sub(r"\(.*", "", value).strip()


def number(work, key):
    value = answer(work, key).rstrip("% ms")
    check(re.fullmatch(r"\d+(\.\d+)?", value), "%s: '%s' is no number" % (key, value))
    return float(value)


def seed(work):
    value = work.answers().get("seed", "1") or "1"
    check(value.isdigit(), "seed: '%s' is no number" % value)
    return int(value)


@lab.point("recorded", 1, "the driver was recorded, as counts and as time")
def recorded(work):
    for name in ("counts.folded", "time.folded"):
        check(any(set(THREAD) & set(stack) for stack, _ in folded(work, name)),
              "%s has no function of the driver: make record" % name)


@lab.point("irqs-off", 3, "who keeps interrupts off")
def irqs_off(work):
    given = answer(work, "irqs-off")
    right = THREAD[seed(work) % 3]
    check(given not in TIMERS, "'%s' runs in a softirq, with interrupts on" % given)
    check(given == right, "'%s' is not it. Counts of samples cannot show it: a timer that comes late is still one sample. "
          "Look at time (--time), for the function below the late time" % given)


@lab.point("off-ms", 2, "for how long, each time")
def off_ms(work):
    given = number(work, "off-ms")
    what = " One sample is not one period here: add the late time, and divide by the number of samples" \
        if given <= 1.5 else ""
    check(abs(given - OFF_MS) <= 1, "%g ms is not it.%s" % (given, what))


@lab.point("late", 2, "the share of all time in which interrupts were off for more than a period")
def late(work):
    given = number(work, "late-percent")
    true = percent(work, lambda stack: LATE in stack)
    what = " counts.folded has no late time: it counts samples, and no sample was taken then" if not given else ""
    check(abs(given - true) <= 1, "%g %% is not what time.folded says.%s" % (given, what))


@lab.point("softirq", 2, "the function with most time in a softirq")
def softirq(work):
    given = answer(work, "softirq")
    check(given not in THREAD, "'%s' is a function of the driver's thread. Softirqs are purple in the flame graph, above "
          "handle_softirqs()" % given)
    check(given == TIMERS[seed(work) % 2], "'%s' is not it. Compare the boxes above call_timer_fn(), in all stacks "
          "together: kflame report" % given)


@lab.point("softirq-percent", 1, "its share of all time, idle time included")
def softirq_percent(work):
    given = number(work, "softirq-percent")
    right = TIMERS[seed(work) % 2]
    true = percent(work, lambda stack: right in stack)
    busy = 100 * true / (100 - percent(work, lambda stack: "[idle]" in stack))
    what = " That is its share of the busy time. report leaves idle time out: --idle counts it in" \
        if abs(given - busy) <= 3 else ""
    check(abs(given - true) <= 2, "%g %% is not what time.folded says.%s" % (given, what))


@lab.point("interrupted", 2, "whom the softirq interrupts")
def interrupted(work):
    given = answer(work, "interrupted").lower()
    check(given in ("idle", "swapper", "swapper/0"), "'%s': below the softirq is the stack of what it interrupted. "
          "Which thread has do_idle()? A softirq borrows the thread that happens to run" % given)


if __name__ == "__main__":
    lab.main()
