# SPDX-License-Identifier: GPL-2.0-or-later
"""
The samples of a profile of kflame as a recording of perf, and the kernel's symbols for it.

usage: same_samples.py PROFILE PERF-DATA KALLSYMS

Without idle ones: FlameGraph's scripts would draw them, and kflame does so only when asked.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/..", HERE + "/../../e2e"]
sys.dont_write_bytecode = True
import kfl
import perf_data


def write_kallsyms(profile, path):
    """Return: where the kernel begins and ends."""
    symbols = sorted(profile.ksyms)
    with open(path, "w", encoding="utf-8") as out:
        print("%016x T _text" % symbols[0][0], file=out)  # perf wants it
        for start, _, name in symbols:
            print("%016x t %s" % (start, name.split(" ")[0]), file=out)
    return symbols[0][0], max(end for _, end, _ in symbols)


def threads_of(profile):
    """Threads are counted by name: each name of a process gets a number.  Return: pid, tid"""
    threads = {}
    for count in profile.counts:
        key = count.aspace, count.comm
        if key not in threads:
            tid = 100000 + len(threads)
            threads[key] = profile.aspaces[count.aspace].tgid if count.aspace else tid, tid
    return threads


def events(profile, in_kernel):
    threads = threads_of(profile)
    found = [perf_data.mmap_kernel(*in_kernel)]
    for aspace in profile.aspaces.values():
        found += [perf_data.mmap(aspace.tgid, m.start, m.end - m.start, m.offset,
                                 os.fsencode(profile.files[m.file].path))
                  for m in profile.mappings[aspace.id] if m.file]
    found += [perf_data.comm(pid, tid, comm.encode()) for (_, comm), (pid, tid) in threads.items()]
    at = 0
    for count in profile.counts:
        if count.context in (kfl.CTX_IDLE, kfl.CTX_GAP):
            continue
        kernel, user = (profile.stacks[number].ip if number else ()
                        for number in (count.kstack, count.ustack))
        for _ in range(count.samples if kernel or user else 0):
            at += perf_data.PERIOD_NS
            found.append(perf_data.sample(*threads[count.aspace, count.comm], at, kernel, user))
    return found


def main():
    path, data, kallsyms = sys.argv[1:]
    profile = kfl.Profile(path)
    perf_data.write(data, events(profile, write_kallsyms(profile, kallsyms)))


if __name__ == "__main__":
    main()
