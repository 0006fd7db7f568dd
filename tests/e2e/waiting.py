# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of time off the CPU share."""

import collections
import contextlib
import ctypes

import kfl
from harness import Skipped, check, info, load, note, run, scratch, start, workload
from session import Events, Session

MS = 1000000
WAITED = {kfl.CTX_INTERRUPTIBLE, kfl.CTX_UNINTERRUPTIBLE, kfl.CTX_IOWAIT, kfl.CTX_STOPPED}


@contextlib.contextmanager
def watching(path, *kinds, shortest=0, longest=0, how=0, pid=None, **fields):
    """A session with these events, of all processes or of one; its stream is in the file at the end."""
    events = Events(*kinds, flags=how, shortest=shortest, longest=longest)
    only = ctypes.c_uint32(pid or 0)
    if pid:
        fields.update(nr_pids=1, pids=ctypes.addressof(only))
    with Session() as session:
        session.configure(**{**events.fields, **fields})
        session.start()
        yield session
        session.stop()
        with open(path, "wb") as file:
            file.write(session.read_all())


def blocked(number):
    """A program of which this many threads wait, and do not stop to"""
    child = start([workload("waits"), "block", str(number)], stdout=-1)
    check(child.stdout.readline() == "ready\n", "the program did not begin")
    return child


def profile_of(path):
    profile = kfl.Profile(path)
    wrong = profile.imbalances()
    check(not wrong, "\n".join(wrong))
    return profile


def numbers(text):
    return [[int(word) for word in line.split()] for line in text.strip().split("\n")]


def need_switches():
    load()
    if not info()["events"] >> kfl.OFFCPU & 1:
        raise Skipped("this kernel has no tracepoints of the scheduler")


def books(profile, cause=None):
    """The accounting of off-cpu on all CPUs: samples and time; or those lost by a cause."""
    number, = (event.id for event in profile.events.values() if event.kind == kfl.OFFCPU)
    cpus = profile.event_cpus[number].values()
    if cause is None:
        return sum(cpu.samples for cpu in cpus), sum(cpu.weight_ns for cpu in cpus)
    return sum(cpu.lost[cause] for cpu in cpus), sum(cpu.lost_ns[cause] for cpu in cpus)


def waits(profile, comm=None, tid=None):
    number, = (event.id for event in profile.events.values() if event.kind == kfl.OFFCPU)
    return [count for count in profile.event_counts[number]
            if (comm is None or count.comm == comm) and (tid is None or count.tid == tid)]


def nothing_lost(profile):
    for cause in range(kfl.NR_LOST):
        check(not books(profile, cause)[0], "lost by cause", cause, books(profile, cause))


def compare_with_kernel(*argv):
    """Of each thread that the program reports: compare the kernel's own counts of switches. Returns all switches."""
    path = scratch("switches.kfl")
    with watching(path, kfl.OFFCPU, flags=kfl.CF_PER_THREAD, entries=32768):
        threads = numbers(run(argv, timeout=900).stdout)
    profile = profile_of(path)
    nothing_lost(profile)
    seen = collections.defaultdict(collections.Counter)
    for count in waits(profile, "waits"):
        seen[count.tid][count.context] += count.samples
    waited = {tid: sum(seen[tid][context] for context in WAITED) for tid, _, _ in threads}
    preempted = {tid: seen[tid][kfl.CTX_PREEMPTED] for tid, _, _ in threads}
    voluntary, other = (sum(column) for column in list(zip(*threads))[1:])
    note("%d threads: %d times blocked, %d preempted; %d and %d by the kernel"
         % (len(threads), sum(waited.values()), sum(preempted.values()), voluntary, other))
    for tid, of_thread, not_wanted in threads:
        # It is made, joined and ended outside of what it counted.
        check(of_thread <= waited[tid] <= of_thread + 50, tid, of_thread, waited[tid])
        check(not_wanted <= preempted[tid] <= not_wanted + 50, tid, not_wanted, preempted[tid])
    return len(threads), voluntary + other
