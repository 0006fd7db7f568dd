# SPDX-License-Identifier: GPL-2.0-or-later
"""Where root's output goes, in a directory where somebody else was first."""

import contextlib
import os
import select
import shutil
import stat
import subprocess

from harness import (become_nobody, check, load, matches, record, run, scratch, start, test,
                     workload, KFLAME)

SECRET = "root's alone\n"


def as_nobody(function):
    """Run in a process without rights: what it makes is its own."""
    pid = os.fork()
    if not pid:
        try:
            become_nobody()
            function()
            os._exit(0)
        finally:
            os._exit(1)
    check(os.waitpid(pid, 0)[1] == 0, "the other user could not prepare it")


def public_directory(name):
    """As /tmp is."""
    os.chmod(os.path.dirname(scratch("x")), 0o755)
    path = scratch(name)
    os.mkdir(path)
    os.chmod(path, 0o1777)
    return path


@contextlib.contextmanager
def protection(level):
    """What the kernel itself does against such tricks: 1 as distributions have it, 0 not at all."""
    was = protect(level)
    try:
        yield
    finally:
        protect(was)


def protect(level):
    with open("/proc/sys/fs/protected_symlinks", encoding="ascii") as file:
        was = file.read().strip()
    for name in ("symlinks", "hardlinks", "fifos", "regular"):
        with open("/proc/sys/fs/protected_" + name, "w", encoding="ascii") as file:
            file.write(str(level))
    return was


def secret():
    path = scratch("secret")
    with open(path, "w", encoding="ascii") as file:
        file.write(SECRET)
    os.chmod(path, 0o600)
    return path


def refused(where, pattern, *argv):
    """Called in that directory: it fails, and says why."""
    done = run([KFLAME, *(str(a) for a in argv)], status=None, timeout=240, cwd=where)
    check(done.returncode == 1 and matches(pattern, done.stderr), done.returncode, done.stderr)


def commands(profile, where):
    """Each writes to its default name, in the directory that it is called in."""
    shutil.copy(profile, os.path.join(where, "copy"))
    return (("copy.tar.zst", ("archive", "-i", "copy")), ("flame.svg", ("flame", "-i", profile)),
            ("diff.svg", ("diff", "--flame", profile, profile)),
            ("kflame.data", ("record", "-a", "-d", "1")))


def plant(where, name, argv):
    at = os.path.join(where, name)
    path = secret()
    as_nobody(lambda: os.symlink(path, at))
    refused(where, "link that somebody else made", *argv)
    with open(path, encoding="ascii") as file:
        check(file.read() == SECRET, name, "led to a file of root's, which is written over")
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "the mode of root's file is another")
    os.unlink(at)
    as_nobody(lambda: os.mkfifo(at, 0o666))
    refused(where, "no regular file", *argv)
    os.unlink(at)
    as_nobody(lambda: os.close(os.open(at, os.O_WRONLY | os.O_CREAT, 0o4777)))
    refused(where, "put there by somebody else", *argv)
    os.unlink(at)


@test("links, pipes and files that another user put at the default names are not written to")
def planted():
    load()
    profile = record("outputs", "-a", command=(workload("busy"), "1"))
    for level in (1, 0):
        where = public_directory("public-%d" % level)
        for name, argv in commands(profile, where):
            with protection(level):
                plant(where, name, argv)


@test("a pipe that another user reads gets nothing of a recording")
def read_pipe():
    load()
    where = public_directory("pipes")
    at = os.path.join(where, "kflame.data")
    as_nobody(lambda: os.mkfifo(at, 0o666))
    reader = os.open(at, os.O_RDONLY | os.O_NONBLOCK)
    try:
        refused(where, "no regular file", "record", "-a", "-d", "1")
        refused(where, "somebody else's", "record", "-a", "-d", "1", "-o", at)
        check(not os.read(reader, 1), "something was written")
    finally:
        os.close(reader)


def shows(data):
    """Of text for a terminal: what is no character that people can read, and newlines and tabs."""
    text = data.decode("utf-8")
    return {"U+%04X" % ord(c) for c in text if c not in "\n\t" and
            (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or c in "\u061c\u200e\u200f" or
             "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069")}


@test("names that somebody chose do nothing to a terminal, whatever prints them")
def names():
    load()
    bad = os.fsdecode(b"\x1b[2J\xc2\x9b31m\xe2\x80\xae\xff\x07")
    program = scratch(bad)
    shutil.copy(workload("busy"), program)
    path = scratch("bad-names.data")
    done = run([KFLAME, "record", "-a", "--budget", "0", "-o", path, "--", program, "1"], text=False,
               errors=None)
    said = [done.stderr]
    for argv in (("report",), ("report", "--by", "comm,pid,file"), ("report", "--callees", "main"), ("info",),
                 ("fold",), ("convert", "--to", "perf-script"), ("convert", "--to", "collapsed"),
                 ("convert", "--to", "speedscope"), ("flame", "-o", "-")):
        done = run([KFLAME, *argv, "-i", path], text=False, errors=None)
        said += [done.stdout, done.stderr]
    for argv in (("report", "-i", program), ("report", "-i", program + ".none"),
                 ("record", "-o", scratch("none/" + bad), "--", "true"),
                 ("record", "-o", path, "--", program + ".none"),
                 ("flame", "--folded", "-i", program + ".none"), (bad,)):
        done = run([KFLAME, *argv], status=None, text=False, errors=None)
        check(done.returncode, argv, "did not fail")
        said.append(done.stderr)
    for text in said:
        check(not shows(text), shows(text), text[:500])
    check(any(b"31m" in text for text in said), "no text has the name")


@test("root's own pipes and links are written to where -o names them")
def own():
    load()
    where = public_directory("own")
    at = os.path.join(where, "pipe")
    os.mkfifo(at)
    refused(where, "no process reads it", "record", "-a", "-d", "1", "-o", at)
    reader = os.open(at, os.O_RDONLY | os.O_NONBLOCK)
    recorder = start([KFLAME, "record", "-a", "-d", "1", "-o", at], stderr=subprocess.DEVNULL)
    got = 0
    while select.select([reader], [], [], 60)[0]:
        data = os.read(reader, 1 << 16)
        got += len(data)
        if not data and recorder.poll() is not None:
            break
    os.close(reader)
    check(recorder.returncode == 0 and got > 1000, recorder.returncode, got)
    path = secret()
    os.symlink(path, os.path.join(where, "flame.svg"))
    profile = record("outputs-own", "-a", command=(workload("busy"), "1"))
    run([KFLAME, "flame", "-i", profile], cwd=where)
    with open(path, encoding="utf-8") as file:
        check("<svg" in file.read(4096), "no picture")
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "the mode is not what it was")


@test("what has the kernel's addresses only its owner may read")
def private():
    load()
    where = public_directory("private")
    profile = record("outputs-private", "-a", command=(workload("busy"), "1"))
    for name, argv in (("sum.data", ("merge", profile)),
                       ("a.pb.gz", ("convert", "-i", profile)),
                       ("a.perf", ("convert", "-i", profile)),
                       ("kflame.data", ("record", "-a", "-d", "1"))):
        path = os.path.join(where, name)
        run([KFLAME, *argv, "-o", path])
        check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, name, oct(os.stat(path).st_mode))
