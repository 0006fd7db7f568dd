#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 5: .eh_frame by hand, then by code

What is right is asked of readelf and gdb of this machine, of the same files.
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
MINE = ("leb.c", "cfi.c", "step.c")  # what a student writes
COLUMNS = ("rbx", "rbp", "r12", "r13", "r14", "r15", "ra")
LIBC = "/lib/x86_64-linux-gnu/libc.so.6"

lab = Lab(__doc__)
cache = {}


def run(argv, limit=60, **more):
    """Its output; an end by a signal or by the time is a reason."""
    try:
        done = subprocess.run(argv, check=False, text=True, errors="replace", timeout=limit, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **more)
    except FileNotFoundError:
        raise Lost("%s is not installed" % argv[0]) from None
    except subprocess.TimeoutExpired:
        raise Lost("%s did not end within %d s: does each loop move bytes->at?" % (
            os.path.basename(argv[0]), limit)) from None
    if done.returncode < 0:
        raise Lost("%s was killed by signal %d. Build it with CFLAGS='-g -fsanitize=address' to see where" % (
            os.path.basename(argv[0]), -done.returncode))
    return done


def built(work):
    """A folder with the lab as it was given, the student's three files, all of it built."""
    if work.folder not in cache:
        folder = tempfile.mkdtemp(prefix="lab5-")
        shutil.copytree(START, folder, dirs_exist_ok=True)
        for name in MINE:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(work.read(name))
        done = run(["make", "-s", "-C", folder])
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        if not done.returncode:
            done = run(["gcc", "-static", "-nostdlib", "-no-pie", "-o", folder + "/hidden", HERE + "/grade/hidden.S"])
        cache[work.folder] = folder, done.returncode and "\n".join(errors[:5] or [done.stderr.strip()[-500:]])
    folder, error = cache[work.folder]
    check(not error, "it does not compile:\n%s" % error)
    return folder


# ------------------------------------------------------- the truth


def rows_of(path):
    """Rows that readelf has: of each entry the name of its first address, its end, and (address, columns)."""
    if path not in cache:
        entries, columns, cies, rows = [], [], {}, []
        for line in run(["readelf", "-wF", path]).stdout.splitlines():
            head = re.match(r"[0-9a-f]+ \S+ \S+ FDE cie=(\S+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
            if head:
                cie, begin, end = (int(word, 16) for word in head.groups())
                rows = []
                entries.append((begin, end, rows, [(begin, cies[cie][0][1])] if cies[cie] else []))
            elif line.split()[:2] == ["LOC", "CFA"]:
                columns = line.split()[1:]
            elif re.match(r"[0-9a-f]{16} ", line):
                loc, *values = line.split()
                rows.append((int(loc, 16), dict(zip(columns, values))))
            elif re.match(r"[0-9a-f]+ \S+ \S+ CIE", line):
                rows = cies[int(line.split()[0], 16)] = []
        cache[path] = [(begin, end, rows or by_cie) for begin, end, rows, by_cie in entries]
    return cache[path]


def truth(path, function=None):
    """(address, the line that rows should print) at each row's first and last byte."""
    found = []
    for begin, end, rows in rows_of(path):
        if function and begin != symbol(path, function):
            continue
        for i, (at, columns) in enumerate(rows):
            last = (rows[i + 1][0] if i + 1 < len(rows) else end) - 1
            values = [columns["CFA"], *("%s=%s" % (name, columns.get(name, "u")) for name in COLUMNS)]
            # Expressions, and a register that is in another one; rows behind have the instruction on their way
            if any(value.endswith("exp") or "=r" in value for value in values):
                break
            found += [(address, values) for address in sorted({at, last})]
    return found


def symbol(path, name):
    for line in run(["nm", path]).stdout.splitlines():
        if line.split()[-1] == name:
            return int(line.split()[0], 16)
    raise Lost("nm does not know %s in %s" % (name, path))


# ------------------------------------------------------- the student's rows


def rows(folder, path, addresses):
    """What the student's program prints, in the order of columns that truth() has."""
    given = "".join("%x\n" % address for address in addresses)
    lines = run([folder + "/rows", path, "-"], input=given).stdout.splitlines()
    check(len(lines) == len(addresses), "rows printed %d lines for %d addresses" % (len(lines), len(addresses)))
    found = []
    for line in lines:
        words = dict(word.split("=", 1) for word in line.split()[1:] if "=" in word)
        found.append([words["CFA"], *("%s=%s" % (name, words.get(name, "u")) for name in COLUMNS)]
                     if "CFA" in words else line.split(" ", 1)[1])
    return found


def hint(seen, right):
    """A common mistake, by what it prints."""
    if isinstance(seen, str):
        return {"unsupported": "cfi_row() returned false: is it still to be written, or is an instruction missing?",
                "no entry": "the entry was not found: do read_uleb() and read_sleb() work? ./rows FILE lists the entries"
                }.get(seen, "")
    for mine, theirs in zip(seen[1:], right[1:]):
        if mine != theirs and "c" in mine.split("=")[1] and "c" in theirs.split("=")[1]:
            if int(theirs.split("=c")[1]) == -8 * int(mine.split("=c")[1]):
                return "the offset of DW_CFA_offset must be multiplied by the data alignment factor, -8"
    if seen[0] != right[0]:
        return "is the CFA part of what remember_state keeps, and are operands longer than a byte read whole?"
    return "which instruction of readelf -wf gives this register its rule?"


def compare(folder, path, expected, what):
    seen = rows(folder, path, [address for address, _ in expected])
    wrong = [(address, mine, right) for (address, right), mine in zip(expected, seen) if mine != right]
    if wrong:
        address, mine, right = wrong[0]
        raise Lost("%s: %d of %d rows differ. At 0x%x, readelf -wF has CFA=%s\nand rows has %s\n%s" % (
            what, len(wrong), len(expected), address, " ".join(right),
            mine if isinstance(mine, str) else "CFA=" + " ".join(mine), hint(mine, right)))


# ------------------------------------------------------- task 1


def by_hand():
    """The answers, from readelf of the same function."""
    if "by hand" not in cache:
        folder = tempfile.mkdtemp(prefix="lab5-")
        run(["gcc", "-c", "-o", folder + "/by_hand.o", START + "/by_hand.S"])
        (begin, end, table), = rows_of(folder + "/by_hand.o")
        text = run(["readelf", "-wf", folder + "/by_hand.o"]).stdout
        row = [columns for at, columns in table if at <= 16][-1]
        cache["by hand"] = {
            "code factor": re.search(r"Code alignment factor: (\S+)", text)[1],
            "data factor": re.search(r"Data alignment factor: (\S+)", text)[1],
            "return address register": re.search(r"Return address column: (\S+)", text)[1],
            "bytes of code": str(end - begin), "rows": str(len(table)),
            "operand c0 01": str(max(int(columns["CFA"][4:]) for _, columns in table)),
            "cfa at 16": row["CFA"], "rbx at 16": row["rbx"], "rbp at 16": row["rbp"], "ra at 16": row["ra"]}
        shutil.rmtree(folder)
    return cache["by hand"]


def answered(work, hints):
    given = work.answers()
    for name, advice in hints.items():
        mine = given.get(name.lower(), "")
        check(mine, "'%s' has no answer" % name)
        check("at 16" not in name or re.fullmatch(r"r..?[+-]\d+|c[+-]\d+|u", mine.replace(" ", "")),
              "'%s' is %s. Write it as readelf prints rows: rsp+8, c-8 or u" % (name, mine))
        check(mine.replace(" ", "") == by_hand()[name.lower()],
              "'%s' is not %s. %s" % (name, mine, advice))


@lab.point("cie", 2, "the three numbers of the CIE")
def cie(work):
    answered(work, {
        "code factor": "It is the ULEB behind the string zR.",
        "data factor": "It is a SLEB: bit 6 of its only byte is the sign, so 78 is below zero.",
        "return address register": "It is a ULEB, in decimal here."})


@lab.point("fde", 2, "the function's size, the rows, and an operand of two bytes")
def fde(work):
    answered(work, {
        "operand c0 01": "7 bits of each byte count, the lowest first: (0xc0 & 0x7f) | 0x01 << 7.",
        "bytes of code": "The four bytes behind the address are the size, lowest first.",
        "rows": "The CIE's row is the first. Each advance_loc begins one more. 0x41 is advance_loc by 1."})


@lab.point("row", 2, "the row that holds at by_hand + 16")
def row_at_16(work):
    answered(work, {
        "CFA at 16": "Add the advances: which row is the last that begins at or below 16?",
        "rbx at 16": "83 is DW_CFA_offset of register 3. Its operand times the data factor is the distance from the CFA.",
        "rbp at 16": "86 is DW_CFA_offset of register 6. Its operand times the data factor is the distance from the CFA.",
        "ra at 16": "No instruction of the FDE names register 16: the CIE's rule holds."})


# ------------------------------------------------------- tasks 2 and 3


@lab.point("numbers", 2, "numbers of one, two, three and four bytes, with sign and without")
def numbers(work):
    folder = built(work)
    lines = run([folder + "/rows", folder + "/hidden"]).stdout.splitlines()
    check(lines, "rows lists no entry. It needs read_uleb() and read_sleb() for the CIE")
    check("code factor 1, data factor -8, return address in register 16" in lines[0],
          "the CIE is read as: %s. The data factor is a SLEB of one byte, 78" % lines[0].split(" ", 1)[1])
    path = folder + "/hidden"
    compare(folder, path, truth(path, "long_operands"), "operands of several bytes")


@lab.point("plain", 4, "all rows of programs/plain, without frame pointers")
def plain(work):
    folder = built(work)
    compare(folder, folder + "/programs/plain", truth(folder + "/programs/plain"), "programs/plain")


@lab.point("frames", 2, "all rows of programs/frames, where the CFA moves to rbp")
def frames(work):
    folder = built(work)
    compare(folder, folder + "/programs/frames", truth(folder + "/programs/frames"), "programs/frames")


@lab.point("distances", 1, "rows that are 1, 2 and 4 bytes of distance away")
def distances(work):
    folder = built(work)
    path = folder + "/programs/states"
    compare(folder, path, truth(path, "long_way"), "long_way")


@lab.point("states", 3, "remember and restore, in each other as well")
def states(work):
    folder = built(work)
    path = folder + "/programs/states"
    compare(folder, path, truth(path, "early_return"), "early_return")
    for function in "nested", "restored":
        compare(folder, folder + "/hidden", truth(folder + "/hidden", function), function)


@lab.point("unsupported", 2, "an instruction outside of the lab is reported, not guessed at")
def unsupported(work):
    folder = built(work)
    for name, function, into in (("programs/states", "computed", 1), ("hidden", "expression", 2)):
        path = os.path.join(folder, name)
        seen, = rows(folder, path, [symbol(path, function) + into])
        check(seen == "unsupported", "%s + %d has an expression. cfi_row() must return false there. A wrong rule is "
              "worse than none: it was %s" % (function, into, seen if isinstance(seen, str) else "CFA=" + " ".join(seen)))
    path = folder + "/hidden"
    compare(folder, path, truth(path, "expression"), "the rows of a function before its expression")


@lab.point("libc", 3, "500 rows of this machine's C library")
def libc(work):
    folder = built(work)
    right = truth(LIBC)
    check(right, "readelf has no rows for " + LIBC)
    compare(folder, LIBC, right[::max(1, len(right) // 500)], "the C library")


# ------------------------------------------------------- task 4


def dump(folder, times):
    """A dump, and gdb's frames."""
    done = run([folder + "/dump", folder + "/programs/stack", str(times)])
    callers = re.findall(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(\w+)", done.stderr, re.MULTILINE)
    check(len(callers) > 5, "gdb gave no stack: is it installed, and may it trace processes here?")
    path = "%s/dump.%d" % (folder, times)
    with open(path, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    return path, [name for _, name in callers]


def walked(folder, path):
    lines = run([folder + "/walk", folder + "/programs/stack", path]).stdout.splitlines()
    return [line.split()[-1] for line in lines]


@lab.point("walk", 4, "the callers are those that gdb finds")
def walk(work):
    folder = built(work)
    path, right = dump(folder, 0)
    right, mine = right[:5], walked(folder, path)[:5]
    check(mine == right, "gdb has  %s\nwalk has %s\n%s" % (
        " < ".join(right), " < ".join(mine),
        "is rbp of the caller read from the stack, where the row says that it was saved?"
        if mine[:3] == right[:3] else "the caller's stack pointer is the CFA, and its ip the return address"))


@lab.point("noreturn", 2, "the caller is right where a call is the last instruction of a function")
def noreturn(work):
    folder = built(work)
    path, right = dump(folder, 1)
    right, mine = right[:6], walked(folder, path)[:6]
    check(mine == right, "gdb has  %s\nwalk has %s\n%s" % (
        " < ".join(right), " < ".join(mine),
        "The walk is right, but not the name of a caller. walk takes the name at ip - 1, unless frame->interrupted is set"
        if mine[:2] + mine[3:] == right[:2] + right[3:] else
        "A return address is behind its call. fail() never returns, so there the next function begins already. For which "
        "address do you look for the row?"))


@lab.point("end", 2, "the walk ends at _start, and where the dump ends, without a frame that is not there")
def end(work):
    folder = built(work)
    path, right = dump(folder, 0)
    mine = walked(folder, path)
    check(mine == right, "the walk should end with _start, whose return address is undefined.\ngdb has  %s\n"
          "walk has %s" % (" < ".join(right), " < ".join(mine)))
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    for nr in range(1, 40):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:3 + nr])
        mine = walked(folder, path)
        check(mine and mine == right[:len(mine)], "of a dump that ends after %d words, walk made %s. "
              "stack_read() says whether there is a word" % (nr, " < ".join(mine)))


if __name__ == "__main__":
    try:
        lab.main()
    finally:
        for value in cache.values():
            if isinstance(value, tuple):
                shutil.rmtree(value[0], ignore_errors=True)
