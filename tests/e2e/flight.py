# SPDX-License-Identifier: GPL-2.0-or-later
"""The flight recorder of /dev/kflame, driven without the tool."""

import struct

from session import RECORDER, Session

LAYOUT = "<2I2Q2I3Q4I11QQ2I"
FIELDS = ("size op span_ns period_ns epochs entries late_ns softirq_ns least_memory triggers state cause pad"
          " memory frozen_ns freeze_ns detail samples counted lost kept expired kept_ns expired_ns"
          " runq_ns most_blocked pad2").split()
SIZE = struct.calcsize(LAYOUT)
STATUS, BEGIN, FREEZE, END, READ = range(5)
OFF, RUNNING, FROZEN = range(3)
NONE, REQUEST, PANIC, LATE, SOFTIRQ, OOM, HUNG, MEMORY, RUNQ, BLOCKED, PROBE, PRESSURE, SIGNAL = range(13)
TRIGGER = "/sys/module/kflame/parameters/recorder_trigger"


def request(op, **fields):
    """A struct kflame_recorder."""
    values = dict.fromkeys(FIELDS, 0)
    values.update({"size": SIZE, "op": op, **fields})
    return struct.pack(LAYOUT, *values.values())


def recorder(op=STATUS, **fields):
    """The answer, as a dictionary.  Raises OSError."""
    with Session() as session:
        raw = session.ioctl(RECORDER, request(op, **fields))
    return dict(zip(FIELDS, struct.unpack(LAYOUT, raw)))


def error(op, **fields):
    """What the request fails with, as EINVAL; "" where it does not."""
    with Session() as session:
        return session.errno(RECORDER, request(op, **fields))


def trigger(word):
    """As the shell's echo WORD > ... does"""
    with open(TRIGGER, "w", encoding="ascii") as file:
        file.write(word + "\n")
