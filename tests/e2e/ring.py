# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of the rings of stack copies, written from include/uapi/kflame-unwind.h alone."""

import collections
import errno
import mmap
import struct

import kfl

DUMP_ALL, DUMP_REST, DUMP_BOTH = 1, 2, 3
COPY_CUT, COPY_FAULT, COPY_COUNTED = 1, 2, 4
LOST_RING = 7
STAT_COPIES, STAT_COPY_BYTES, STAT_COPIES_DROPPED = 23, 24, 25
USTACK, PAD, EXPLAIN = 8, 12, 23
PAGE = mmap.PAGESIZE
REGS = {17: (7, 16), 33: (31, 32)}  # by their number: sp and pc

Copy = collections.namedtuple(
    "Copy",
    "aspace time_ns weight_ns late_ns cpu context tgid tid comm kend uend flags kernel user regs"
    " stack",
)


Step = collections.namedtuple("Step", "ip sp fp rule how flags")
Rule = collections.namedtuple("Rule", "cfa fp ra reg cfa_offset cfa_add fp_offset ra_offset base_offset")
STEP_RULE, STEP_FP = 0x100, 0x101
STEP_CACHED, STEP_EXACT = 1, 2
Explained = collections.namedtuple(
    "Explained",
    "due_ns period_ns samples_before weight_before samples weight seed hash buckets bucket probes entry"
    " nr_entries kstack ustack kwalk steps",
)


class Ring:
    """One CPU's, mapped.  Raises OSError."""

    def __init__(self, fd, cpu, size):
        self.size = size
        self.explained = []  # copies with their EXPLAIN records
        self.memory = mmap.mmap(fd, PAGE + size, mmap.MAP_SHARED,
                                mmap.PROT_READ | mmap.PROT_WRITE, offset=cpu * (PAGE + size))

    def close(self):
        self.memory.close()

    def word(self, at):
        return struct.unpack_from("<Q", self.memory, at)[0]

    @property
    def head(self):
        return self.word(0)

    @property
    def tail(self):
        return self.word(8)

    @tail.setter
    def tail(self, value):
        struct.pack_into("<Q", self.memory, 8, value & (1 << 64) - 1)

    @property
    def dropped(self):
        return self.word(16)

    def take(self):
        """All there is now; strict as kfl.py is."""
        head, tail, copies = self.head, self.tail, []
        if head - tail > self.size or head % 8 or tail % 8:
            raise kfl.Damaged("head %d, tail %d" % (head, tail))
        while tail < head:
            at = tail % self.size
            kind, size = struct.unpack_from("<2I", self.memory, PAGE + at)
            if size < 8 or size % 8 or size > min(self.size - at, head - tail):
                raise kfl.Damaged("record %d of %d bytes at %d of %d" % (kind, size, at, head))
            if kind == USTACK:
                copies.append(_copy(self.memory[PAGE + at : PAGE + at + size]))
            elif kind == EXPLAIN and copies:
                self.explained.append((copies[-1], _explained(self.memory[PAGE + at : PAGE + at + size])))
            elif kind != PAD or at + size != self.size:
                raise kfl.Damaged("record %d at %d" % (kind, at))
            tail += size
        self.tail = tail
        return copies


def _copy(raw):
    fields = struct.unpack_from("<4Q4I16s8I", raw, 8)
    kend, nr_kernel, uend, nr_user, nr_regs, flags, copied, pad = fields[9:]
    words = struct.unpack_from("<%dQ" % (nr_kernel + nr_user + nr_regs), raw, 104)
    stack = raw[104 + 8 * len(words) :]
    if pad or copied % 8 or len(stack) != copied or nr_regs not in REGS:
        raise kfl.Damaged("a copy of %d bytes, %d said, %d registers, pad %d"
                          % (len(stack), copied, nr_regs, pad))
    return Copy(*fields[:8], fields[8].split(b"\0", 1)[0].decode("utf-8", "replace"), kend, uend,
                flags, words[:nr_kernel], words[nr_kernel : nr_kernel + nr_user],
                words[nr_kernel + nr_user :], stack)


def _explained(raw):
    fields = struct.unpack_from("<6Q12I", raw, 8)
    nr_steps, pad = fields[-2:]
    if pad or len(raw) != 104 + 56 * nr_steps:
        raise kfl.Damaged("an explanation of %d bytes with %d steps" % (len(raw), nr_steps))
    steps = []
    for i in range(nr_steps):
        words = struct.unpack_from("<3Q4B5i2I", raw, 104 + 56 * i)
        steps.append(Step(*words[:3], Rule(*words[3:12]), *words[12:]))
    return Explained(*fields[:-2], steps)


def rings(fd, size, cpus):
    """Those that are there, by CPU."""
    found = {}
    for cpu in range(cpus):
        try:
            found[cpu] = Ring(fd, cpu, size)
        except OSError as error:
            if error.errno != errno.ENODATA:
                raise
    return found


def counts(copies):
    """As counts of one sample each, without their stacks; those counted anyway left out."""
    return [kfl.Count(c.aspace, 0, 0, 1, c.weight_ns, c.late_ns, c.cpu, c.context, c.tgid, c.tid,
                      c.comm) for c in copies if not c.flags & COPY_COUNTED]
