# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel stacks by learnt steps: the same as the unwinder's."""

import os

from harness import check, load, record, start, test, workload, TEST_MODULES
from learnt import checked, counters, needs_orc


@test("learnt steps give the unwinder's stacks, under a mixed load and while modules come and go")
def mixed():
    needs_orc()
    module = os.path.join(TEST_MODULES, "torture/borrow/borrow.ko")
    cycle = "while :; do insmod %s pid=$$; rmmod borrow; sleep 0.1; done 2>/dev/null"
    start(["/bin/sh", "-c", cycle % module])
    learnt, left = checked("mixed")
    # not most: on a slow machine there are few samples, and the first ones are to learn from
    check(learnt * 4 > left, "nearly all stacks were left to the unwinder")


@test("learn=0 learns nothing")
def switched_off():
    load("learn=0")
    seen = counters(record("learnt-off", "-a", "-F", 997, command=(workload("readloop"), "1")))
    check(not any(seen), seen)
    load("learn=1")
