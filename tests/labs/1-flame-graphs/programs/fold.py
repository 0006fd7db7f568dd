#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
fold.py - folded stacks of raw ones, with names from nm

usage: fold.py PROGRAM RAW
"""

import bisect
import collections
import subprocess
import sys

program, raw = sys.argv[1:]
symbols = sorted((int(value, 16), name) for value, kind, name in (
    line.split() for line in subprocess.run(["nm", "--defined-only", program], check=True, text=True,
                                            stdout=subprocess.PIPE).stdout.splitlines()) if kind in "tTwWi")
starts = [value for value, _ in symbols]
ALIAS = {"__libc_write": "write", "__write": "write", "__clock_nanosleep": "clock_nanosleep"}


def name(address):
    at = bisect.bisect_right(starts, address) - 1
    if at < 0 or address - starts[at] > 0x10000:
        return "[unknown]"
    return ALIAS.get(symbols[at][1], symbols[at][1])


stacks = collections.Counter()
with open(raw, encoding="ascii") as file:
    for line in file:
        addresses = [int(word, 16) for word in line.split()]
        names = [name(address - (i > 0)) for i, address in enumerate(addresses)]
        stacks[";".join(names[::-1])] += 1
for stack, count in sorted(stacks.items()):
    print(stack, count)
