#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
functions.py - are another tool's functions those of folded stacks, to the unit?

usage: ... | functions.py FOLDED

Standard input has a JSON list [NAME, SELF, TOTAL] a line, one for each function that the tool knows.
A name that it has several times, of different files, is compared by self alone: what of the totals is
in one stack is not told.
"""

import collections
import json
import sys


def main():
    own, total, rows = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as f:
        for line in f:
            stack, count = line.rsplit(" ", 1)
            names = stack.split(";")
            own[names[-1]] += int(count)
            for name in set(names):
                total[name] += int(count)
    for line in sys.stdin:
        name, *weights = json.loads(line)
        # What separates folded stacks they have as another character
        rows[name.replace(";", ":")].append([round(w) for w in weights])
    if set(rows) != set(total):
        sys.exit("names in one and not in the other: %s" % sorted(set(rows) ^ set(total))[:5])
    for name, weights in rows.items():
        if sum(w[0] for w in weights) != own[name]:
            sys.exit("%s: self %s, %d in folded stacks" % (name, weights, own[name]))
        if len(weights) == 1 and weights[0][1] != total[name]:
            sys.exit("%s: total %d, %d in folded stacks" % (name, weights[0][1], total[name]))
    print("# %d functions of %d samples, the same self and total" % (len(rows), sum(own.values())))


if __name__ == "__main__":
    main()
