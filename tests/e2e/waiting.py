# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of time off the CPU share."""

import contextlib

import kfl
from harness import check
from session import Events, Session

MS = 1000000


@contextlib.contextmanager
def watching(path, *kinds, shortest=0, longest=0, how=0, **fields):
    """A session with these events; its stream is in the file at the end."""
    events = Events(*kinds, flags=how, shortest=shortest, longest=longest)
    with Session() as session:
        session.configure(**{**events.fields, **fields})
        session.start()
        yield session
        session.stop()
        with open(path, "wb") as file:
            file.write(session.read_all())


def profile_of(path):
    profile = kfl.Profile(path)
    wrong = profile.imbalances()
    check(not wrong, "\n".join(wrong))
    return profile


def numbers(text):
    return [[int(word) for word in line.split()] for line in text.strip().split("\n")]
