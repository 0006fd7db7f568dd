#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
guest.py - the part of the benchmark of unwinding that runs in the guest; see run

usage: guest.py RATE ROUNDS...	(KFLAME_ONLY: these ways, with commas between; empty: all)

Prints a line for each way: name; of each length the nanoseconds of the load, and those of as many
rounds as the first length has before it, in which the profiler begins (0 where there is one length);
bytes of the last profile. Or why it cannot run.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]
LOAD = os.path.join(ROOT, "build/tests/workload/fixed-user")
KFLAME = os.path.join(ROOT, "build/user/kflame")


def run(*argv):
    """The load's nanoseconds, and those before it, when argv runs it."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    for line in done.stdout.split("\n"):
        if line.startswith("fixed "):
            return [int(ns) for ns in line.split()[1:3]]
    raise RuntimeError("%s: status %d: %s" % (argv[0], done.returncode, done.stderr[-500:]))


def bench(name, profile, *argv, rounds):
    """With several lengths, a run that is thrown away, then those that count."""
    only = os.environ.get("KFLAME_ONLY")
    if only and name != "base" and name not in only.split(","):
        return
    if not shutil.which(argv[0]):
        print("result %s absent: no %s here" % (name, argv[0]), flush=True)
        return
    try:
        warm = rounds[0] if len(rounds) > 1 else "0"
        if len(rounds) > 1:
            run(*argv, rounds[0], warm)
        took = [ns for number in rounds for ns in run(*argv, number, warm)]
        print("result", name, *took, os.path.getsize(profile) if profile else 0, flush=True)
    except (RuntimeError, OSError) as why:
        print("result %s failed: %s" % (name, str(why).replace("\n", " ")), flush=True)


def main():
    rate, rounds = sys.argv[1], sys.argv[2:]
    os.chdir("/tmp")
    with open("/proc/sys/kernel/perf_cpu_time_max_percent", "w", encoding="ascii") as file:
        file.write("0")
    bench("base", None, LOAD, rounds=rounds)
    subprocess.run(["insmod", ROOT + "/kmod/kflame.ko"], check=True)
    for way in ("fp", "auto", "dwarf", "dump"):
        bench("kflame-" + way, "k.data", KFLAME, "record", "-a", "-F", rate, "--budget", "0", "-g",
              way, "-o", "k.data", "--", LOAD, rounds=rounds)
    subprocess.run(["rmmod", "kflame"], check=True)
    for way in ("fp", "dwarf"):
        bench("perf-" + way, "perf.data", "perf", "record", "-a", "--call-graph", way, "-e",
              "cpu-clock", "-F", rate, "-o", "perf.data", "--", LOAD, rounds=rounds)


if __name__ == "__main__":
    main()
