# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel addresses from /proc/kallsyms, read apart from the tool."""

import bisect


class KernelNames:
    def __init__(self):
        symbols = []
        with open("/proc/kallsyms", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if fields[1] in "tTwW":
                    module = " " + fields[3] if len(fields) > 3 else ""
                    symbols.append((int(fields[0], 16), fields[2] + module))
        symbols.sort()
        self._starts = [start for start, _ in symbols]
        self._names = [name for _, name in symbols]

    def name(self, address):
        """ "function" or "function [module]"."""
        at = bisect.bisect_right(self._starts, address) - 1
        return self._names[at] if at >= 0 else "?"

    def of_stack(self, ip):
        """Names of a stack, innermost first; return addresses belong to the call."""
        return [self.name(address if i == 0 else address - 1) for i, address in enumerate(ip)]
