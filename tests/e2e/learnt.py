# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of cached unwind steps share: a recording in which each stack is walked both ways."""

import platform
import re

from harness import (check, lasting, load, matches, note, raw_info, record, run, start, workload,
                     Skipped)


def needs_learning():
    """On arm64, and where the unwinder is ORC: this function of that is in no other kernel."""
    if platform.machine() == "aarch64":
        return
    with open("/proc/kallsyms", encoding="ascii") as file:
        if not matches(r" unwind_module_init$", file.read()):
            raise Skipped("this kernel's unwinder is not ORC")


def counters(path):
    """How many kernel stacks were walked by cached steps, and by the kernel's unwinder."""
    raw = raw_info(path)
    return [int(raw["stat.kstacks_learnt"]), int(raw["stat.kstacks_left"])]


def load_checking():
    """Load the module such that it walks both ways; what it logged before is forgotten."""
    load("learn_check=1")
    run(["dmesg", "-C"])


def same_both_ways():
    """
    Check the last recording, made with learn_check: no stack differs, and if there are many, a
    quarter of them was matched by their callers.

    Return: how many were walked both ways.
    """
    log = run(["dmesg"]).stdout
    found = re.findall(r"learn_check: (\d+) kernel stacks, (\d+) differ; (\d+) matched by", log)
    check(found, "nothing of learn_check in the log")
    seen, differ, by_callers = (int(number) for number in found[-1])
    note("%d kernel stacks both ways, %d of them matched by their callers" % (seen, by_callers))
    check(seen < 1000 or by_callers > seen / 4, "%d of %d stacks were matched by their callers"
          % (by_callers, seen))
    check(not differ, "%d of %d stacks differ:\n%s"
          % (differ, seen, "\n".join(log.split("\n")[-60:])))
    return seen


def user_stacks_same():
    """
    Of the recording that ended last, with learn_check: no user stack differed.

    Return: how many were walked both ways.
    """
    log = run(["dmesg"]).stdout
    found = {}
    for seen, cpu, differ in re.findall(r"learn_check: (\d+) user stacks on CPU (\d+), (\d+) differ", log):
        found[cpu] = (int(seen), int(differ))
    check(found, "nothing of learn_check in the log")
    differ = sum(differ for _, differ in found.values())
    check(not differ, "%d user stacks differ:\n%s" % (differ, "\n".join(log.split("\n")[-60:])))
    return sum(seen for seen, _ in found.values())


def checked(name):
    """
    Record all CPUs under a mixed load, each stack walked both ways.

    Return: stacks by cached steps, and stacks that fell back to the unwinder.
    """
    load_checking()
    spawn = 'while :; do /bin/true; dd if=/bin/sh of=/tmp/copied bs=4096 count=64; sleep 0.05; done'
    loads = [start([workload("fixed-sysh"), "100000000"]),
             start(["/bin/sh", "-c", spawn + " 2>/dev/null"])]
    path = record("cached-" + name, "-a", "-F", 1999, "-g", "fp", "-d", lasting(1))
    for child in loads:
        child.kill()
        child.wait()
    cached, left = counters(path)
    note("%s: %d stacks by cached steps, %d (%.1f%%) left to the unwinder"
         % (name, cached, left, 100 * left / max(1, cached + left)))
    seen = same_both_ways()
    check(seen == cached, "%d stacks were checked, %d walked by cached steps" % (seen, cached))
    check(cached, "no stack was walked by cached steps")
    return cached, left
