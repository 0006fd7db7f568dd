# SPDX-License-Identifier: GPL-2.0-or-later
"""A session of /dev/kflame, driven without the tool."""

import ctypes
import errno
import fcntl
import os
import struct

DEVICE = "/dev/kflame"

INFO, CONFIGURE, START, STOP, STATS, KSYM, FILE, TABLE, NUMBER, CGROUP, RECORDER, INTERPRETER = (
    0xF700 + number for number in range(12))
CONFIG = "<2I2Q8I4Q2IQ4IQ2IQ"
CONFIG_FIELDS = ("size kway flags period_ns entries kdepth udepth budget_permille nr_pids"
                 " nr_tids nr_cpus reserved pids tids cpus memory nr_cgroups pad cgroups"
                 " uway dump dump_bytes ring_bytes table_bytes nr_events pad2 events").split()
CONFIG_SIZE_0 = 88  # as first published
RUN = "<2IQ"
FILE_ID = "<2IQ2I"
STATS_COUNTS = 8 + 104 + 2 * 16 * 8
STATS_SIZE = STATS_COUNTS + 32 * 8  # without the event: the timer's
EVENT = "<2I4Q2IiIQ"
INTERPRETER_IS = "<2IQ2IQ2I8Q40I"
INTERPRETER_SIZE = struct.calcsize(INTERPRETER_IS)


def interpreter(size=INTERPRETER_SIZE, flags=0, file=7, kind=1, state=0, nr_loops=1, nr_at=22, loops=(16, 32),
                at=(8,) * 22):
    """A struct kflame_interpreter."""
    return struct.pack(INTERPRETER_IS, size, flags, file, kind, 0x030b02f0, state, nr_loops, nr_at,
                       *loops, *(0,) * (8 - len(loops)), *at, *(0,) * (40 - len(at)))


class Session:
    def __init__(self, flags=os.O_RDWR):
        self.fd = os.open(DEVICE, flags | os.O_CLOEXEC)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def ioctl(self, number, raw):
        """The structure as the kernel left it.  Raises OSError."""
        raw = bytearray(raw)
        fcntl.ioctl(self.fd, number, raw)
        return bytes(raw)

    def count(self, which):
        """Of struct kflame_stats, one of its counts, of all CPUs."""
        raw = struct.pack("<2I", STATS_SIZE, 0xFFFFFFFF).ljust(STATS_SIZE, b"\0")
        return struct.unpack_from("<Q", self.ioctl(STATS, raw), STATS_COUNTS + 8 * which)[0]

    def books(self):
        """Of all CPUs: what is asked for most, as a dictionary."""
        raw = struct.pack("<2I", STATS_SIZE, 0xFFFFFFFF).ljust(STATS_SIZE, b"\0")
        words = struct.unpack_from("<13Q", self.ioctl(STATS, raw), 16)
        return dict(zip(("samples counted missed weight_ns counted_ns active_ns head_ns tail_ns period_ns"
                         " stretches handler_ns handler_max_ns").split(), words))

    def errno(self, number, raw):
        """What the ioctl fails with, as EINVAL; "" where it does not."""
        try:
            self.ioctl(number, raw)
        except OSError as error:
            return errno.errorcode[error.errno]
        return ""

    def configure(self, **fields):
        """The answer, as a dictionary."""
        raw = self.ioctl(CONFIGURE, config(**fields))
        return dict(zip(CONFIG_FIELDS, struct.unpack(CONFIG, raw)))

    def start(self):
        self.ioctl(START, run())

    def stop(self):
        self.ioctl(STOP, run())

    def read_all(self, size=1 << 18):
        """The stream to its end; the session must be stopped."""
        data = b""
        while True:
            piece = os.read(self.fd, size)
            if not piece:
                return data
            data += piece


def config(**fields):
    """A kflame_config of these fields: 997 Hz unless they say otherwise."""
    values = dict.fromkeys(CONFIG_FIELDS, 0)
    values.update({"size": struct.calcsize(CONFIG), "period_ns": 1003009, **fields})
    return struct.pack(CONFIG, *values.values())


class Events:
    """
    Fields of a kflame_config for events of these kinds; the array exists as long as the object.

    names: of each event in turn; a name may be of bytes, or "" for none.
    """

    def __init__(self, *kinds, size=struct.calcsize(EVENT), flags=0, shortest=0, longest=0, names=(), weight=0,
                 file=0, pad=0, offset=0, tail=b""):
        self.names = [ctypes.create_string_buffer(name.encode()) for name in names] or [None] * len(kinds)
        raw = b"".join((struct.pack(EVENT, size, kind, flags, shortest, longest,
                                    ctypes.addressof(name) if name else 0, len(name.value) if name else 0, weight,
                                    file, pad, offset)
                        + tail)[:max(size, 16)]
                       for kind, name in zip(kinds, self.names))
        self.memory = ctypes.create_string_buffer(raw, len(raw) + 1)
        self.fields = {"nr_events": len(kinds), "events": ctypes.addressof(self.memory)}


def run(flags=0):
    return struct.pack(RUN, struct.calcsize(RUN), flags, 0)
