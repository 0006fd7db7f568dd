# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 4: small tables lose nothing while the reader lives, and say so when it does not."""

import os
import signal
import subprocess

import kfl
from harness import (Skipped, balanced, check, kflame, lasting, load, no_losses, note, scratch, start, test,
                     wait_until, workload, KFLAME)


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
        no_losses(profile)
        seen = len({profile.stacks[count.ustack].ip for count in profile.counts if count.ustack})
        note("%d distinct stacks were run, %d seen in %d samples"
             % (int(done.stdout), seen, profile.samples))
        if int(done.stdout) > 5000 and seen > 2 * entries:
            return
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
    load()
    path = scratch("stopped-reader.data")
    recorder = start([KFLAME, "record", "-a", "-F", "997", "--budget", "0", "--entries", "1024",
                      "-o", path, "--", "/bin/cat"], stdin=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    wait_until(lambda: is_state(recorder.pid, "S") and has_child(recorder.pid),
               "the recorder runs its command")
    recorder.send_signal(signal.SIGSTOP)
    wait_until(lambda: is_state(recorder.pid, "T"), "the recorder is stopped")
    load_done = start([workload("diverse"), "10"], stdout=subprocess.PIPE)
    check(load_done.wait(60) == 0, "diverse failed")
    recorder.send_signal(signal.SIGCONT)
    recorder.stdin.close()  # the end of cat, and so of the recording
    check(recorder.wait(60) == 0, "record:", recorder.stderr.read())
    recorder.stdin = None
    profile = balanced(path)
    full = profile.lost(kfl.LOST_TABLE) + profile.lost(kfl.LOST_STACKS)
    note("%d samples, %d lost to full tables" % (profile.samples, full))
    check(full > 1000, "only %d samples lost to full tables" % full)
    no_losses(profile, but=(kfl.LOST_TABLE, kfl.LOST_STACKS))
    check(profile.counted > 1000, "only %d samples counted" % profile.counted)


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
