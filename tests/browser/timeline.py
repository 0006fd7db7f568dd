#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
timeline.py - writes a small profile in order of time, for the flame chart and the heat map

usage: timeline.py FILE

Four seconds of two CPUs, a sample each 10 ms. On CPU 0, a thread calls first_half and second_half
in turn, for half a second each; on CPU 1 another one runs for the third second only.
"""

import struct
import sys

STEP = 10_000_000
START = 1_000_000_000
NO_CANDIDATE = 0xFFFFFFFF
BASE = 0xFFFFFFFF81000000
FUNCTIONS = ["main", "first_half", "second_half", "other"]


def address(function):
    return BASE + 0x1000 * FUNCTIONS.index(function) + 4


class Writer:
    def __init__(self):
        self.data = struct.pack("<8s4IQ", b"KFLAME\r\n", 1, 0x01020304, 32, 0, 0)
        self.records = 0

    def record(self, kind, body):
        body += b"\0" * (-len(body) % 8)
        self.data += struct.pack("<2I", kind, 8 + len(body)) + body
        self.records += 1

    def stack(self, number, *functions):
        self.record(5, struct.pack("<Q4I", number, 1, 0, NO_CANDIDATE, len(functions)) +
                    struct.pack("<%dQ" % len(functions), *map(address, functions)))

    def count(self, number, stack, times, cpu, tid, comm):
        self.record(6, struct.pack("<6Q4I16sQ", 0, stack, 0, len(times), len(times) * STEP, 0, cpu,
                                   0, 10, tid, comm, number))

    def samples(self, upper, cpu, samples):
        self.record(7, struct.pack("<Q2I", upper, cpu, len(samples)) +
                    b"".join(struct.pack("<3Q2I", at, STEP, 0, count, 0) for at, count in samples))


def main():
    w = Writer()
    w.record(1, struct.pack("<2I6Q6I72s16s32s", 1, 1, 1 << 10, STEP, STEP, 1, START, 17 * 10 ** 17,
                            2048, 127, 127, 50, 2, 4096, b"6.1", b"x86_64", b"1"))
    w.stack(1, "first_half", "main")
    w.stack(2, "second_half", "main")
    w.stack(3, "other")
    turns = [(START + i * STEP, 1 + i // 50 % 2) for i in range(400)]
    for number in (1, 2):
        w.count(1 << 32 | number, number, [t for t, n in turns if n == number], 0, 10, b"turns")
    w.samples(1 << 32, 0, turns)
    third = [(START + 2_000_000_000 + i * STEP, 1) for i in range(100)]
    w.count(2 << 32 | 1, 3, third, 1, 11, b"third")
    w.samples(2 << 32, 1, third)
    for name in FUNCTIONS:
        start = address(name) - 4
        w.record(11, struct.pack("<2Q2I", start, start + 0x1000, len(name), 0) + name.encode() + b"\0")
    w.record(0x1FF, struct.pack("<Q", w.records))
    with open(sys.argv[1], "wb") as file:
        file.write(w.data)


if __name__ == "__main__":
    main()
