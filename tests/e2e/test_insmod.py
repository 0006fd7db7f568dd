# SPDX-License-Identifier: GPL-2.0-or-later
"""insmod-then-read: autostart=1, cat, and every command reads what came."""

import os
import re
import subprocess

from harness import (balanced, check, folded, info, kflame, load, note, run, scratch, start, test,
                     unload, workload, DEVICE, MODULE)
from session import CONFIGURE, Session, config


def cat(path):
    """As a small system has it: BusyBox reads 4 KiB at a time."""
    with open(path, "wb") as out:
        subprocess.run(["busybox", "cat", DEVICE], stdout=out, check=True, timeout=240)


@test("autostart=1: what cat gives is a profile that every command reads")
def autostart():
    load("autostart=1", "freq=997")
    run([workload("busy"), "3"])
    path = scratch("p.kfl")
    cat(path)
    profile = balanced(path)
    check(profile.expiries > 2000, "only %d periods" % profile.expiries)
    stacks = folded(path)
    check(any("busy_work" in frames for frames in stacks), "no busy_work in", list(stacks)[:5])
    for view in ("report", "info"):
        check(kflame(view, "-i", path).stdout, view, "printed nothing")
    kflame("flame", "-i", path, "-o", scratch("p.svg"))
    # a snapshot: a second cat is a whole profile too, with more in it
    run([workload("busy"), "1"])
    again = scratch("again.kfl")
    cat(again)
    later = balanced(again)
    check(later.samples > profile.samples, "%d then %d" % (profile.samples, later.samples))
    unload()


@test("two readers of the built-in session at once each get a whole profile")
def two_readers():
    load("autostart=1", "freq=997")
    run([workload("busy"), "1"])
    outs = [open(scratch("both-%d.kfl" % i), "wb") for i in (0, 1)]
    readers = [start(["busybox", "cat", DEVICE], stdout=out, text=False) for out in outs]
    for reader, out in zip(readers, outs):
        check(reader.wait(60) == 0, "cat failed")
        out.close()
    for i in (0, 1):
        balanced(scratch("both-%d.kfl" % i))
    unload()


@test("who has begun to read the built-in session gets no other one")
def no_other():
    load("autostart=1")
    with Session() as session:
        check(os.read(session.fd, 1), "nothing to read")
        got = session.errno(CONFIGURE, config())
        check(got == "EBUSY", got)
        session.read_all()
    unload()


@test("text=1: what cat gives are folded stacks with kernel names")
def text():
    load("autostart=1", "freq=997", "text=1")
    run([workload("readloop"), "2"])
    path = scratch("p.folded")
    cat(path)
    done = run(["awk", r"""
        /^# file: / { next }
        !/^[^;]+(;[^;]+)* [0-9]+$/ { print "line " NR ": " $0; bad++ }
        { sum += $NF }
        END { print sum + 0; exit bad > 0 }""", path])
    note("%s samples in folded text" % done.stdout.strip())
    check(int(done.stdout) > 0, "no samples")
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read()
    check(re.search(r"^readloop;.*ksys_read", lines, re.MULTILINE),
          "no kernel names:\n", lines[:1000])
    # Its file, by which the tool finds the symbols
    check(re.search(r"^# file: /\S*readloop size=\d+ mtime_ns=\d+ build-id=[0-9a-f]{40}$", lines, re.MULTILINE),
          "no remark about the file:\n", lines[-1000:])
    kflame("flame", "--folded", "-i", path, "-o", scratch("text.svg"))
    os.makedirs(scratch("empty/usr"))
    kflame("flame", "--folded", "-i", path, "--symbols", scratch("empty"), "-o", scratch("text.svg"))
    with open(scratch("text.svg"), encoding="utf-8") as file:
        check("main" in file.read(), "user functions have no names")
    unload()


@test("without autostart a plain cat fails: No data available")
def nothing():
    load()
    unload()
    load()
    done = subprocess.run(["busybox", "cat", DEVICE], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=240)
    check(done.returncode != 0, "cat succeeded with %d bytes" % len(done.stdout))
    check("No data" in done.stderr, done.stderr)
    log = run(["dmesg"]).stdout
    check("kflame: nothing to read" in log and "insmod kflame.ko autostart=1" in log, log[-1000:])


@test("autostart=1 on a small machine: by default the tables fit into the memory that the module may take")
def small_machine():
    # The last message: the log may have those of earlier loads
    said = re.compile(r"kflame: sampling at 997 Hz, (\d+) entries for each CPU, (\d+) in all")
    load("autostart=1")
    whole = said.findall(run(["dmesg"]).stdout)[-1]
    unload()
    # As on a machine with 64 MB, of which the kernel leaves 55
    load("autostart=1", "memory_cap=7")
    small = said.findall(run(["dmesg"]).stdout)[-1]
    note("%s entries, %s in all; with little memory %s, %s in all" % (whole + small))
    check(whole[0] == "4096", whole)
    check(256 <= int(small[0]) < 4096, small)
    run([workload("busy"), "1"])
    paths = [scratch("small-%d.kfl" % i) for i in (0, 1)]
    for path in paths:
        cat(path)
        balanced(path)
    check(info()["memory_used"] <= 7 << 20, info())
    unload()
    # A number that was asked for is not changed: it is refused, and the kernel's log says what to do
    done = run(["insmod", MODULE, "autostart=1", "memory_cap=7", "entries=32768"], status=None)
    check(done.returncode, "entries=32768 was taken in 7 MiB")
    log = run(["dmesg"]).stdout
    check(re.search(r"not enough memory for entries=32768. Set a smaller entries=.*now 7\)", log), log[-1000:])
