#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 7: who holds the lock?

Reads the student's answers, and the profile as folded stacks. The seed says who holds the lock. The percentage is compared
with the student's own profile, and may be off by 8.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from grading import Lab, Lost, check  # noqa: E402

HOLDERS = ["write_ledger", "audit_shelves", "order_parcels"]
TOLERANCE = 8

lab = Lab(__doc__)


def waits(work):
    """The stacks of waits, outermost function first, with nanoseconds. At the seam, wakers follow."""
    if not os.path.exists(work.path("shop.folded")):
        raise Lost("there is no shop.folded: record the waits into shop.kfl (task 2). make record then writes it")
    pairs = [line.rpartition(" ") for line in work.read("shop.folded").splitlines()]
    found = [(stack.split(";"), int(weight)) for stack, _, weight in pairs if weight.isdigit()]
    check(sum("__schedule" in stack for stack, _ in found) > len(found) / 2, "shop.folded has no waits, but what ran. "
          "Waits need an option of kflame record")
    return found


def name(answer):
    """take_parcel of `take_parcel()`."""
    return re.sub(r"\(.*", "", answer).strip()


def answer(work, key):
    value = work.answers().get(key, "")
    check(value, "answers.txt has no answer to '%s'" % key)
    return name(value)


def seed(work):
    value = work.answers().get("seed", "1") or "1"
    check(value.isdigit(), "seed: '%s' is no number" % value)
    return int(value)


@lab.point("recorded", 2, "the recording has the waits of the shop, with the wakers")
def recorded(work):
    stacks = waits(work)
    check(any("take_from_stock" in stack for stack, _ in stacks), "no wait of shop.folded is in take_from_stock(): was "
          "another program recorded?")
    check(any(frame.startswith("[woken by") for stack, _ in stacks for frame in stack),
          "no wait of the recording has a waker. Without them the lock's holder stays unknown: see docs/waits.md")


@lab.point("busiest", 1, "the CPU profile's largest function")
def busiest(work):
    check(answer(work, "busiest") == "reprint_labels", "'%s' is not where the CPU time is. Look at cpu.kfl: report "
          "-i cpu.kfl, or flame. Name the job, not a helper" % answer(work, "busiest"))


@lab.point("waiter", 2, "where the clerks wait for the lock")
def waiter(work):
    given = answer(work, "waiter")
    check(given != "wait_for_customer", "clerks wait in wait_for_customer() since nobody is there. That is no problem. "
          "Which wait should be short?")
    check(given == "take_from_stock", "'%s' is not it. In the flame graph of waits, look at the boxes of clerk(), from "
          "the bottom up, to the last one that is a function of the shop" % given)


@lab.point("share", 2, "the percentage of the clerks' waiting that is for the lock, by your own profile")
def share(work):
    given = answer(work, "lock-percent").rstrip("% ")
    check(re.fullmatch(r"\d+(\.\d+)?", given), "lock-percent: '%s' is no number" % given)
    ours = [(stack, weight) for stack, weight in waits(work) if "clerk" in stack]
    total = sum(weight for _, weight in ours)
    check(total, "shop.folded has no wait of a clerk")
    true = 100 * sum(weight for stack, weight in ours if "take_from_stock" in stack) / total
    everybody = 100 * sum(weight for stack, weight in waits(work) if "take_from_stock" in stack) / sum(
        weight for _, weight in waits(work))
    what = " That is the share of all threads' waiting. Ask for the clerks alone" \
        if abs(float(given) - everybody) < TOLERANCE / 2 else ""
    check(abs(float(given) - true) <= TOLERANCE, "%s %% is too far from what shop.folded says.%s" % (given, what))


@lab.point("holder", 3, "who holds the lock meanwhile")
def holder(work):
    given = answer(work, "holder")
    right = HOLDERS[seed(work) % 3]
    why = {
        "reprint_labels": "it uses the CPU, and never takes the lock. A CPU profile cannot show who holds a lock",
        "watch_door": "it waits longest, and never takes the lock. Nobody waits for it",
        "count_parcels": "it takes the lock most often, and returns it at once. Who ends the clerks' waits?",
        "print_page": "it is a helper that three jobs call. Which of them ends the clerks' waits?",
        "print_while": "it is a helper that three jobs call. Which of them ends the clerks' waits?",
        "take_from_stock": "that is the clerks themselves. A clerk passes the lock on. Who had it first, and for long?",
    }
    check(given == right, "'%s' is not it: %s" % (given, why.get(
        given, "look at the stack above [woken by ...] of the clerks' waits, where the waker's job is named")))


@lab.point("meanwhile", 2, "what the holder does while it has the lock")
def meanwhile(work):
    given = answer(work, "meanwhile").lower()
    why = {"computes": "the CPUs are idle meanwhile: the holder has no samples in the CPU profile",
           "sleeps": "it sleeps only after it returned the lock. Which system call is at the end of its other wait?"}
    check(given == "reads", "'%s': %s" % (given, why.get(given, "one of computes, sleeps, reads")))


if __name__ == "__main__":
    lab.main()
