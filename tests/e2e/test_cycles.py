# SPDX-License-Identifier: GPL-2.0-or-later
"""Load, record, unload, over and over; and what must refuse to be unloaded."""

import os
import select
import threading

import kfl
from harness import check, load, note, run, scaled, scratch, test, unload, wait_until, KFLAME
from loading import insert, refused, remove
from session import Session


def short_recording(path):
    with Session() as session:
        session.configure(period_ns=200000, entries=64, budget_permille=0)
        session.start()
        data = os.read(session.fd, 1 << 18)  # the head is there at once
        session.stop()
        data += session.read_all()
    with open(path, "wb") as file:
        file.write(data)


@test("load, record, unload, over and over: each profile balances")
def cycles():
    count = scaled(500)
    path = scratch("cycle.data")
    unload()
    samples = 0
    for number in range(count):
        whole = number % 50 == 49  # by the tool and the session of its own, which takes longer
        insert("autostart=1" if whole else "")
        if whole:
            run([KFLAME, "record", "-a", "-F", "4999", "-o", path, "--", "/bin/true"])
        else:
            short_recording(path)
        remove()
        profile = kfl.Profile(path)
        check(not profile.imbalances(), "round %d:" % number, profile.imbalances())
        samples += profile.samples
    note("%d rounds, %d samples" % (count, samples))
    check(samples >= count, "only %d samples" % samples)


def blocked(wait):
    """Unload while a thread is blocked in wait(session)."""
    load()
    with Session(os.O_RDWR) as session:
        session.configure(period_ns=10**9, entries=64)
        session.start()
        tid, result = [], []

        def body():
            tid.append(threading.get_native_id())
            result.append(wait(session))

        thread = threading.Thread(target=body)
        thread.start()
        wait_until(lambda: tid, "the thread runs")

        def sleeps():
            with open("/proc/self/task/%d/stat" % tid[0], encoding="ascii") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "S"

        wait_until(sleeps, "the reader is blocked")
        for _ in range(5):
            refused()
        session.stop()
        thread.join(20)
        check(not thread.is_alive(), "the reader did not wake up when the session was stopped")
    run(["rmmod", "kflame"], timeout=20)
    return result[0]


def drain(session):
    """Read until a read blocks, and further until the session is stopped"""
    return session.read_all()


@test("unload while a reader is blocked in read() is refused; STOP ends the read")
def in_read():
    check(len(blocked(drain)) > 0, "nothing was read")


@test("unload while a reader is blocked in poll() is refused; STOP ends the poll")
def in_poll():
    def wait(session):
        poll = select.poll()
        poll.register(session.fd, select.POLLIN)
        # what is there already is read away first, without blocking
        os.set_blocking(session.fd, False)
        while True:
            try:
                if not os.read(session.fd, 1 << 18):
                    return "end"
            except BlockingIOError:
                poll.poll()

    check(blocked(wait) == "end", "the stream did not end")
