# SPDX-License-Identifier: GPL-2.0-or-later
"""
How many kernel stacks are left to the unwinder once their load was met. On a clock that counts instructions
only: on a machine that has other work there are interrupts, whose stacks are left, in any number.
"""

from harness import check, load, note, start, test, wait_until, workload, PATIENCE, Skipped
from learnt import needs_learning
from session import Session

STAT_LEARNT, STAT_LEFT = 29, 30
EXCLUDE_IDLE = 1 << 2


# Red on 7.3, arm64, where a return address had one place only, and two of one stack shared it: 3.6%
@test("once a load was met, few of its kernel stacks are left to the unwinder")
def met():
    needs_learning()
    if PATIENCE > 1:
        # not known why; no stack differs there (test_learnt.py)
        raise Skipped("of a kernel that checks all it does a third is left")
    load()
    child = start([workload("fixed-sysh"), "100000000"])
    with Session() as session:
        session.configure(flags=EXCLUDE_IDLE, period_ns=100271)
        session.start()

        def walked(since=(0, 0)):
            now = session.count(STAT_LEARNT), session.count(STAT_LEFT)
            return [one - before for one, before in zip(now, since)]

        wait_until(lambda: sum(walked()) > 10000, "kernel stacks", 120)
        before = walked()
        wait_until(lambda: sum(walked(before)) > 6000, "kernel stacks", 120)
        cached, left = walked(before)
        note("%d kernel stacks by cached steps, %d (%.1f%%) left to the unwinder"
             % (cached, left, 100 * left / (cached + left)))
        check(left < 0.03 * cached, "%d of %d stacks were left" % (left, cached + left))
    child.kill()
