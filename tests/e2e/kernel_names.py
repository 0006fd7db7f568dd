# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel addresses from /proc/kallsyms, read apart from the tool; and hiding them."""

import bisect
import contextlib

from harness import check

RESTRICT = "/proc/sys/kernel/kptr_restrict"


class KernelNames:
    def __init__(self):
        symbols, self._all = [], {}
        with open("/proc/kallsyms", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                # arm64's mapping symbols are no functions
                if fields[1] in "tTwW" and not fields[2].startswith("$"):
                    module = " " + fields[3] if len(fields) > 3 else ""
                    symbols.append((int(fields[0], 16), fields[2] + module))
                    self._all.setdefault(symbols[-1][0], []).append(symbols[-1][1])
        symbols.sort()
        self._starts = [start for start, _ in symbols]
        self._names = [name for _, name in symbols]

    def name(self, address):
        """ "function" or "function [module]"."""
        at = bisect.bisect_right(self._starts, address) - 1
        return self._names[at] if at >= 0 else "?"

    def all_names(self, address):
        """Those of all functions that begin where the one of that address does, as they come."""
        at = bisect.bisect_right(self._starts, address) - 1
        return self._all[self._starts[at]] if at >= 0 else []

    def of_stack(self, ip):
        """Names of a stack, innermost first; return addresses belong to the call."""
        return [self.name(address if i == 0 else address - 1) for i, address in enumerate(ip)]


@contextlib.contextmanager
def restricted():
    """/proc/kallsyms shows zeroes to everybody."""
    with open(RESTRICT, encoding="ascii") as file:
        before = file.read()
    set_restrict("2")
    try:
        with open("/proc/kallsyms", encoding="ascii") as file:
            check(not any(int(line.split()[0], 16) for line in file), "kallsyms is not hidden")
        yield
    finally:
        set_restrict(before)


def set_restrict(value):
    with open(RESTRICT, "w", encoding="ascii") as file:
        file.write(value)
