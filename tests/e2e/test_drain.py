# SPDX-License-Identifier: GPL-2.0-or-later
"""When counts are reported: for guests whose clock passes over idle time."""

import os
import select
import time

import kfl
from harness import check, load, note, run, scratch, test, workload
from session import Session

DRAIN_S = 5  # KF_DRAIN_JIFFIES in kmod/session/session.h


def counts_in(data):
    """Samples that are reported in an unfinished stream."""
    path = scratch("drain.kfl")
    with open(path, "wb") as file:
        file.write(data)
    return sum(count.samples for count in kfl.Profile(path).counts)


def read_until_more(session, data):
    """The stream so far, until it reports more samples."""
    poll = select.poll()
    poll.register(session.fd, select.POLLIN)
    before = counts_in(data) if data else 0
    while not data or counts_in(data) == before:
        check(poll.poll(4 * DRAIN_S * 1000), "nothing was reported for %d s" % (4 * DRAIN_S))
        data += os.read(session.fd, 1 << 20)
    return data


# Red with 10 seconds in kmod/session/session.h, and when other work of the session puts it off
@test("a table that is far from full is reported after %d seconds, and after as many again" % DRAIN_S)
def timed():
    load()
    data = b""
    with Session() as session:
        session.configure()
        session.start()
        begin = time.monotonic()
        for times in 1, 2:
            # what is new late is work for the session, too
            time.sleep(DRAIN_S / 3)
            run([workload("busy"), "1"])
            before = counts_in(data) if data else 0
            data = read_until_more(session, data)
            took, samples = time.monotonic() - begin, counts_in(data) - before
            note("%d samples reported after %.2f s" % (samples, took))
            # a timer of 5 s has a granularity of 0.3 s at most (kernel/time/timer.c)
            check(0 <= took - times * DRAIN_S < times * 1.5, "reported after %.2f s" % took)
        session.stop()
        check(session.read_all(), "nothing was reported at the end")
