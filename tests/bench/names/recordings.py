# SPDX-License-Identifier: GPL-2.0-or-later
"""
One recording in two formats: kflame's, as the device gives it, and perf's.

A process that has mapped libraries (.path, .base, .size), and stacks: pairs of kernel and
user addresses, innermost first; each user address in one of the libraries.
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import perf_data
from perf_data import PERIOD_NS

PID = 4242
COMM = b"named"


def _padded(data):
    return data + bytes(-len(data) % 8)


# ---------------------------------------------------- kflame: include/uapi/kflame.h

SESSION, ASPACE, MAPPING, FILE, STACK, COUNT, END = 1, 2, 3, 4, 5, 6, 0x1FF
STACK_KERNEL, STACK_USER = 1, 2
NO_CANDIDATE = 0xFFFFFFFF


def _record(kind, body):
    body = _padded(body)
    return struct.pack("<2I", kind, 8 + len(body)) + body


def _stack(number, kind, addresses):
    # but for the innermost they are return addresses: one past the call
    ips = [addresses[0]] + [at + 1 for at in addresses[1:]]
    return _record(STACK, struct.pack("<Q4I%dQ" % len(ips), number, kind, 0, NO_CANDIDATE,
                                      len(ips), *ips))


def _file(number, path):
    info = os.stat(path)
    name = os.fsencode(path)
    return _record(FILE, struct.pack("<4Q4I20sI", number, info.st_ino, info.st_size,
                                     info.st_mtime_ns, os.major(info.st_dev),
                                     os.minor(info.st_dev), 0, 0, b"", len(name)) + name + b"\0")


def kflame(path, libraries, stacks):
    records = [
        _record(SESSION, struct.pack(
            "<2I6Q6I72s16s32s", 1, 0, 0, PERIOD_NS, PERIOD_NS, 1, 1, 1, 0, 127, 127, 0, 1, 4096,
            b"6.1.0", b"x86_64", b"bench")),
        _record(ASPACE, struct.pack("<2Q4IQ2I16s", 1, 1, PID, PID, 1, 1, 0, 0, 0, COMM)),
    ]
    for i, library in enumerate(libraries):
        records.append(_file(i + 1, library.path))
        records.append(_record(MAPPING, struct.pack(
            "<5Q2I", 1, library.base, library.base + library.size, 0, i + 1, 0, 0)))
    for i, (kernel, user) in enumerate(stacks):
        records.append(_stack(2 * i + 1, STACK_KERNEL, kernel))
        records.append(_stack(2 * i + 2, STACK_USER, user))
        records.append(_record(COUNT, struct.pack(
            "<6Q4I16s", 1, 2 * i + 1, 2 * i + 2, 1, PERIOD_NS, 0, 0, 0, PID, PID, COMM)))
    with open(path, "wb") as out:
        out.write(struct.pack("<8s4IQ", b"KFLAME\r\n", 1, 0x01020304, 32, 0, 0))
        out.write(b"".join(records) + _record(END, struct.pack("<Q", len(records))))


# ------------------------------------------------------------------------------ perf

def perf(path, libraries, stacks, in_kernel, unwound=False):
    """in_kernel: where it begins and ends.  unwound: as --call-graph dwarf, one frame deep"""
    events = [perf_data.mmap_kernel(*in_kernel), perf_data.comm(PID, PID, COMM)]
    events += [perf_data.mmap(PID, library.base, library.size, 0, os.fsencode(library.path))
               for library in libraries]
    for i, (kernel, user) in enumerate(stacks):
        at = (i + 1) * PERIOD_NS
        events.append(perf_data.sample_unwound(PID, at, kernel, user[0]) if unwound else
                      perf_data.sample(PID, PID, at, kernel, user))
    perf_data.write(path, events, unwound)
