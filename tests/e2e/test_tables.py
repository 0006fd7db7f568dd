# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 4: small tables lose nothing while the reader lives, and say so when it does not."""

import os
import signal
import subprocess

import kfl
from harness import (Skipped, balanced, check, kflame, lasting, load, no_losses, note, scratch, start, test,
                     wait_until, workload, KFLAME)


# A reader that gets no CPU time cannot empty its table in time.  Beside other load, the emulator takes the CPUs away: timers
# are late then, and in this share of the time or more nobody can say whether the reader was too slow by itself
LATE = 0.25


def table_losses(profile):
    return profile.lost(kfl.LOST_TABLE) + profile.lost(kfl.LOST_STACKS)


def late_share(profile):
    return sum(count.late_ns for count in profile.counts) / max(1, sum(count.weight_ns for count in profile.counts))


def diverse(name, rate, entries):
    """Record over 5,000 distinct stacks with small tables; lose nothing."""
    load()
    path = scratch(name + ".data")
    # A guest beside other load has CPU time for few samples: record for longer then
    for seconds in lasting(20), 4 * lasting(20):
        done = kflame("record", "-a", "-F", rate, "--budget", 0, "--entries", entries, "-o", path,
                      "--", workload("diverse"), seconds)
        profile = balanced(path)
        check(profile.session.entries == entries, "entries", profile.session.entries)
        if table_losses(profile) and late_share(profile) > LATE:
            note("%d samples were lost, and the CPUs were away for %d%% of the time" %
                 (table_losses(profile), 100 * late_share(profile)))
            continue
        no_losses(profile)
        note("late: %d%%" % (100 * late_share(profile)))
        seen = len({profile.stacks[count.ustack].ip for count in profile.counts if count.ustack})
        note("%d distinct stacks were run, %d seen in %d samples"
             % (int(done.stdout), seen, profile.samples))
        if int(done.stdout) > 5000 and seen > 2 * entries:
            return
    if table_losses(profile):
        raise Skipped("the guest's CPUs were away for %d%% of the time, the reader's, too" % (100 * late_share(profile)))
    if profile.samples < 4 * entries:
        raise Skipped("in %d s the guest had CPU time for %d samples only" % (seconds, profile.samples))
    check(int(done.stdout) > 5000, "the workload ran only %s stacks" % done.stdout)
    check(seen > 2 * entries, "only %d distinct stacks were seen" % seen)


@test("1,024 entries a CPU, 997 Hz, over 5,000 stacks, %d s: nothing is lost" % lasting(20))
def thousand():
    diverse("thousand", 997, 1024)


@test("64 entries a CPU, 99 Hz, over 5,000 stacks, %d s: nothing is lost" % lasting(20))
def sixty_four():
    diverse("sixty-four", 99, 64)


@test("a stopped reader: losses are counted as table-full, and the books balance")
def stopped_reader():
    # More distinct stacks than the tables have room for, which takes longer where the guest has little CPU time
    for seconds in 10, 40:
        profile = stop_reader(seconds)
        full = table_losses(profile)
        note("%d samples in %d s, %d lost to full tables" % (profile.samples, seconds, full))
        no_losses(profile, but=(kfl.LOST_TABLE, kfl.LOST_STACKS))
        if full > 1000 and profile.counted > 1000:
            return
    if profile.samples < 8 * 1024:
        raise Skipped("in %d s the guest had CPU time for %d samples only" % (seconds, profile.samples))
    check(full > 1000, "only %d samples lost to full tables" % full)
    check(profile.counted > 1000, "only %d samples counted" % profile.counted)


def stop_reader(seconds):
    """Record with a recorder that is stopped for that long.  Return: the profile."""
    load()
    path = scratch("stopped-reader.data")
    recorder = start([KFLAME, "record", "-a", "-F", "997", "--budget", "0", "--entries", "1024",
                      "-o", path, "--", "/bin/cat"], stdin=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    wait_until(lambda: is_state(recorder.pid, "S") and has_child(recorder.pid),
               "the recorder runs its command")
    recorder.send_signal(signal.SIGSTOP)
    wait_until(lambda: is_state(recorder.pid, "T"), "the recorder is stopped")
    load_done = start([workload("diverse"), str(seconds)], stdout=subprocess.PIPE)
    check(load_done.wait(120) == 0, "diverse failed")
    recorder.send_signal(signal.SIGCONT)
    recorder.stdin.close()  # the end of cat, and so of the recording
    check(recorder.wait(60) == 0, "record:", recorder.stderr.read())
    recorder.stdin = None
    return balanced(path)


def is_state(pid, state):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == state


def has_child(pid):
    """Does cat run, started by it? Not every kernel lists children."""
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % other, encoding="ascii") as file:
                stat = file.read()
        except OSError:
            continue  # it has ended meanwhile
        if "(cat)" in stat and int(stat.rsplit(")", 1)[1].split()[1]) == pid:
            return True
    return False
