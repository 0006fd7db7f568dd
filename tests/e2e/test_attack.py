# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that nobody would sample if they could help it."""

import os
import subprocess

import kfl
from harness import (balanced, bearable, check, load, needs_32bit, note, quick_names, record, run,
                     scaled, start, test, torture, unload, Skipped, TEST_MODULES)

# Nothing above is user memory, on any of the architectures with their usual page tables
USER_END = 1 << 56


def attack(name, *command, status=0, rate=4999, way="auto"):
    """Record a program; its profile. What it was must have survived."""
    load()
    if scaled(100) < 100:
        rate = min(rate, 1999)
    with quick_names():
        path = record(name, "-a", "-F", bearable(rate), "-g", way, command=command, status=status)
    profile = balanced(path)
    for stack in profile.stacks.values():
        if stack.kind == kfl.STACK_USER:
            check(all(0 < ip < USER_END for ip in stack.ip), "no user address:",
                  " ".join("%#x" % ip for ip in stack.ip))
            check(len(stack.ip) <= (127 if way == "fp" else 512), "%d frames" % len(stack.ip))
    return profile


def ends(profile, comm):
    """Samples of a command by how the walk of their user stack ended."""
    found = {}
    for count in profile.counts:
        if count.comm == comm and count.ustack:
            end = profile.stacks[count.ustack].end & kfl.END_MASK
            found[end] = found.get(end, 0) + count.samples
    return found


@test("frame and stack pointers that loop, lead nowhere, or change while they are read")
def hostile():
    profile = attack("hostile", torture("hostile"), str(scaled(100)), rate=9973, way="fp")
    found = ends(profile, "hostile")
    note("walks by their end: %r" % found)
    for end in (kfl.END_FAULT, kfl.END_BAD_FP, kfl.END_DEPTH):
        check(found.get(end), "no walk ended with", end)


@test("the same while unwind tables are gone by")
def hostile_to_tables():
    for way in ("dwarf", "auto"):
        profile = attack("hostile-" + way, torture("hostile"), str(scaled(20)), rate=9973, way=way)
        found = ends(profile, "hostile")
        note("-g %s: walks by their end: %r" % (way, found))
        check(sum(found.values()) > 0, "none was sampled")


@test("a tree of processes that live for a moment")
def forks():
    attack("forks", torture("storm"), "fork", str(scaled(1000)))


@test("a process that starts itself over and over")
def execs():
    profile = attack("execs", torture("storm"), "exec", str(scaled(1000)), rate=9973)
    note("walks by their end: %r" % ends(profile, "storm"))


@test("threads that outlive the first thread of their process")
def leaders():
    profile = attack("leaders", torture("storm"), "leader", str(scaled(100)))
    seen = sum(count.samples for count in profile.counts if count.comm == "storm")
    check(seen > 0, "none of them was sampled")


@test("threads by the hundred, or two thousand in full, at once")
def threads():
    attack("threads", torture("storm"), "threads", str(scaled(2000)))


@test("code that is mapped, run and unmapped while it is sampled")
def maps():
    attack("maps", torture("storm"), "maps", str(scaled(5000)))


@test("a kernel thread of io_uring that belongs to a process")
def uring():
    load()
    done = run([torture("storm"), "uring", "0"], status=None)
    if done.returncode == 77:
        raise Skipped("no io_uring: " + done.stderr.strip().rsplit(": ", 1)[-1])
    profile = attack("uring", torture("storm"), "uring", "2")
    note("commands: %s" % " ".join(sorted({count.comm for count in profile.counts})))
    workers = [count for count in profile.counts if count.comm.startswith(("iou-", "io_uring"))]
    check(workers, "its thread was not sampled")
    for count in workers:
        if count.ustack:
            check(not profile.stacks[count.ustack].ip, "it has user frames", count)


@test("a kernel thread that borrows a process's memory, and keeps it when that has ended")
def borrowed():
    lender = start(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lender.stdin.write("ready\n")
    lender.stdin.flush()
    check(lender.stdout.readline() == "ready\n", "the lender did not start")
    run(["insmod", os.path.join(TEST_MODULES, "torture/borrow/borrow.ko"), "pid=%d" % lender.pid])
    try:
        for state in ("beside", "without"):
            profile = attack(state + "-lender", "/bin/sleep", "1")
            counts = [count for count in profile.counts if count.comm == "borrow"]
            note("%d samples of the thread" % sum(count.samples for count in counts))
            check(counts, "the thread was not sampled")
            for count in counts:
                check(not count.ustack, "it has a user stack", count)
                check(count.tgid != lender.pid, "it was taken for the process", count)
            lender.kill()
            lender.wait()
        unload()
    finally:
        run(["rmmod", "borrow"])


@test("32-bit programs: the program counter, and that it is 32-bit")
def compat():
    load()
    needs_32bit()
    profile = attack("compat", torture("spin32"), status=32)
    found = ends(profile, "spin32")
    note("walks by their end: %r" % found)
    check(set(found) <= {kfl.END_COMPAT, kfl.END_EXEC, kfl.END_NO_MM}, found)
    check(found.get(kfl.END_COMPAT), found)
