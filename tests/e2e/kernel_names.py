# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel addresses from /proc/kallsyms, read apart from the tool."""

import bisect


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
