# SPDX-License-Identifier: GPL-2.0-or-later
"""
What the end-to-end tests share: running the tool, loading the module, KTAP.

A test is a function marked @test("what it shows").  It fails by raising; check()
raises with what was seen.  Everything runs in a guest, as root, in the work tree.
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import kfl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# where programs for this guest's architecture are, see scripts/build-user.sh
BUILD = os.environ.get("KFLAME_BUILD", os.path.join(ROOT, "build"))
KFLAME = os.path.join(BUILD, "user/kflame")
MODULE = os.environ.get("KFLAME_MODULE", os.path.join(ROOT, "kmod/kflame.ko"))
# see scripts/build-module.sh --test-modules
TEST_MODULES = os.path.join(os.path.dirname(os.path.dirname(MODULE)), "tests")
WORKLOADS = os.path.join(BUILD, "tests/workload")
TORTURE = os.path.join(BUILD, "tests/torture")
DEVICE = "/dev/kflame"
# how a frame begins that the tool has no name for
UNNAMED = ("[unmapped]", "[stripped", "[gone", "[changed", "[anonymous", "[kernel 0x")

TESTS = []
# Only its duration distinguishes a hang from work. A kernel with debug checks needs this many
# times as long for the same work
PATIENCE = int(os.environ.get("KFLAME_PATIENCE", "1"))
SCRATCH = tempfile.mkdtemp(prefix="kflame-e2e.")
if os.path.exists(MODULE):
    # a copy, without its debug data: to read it from the host takes half of the time of loading it
    STRIPPED = MODULE + ".stripped"
    MODULE = shutil.copy(STRIPPED if os.path.exists(STRIPPED) else MODULE, os.path.join(SCRATCH, "kflame.ko"))


class Failed(Exception):
    """A check that did not hold."""


class Skipped(Exception):
    """The test cannot be run here, or cannot judge what it saw, and why."""


def test(name):
    def mark(function):
        TESTS.append((name, function))
        return function

    return mark


def check(condition, *seen):
    """Fail with what was seen unless the condition holds."""
    if not condition:
        raise Failed(" ".join(str(part) for part in seen))


def note(text):
    """A line of diagnostics beside the results."""
    for line in str(text).rstrip("\n").split("\n"):
        print("# " + line, flush=True)


TAINT_OUT_OF_TREE, TAINT_UNSIGNED = 1 << 12, 1 << 13
KMEMLEAK = "/sys/kernel/debug/kmemleak"


def has_kmemleak():
    return os.path.exists(KMEMLEAK)


def nothing_leaked():
    """kmemleak: what nobody points to in two scans is lost."""
    unload()
    # an object younger than 5 s is not reported (MSECS_MIN_AGE, mm/kmemleak.c)
    oldest = time.monotonic() + 6
    wait_until(lambda: time.monotonic() > oldest, "the objects are old enough")
    for _ in range(2):
        with open(KMEMLEAK, "w", encoding="ascii") as file:
            file.write("scan")
    with open(KMEMLEAK, encoding="ascii") as file:
        leaks = file.read()
    check(not leaks, leaks)


def not_tainted():
    unload()
    with open("/proc/sys/kernel/tainted", encoding="ascii") as file:
        tainted = int(file.read())
    check(not tainted & ~(TAINT_OUT_OF_TREE | TAINT_UNSIGNED), "tainted is", tainted)
    if os.path.exists("/proc/lockdep_stats"):
        with open("/proc/lockdep_stats", encoding="ascii") as file:
            check(matches(r"debug_locks:\s+1", file.read()), "lockdep has found something")


def stop_fair_server():
    """
    6.12's deadline server warns when a CPU goes offline (dl_rq->running_bw > old), which ends a
    guest that panics at a warning.  It is none of ours.
    """
    for path in glob.glob("/sys/kernel/debug/sched/fair_server/cpu*/runtime"):
        try:
            with open(path, "w", encoding="ascii") as file:
                file.write("0")
        except OSError as error:
            note("%s: %s" % (path, error))


def main():
    """Run every test that was marked; print KTAP; exit 1 when one failed."""
    if os.path.exists("/proc/lockdep_stats"):
        stop_fair_server()
    if has_kmemleak():
        TESTS.append(("kmemleak finds nothing", nothing_leaked))
    TESTS.append(("the kernel has nothing to complain of", not_tainted))
    # Those that an earlier guest, which died, has had: see suites.py
    tests = TESTS[int(os.environ.get("KFLAME_OVER", "0")):]
    print("KTAP version 1\n1..%d" % len(tests), flush=True)
    failed = 0
    for number, (name, function) in enumerate(tests, 1):
        start = time.monotonic()
        if "KFLAME_HOST_FD" in os.environ:
            host("begin")
        result, directive = "ok", ""
        try:
            function()
        except Skipped as why:
            directive = " # SKIP %s" % why
        except Failed as why:
            result = "not ok"
            note(why)
        except subprocess.TimeoutExpired as why:
            result = "not ok"
            note(why)
        except Exception:  # a test must not take the others with it
            result = "not ok"
            note(traceback.format_exc())
        failed += result != "ok"
        stop_children()
        note("%.1f s" % (time.monotonic() - start))
        print("%s %d - %s%s" % (result, number, name, directive), flush=True)
    sys.exit(1 if failed else 0)


# ------------------------------------------------------------------ processes

_children = []


def start(argv, **options):
    """Start a process that is killed at the end of the test at the latest."""
    options.setdefault("text", True)
    child = subprocess.Popen(argv, **options)
    _children.append(child)
    return child


def stop_children():
    for child in _children:
        if child.poll() is None:
            child.send_signal(signal.SIGCONT)
            child.kill()
            child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream:
                stream.close()
    _children.clear()


def run(argv, status=0, timeout=240, **options):
    """Run to the end; check the exit status unless status is None."""
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=timeout * PATIENCE, **{"text": True, "errors": "replace", **options})
    if status is not None:
        check(done.returncode == status,
              "%s: exit status %d, not %d\n%s%s"
              % (" ".join(argv), done.returncode, status, done.stdout[-2000:], done.stderr[-2000:]))
    return done


def kflame(*argv, **options):
    return run([KFLAME, *(str(a) for a in argv)], **options)


def public_tool():
    """The tool where every user may run it: a clone below /root is closed to them. scratch() is open to them then."""
    os.chmod(SCRATCH, 0o777)
    return shutil.copy(KFLAME, scratch("kflame"))


def become_nobody():
    """For preexec_fn."""
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def workload(name):
    return os.path.join(WORKLOADS, name)


def torture(name):
    return os.path.join(TORTURE, name)


def needs_32bit():
    """Skip where 32-bit programs do not run, or were not built."""
    if not os.path.exists(torture("spin32")):
        raise Skipped("no 32-bit programs on this architecture")
    try:
        subprocess.run([torture("spin32")], check=False)
    except OSError as error:
        raise Skipped("this kernel runs no 32-bit programs: %s" % error.strerror) from error


def scaled(count):
    """Of a long count, the part that this run has time for (KFLAME_SCALE, default all)."""
    return max(1, round(count * float(os.environ.get("KFLAME_SCALE", "1"))))


def in_full():
    """Has this run time for all of a long count?"""
    return scaled(1000) >= 1000


def lasting(seconds):
    """Of a long recording, the part that this run has time for (KFLAME_SECONDS, default all)."""
    return max(1, round(seconds * float(os.environ.get("KFLAME_SECONDS", "1"))))


def scratch(name):
    return os.path.join(SCRATCH, name)


def wait_until(condition, what, seconds=60):
    """Wait for something of which the kernel sends no event."""
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        check(time.monotonic() < end, "not within %d s: %s" % (seconds * PATIENCE, what))
        time.sleep(0.01)


def host(request):
    """Ask the machine that runs the emulator for something, see guest.sh."""
    os.write(int(os.environ["KFLAME_HOST_FD"]), (request + "\n").encode())


# --------------------------------------------------------------------- module


def loaded():
    return os.path.exists("/sys/module/kflame")


def load(*parameters):
    """The module with these parameters; loaded afresh when there are any."""
    if parameters:
        unload()
    if not loaded():
        run(["insmod", MODULE, *parameters])


def unload():
    if loaded():
        run(["rmmod", "kflame"])


@contextlib.contextmanager
def quick_names():
    """
    The tool asks the module for the kernel's names that it needs, where to read all of
    /proc/kallsyms takes seven seconds: on a kernel that checks all it does.
    """
    if PATIENCE == 1:
        yield
        return
    run(["mount", "--bind", "/dev/null", "/proc/kallsyms"])
    try:
        yield
    finally:
        run(["umount", "/proc/kallsyms"])


def bearable(rate):
    """Of a rate, what leaves a kernel that checks all it does time for anything else."""
    return min(rate, 499) if PATIENCE > 1 else rate


def info():
    """KFLAME_IOC_INFO, as a dictionary."""
    names = ("size abi features resolution_ns min_period_ns max_period_ns memory_cap"
             " memory_used max_kdepth max_udepth cpu_limit nr_running version events").split()
    layout = "<2I6Q4I32sQ"
    size = struct.calcsize(layout)
    raw = bytearray(struct.pack("<I", size).ljust(size, b"\0"))
    device = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(device, 0xF700, raw)
    finally:
        os.close(device)
    return dict(zip(names, struct.unpack(layout, raw)))


# ------------------------------------------------------------------ recording


def record(name, *options, command=(), timeout=240, status=0):
    """
    Record with these options; returns the path of the profile.

    The budget is off, because an emulated machine is slow enough to have its
    period stretched; a test of the budget gives its own.
    """
    path = scratch(name + ".data")
    if "--budget" not in options:
        options += ("--budget", "0")
    done = kflame("record", *options, "-o", path, *(("--", *command) if command else ()),
                  timeout=timeout, status=status)
    note("record %s: %s" % (name, done.stderr.strip().split("\n")[-1]))
    return path


# If more than this part of a program's time came late, a busy machine took the CPU away. The program's own
# clock gives such time to whatever ran then, so its measure may be wrong: measure again.
MOST_LATE = 0.02
# With that much, no measure in the guest is worth anything. An emulated guest on an idle machine has less.
STARVED = 0.3


def enough(take, wanted, seconds, what="samples"):
    """
    Call take(seconds), which records and returns how much it saw, for longer and longer
    until that is enough to judge by: the timers of a machine that others use are late.
    """
    while True:
        got = take(seconds)
        if got >= wanted:
            return
        check(seconds < 120, "only %d %s in %d s" % (got, what, seconds))
        note("only %d %s in %d s: once more, for longer" % (got, what, seconds))
        seconds = min(120, max(seconds + 1, round(1.5 * seconds * wanted / max(got, 1))))


def right_unless_late(measure):
    """
    Call measure(), which returns what is wrong, "" for nothing, and the part of the program's time that came late.
    Measures again, at most twice, where a busy machine took the CPU away. Skips where it took most of it.
    """
    for attempt in range(3):
        wrong, late = measure()
        if wrong and attempt == 2 and late > STARVED:
            raise Skipped("the machine gave the guest too little CPU time: %.0f%% came late" % (100 * late))
        check(not wrong or (late > MOST_LATE and attempt < 2), wrong)
        if not wrong:
            return
        note("%s; %.1f%% of the time came late: once more" % (wrong, 100 * late))


def late_part(profile, comm):
    """The part of a command's time that came late."""
    counts = [count for count in profile.counts if count.comm == comm]
    return sum(count.late_ns for count in counts) / max(sum(count.weight_ns for count in counts), 1)


def balanced(path):
    """Read a profile, insist that its books balance, and that the tool says so."""
    profile = kfl.Profile(path)
    wrong = profile.imbalances()
    check(not wrong, "the books of %s do not balance:\n%s" % (path, "\n".join(wrong)))
    raw = raw_info(path)
    check(int(raw["samples"]) == profile.samples,
          "info says %s samples, the records %d" % (raw["samples"], profile.samples))
    check(int(raw["counted"]) == profile.counted,
          "info says %s counted, the records %d" % (raw["counted"], profile.counted))
    if profile.cpus:
        drawn = sum(folded(path).values())
        check(drawn == profile.counted, "fold draws %d samples of %d" % (drawn, profile.counted))
    for number, counts in profile.event_counts.items():
        drawn = sum(folded(path, "--event", profile.events[number].name).values())
        weight = sum(count.weight_ns for count in counts)
        check(drawn == weight, "fold draws %d of %s, of %d" % (drawn, profile.events[number].name, weight))
    return profile


def raw_info(path):
    lines = kflame("info", "--raw", "-i", path).stdout.split("\n")
    return dict(line.split("=", 1) for line in lines if "=" in line)


def folded(path, *options):
    """What `kflame fold` prints: a dictionary of frame tuples to counts."""
    result = {}
    for line in kflame("fold", *options, "-i", path).stdout.split("\n"):
        if line:
            stack, count = line.rsplit(" ", 1)
            frames = tuple(stack.split(";"))
            check(frames not in result, "fold prints a stack twice:", stack)
            result[frames] = int(count)
    return result


def in_order(frames, wanted):
    """Do the wanted names occur in the frames, in that order (others between)?"""
    rest = iter(frames)
    return all(any(name == frame for frame in rest) for name in wanted)


def no_losses(profile, but=()):
    """Nothing is lost but what the user asked to leave out."""
    for cause in range(kfl.NR_LOST):
        if cause in (kfl.LOST_FILTER, kfl.LOST_IDLE) or cause in but:
            continue
        check(profile.lost(cause) == 0, "lost by cause %d: %d" % (cause, profile.lost(cause)))


def matches(pattern, text):
    return re.search(pattern, text, re.IGNORECASE | re.MULTILINE) is not None
