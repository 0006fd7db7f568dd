#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 4: frame pointers and their lies

Recorded dumps, whose first line has gdb's frames, and hostile ones that are made of them here.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from grading import Lab, Lost, check  # noqa: E402

START = os.path.join(HERE, "start")
lab = Lab(__doc__)
cache = {}


def built(work):
    """The walker, with the student's fp.c and the rest as it was given. AddressSanitizer sees what reads beyond."""
    if work.folder not in cache:
        folder = tempfile.mkdtemp(prefix="lab4-")
        for name in ("walk.c", "walk.h"):
            shutil.copy(os.path.join(START, name), folder)
        with open(folder + "/fp.c", "w", encoding="utf-8") as file:
            file.write(work.read("fp.c"))
        done = subprocess.run(["gcc", "-O1", "-g", "-std=gnu11", "-fsanitize=address", "-o", "walk", "walk.c", "fp.c"],
                              cwd=folder, check=False, text=True, stderr=subprocess.PIPE)
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        cache[work.folder] = folder, done.returncode and "\n".join(errors[:5] or [done.stderr[-500:]])
    folder, error = cache[work.folder]
    check(not error, "it does not compile:\n%s" % error)
    return folder


def dump(name):
    for folder in (START + "/dumps", HERE + "/grade"):
        path = "%s/%s.dump" % (folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(name)


def gdb(text):
    return re.search(r"gdb: (.*)", text)[1].split(" < ")


def walk(work, text):
    """The lines that walk prints: a function each, with " lost" behind it if it says so."""
    folder = built(work)
    path = folder + "/dump"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        done = subprocess.run([folder + "/walk", path], check=False, text=True, timeout=20, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Lost("the walk did not end within 20 s") from None
    if "AddressSanitizer" in done.stderr:
        where = re.search(r"(fp\.c:\d+)", done.stderr)
        raise Lost("it reads memory that is not in the dump, at %s. read_word() says whether a word is there" % (
            where[1] if where else "some line"))
    check(done.returncode == 0, "walk was killed by signal %d" % -done.returncode)
    return [line.split(" ", 1)[1] for line in done.stdout.splitlines()]


def records(lines):
    """What frame records had."""
    return [line for line in lines if not line.endswith(" lost")]


def word(text, address, value):
    """The dump with another word there."""
    changed, count = re.subn(r"(?m)^word %#x .*$" % address, "word %#x %#x" % (address, value), text)
    assert count == 1
    return changed


def register(text, name):
    return int(re.search(r"^%s (\S+)$" % name, text, re.MULTILINE)[1], 16)


def read(text, address):
    return int(re.search(r"^word %#x (\S+)$" % address, text, re.MULTILINE)[1], 16)


@lab.point("answers", 3, "what is lost in which dump")
def answers(work):
    given = work.answers()
    right = {"%s lost" % name: next((caller for caller in gdb(dump(name))[1:2] if name != "1-body"), "none")
             for name in ("1-body", "2-leaf", "3-entry", "4-pushed", "5-return")}
    right.update({"1-body rbp": "frame", "6-data rbp": "data", "7-assembly rbp": "data"})
    for name, value in right.items():
        mine = given.get(name, "").lower().replace("()", "")
        check(mine, "'%s' has no answer" % name)
        check(mine == value, "'%s' is not %s. %s" % (
            name, mine, "Whose return address is beside the caller's rbp, where rbp points? The first that is found there is "
            "not always the innermost caller" if "lost" in name else "Does rbp point at two words, the first a "
            "higher address of the stack, the second behind a call?"))
    text = dump("7-assembly")
    mine = given.get("7-assembly false return address", "").lower()
    check(mine and int("0" + re.sub("^0x|[^0-9a-f]", "", mine), 16) == read(text, register(text, "rbp") + 8),
          "'7-assembly false return address' is not %s. It is the word at rbp + 8" % (mine or "answered"))


@lab.point("records", 3, "callers by frame records")
def by_records(work):
    text = dump("1-body")
    mine = records(walk(work, text))
    check(mine == gdb(text), "gdb has  %s\nwalk has %s\nThe caller's rbp is at rbp, the return address at rbp + 8" % (
        " < ".join(gdb(text)), " < ".join(mine)))


@lab.point("bounds", 2, "a record beyond the dump, or at an address that is no multiple of 8, is none")
def bounds(work):
    text = dump("1-body")
    bp = register(text, "rbp")
    second = read(text, bp)
    top = max(int(address, 16) for address in re.findall(r"^word (\S+)", text, re.MULTILINE))
    for value, what in ((top + 8, "just above the dump"), (top, "at its last word, so that half of the record is there"),
                        (second + 4, "at an address that is no multiple of 8"), (0xffff888000000000, "in the kernel"),
                        (8, "at 8")):
        mine = records(walk(work, word(text, bp, value)))
        check(mine == gdb(text)[:2], "the second record is %s: the walk should end with middle, and has %s" % (
            what, " < ".join(mine)))


@lab.point("upwards", 3, "a chain that goes down, or in a circle, ends")
def upwards(work):
    text = dump("1-body")
    bp = register(text, "rbp")
    second = read(text, bp)
    for value, what in ((bp, "itself"), (register(text, "rsp") - 64, "below the stack pointer")):
        mine = records(walk(work, word(text, bp, value)))
        check(mine == gdb(text)[:2], "the first record points at %s: the walk should end with middle, and has %d frames. "
              "Callers are above: rbp has to grow" % (what, len(mine)))
    mine = records(walk(work, word(text, second, bp)))
    check(mine == gdb(text)[:3], "the second record points back at the first: the walk should end with outer, and has %d "
          "frames. Callers are above: rbp has to grow" % len(mine))
    # A record below the stack pointer belongs to no frame, even if it looks well
    below = re.sub(r"(?m)^rsp .*$", "rsp %#x" % (bp + 16), text)
    mine = records(walk(work, below))
    check(mine == gdb(text)[:1], "rbp is below rsp, where nothing is kept: the walk should end at once, and has %s"
          % " < ".join(mine))


@lab.point("calls", 2, "what is not behind a call is no return address")
def calls(work):
    text = dump("1-body")
    bp = register(text, "rbp")
    right = read(text, bp + 8)
    for value, what in ((right + 2, "in middle, but behind no call"), (0x1234, "in no function"),
                        (0x7fffffffe000, "on the stack")):
        mine = records(walk(work, word(text, bp + 8, value)))
        check(mine == gdb(text)[:1], "the return address is %s: the walk should end with leaf, and has %s" % (
            what, " < ".join(mine)))


@lab.point("lies", 2, "rbp with data makes no callers")
def lies(work):
    for name in ("6-data", "7-assembly"):
        mine = records(walk(work, dump(name)))
        check(mine == ["leaf"], "%s.dump: rbp is data, and the walk makes %s of it. A short stack is honest, a wrong one "
              "is not" % (name, " < ".join(mine)))


def with_lost(work, names):
    for name in names:
        text = dump(name)
        mine = walk(work, text)
        right = [gdb(text)[0], gdb(text)[1] + " lost", *gdb(text)[2:]]
        check(mine == right, "%s.dump: gdb has  %s\nwalk has %s" % (name, " < ".join(gdb(text)), " < ".join(mine)))


@lab.point("prologue", 3, "the caller is found before push, between push and mov, and at ret")
def prologue(work):
    with_lost(work, ("3-entry", "4-pushed", "5-return", "outer-entry", "outer-pushed", "middle-return"))


@lab.point("leaf", 2, "the caller of a leaf function without a frame is found")
def leaf(work):
    with_lost(work, ("2-leaf", "leaf-entry"))
    mine = walk(work, dump("6-data"))
    check(mine == ["leaf", "middle lost"], "6-data.dump: leaf has no frame, so its return address is at rsp, and walk has "
          "%s" % " < ".join(mine))


@lab.point("none", 2, "no caller is invented where none is lost")
def none(work):
    for name in ("1-body", "7-assembly", "middle-body"):
        mine = walk(work, dump(name))
        check(not any(line.endswith(" lost") for line in mine), "%s.dump: no caller is lost that could be found, and walk "
              "has %s: in a profile, a function would seem to call itself" % (name, " < ".join(mine)))


if __name__ == "__main__":
    try:
        lab.main()
    finally:
        for made, _ in cache.values():
            shutil.rmtree(made, ignore_errors=True)
