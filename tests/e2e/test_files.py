# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that were sampled are let go; files that do not answer hold nobody up."""

import errno
import os
import shutil
import struct
import subprocess
import sys
import time

import kfl
from harness import (balanced, check, folded, load, note, record, run, scaled, scratch, start, test,
                     unload, workload, KFLAME, Skipped)
from mounts import as_soon_as_walked, filesystem, umount
from session import Session

PERIOD = 200000


def write_to(program):
    with open(program, "r+b") as file:
        file.write(b"\x7f")


def tell_waits(waits):
    note("%d times; at once but for %d; the longest wait was %.1f ms"
         % (len(waits), sum(wait > 0.01 for wait in waits), 1000 * max(waits)))


@test("a file system that was sampled can be unmounted when its processes have ended")
def unmounted():
    waits = []
    load()
    with Session() as session:
        session.configure(period_ns=PERIOD, budget_permille=0)
        session.start()
        for _ in range(scaled(50)):
            where, program = filesystem()
            for _ in range(3):
                run([program, "500"])
            waits.append(as_soon_as_walked("unmounted", lambda at=where: umount(at), errno.EBUSY))
        session.stop()
        data = session.read_all()
    tell_waits(waits)
    path = scratch("unmounted.kfl")
    with open(path, "wb") as file:
        file.write(data)
    profile = kfl.Profile(path)
    seen = sum(count.samples for count in profile.counts if count.comm == "short")
    note("%d samples of programs on it" % seen)
    check(seen > 0, "none was sampled")


@test("an executable that was sampled can be written to when its process has ended")
def overwritten():
    waits = []
    load()
    where, program = filesystem()
    try:
        with Session() as session:
            session.configure(period_ns=PERIOD, budget_permille=0)
            session.start()
            for _ in range(scaled(50)):
                run([program, "500"])
                # ETXTBSY while anybody holds it as the program of a process
                waits.append(as_soon_as_walked("written to", lambda: write_to(program),
                                               errno.ETXTBSY))
            session.stop()
        tell_waits(waits)
    finally:
        run(["umount", where])


def pids(data):
    """Processes with a count in a stream that is cut anywhere."""
    found, at = set(), 32
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if at + size > len(data):
            break
        if kind == kfl.COUNT:
            found.add(struct.unpack_from("<I", data, at + 64)[0])
        at += size
    return found


def has_file(profile, path):
    return any(file.path == path for file in profile.files.values())


def silent_program(name):
    """A process whose program is on a FUSE file system that answers no more; its path."""
    subprocess.run(["modprobe", "fuse"], check=False, stderr=subprocess.DEVNULL)
    if not os.path.exists("/dev/fuse"):
        raise Skipped("this kernel has no FUSE")
    where = scratch(name)
    os.makedirs(where)
    server = start([sys.executable, os.path.join(os.path.dirname(__file__), "fusefs.py"), where,
                    workload("busy")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    check(server.stdout.readline() == "ready\n", "the file system did not start")
    program = os.path.join(where, "program")
    child = start([program, "600"], stdout=subprocess.PIPE)
    check(child.stdout.readline() == "ready\n", "busy did not start")
    server.stdin.write("\n")
    server.stdin.flush()
    check(server.stdout.readline() == "silent\n", "the server still answers")
    return child, program


@test("a FUSE file system that does not answer hangs neither the module nor close()")
def fuse():
    load()
    child, program = silent_program("fuse")
    begin = time.monotonic()
    session = Session()
    session.configure(period_ns=1003009, entries=64, budget_permille=0)
    session.start()
    data = b""
    while child.pid not in pids(data) and time.monotonic() < begin + 30:
        data += os.read(session.fd, 1 << 18)
    session.stop()
    data += session.read_all()
    session.close()
    unload()
    path = scratch("fuse.kfl")
    with open(path, "wb") as file:
        file.write(data)
    profile = kfl.Profile(path)
    check(not profile.imbalances(), profile.imbalances())
    check(child.pid in {count.tgid for count in profile.counts}, "it was not sampled")
    check(has_file(profile, program), "its file is not reported",
          [file.path for file in profile.files.values()])
    note("START to rmmod took %.1f s" % (time.monotonic() - begin))


@test("a FUSE file system that does not answer does not hang kflame record")
def fuse_record():
    load()
    child, program = silent_program("fuse-record")
    begin = time.monotonic()
    # what else a recording of two seconds takes depends on the machine; one that hangs never ends
    path = record("fuse-record", "-p", child.pid, "-d", 2, timeout=120)
    note("record took %.1f s" % (time.monotonic() - begin))
    # what looks for the file now would wait for it
    profile = kfl.Profile(path)
    check(not profile.imbalances(), profile.imbalances())
    check(child.pid in {count.tgid for count in profile.counts}, "it was not sampled")
    check(has_file(profile, program), "its file is not reported")


@test("a file server that does not answer does not take the names of files that come after its own")
def fuse_before_others():
    load()
    child, program = silent_program("fuse-first")
    late = scratch("late")
    shutil.copy(workload("busy"), late)
    path = scratch("fuse-first.data")
    # The other program begins when the silent one has been sampled
    run([KFLAME, "record", "-a", "--budget", "0", "-o", path, "--", "/bin/sh", "-c",
         "sleep 2; %s 2" % late], timeout=120)
    profile = balanced(path)
    check(child.pid in {count.tgid for count in profile.counts}, "the silent program was not sampled")
    named = sum(count for frames, count in folded(path).items() if frames[0] == "late" and "main" in frames)
    note("%d samples of the program that came later have names" % named)
    check(named > 0, "no sample of it has a name")


@test("a frozen file system hangs neither the module nor close()")
def frozen():
    load()
    image, where = scratch("image"), scratch("frozen")
    os.makedirs(where)
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    if not shutil.which("mkfs.ext4"):
        raise Skipped("no mkfs.ext4 here")
    run(["mkfs.ext4", "-q", image])
    for module in ("loop", "ext4"):
        subprocess.run(["modprobe", module], check=False, stderr=subprocess.DEVNULL)
    if subprocess.run(["mount", "-o", "loop", image, where], check=False).returncode:
        raise Skipped("ext4 on a loop device cannot be mounted here")
    program = os.path.join(where, "busy")
    shutil.copy(workload("busy"), program)
    run(["fsfreeze", "--freeze", where])
    try:
        child = start([program, "600"], stdout=subprocess.PIPE)
        check(child.stdout.readline() == "ready\n", "busy did not start")
        path = scratch("frozen.data")
        run([KFLAME, "record", "-a", "-F", "997", "-o", path, "--", workload("busy"), "1"],
            timeout=60)
        unload()
        check(has_file(balanced(path), program), "its file is not reported")
    finally:
        run(["fsfreeze", "--unfreeze", where])
    child.kill()
    child.wait()
    run(["umount", where])
