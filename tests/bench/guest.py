#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
guest.py - the part of the benchmark that runs in the guest; see run

Prints one line a profiler: name, nanoseconds of the load, or why it cannot run.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXED = os.path.join(ROOT, "build/tests/workload/fixed")
KFLAME = os.path.join(ROOT, "build/user/kflame")


def run(*argv):
    """The load's nanoseconds, when argv runs it."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    for line in done.stdout.split("\n"):
        if line.startswith("fixed "):
            return int(line.split()[1])
    raise RuntimeError("%s: status %d: %s" % (argv[0], done.returncode, done.stderr[-500:]))


def bench(name, *argv, before=(), after=()):
    """One run that is thrown away, then the one that counts."""
    if not (os.path.exists(argv[0]) or shutil.which(argv[0])):
        print("result %s absent: no %s here" % (name, argv[0]), flush=True)
        return
    try:
        if before:
            subprocess.run(before, check=True)
        run(*argv)
        print("result %s %d" % (name, run(*argv)), flush=True)
    except (RuntimeError, subprocess.CalledProcessError) as why:
        print("result %s failed: %s" % (name, str(why).replace("\n", " ")), flush=True)
    finally:
        if after:
            subprocess.run(after, check=False)


def main():
    rate, rounds = sys.argv[1:]
    os.chdir("/tmp")
    # perf lowers its rate by itself when a sample takes long: it does here
    with open("/proc/sys/kernel/perf_cpu_time_max_percent", "w", encoding="ascii") as file:
        file.write("0")
    # as many digits in every pid, or stat(2) of a proc file costs another sum
    for _ in range(150):
        subprocess.run(["/bin/true"], check=True)
    load = (FIXED, rounds)
    bench("base", *load)
    bench("base-again", *load)
    bench("tick", *load, before=("insmod", ROOT + "/build/bench/tick/tick.ko", "freq=" + rate),
          after=("rmmod", "tick"))
    subprocess.run(["insmod", ROOT + "/kmod/kflame.ko"], check=True)
    for way in ("regs", "save"):
        bench("kflame-" + way, KFLAME, "record", "-a", "-F", rate, "--budget", "0",
              "--unwind", way, "-o", "/tmp/k.data", "--", *load)
    subprocess.run(["rmmod", "kflame"], check=True)
    bench("perf", "perf", "record", "-a", "-g", "-e", "cpu-clock", "-F", rate,
          "-o", "/tmp/perf.data", "--", *load)
    bench("bpftrace", "bpftrace", "-e", "profile:hz:%s { @[kstack, ustack, comm] = count(); }" % rate,
          "-c", " ".join(load))


if __name__ == "__main__":
    main()
