# SPDX-License-Identifier: GPL-2.0-or-later
"""
What tests/run and tests/matrix share: the suites, how one is run, how its TAP is counted.

A suite prints TAP or KTAP.  A test of its plan that it never reported, because the program
crashed, counts as failed; so does a suite that fails without saying which test it was.  Where
a guest dies, the test that ran is one failure, with the first line of what the kernel said, and the
tests after it run in another guest.
"""

import collections
import functools
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build/check")

Suite = collections.namedtuple("Suite", "name kernel title argv")
Totals = collections.namedtuple("Totals", "passed failed skipped")

# What begins on this machine
HOST = {
    "self": ("what counts the results", ["tests/self/run.py"]),
    "unit": ("unit tests of the tool",
             ["make", "-s", "-j%d" % os.cpu_count(), "-C", "user", "test"]),
    "static": ("warnings, sparse, layout of the interface", ["tests/static.sh"]),
    "fuzz": ("replay of the fuzzers' corpus", ["make", "-s", "-C", "tests/fuzz", "replay"]),
    "send": ("the agent's sender, against receivers in trouble", ["tests/agent/send.py"]),
    "demo": ("the README's first command", ["tests/demo.sh"]),
    "board": ("a board: arm64, 64 MB, busybox only", ["tests/board.sh"]),
    "secure-boot": ("signed and not, on a machine with Secure Boot", ["tests/secure-boot.sh"]),
    "panic": ("the flight recorder in a kernel that panics", ["tests/panic.sh"]),
    "packaging": ("packages, DKMS and signing, in a chroot", ["tests/packaging/run.sh"]),
    "browser": ("the flame graph in a browser", ["tests/browser/check-flame.sh"]),
    "view": ("the viewer in a browser", ["tests/browser/check-view.sh"]),
    "labs": ("labs that are graded on this machine", ["tests/labs/run.py", "host"]),
    "labs-guest": ("labs that are measured in guests", ["tests/labs/run.py", "guest"]),
}
# What runs in one: title, tests, options of guest.sh. Few guests: to boot one takes as
# long as several tests. The last test of "harm" makes the kernel
# refuse modules for good.
GUEST = {
    "core": ("device, stacks, insmod-then-read",
             ["kernel", "device", "stacks", "events", "learnt", "plans", "insmod"], []),
    # What differs most between kernels
    "basics": ("device, events, insmod-then-read", ["device", "events", "insmod"], []),
    "main": ("main job, filters, one step, timeline",
             ["truth", "killed", "filters", "guest", "one_step", "timeline", "top"], []),
    "agent": ("the agent: an endless session in cuts", ["agent"], []),
    # Here one CPU of the guest runs at a time: see held() in test_events.py
    "offcpu": ("time off the CPU", ["offcpu", "sleepers", "summary"], ["--accel", "tcg,thread=single"]),
    "storms": ("many switches, and storms of threads that wait", ["switches", "wait_storms"],
               ["--accel", "tcg,thread=single"]),
    # One CPU of the guest runs at a time. Otherwise QEMU 7.2 may never see that a breakpoint was removed
    "probes": ("kprobes, their returns, tracepoints and uprobes",
               ["probes", "returns", "operands", "uprobes", "uretprobes"], ["--accel", "tcg,thread=single"]),
    "events": ("what hits are about, system calls, pairs of tracepoints, many functions, planted problems",
               ["labels", "syscalls", "pairs", "many", "culprits"], ["--accel", "tcg,thread=single"]),
    "switches": ("a million switches, and those of 400 threads, on four CPUs", ["switches"],
                 ["--cpus", "4"]),
    "hostile": ("bad input, files and names that somebody else made, where output goes",
                ["bad_input", "hostile", "outputs"], []),
    "names": ("names, control groups, doctor",
              ["symbols", "changed", "ksyms", "vmlinux", "cgroups", "doctor"], []),
    # The tracer patches functions: see "probes"
    "trace": ("the kernel's tracer", ["trace"], ["--accel", "tcg,thread=single"]),
    "tracers": ("cached unwind steps under tracers, on one CPU", ["tracers"], ["--cpus", "1"]),
    "recorder": ("the flight recorder and its triggers", ["recorder", "recorder_triggers"], []),
    "accounting": ("accounting, unwind tables, rate", ["accounting", "tables", "rate"], []),
    "interpreters": ("functions of interpreted programs", ["interpreters", "perl"], []),
    "pythons": ("Python of each version that can be had", ["pythons"], []),
    "unwind": ("user stacks without frame pointers", ["unwind"], []),
    "unwind-all": ("user stacks without frame pointers, deep ones, and Debian's programs", ["unwind"], []),
    "copies": ("copies of user stacks", ["dump"], []),
    "explain": ("one sample, taken apart", ["explain"], []),
    "lowres": ("accounting without high resolution timers", ["accounting"], ["--append", "highres=off"]),
    "tsc": ("accounting on an unstable clock", ["accounting"], ["--append", "tsc=unstable"]),
    "short-smp": ("short processes on several CPUs", ["short_processes"], []),
    "short": ("short processes, long waits, what is met again, on a clock that counts instructions",
              ["short_processes", "drain", "met"], ["--icount=0"]),
    "pressure": ("full memory, clocks", ["memory", "clocks"], []),
    "harm": ("hotplug, cycles, hostile programs, files, real-time tasks, signatures",
             ["hotplug", "cycles", "attack", "files", "held", "fifo", "permission"], []),
    # Of "harm" what "checked" does not have
    "held": ("files that stay, real-time tasks, signatures", ["files", "held", "fifo", "permission"], []),
    "checked": ("hotplug, cycles, hostile programs, random calls, no memory at any place",
                ["hotplug", "cycles", "attack", "fuzz", "faults"], []),
    "calls": ("random calls, and no memory at any place", ["fuzz", "faults"], []),
}
# Seconds that no test takes, on a machine with other work, less those that long counts add
LONGEST = 300
# The debug kernel checks everything it does, and takes its time; and a quarter of the memory
SLOW = {"debug": 5}
MEMORY = {"debug": "2G"}


def module(kernel):
    return os.path.join(ROOT, "build/modules", kernel, "kmod/kflame.ko")


def host_suites(wanted):
    return [Suite(name, None, *HOST[name]) for name in HOST if name in wanted]


@functools.cache
def pythons():
    """Unpack the Pythons of other Debian releases; their directory. Tests of those that cannot be had are skipped."""
    done = subprocess.run(["scripts/pythons.sh"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, check=False)
    return done.stdout.strip()


def guest_suites(kernel, programs, scale, wanted, seconds=1):
    """
    Its suites. programs: where scripts/build-user.sh put those of its architecture; scale: the
    part of long counts, seconds: of long recordings.
    """
    result = []
    for name in GUEST:
        if name not in wanted:
            continue
        title, tests, options = GUEST[name]
        log = os.path.join(LOGS, "%s-%s.console" % (kernel, name))
        argv = ["tests/vm/guest.sh", "--kernel", kernel, "--log", log, *options,
                "--mem", MEMORY.get(kernel, "1G"),
                "--timeout", str(round(LONGEST * SLOW.get(kernel, 1) * (1 + scale))),
                "--", "env", "KFLAME_BUILD=" + programs, "KFLAME_MODULE=" + module(kernel),
                "KFLAME_SCALE=%g" % scale, "KFLAME_SECONDS=%g" % seconds,
                *(["KFLAME_UNWIND=all"] if name == "unwind-all" else []),
                *(["KFLAME_PYTHONS=" + pythons()] if "pythons" in tests else []),
                "KFLAME_PATIENCE=%d" % SLOW.get(kernel, 1),
                "tests/e2e/run.py", *tests]
        result.append(Suite("%s on %s" % (name, kernel), kernel, title, argv))
    return result


class Tap:
    """Counts the results of one TAP stream, which may hold several plans."""

    LINE = re.compile(r"^(ok|not ok)\b\s*\d*\s*(?:-\s*)?(.*?)(#\s*skip.*)?$", re.IGNORECASE)
    PLAN = re.compile(r"^1\.\.(\d+)(\s*#\s*skip.*)?\s*$", re.IGNORECASE)

    def __init__(self):
        self.passed = self.skipped = 0
        self.failures = []
        self.plans = 0
        self._planned = self._seen = 0

    def feed(self, line):
        plan = self.PLAN.match(line)
        result = self.LINE.match(line)
        if plan:
            self._close()
            self._planned, self._seen = int(plan[1]), 0
            self.plans += 1
            # a suite that runs none of its tests says why
            self.skipped += bool(plan[2])
        elif result:
            self._seen += 1
            # cmocka calls a test that was skipped "not ok"
            if result[3]:
                self.skipped += 1
            elif result[1] == "not ok":
                self.failures.append(result[2].strip())
            else:
                self.passed += 1

    def _close(self):
        for _ in range(self._planned - self._seen):
            self.failures.append("a test that was planned and never reported")
        self._planned = self._seen = 0

    def died(self, why):
        """
        In the middle of a plan.  Returns how many tests of it are over, with the one that ran,
        which has failed; 0 where all were reported.
        """
        if self._seen >= self._planned:
            return 0
        over = self._seen + 1
        self.failures.append("test %d, in which the guest died: %s" % (over, why))
        self._planned = self._seen = 0
        return over

    def finish(self, status):
        self._close()
        if not self.plans:
            self.failures.append("no test was started")
        elif status and not self.failures:
            self.failures.append("the suite failed: exit status %d" % status)


SPLAT = re.compile(r"^(?!#).*(no end after |WARNING: |BUG: |Oops|KASAN|KCSAN|UBSAN|Kernel panic|INFO: task).*")
GUEST_DIED = 125  # see guest.sh
MOST_GUESTS = 5


def run_once(argv, tap, out):
    """Returns the exit status, and the first line that a kernel complained with."""
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
    splat = ""
    with subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=environment, text=True, errors="replace") as child:
        for line in child.stdout:
            print(line, end="", file=out, flush=True)
            tap.feed(line.rstrip("\n"))
            if not splat and SPLAT.match(line):
                splat = line.strip()
    return child.returncode, splat


def without(argv, over):
    """The command of a guest's suite, less its first tests."""
    at = argv.index("env") + 1
    return [*argv[:at], "KFLAME_OVER=%d" % over, *argv[at:]]


def run_suite(suite, out=sys.stdout):
    """Run it and count; everything it says goes to the file out."""
    print("\n== %s" % suite.title, file=out, flush=True)
    begin = time.monotonic()
    tap = Tap()
    argv, over = suite.argv, 0
    for _ in range(MOST_GUESTS):
        status, splat = run_once(argv, tap, out)
        more = tap.died(splat or "it says nothing of why") if status == GUEST_DIED else 0
        if not more:
            break
        over += more
        print("# the tests after it, in another guest", file=out, flush=True)
        argv = without(suite.argv, over)
    tap.finish(status)
    for failure in tap.failures:
        print("FAILED in %s: %s" % (suite.name, failure), file=out, flush=True)
    print("-- %s: %d passed, %d failed, %d skipped, %.0f s"
          % (suite.name, tap.passed, len(tap.failures), tap.skipped,
             time.monotonic() - begin), file=out, flush=True)
    return Totals(tap.passed, len(tap.failures), tap.skipped)


def build(*argv, out=sys.stdout):
    """Run a command that builds; false, and said, if it failed."""
    done = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, check=False,
                          stdout=out, stderr=subprocess.STDOUT)
    if done.returncode:
        print("FAILED: %s; what needs it was not run" % " ".join(argv), file=out, flush=True)
    return not done.returncode


def build_modules(kernel, out=sys.stdout):
    """Ours, and those that tests load beside it."""
    return build("scripts/build-module.sh", "--test-modules", kernel, out=out)


def is_source(kernel):
    """Is it a name that scripts/source-kernel.sh printed? Such a kernel is in no list."""
    return kernel.startswith("source-")


def arch_of(kernel):
    """Its architecture, as scripts/kernels/list has it. From source there is x86-64 only."""
    if is_source(kernel):
        return "x86_64"
    with open(os.path.join(ROOT, "scripts/kernels/list"), encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words and words[0] == kernel:
                return words[1]
    sys.exit("no kernel %s; there are: %s" % (kernel, " ".join(kernels())))


def kernels():
    done = subprocess.run(["scripts/guest-kernel.sh", "--list"], cwd=ROOT, check=True, text=True,
                          stdout=subprocess.PIPE)
    return done.stdout.split()


def programs_for(arch):
    """Build the tool and the programs that tests run; the directory, or None and said."""
    done = subprocess.run(["scripts/build-user.sh", arch], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print("FAILED: scripts/build-user.sh %s; what needs it was not run" % arch, flush=True)
        return None
    return done.stdout.strip()
