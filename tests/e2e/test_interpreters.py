# SPDX-License-Identifier: GPL-2.0-or-later
"""
Functions of interpreted programs: CPython 3.11, which is Debian 12's.

The programs measure their own functions by their own clock, or are built so that only some stacks are possible.
"""

import collections
import math
import os
import re

from harness import (Skipped, balanced, check, enough, folded, kflame, late_part, load, note, record,
                     right_unless_late, run, scaled, scratch, start, test, torture)
from session import INTERPRETER, INTERPRETER_SIZE as SIZE, Session, interpreter as description

PYTHON = "/usr/bin/python3.11"
# a function as the tool names it
FUNCTION = re.compile(r"(.*) \(([^()]*\.py):(\d+)\)$")
# or one of the interpreter's own modules, which are part of it
ANY_FUNCTION = re.compile(r"(.*) \(([^()]*\.py|<frozen [^()]*>):(\d+)\)$")


def needs_python():
    if not os.path.exists(PYTHON):
        raise Skipped("there is no %s" % PYTHON)
    if os.uname().machine != "x86_64":
        raise Skipped("only Python on x86-64 is known")


def script(name, text):
    path = scratch(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def functions(frames):
    """The functions of the program in a stack, outermost first."""
    return [match.group(1) for match in map(FUNCTION.match, frames) if match]


def functions_of(stacks, comm):
    """Samples by the functions in their stack, of one program."""
    sums = collections.Counter()
    for frames, samples in stacks.items():
        if frames[0] == comm:
            sums[tuple(functions(frames))] += samples
    return sums


SHARES = """
import sys, time

def spin(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def heavy():
    return spin(30000)

def light():
    return spin(10000)

used = {"heavy": 0, "light": 0}
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    for function in (heavy, light, light):
        begin = time.thread_time_ns()
        function()
        used[function.__name__] += time.thread_time_ns() - begin
with open(sys.argv[2], "w") as out:
    print(used["heavy"], used["light"], file=out)
"""


@test("Python: the shares of two functions are those of the program's own clock")
def shares():
    needs_python()
    load()
    right_unless_late(shares_once)


def shares_once():
    """Return: what is wrong, "" for nothing; the part of the program's time that came late."""
    path, clock = script("shares.py", SHARES), scratch("shares.txt")
    seen = {}

    def take(seconds):
        profile = record("shares", command=(PYTHON, path, str(seconds), clock))
        seen["late"] = late_part(balanced(profile), "python3.11")
        seen["stacks"] = functions_of(folded(profile), "python3.11")
        return sum(seen["stacks"].values())

    enough(take, 1000, 4)
    with open(clock, encoding="ascii") as file:
        heavy, light = map(int, file.read().split())
    by = collections.Counter()
    for stack, samples in seen["stacks"].items():
        if stack[:1] == ("<module>",) and stack[1:3] in (("heavy", "spin"), ("light", "spin")):
            by[stack[1]] += samples
    share, nr = heavy / (heavy + light), by["heavy"] + by["light"]
    sigma = math.sqrt(nr * share * (1 - share))
    note("heavy %.2f %% by the clock, %.2f %% of %d samples, %.1f sigma"
         % (100 * share, 100 * by["heavy"] / nr, nr, (by["heavy"] - nr * share) / sigma))
    check(nr >= 0.9 * (sum(seen["stacks"].values()) - seen["stacks"][()]), by, seen["stacks"])
    wrong = "" if abs(by["heavy"] - nr * share) <= 3 * sigma else "%s are not %.4f" % (dict(by), share)
    return wrong, seen["late"]


ORDER = """
import sys, threading, time

def key(x):
    total = 0
    for i in range(3000):
        total += i
    return -x

def sorts():
    return sorted(range(20), key=key)

def numbers():
    for i in range(20):
        yield key(i)

def sums():
    return sum(numbers())

def other():
    while not over:
        sum(i for i in range(100))

over = False
thread = threading.Thread(target=other)
thread.start()
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    sorts()
    sums()
over = True
thread.join()
"""


@test("Python: native frames between its functions stay in their places: sorted(), generators, threads")
def order():
    needs_python()
    load()
    path, seen = script("order.py", ORDER), {}

    def take(seconds):
        seen["profile"] = record("order", command=(PYTHON, path, str(seconds)))
        chains = functions_of(folded(seen["profile"]), "python3.11")
        return min(chains["<module>", "sorts", "key"], chains["<module>", "sums", "numbers", "key"])

    enough(take, 30, 6, "samples below sorted() and sum()")
    balanced(seen["profile"])
    stacks = {frames: samples for frames, samples in folded(seen["profile"]).items() if frames[0] == "python3.11"}
    chains = functions_of(stacks, "python3.11")
    note("\n".join("%6d %s" % (samples, " ".join(chain)) for chain, samples in chains.most_common(12)))
    for frames in stacks:
        if functions(frames) != ["<module>", "sorts", "key"]:
            continue
        at = [i for i, frame in enumerate(frames) if FUNCTION.match(frame)]
        # the C functions of sorted() are between its caller and its key
        check(at[1] == at[0] + 1 and at[2] > at[1] + 2, frames)
        check("_PyEval_EvalFrameDefault" not in frames, frames)
    threads = sum(samples for chain, samples in chains.items()
                  if chain[:4] == ("Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run", "other"))
    check(threads > 20, chains)
    for chain in chains:
        check(not (chain[:1] == ("<module>",) and "other" in chain), chain)
        check(not (chain[:1] == ("Thread._bootstrap",) and "key" in chain), chain)


SHORT = """
def work(n):
    total = 0
    for i in range(n):
        total += i * i
    return total

def main():
    return work(40000)

main()
"""


@test("Python: of 200 short scripts, 99 % of the interpreter's samples have functions with names, also after exit")
def short():
    needs_python()
    load()
    path = script("short.py", SHORT)
    profile = record("short", "-F", "997", command=(
        "sh", "-c", "i=0; while [ $i -lt %d ]; do %s -S -E %s; i=$((i+1)); done" % (scaled(200), PYTHON, path)),
        timeout=1200)
    balanced(profile)
    named = unnamed = works = 0
    left = collections.Counter()
    for frames, samples in folded(profile).items():
        if any("interpreted function" in frame or frame == "_PyEval_EvalFrameDefault" for frame in frames):
            unnamed += samples
            left[frames[-8:]] += samples
        elif any(map(ANY_FUNCTION.match, frames)):
            named += samples
            works += samples if functions(frames)[-3:] == ["<module>", "main", "work"] else 0
    note("%d samples with names, %d without; %d in work(): %s" % (named, unnamed, works, left.most_common(3)))
    check(named > scaled(1000) and works > scaled(100), named, works)
    check(named >= 0.99 * (named + unnamed), named, unnamed, left.most_common(5))


def places():
    """File offset of the interpreter's loop, and how far its data is behind file offset 0."""
    segments = [line.split() for line in run(["readelf", "-lW", PYTHON]).stdout.splitlines() if " LOAD " in line]
    code = next(words for words in segments if "E" in words[6:-1])
    shift = int(code[2], 16) - int(code[1], 16)
    lines = map(str.split, run(["readelf", "-W", "--dyn-syms", PYTHON]).stdout.splitlines())
    symbols = {words[7]: int(words[1], 16) for words in lines if words[7:] and words[7] != "Name"}
    return symbols["_PyEval_EvalFrameDefault"] - shift, symbols["_PyRuntime"] - shift


@test("a program that lies about its own interpreter: nothing but its own names is wrong")
def liar():
    needs_python()
    load()
    loop, state = places()
    seen = collections.Counter()

    def take(seconds):
        seen.clear()
        # The tool has to find the interpreter first
        honest = start([PYTHON, script("honest.py", SHARES), str(seconds + 2), scratch("honest.txt")])
        profile = record("liar", "-a", "-F", "1999", timeout=600,
                         command=(torture("liar"), str(1000 * seconds), PYTHON, hex(loop), str(state)))
        honest.wait()
        read = balanced(profile)
        for count in read.counts:
            if not count.ustack or count.comm not in ("liar", "python3.11"):
                continue
            for function, _ in read.functions_in(read.stacks[count.ustack]):
                seen[count.comm, "named" if function and function.name else "not named"] += 1
                check(count.comm != "python3.11" or not function or function.file.endswith(".py") or
                      function.file.startswith("<"), function)
        for view in ("report", "fold"):
            kflame(view, "-i", profile)
        note("seen %s; %s" % (dict(seen), collections.Counter(c.comm for c in read.counts if c.ustack).most_common(8)))
        return min(seen["python3.11", "named"], seen["liar", "named"] + seen["liar", "not named"])

    # The module has walked what the program made up
    enough(take, 20, 6, "frames")
    note("frames by program: %s" % dict(seen))


NR_AT, AUTO = 22, 1


def any_version(offsets, nr_at=28):
    """A description of the kind for any version of CPython. Its last three offsets are no offsets."""
    at = {**dict.fromkeys(range(25), 8), **offsets}
    return description(file=100, kind=3, nr_at=nr_at, at=tuple(at.get(i, 0) for i in range(28)))


@test("a description of an interpreter is checked whole, and there is one for each file")
def checked():
    load()
    wrong = {
        "a flag": description(flags=1), "no file": description(file=0), "no loop": description(nr_loops=0),
        "five loops": description(nr_loops=5), "an empty loop": description(loops=(32, 32)),
        "a loop that ends before it begins": description(loops=(32, 16)),
        "a loop beyond the others": description(loops=(16, 32, 48, 64)),
        "too few offsets": description(nr_at=NR_AT - 1),
        "too many offsets": description(nr_at=NR_AT + 1),
        "a large offset": description(at=(8,) * 21 + (1 << 20 | 1,)),
        "an offset beyond the others": description(at=(8,) * (NR_AT + 1)), "a short one": description(size=SIZE - 8),
        "a kind of characters that no state has": any_version({25: 25}),
        "a position of no version": any_version({26: 3}), "lines of no version": any_version({27: 3}),
        "too few offsets of any version": any_version({}, 27),
    }
    with Session() as session:
        check(session.errno(INTERPRETER, description()) == "EINVAL", "before CONFIGURE")
        session.configure(uway=AUTO)
        session.start()
        for what, raw in wrong.items():
            check(session.errno(INTERPRETER, raw) == "EINVAL", what)
        check(session.errno(INTERPRETER, description(kind=99)) in ("EOPNOTSUPP", "ENOTSUP"), "an unknown kind")
        check(session.errno(INTERPRETER, description(size=SIZE + 8) + b"12345678") == "E2BIG", "unknown fields")
        check(session.errno(INTERPRETER, description(size=SIZE + 8) + bytes(8)) == "", "unknown fields that are zero")
        check(session.errno(INTERPRETER, description()) == "EEXIST", "the same file")
        check(session.errno(INTERPRETER, description(file=8, at=(1 << 20,) * NR_AT)) == "", "the largest offsets")
        check(session.errno(INTERPRETER, any_version({25: 24, 26: 2, 27: 2})) == "", "of any version")
        for file in range(9, 6 + 64):
            check(session.errno(INTERPRETER, description(file=file)) == "", file)
        check(session.errno(INTERPRETER, description(file=7 + 64)) == "ENOSPC", "one too many")
        session.stop()
        session.read_all()
    with Session() as session:
        session.configure()
        session.start()
        check(session.errno(INTERPRETER, description()) == "EINVAL", "a session that walks by frame pointers")
        session.stop()
