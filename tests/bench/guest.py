#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
guest.py - the part of the benchmark that runs in the guest; see run

usage: guest.py RATE ROUNDS TIMES [LOAD.PROFILER...]	(KFLAME_BUILD, KFLAME_MODULE: as for tests)

Prints a line "result NAME ..." for each load and profiler, of sysh TIMES, all others between: of a load of
ROUNDS rounds, and of three times as many, the nanoseconds that these took; those of ROUNDS rounds
before them, in which the profiler begins; and how long the profiler's process ran in the former. Or
why it cannot run.
For kflame it also prints "profile NAME ...": for both lengths the samples, the bytes of the profile, the
kernel stacks by cached steps, and those by the kernel's unwinder.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("KFLAME_BUILD", os.path.join(ROOT, "build"))
WORKLOADS = os.path.join(BUILD, "tests/workload")
KFLAME = os.path.join(BUILD, "user/kflame")
MODULE = os.environ.get("KFLAME_MODULE", os.path.join(ROOT, "kmod/kflame.ko"))
TICK = os.path.join(os.path.dirname(MODULE), "../tests/bench/tick/tick.ko")
PROFILE = "/tmp/k.data"
RATE, ROUNDS, TIMES, ONLY = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
# program, and how many of its rounds are one of the first one's
LOADS = {"fixed": ("fixed", 1), "sysh": ("fixed-sysh", 2), "new": ("fixed-new", 6)}


def run(*argv):
    """The load's nanoseconds, as tests/workload/fixed.c tells them, when argv runs it."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    for line in done.stdout.split("\n"):
        if line.startswith("fixed "):
            return [int(ns) for ns in line.split()[1:]]
    raise RuntimeError("%s: status %d: %s" % (argv[0], done.returncode, done.stderr[-500:]))


def profile_of():
    """What kflame has recorded: samples, bytes, kernel stacks by cached steps and by the unwinder."""
    raw = subprocess.run([KFLAME, "info", "--raw", "-i", PROFILE], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    raw_info = dict(line.split("=", 1) for line in raw.splitlines() if "=" in line)
    return [int(raw_info[key]) for key in ("profile.samples", "profile.bytes", "stat.kstacks_learnt",
                                           "stat.kstacks_left")]


def bench(load, name, argv, insmod=()):
    """A short run that is thrown away, then the two that count; insmod: a module for it."""
    name = "%s.%s" % (load, name)
    if ONLY and name not in ONLY:
        return
    if argv and not shutil.which(argv[0]):
        print("result %s absent: no %s here" % (name, argv[0]), flush=True)
        return
    program, times = LOADS[load]
    try:
        if insmod:
            subprocess.run(["insmod", *insmod], check=True)
        took, profiles = [], []
        for rounds, warm in (ROUNDS // 10, 0), (ROUNDS, ROUNDS), (3 * ROUNDS, ROUNDS):
            took.append(run(*argv, os.path.join(WORKLOADS, program), str(rounds * times),
                            str(warm * times)))
            if KFLAME in argv:
                profiles.append(profile_of())
        # of the load alone this program is the parent
        if not argv:
            took = [[ns, warm, 0] for ns, warm, _ in took]
        if profiles:
            print("profile", name, *profiles[1], *profiles[2])
        print("result", name, *took[1], *took[2], flush=True)
    except (RuntimeError, subprocess.CalledProcessError) as why:
        print("result %s failed: %s" % (name, str(why).replace("\n", " ")), flush=True)
    finally:
        if insmod:
            module = os.path.basename(insmod[0]).split(".")[0]
            subprocess.run(["rmmod", module], check=False)


def measure(load):
    bench(load, "base", ())
    bench(load, "tick", (), (TICK, "freq=" + RATE))
    record = (KFLAME, "record", "-a", "-F", RATE, "--budget", "0", "-o", PROFILE)
    bench(load, "kflame", (*record, "-g", "fp", "--"), (MODULE,))
    bench(load, "kflame-auto", (*record, "--"), (MODULE,))
    bench(load, "kflame-regs", (*record, "-g", "fp", "--"), (MODULE, "learn=0"))
    bench(load, "kflame-save", (*record, "-g", "fp", "--unwind", "save", "--"), (MODULE,))
    bench(load, "perf", ("perf", "record", "-a", "-g", "-e", "cpu-clock", "-F", RATE,
                         "-o", "/tmp/perf.data", "--"))
    # bpftrace wants the command as one word
    if shutil.which("bpftrace"):
        script = "profile:hz:%s { @[kstack, ustack, comm] = count(); }" % RATE
        bench(load, "bpftrace", ("/bin/sh", "-c", 'exec bpftrace -e "$0" -c "$*"', script))


def main():
    os.chdir("/tmp")
    # perf lowers its rate by itself when a sample takes long: it does here
    limit = "/proc/sys/kernel/perf_cpu_time_max_percent"
    if os.path.exists(limit):
        with open(limit, "w", encoding="ascii") as file:
            file.write("0")
    # what tidies memory does so when it likes, for millions of instructions
    with open("/sys/kernel/mm/transparent_hugepage/enabled", "w", encoding="ascii") as file:
        file.write("never")
    # where a process has its mappings decides whether a page of page tables comes and goes with one: 2% of sysh
    with open("/proc/sys/kernel/randomize_va_space", "w", encoding="ascii") as file:
        file.write("0")
    # as many digits in every pid, or stat(2) of a proc file costs another sum
    for _ in range(150):
        subprocess.run(["/bin/true"], check=True)
    for load in LOADS:
        measure(load)
        # how the kernel's slabs lie, and what it does besides when it likes, is seen in this one only
        if load == "sysh":
            for _ in range(TIMES - 1):
                measure(load)
        else:
            bench(load, "base", ())


if __name__ == "__main__":
    main()
