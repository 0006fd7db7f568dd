#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
tidy.py - folded stacks, names cut as stackcollapse-perf.pl cuts them; standard input to output

A frame ends at its first "(" (but of "(anonymous namespace)", and of Go's methods), loses its quotes,
and is two where it has "->"; blanks of the thread's name are "_".
"""

import collections
import re
import sys


def tidy(name):
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
    return name.replace('"', "").replace("'", "")


sums = collections.Counter()
for line in sys.stdin:
    stack, count = line.rsplit(" ", 1)
    thread, *frames = stack.split(";")
    frames = [tidy(part) for f in frames for part in f.split("->") if not f.startswith("(")]
    sums[";".join([thread.replace(" ", "_"), *frames])] += int(count)
for stack, count in sums.items():
    print(stack, count)
