# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of time off the CPU share."""

import contextlib
import ctypes

import kfl
from harness import check, start, workload
from session import Events, Session

MS = 1000000


@contextlib.contextmanager
def watching(path, *kinds, shortest=0, longest=0, how=0, pid=None, **fields):
    """A session with these events, of all processes or of one; its stream is in the file at the end."""
    events = Events(*kinds, flags=how, shortest=shortest, longest=longest)
    only = ctypes.c_uint32(pid or 0)
    if pid:
        fields.update(nr_pids=1, pids=ctypes.addressof(only))
    with Session() as session:
        session.configure(**{**events.fields, **fields})
        session.start()
        yield session
        session.stop()
        with open(path, "wb") as file:
            file.write(session.read_all())


def blocked(number):
    """A program of which this many threads wait, and do not stop to"""
    child = start([workload("waits"), "block", str(number)], stdout=-1)
    check(child.stdout.readline() == "ready\n", "the program did not begin")
    return child


def profile_of(path):
    profile = kfl.Profile(path)
    wrong = profile.imbalances()
    check(not wrong, "\n".join(wrong))
    return profile


def numbers(text):
    return [[int(word) for word in line.split()] for line in text.strip().split("\n")]
