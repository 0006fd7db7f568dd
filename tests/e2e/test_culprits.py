# SPDX-License-Identifier: GPL-2.0-or-later
"""
Problems that somebody planted: the first screen of kflame summary names the culprit, that of kflame report what it is
about.
"""

import contextlib
import os

import kfl
from harness import Skipped, balanced, check, kflame, note, record, run, scaled, test, workload
from lent import allocate, allocs, null_disk, slow_disk
from probing import needs

SCREEN = 40  # lines


def check_screen(path, command, words):
    screen = "\n".join(kflame(command, "-i", path).stdout.split("\n")[:SCREEN])
    missing = [word for word in words if word not in screen]
    if missing:
        note(screen)
    check(not missing, command, missing)


def names(path, *functions, about=()):
    balanced(path)
    check_screen(path, "summary", functions)
    check_screen(path, "report", about)


def culprit(*arguments):
    return (workload("culprits"), *map(str, arguments))


@test("--file-io=sync: a slow fsync")
@needs(kfl.SYSCALL)
def fsync():
    with slow_disk(20000000) as device:
        names(record("fsync", "--file-io=sync", command=culprit("fsync", device, 10)), "slow_save", about=[device])


@test("--file-io=read --weight count: a file that is read byte by byte")
@needs(kfl.KRETPROBE)
def bytes_one_by_one():
    with null_disk() as device:
        names(record("bytes", "--file-io=read", "--weight", "count", command=culprit("bytes", device, 1000)),
              "read_each_byte", about=[device])


@test("--exec: a loop that starts processes")
@needs(kfl.TRACEPOINT)
def forks():
    names(record("forks", "--exec", command=culprit("forks", max(30, scaled(300)))), "fork_again")


@test("--alloc=outstanding: a leak of kmalloc() among much that is freed")
@needs(kfl.PAIR)
def leak():
    with allocs():
        names(record("leak", "--alloc=outstanding", command=allocate(scaled(3000), 200, scaled(3000))), "allocs_leak")


@test("--syscalls: a program that makes very many system calls")
@needs(kfl.SYSCALL)
def chatty():
    names(record("chatty", "--syscalls", command=culprit("chatty", 5000)), "ask_the_time", "sys_clock_gettime")


@contextlib.contextmanager
def little_memory():
    """A control group that may use 8 MB."""
    group = "/sys/fs/cgroup/culprits"
    os.mkdir(group)
    try:
        if not os.path.exists(group + "/memory.max"):
            with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
                file.write("+memory")
        with open(group + "/memory.max", "w", encoding="ascii") as file:
            file.write("8M")
        yield group + "/cgroup.procs"
    finally:
        os.rmdir(group)


@test("--faults: memory that was swapped out")
@needs(kfl.FAULTS, kfl.KRETPROBE)
def swap():
    with null_disk("memory_backed=1", "gb=1", "irqmode=0") as device:
        run(["mkswap", device])
        done = run(["swapon", device], status=None)
        if done.returncode:
            raise Skipped("no swap: %s" % done.stderr.strip())
        try:
            with little_memory() as join:
                path = record("swap", "--faults", command=("sh", "-c", "echo $$ >%s && exec %s swap 4000" % (join, workload("culprits"))))
        finally:
            run(["swapoff", device])
    names(path, "use_again", about=["[major] [anon]"])


@test("--net=retransmit: a host that does not answer")
@needs(kfl.TRACEPOINT)
def retransmits():
    done = run(["modprobe", "dummy", "numdummies=0"], status=None)
    if done.returncode:
        raise Skipped("this kernel has no dummy network device: %s" % done.stderr.strip())
    run(["ip", "link", "add", "nobody0", "type", "dummy"])
    try:
        run(["ip", "address", "add", "10.99.99.1/24", "dev", "nobody0"])
        run(["ip", "link", "set", "nobody0", "up"])
        path = record("retransmits", "-a", "--net=retransmit", command=culprit("retransmit", 20))
    finally:
        run(["ip", "link", "delete", "nobody0"])
    names(path, about=["10.99.99.2 port 42"])
