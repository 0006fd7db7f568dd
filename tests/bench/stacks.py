#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
stacks.py - many distinct folded stacks, as a large service would give them

usage: tests/bench/stacks.py [--stacks N] [--functions N] [--shuffle]

Walks through a random call graph: each function calls two to eight others, some far more
often than others.  Sorted, as every stackcollapse program and 'kflame fold' write them, or
shuffled.  The same arguments give the same bytes.
"""

import argparse
import random
import sys

WORDS = ["read", "parse", "alloc", "queue", "index", "merge", "compute", "hash", "encode",
         "flush", "lock", "visit", "std::vector<int, std::allocator<int> >::push_back",
         "core::iter::adapters::map::fold", "handle_request", "vfs"]
COMMS = ["worker", "io", "main", "gc", "net", "flush", "timer", "log"]


def call_graph(functions):
    names = ["%s_%d%s" % (random.choice(WORDS), i, "_[k]" if i % 7 == 0 else "")
             for i in range(functions)]
    return names, [random.sample(range(functions), random.randint(2, 8))
                   for _ in range(functions)]


def walk(calls):
    stack = [random.randrange(4)]
    for _ in range(random.randint(3, 30)):
        callees = calls[stack[-1]]
        stack.append(callees[int(len(callees) * random.random() ** 5)])
    return stack


def main():
    parser = argparse.ArgumentParser(usage=__doc__.strip())
    parser.add_argument("--stacks", type=int, default=1000000)
    parser.add_argument("--functions", type=int, default=8000)
    parser.add_argument("--shuffle", action="store_true")
    options = parser.parse_args()
    random.seed(1)
    names, calls = call_graph(options.functions)
    seen = {}
    while len(seen) < options.stacks:
        line = random.choice(COMMS) + ";" + ";".join(names[f] for f in walk(calls))
        seen[line] = seen.get(line, 0) + 1
    lines = list(seen.items()) if options.shuffle else sorted(seen.items())
    sys.stdout.writelines("%s %d\n" % line for line in lines)


if __name__ == "__main__":
    main()
