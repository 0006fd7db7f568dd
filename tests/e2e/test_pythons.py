# SPDX-License-Identifier: GPL-2.0-or-later
"""
Functions of Python programs in each version that can be had: those of this machine, and of other Debian releases.

A program runs twice. Once it traces itself, and writes which callers of a function and which lines are possible. Once
it is sampled, and measures its own functions by its own clock.
"""

import collections
import glob
import math
import os
import subprocess

from harness import (Skipped, balanced, check, enough, late_part, load, note, record, right_unless_late, test)

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
ROOTS = os.environ.get("KFLAME_PYTHONS", "")
SUITES = {"3.9": "bullseye", "3.13": "trixie", "3.14": "sid"}
# Functions of PROGRAM whose call makes an object. The call begins a frame, which no trace reports
MAKERS = {"awaited", "tasks", "numbers", "delegates", "other.<locals>.<genexpr>"}

PROGRAM = """
import asyncio, sys, threading, time

def spin(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def heavy():
    return spin(12000)

def light():
    return spin(4000)

def key(x):
    spin(300)
    return -x

def sorts():
    return sorted(range(20), key=key)

def numbers():
    for i in range(10):
        yield spin(600)

def delegates():
    yield from numbers()

def sums():
    return sum(delegates())

async def awaited():
    await asyncio.sleep(0)
    return spin(3000)

async def tasks():
    await asyncio.gather(awaited(), awaited())

def loops():
    asyncio.run(tasks())

class Item:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        spin(300)
        return self.value < other.value

    @property
    def double(self):
        return spin(2000)

def objects():
    sorted([Item(3), Item(1), Item(2)])
    return Item(1).double

def raises():
    try:
        with open("/none") as file:
            pass
    except OSError:
        spin(1000)
    finally:
        spin(1000)

def recurses(n):
    return recurses(n - 1) if n else spin(2000)

def other():
    while not over:
        sum(spin(10) for i in range(50))
        if once:
            break

def main():
    begin = time.monotonic()
    while True:
        for function in (heavy, light, light):
            start = time.thread_time_ns()
            function()
            used[function.__name__] += time.thread_time_ns() - start
        sorts()
        sums()
        objects()
        raises()
        recurses(20)
        loops()
        if once or time.monotonic() > begin + float(sys.argv[2]):
            break

chains, lines = set(), set()

def trace(frame, event, arg):
    code = frame.f_code
    if code.co_filename != __file__:
        return None
    name = getattr(code, "co_qualname", code.co_name)
    lines.add((name, code.co_firstlineno, frame.f_lineno))
    chain = []
    while frame:
        code = frame.f_code
        if code.co_filename == __file__:
            chain.append(getattr(code, "co_qualname", code.co_name))
        frame = frame.f_back
    chains.add(tuple(reversed(chain)))
    return trace

used = {"heavy": 0, "light": 0}
once, over = sys.argv[1] == "trace", False
if once:
    threading.settrace(trace)
    sys.settrace(trace)
thread = threading.Thread(target=other)
thread.start()
main()
over = True
thread.join()
sys.settrace(None)
with open(sys.argv[3], "w") as out:
    print(used["heavy"], used["light"], file=out)
    for chain in chains:
        print("chain", *chain, file=out)
    for name, first, line in lines:
        print("line", name, first, line, file=out)
"""


def python_of(version):
    """The command of a Python, and the root that it sees."""
    suite = SUITES.get(version)
    root = os.path.join(ROOTS, suite) if ROOTS and suite else ""
    if root and os.path.exists(os.path.join(root, "made")):
        return ["chroot", root, "/usr/bin/python" + version], root
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    local = ["/usr/bin/python" + version] + glob.glob("%s/versions/%s.*/bin/python%s" % (pyenv, version, version))
    for path in local:
        if os.path.exists(path):
            return [path], ""
    raise Skipped("there is no Python %s: scripts/pythons.sh, or its package" % version)


class Program:
    """PROGRAM, with one version."""

    def __init__(self, version):
        if os.uname().machine != "x86_64":
            raise Skipped("only Python on x86-64 is known")
        self.version = version
        self.command, self.root = python_of(version)
        self.path, self.result = "/tmp/possible.py", "/tmp/possible-%s.txt" % version
        os.makedirs(self.root + "/tmp", exist_ok=True)
        with open(self.root + self.path, "w", encoding="ascii") as file:
            file.write(PROGRAM)

    def argv(self, how, seconds):
        return [*self.command, "-B", self.path, how, str(seconds), self.result]

    def read(self):
        with open(self.root + self.result, encoding="ascii") as file:
            words = [line.split() for line in file]
        return (tuple(map(int, words[0])), {tuple(w[1:]) for w in words if w[0] == "chain"},
                {(w[1], int(w[2]), int(w[3])) for w in words if w[0] == "line"})

    def chains(self, profile):
        """Samples by the functions of PROGRAM in their stack, outermost first; and its frames."""
        chains, lines = collections.Counter(), collections.Counter()
        for count in profile.counts:
            if not count.ustack or not count.comm.startswith("python"):
                continue
            found = [(function, line) for function, line in profile.functions_in(profile.stacks[count.ustack])
                     if function and function.file == self.path]
            chain = tuple(function.name for function, _ in reversed(found))
            # The program itself began before its trace, and imports modules meanwhile.
            if chain in ((), ("<module>",)):
                continue
            chains[chain] += count.samples
            for function, line in found:
                if function.name != "<module>":
                    lines[function.name, function.line, line] += count.samples
        return chains, lines


def possible(version):
    program = Program(version)
    subprocess.run(program.argv("trace", 0), check=True)
    _, may_be, may_run = program.read()
    load()
    right_unless_late(lambda: compare(version, program, may_be, may_run))


def compare(version, program, may_be, may_run):
    """Return: what is wrong with the shares, "" for nothing; the part of the program's time that came late."""
    seen = {}

    def take(seconds):
        path = record("python-" + version, "-F", "997", command=program.argv("run", seconds))
        profile = balanced(path)
        seen["chains"], seen["lines"] = program.chains(profile)
        seen["late"] = late_part(profile, os.path.basename(program.command[-1]))
        return sum(samples for chain, samples in seen["chains"].items() if chain)

    enough(take, 2000, 6)
    chains, lines = seen["chains"], seen["lines"]
    inside = sum(samples for chain, samples in chains.items() if chain)
    wrong = {chain: samples for chain, samples in chains.items() if chain and chain not in may_be
             and not (chain[-1] in MAKERS and chain[:-1] in may_be)}
    off = {key: samples for key, samples in lines.items() if key[2] and key not in may_run}
    unknown = sum(samples for key, samples in lines.items() if not key[2])
    note("%s: %d samples, %d chains of %d; %d frames, %d without line; impossible %s %s" % (
        version, inside, len(chains), len(may_be), sum(lines.values()), unknown, wrong, off))
    check(len(chains) >= len(may_be) / 4, chains, may_be)
    check(not wrong, wrong)
    check(not off, off)
    check(unknown <= 0.01 * sum(lines.values()), unknown)
    (heavy, light), _, _ = program.read()
    by = collections.Counter()
    for chain, samples in chains.items():
        if chain[:2] == ("<module>", "main") and chain[2:3] in (("heavy",), ("light",)):
            by[chain[2]] += samples
    share, nr = heavy / (heavy + light), by["heavy"] + by["light"]
    sigma = math.sqrt(nr * share * (1 - share))
    note("%s: heavy %.2f %% by the clock, %.2f %% of %d samples, %.1f sigma"
         % (version, 100 * share, 100 * by["heavy"] / nr, nr, (by["heavy"] - nr * share) / sigma))
    wrong = "" if abs(by["heavy"] - nr * share) <= 3 * sigma else "%s are not %.4f" % (dict(by), share)
    return wrong, seen["late"]


def add(version):
    @test("Python %s: each stack and line is one that the program's own trace has, and shares are right" % version)
    def _():
        possible(version)


for one in VERSIONS:
    add(one)
