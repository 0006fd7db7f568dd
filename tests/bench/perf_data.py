# SPDX-License-Identifier: GPL-2.0-or-later
"""
perf's recordings, written: tools/perf/Documentation/perf.data-file-format.txt, perf_event.h.

A recording is a list of what mmap(), comm() and sample() return.
"""

import struct

PERIOD_NS = 1000000
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
    body += bytes(-len(body) % 8)
    return struct.pack("<I2H", kind, misc, 8 + len(body)) + body


def mmap(pid, start, size, offset, path):
    return _event(RECORD_MMAP, MISC_USER,
                  struct.pack("<2I3Q", pid, pid, start, size, offset) + path + b"\0")


def mmap_kernel(start, end):
    """What lies there is named by what perf finds in its --kallsyms."""
    return _event(RECORD_MMAP, MISC_KERNEL, struct.pack(
        "<2I3Q", 2**32 - 1, 2**32 - 1, start, end - start, start) + b"[kernel.kallsyms]_text\0")


def comm(pid, tid, name):
    return _event(RECORD_COMM, 0, struct.pack("<2I", pid, tid) + name + b"\0")


def sample(pid, tid, time_ns, kernel, user):
    """Addresses innermost first; either may be empty, not both."""
    chain = [CONTEXT_KERNEL, *kernel] if kernel else []
    chain += [CONTEXT_USER, *user] if user else []
    return _event(RECORD_SAMPLE, MISC_KERNEL if kernel else MISC_USER, struct.pack(
        "<Q2I2Q%dQ" % len(chain), chain[1], pid, tid, time_ns, len(chain), *chain))


def sample_unwound(pid, time_ns, kernel, user):
    """As --call-graph dwarf makes it, of one user address: nobody called it, the stack is zeroes."""
    registers = [0] * REGISTERS
    registers[IP], registers[SP] = user, STACK_AT
    return _event(RECORD_SAMPLE, MISC_KERNEL, struct.pack(
        "<Q2I2Q%dQ" % (1 + len(kernel)), kernel[0], pid, pid, time_ns, 1 + len(kernel),
        CONTEXT_KERNEL, *kernel)
        + struct.pack("<%dQ" % (1 + REGISTERS), 2, *registers)
        + struct.pack("<Q%dxQ" % STACK_BYTES, STACK_BYTES, STACK_BYTES))


def _attr(unwound):
    """cpu-clock, each PERIOD_NS"""
    kind = SAMPLE_TYPE | (SAMPLE_UNWOUND if unwound else 0)
    flags = EXCLUDE_CALLCHAIN_USER if unwound else 0
    attr = struct.pack("<2I5Q", 1, ATTR_BYTES, 0, PERIOD_NS, kind, 0, flags)
    attr += struct.pack("<2I3Q", 0, 0, 0, 0, 0)  # up to .branch_sample_type
    if unwound:
        attr += struct.pack("<QI", REGISTERS_MASK, STACK_BYTES)
    return attr + bytes(ATTR_BYTES - len(attr))


def write(path, events, unwound=False):
    data = b"".join(events)
    with open(path, "wb") as out:
        attr_bytes = ATTR_BYTES + 16
        out.write(struct.pack("<8s2Q6Q32x", b"PERFILE2", HEADER_BYTES, attr_bytes, HEADER_BYTES,
                              attr_bytes, HEADER_BYTES + attr_bytes, len(data), 0, 0))
        out.write(_attr(unwound) + struct.pack("<2Q", 0, 0))  # no ids of events
        out.write(data)
