# SPDX-License-Identifier: GPL-2.0-or-later
"""Probes as events: what their tests share."""

import collections
import functools
import shutil

from harness import Skipped, check, folded, in_order, info, load, scratch, workload
from session import CONFIGURE, Events, Session, config


def needs(*kinds):
    """For a test: skip it where the kernel lacks one of the kinds."""
    def mark(function):
        @functools.wraps(function)
        def whole():
            load()
            for kind in kinds:
                if not info()["events"] >> kind & 1:
                    raise Skipped("this kernel has no events of kind %d" % kind)
            function()
        return whole
    return mark


def lost(profile, name):
    """Samples of an event that were lost, by cause."""
    number, = (event.id for event in profile.events.values() if event.name == name)
    causes = collections.Counter()
    for books in profile.event_cpus[number].values():
        for cause, nr in enumerate(books.lost):
            if nr:
                causes[cause] += nr
    return causes


def hits_of(path, event, function):
    """Stacks of an event with a function of the program, and their hits."""
    return {frames: hits for frames, hits in folded(path, "--event", event).items() if function in frames}


def whole(hits, count, user, leaf):
    """So many hits, all with one stack: from main() to the probed function."""
    check(sum(hits.values()) == count, hits)
    for frames in hits:
        check(in_order(frames, ("main", *user)) and leaf(frames), frames)


def configured(events):
    """What CONFIGURE fails with; "" where it does not."""
    with Session() as session:
        return session.errno(CONFIGURE, config(**events.fields))


def can_probe(kind, name):
    return not configured(Events(kind, names=[name]))


def copy(name, to):
    """A copy of a workload, which no other process runs."""
    path = scratch(to)
    shutil.copy(workload(name), path)
    return path
