# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 8: bad input gets a message that says what to do, and a non-zero status."""

import os
import random
import re
import signal
import subprocess

from harness import (balanced, become_nobody, check, info, kflame, load, matches, note,
                     public_tool, record, run, scratch, start, test, unload, wait_until, workload,
                     KFLAME)

VIEWS = ("report", "fold", "info", "flame")


def refused(argv, *patterns, **options):
    """The command fails, says all of the patterns, and writes no trace of a crash."""
    done = run([str(a) for a in argv], status=None, timeout=240, **options)
    shown = "%s: status %d\n%s" % (" ".join(str(a) for a in argv), done.returncode, done.stderr)
    check(done.returncode not in (0, None) and done.returncode > 0, shown)
    check(done.returncode < 126, shown)
    for pattern in patterns:
        check(matches(pattern, done.stderr), "no %r in: %s" % (pattern, shown))
    note(done.stderr.strip().split("\n")[0])
    return done


def record_refused(*options, patterns, **more):
    return refused([KFLAME, "record", "-o", scratch("bad.data"), *options], *patterns, **more)


@test("no module loaded")
def no_module():
    unload()
    record_refused("-a", "-d", 1, patterns=("/dev/kflame", "insmod|modprobe"))


@test("no permission")
def no_permission():
    load()
    refused([public_tool(), "record", "-o", scratch("bad.data"), "-a", "-d", 1], "sudo|root",
            "permission|CAP_PERFMON", preexec_fn=become_nobody)


@test("a rate of 0, and one of 10^9")
def rates():
    load()
    for rate in ("0", "1000000000"):
        record_refused("-a", "-F", rate, "-d", 1, patterns=(r"rate|Hz|frequency", r"\b20,?000\b"))


@test("a process that does not exist")
def no_process():
    load()
    record_refused("-p", 4194303, "-d", 1, patterns=("4194303",))


@test("a command that does not exist")
def no_command():
    load()
    done = run([KFLAME, "record", "-o", scratch("bad.data"), "--", "/no/such/command"],
               status=None)
    check(done.returncode == 127, "status", done.returncode, done.stderr)
    check("/no/such/command" in done.stderr, done.stderr)


def good_profile():
    load()
    path = scratch("good.data")
    if not os.path.exists(path):
        balanced(record("good", "-a", "-F", 997, command=(workload("busy"), "2")))
    with open(path, "rb") as file:
        return file.read()


@test("a truncated profile: what can be read is read, and it is said")
def truncated():
    data = good_profile()
    path = scratch("cut.data")
    with open(path, "wb") as file:
        file.write(data[: len(data) * 9 // 10 + 3])
    for view in VIEWS:
        out = ("-o", scratch("cut.svg")) if view == "flame" else ()
        done = refused([KFLAME, view, "-i", path, *out],
                       r"truncated|not complete|incomplete|cut|ends")
        if view == "flame":
            check(os.path.getsize(scratch("cut.svg")) > 1000, "no picture was drawn")
        else:
            check(done.stdout.count("\n") > 3, view, "printed only:", done.stdout)


@test("a profile cut at any byte, or with a byte changed, crashes nothing")
def mutilated():
    data = good_profile()
    path = scratch("mutilated.data")
    dice = random.Random(1)
    for turn in range(40):
        piece = bytearray(data[: dice.randrange(len(data))])
        if turn % 2 and piece:
            piece = bytearray(data)
            for _ in range(8):
                piece[dice.randrange(len(piece))] = dice.randrange(256)
        with open(path, "wb") as file:
            file.write(piece)
        view = VIEWS[turn // 2 % len(VIEWS)]
        out = ("-o", scratch("mutilated.svg")) if view == "flame" else ()
        done = kflame(view, "-i", path, *out, status=None)
        check(0 <= done.returncode < 126, "turn %d, %s: status %d" % (turn, view, done.returncode),
              done.stderr)


@test("a profile of random bytes, an empty one, none at all")
def random_bytes():
    path = scratch("random.data")
    with open(path, "wb") as file:
        file.write(random.Random(2).randbytes(100000))
    for view in VIEWS:
        out = ("-o", scratch("random.svg")) if view == "flame" else ()
        refused([KFLAME, view, "-i", path, *out], "random.data", "not a (kflame )?profile")
    with open(path, "wb"):
        pass
    refused([KFLAME, "report", "-i", path], "random.data", "empty")
    refused([KFLAME, "report", "-i", scratch("missing.data")], "missing.data", "record|no such")


@test("an output that cannot be written")
def unwritable():
    good_profile()
    for out in ("/nowhere/x", "/proc/x"):
        refused([KFLAME, "record", "-a", "-d", "1", "-o", out], out, "no such file|permission|cannot")
        refused([KFLAME, "flame", "-i", scratch("good.data"), "-o", out], out,
                "no such file|permission|cannot")


@test("an output that somebody else empties while it is recorded")
def emptied():
    good_profile()
    out = scratch("emptied.data")
    refused([KFLAME, "record", "-a", "-F", "997", "-o", out, "--", "/bin/sh", "-c",
             "until [ -s %s ]; do :; done; : >%s" % (out, out)], "changed by somebody else", out)


@test("a full disk")
def full_disk():
    good_profile()
    disk = scratch("disk")
    os.mkdir(disk)
    run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk])
    try:
        done = refused([KFLAME, "record", "-a", "-F", "997", "-o", disk + "/k.data", "--",
                        workload("diverse"), "5"], "no space|full", disk)
        check("space" in done.stderr.lower(), done.stderr)
        for path in os.listdir(disk):
            os.unlink(os.path.join(disk, path))
        refused([KFLAME, "flame", "-i", scratch("good.data"), "-o", disk + "/f.svg"],
                "no space|full")
        check(os.listdir(disk) == [], "left behind:", os.listdir(disk))
        refused(["/bin/sh", "-c", "exec %s fold -i %s >/dev/full" % (KFLAME, scratch("good.data"))],
                "no space|write")
    finally:
        run(["umount", disk])


# Red while counts were written every 30 seconds only
def samples_in(path):
    """Of a file that is not complete, too."""
    done = run([KFLAME, "fold", "-i", path], status=None)
    return sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines())


@test("what was counted before a disk got full is kept and can be read")
def full_later():
    load()
    disk, path = scratch("later"), scratch("later") + "/k.data"
    os.mkdir(disk)
    run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk])
    recorder = start([KFLAME, "record", "-a", "-F", "997", "--budget", "0", "-o", path],
                     stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: info()["nr_running"] == 1, "the session runs")
        run([workload("busy"), "6"])
        wait_until(lambda: samples_in(path) > 500, "samples in the file", 15)
        before = samples_in(path)
        # then something else takes the rest of the disk
        run(["/bin/sh", "-c", "cat /dev/zero >%s/other 2>/dev/null" % disk], status=None)
        run([workload("diverse"), "6"], status=None)
        recorder.send_signal(signal.SIGINT)
        message = recorder.communicate(timeout=240)[1]
        check(recorder.returncode == 1 and "the disk is full" in message, message)
        kept = samples_in(path)
        note("%d samples were kept of a disk that was full, %d were there before: %s" % (kept, before, message.strip()))
        check(kept >= before, "%d samples, %d before" % (kept, before))
        # counts reach the file every five seconds, and more than a quarter of the recording was over by then
        recorded = int(re.search(r"kflame: ([\d,]+) samples", message)[1].replace(",", ""))
        check(before > recorded / 5, "%d samples of %d were in the file before" % (before, recorded))
    finally:
        recorder.kill()
        recorder.wait()
        run(["umount", disk])
