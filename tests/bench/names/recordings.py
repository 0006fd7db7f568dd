# SPDX-License-Identifier: GPL-2.0-or-later
"""
One recording in two formats: kflame's, as the device gives it, and perf's.

A process that has mapped libraries (.path, .base, .size), and stacks: pairs of kernel and
user addresses, innermost first; each user address in one of the libraries.
"""

import os
import struct

PID = 4242
COMM = b"named"
PERIOD_NS = 1000000


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


# ------------------- perf: tools/perf/Documentation/perf.data-file-format.txt, perf_event.h

RECORD_MMAP, RECORD_COMM, RECORD_SAMPLE = 1, 3, 9
MISC_KERNEL, MISC_USER = 1, 2
SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x20  # IP, TID, TIME, CALLCHAIN
SAMPLE_UNWOUND = 0x1000 | 0x2000  # REGS_USER, STACK_USER
EXCLUDE_CALLCHAIN_USER = 1 << 22
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
REGISTERS, REGISTERS_MASK, IP, SP = 20, 0xFF0FFF, 8, 7  # x86: all but four segments
STACK_BYTES, STACK_AT = 512, 0x7FFC00000000
HEADER_BYTES, ATTR_BYTES = 104, 128


def _event(kind, misc, body):
    body = _padded(body)
    return struct.pack("<I2H", kind, misc, 8 + len(body)) + body


def _mmap(misc, pid, start, size, offset, name):
    return _event(RECORD_MMAP, misc,
                  struct.pack("<2I3Q", pid, pid, start, size, offset) + name + b"\0")


def _sample(i, kernel, user, unwound):
    chain = [CONTEXT_KERNEL, *kernel]
    tail = b""
    if unwound:
        # a stack of zeroes: nobody called the innermost
        registers = [0] * REGISTERS
        registers[IP], registers[SP] = user[0], STACK_AT
        tail = struct.pack("<%dQ" % (1 + REGISTERS), 2, *registers)
        tail += struct.pack("<Q%dxQ" % STACK_BYTES, STACK_BYTES, STACK_BYTES)
    else:
        chain += [CONTEXT_USER, *user]
    return _event(RECORD_SAMPLE, MISC_KERNEL, struct.pack(
        "<Q2I2Q%dQ" % len(chain), kernel[0], PID, PID, (i + 1) * PERIOD_NS, len(chain), *chain)
        + tail)


def _attr(unwound):
    """cpu-clock, each millisecond"""
    kind = SAMPLE_TYPE | (SAMPLE_UNWOUND if unwound else 0)
    flags = EXCLUDE_CALLCHAIN_USER if unwound else 0
    attr = struct.pack("<2I5Q", 1, ATTR_BYTES, 0, PERIOD_NS, kind, 0, flags)
    attr += struct.pack("<2I3Q", 0, 0, 0, 0, 0)  # up to .branch_sample_type
    if unwound:
        attr += struct.pack("<QI", REGISTERS_MASK, STACK_BYTES)
    return attr + bytes(ATTR_BYTES - len(attr))


def perf(path, libraries, stacks, in_kernel, unwound=False):
    """in_kernel: where it begins and ends.  unwound: as --call-graph dwarf, one frame deep"""
    begin, end = in_kernel
    events = [_mmap(MISC_KERNEL, 2**32 - 1, begin, end - begin, begin, b"[kernel.kallsyms]_text"),
              _event(RECORD_COMM, 0, struct.pack("<2I", PID, PID) + COMM + b"\0")]
    events += [_mmap(MISC_USER, PID, library.base, library.size, 0, os.fsencode(library.path))
               for library in libraries]
    events += [_sample(i, *stack, unwound) for i, stack in enumerate(stacks)]
    data = b"".join(events)
    with open(path, "wb") as out:
        attr_bytes = ATTR_BYTES + 16
        out.write(struct.pack("<8s2Q6Q32x", b"PERFILE2", HEADER_BYTES, attr_bytes, HEADER_BYTES,
                              attr_bytes, HEADER_BYTES + attr_bytes, len(data), 0, 0))
        out.write(_attr(unwound) + struct.pack("<2Q", 0, 0))  # no ids of events
        out.write(data)
