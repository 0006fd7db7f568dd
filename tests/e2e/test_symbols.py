# SPDX-License-Identifier: GPL-2.0-or-later
"""Symbols of stripped programs, from wherever they are."""

import os
import shutil

from harness import (balanced, check, enough, folded, in_order, kflame, load, note, record, run, scratch,
                     test, workload, Skipped)

# chain-id is linked with this one (tests/workload/Makefile)
BUILD_ID = b"kflame-tests".hex()
CHAIN = ("main", "top", "mid", "leaf")


def named(program, how):
    """Record it; its functions, which no .dynsym has, are named, and info says from where."""
    load()
    path = record(os.path.basename(program), command=(program, "2"))
    balanced(path)
    stacks = {frames: count for frames, count in folded(path).items()
              if frames[0] == os.path.basename(program)}
    chains = sum(count for frames, count in stacks.items() if in_order(frames, CHAIN))
    unnamed = [frames for frames in stacks if any("[stripped: " + frames[0] in f for f in frames)]
    note("%d of %d samples lead from main to leaf" % (chains, sum(stacks.values())))
    check(chains > 0, "samples with the chain:", chains, list(stacks)[:5])
    check(not unnamed, "frames without a name:", unnamed[:5])
    info = kflame("info", "-i", path).stdout
    line = [line for line in info.split("\n") if os.path.basename(program) in line and how in line]
    check(line, "info does not say", how, info)


@test("a stripped program whose debug file is found by build-id only")
def by_build_id():
    if os.statvfs("/usr/lib").f_flag & os.ST_RDONLY:
        # the host's, where there is no overlayfs
        if not os.path.isdir("/usr/lib/debug"):
            raise Skipped("nothing can be put into /usr/lib/debug here")
        run(["mount", "-t", "tmpfs", "debug", "/usr/lib/debug"])
    directory = os.path.join("/usr/lib/debug/.build-id", BUILD_ID[:2])
    os.makedirs(directory, exist_ok=True)
    shutil.copy(workload("chain-id.debug"), os.path.join(directory, BUILD_ID[2:] + ".debug"))
    program = scratch("chain-id")
    shutil.copy(workload("chain-id"), program)
    named(program, "debug data")


@test("a stripped program whose debug file is found by .gnu_debuglink only")
def by_link():
    named(workload("chain-link"), "debug data")


@test("a stripped program with MiniDebugInfo only")
def by_mini():
    named(workload("chain-mini"), "MiniDebugInfo")


@test("inlined functions are frames, with their lines; --no-inline leaves them out")
def inlined():
    load()
    path = scratch("inlined.data")
    whole = ("main", "spin", "middle", "innermost")

    def below(wanted, *options):
        return sum(count for frames, count in folded(path, *options).items()
                   if in_order(frames, wanted))

    def take(seconds):
        # by frame pointers: what libc does for it is not below it then
        record("inlined", "-g", "fp", command=(workload("inlined"), str(seconds)))
        balanced(path)
        return below(whole)

    enough(take, 101, 2)
    seen, spin = below(whole), below(whole[:2])
    note("%d of %d samples in spin are of innermost, inlined twice" % (seen, spin))
    check(seen > 0.9 * spin, "inlined:", seen, "of", spin, list(folded(path))[:5])
    plain = folded(path, "--no-inline")
    check(not any("innermost" in frames for frames in plain), "inlined all the same")
    check(sum(plain.values()) == sum(folded(path).values()), "other sums")
    check(below(whole[:2], "--no-inline") == spin, "other samples in spin")
    with open(os.path.join(os.path.dirname(__file__), "../workload/inlined.c"),
              encoding="ascii") as file:
        lines = {call: 1 + number for number, text in enumerate(file)
                 for call in ("spin(until)", "middle(until)", "innermost(x)") if call + ";" in text}
    wanted = tuple("%s inlined.c:%d" % (name, lines[call]) for name, call in
                   zip(whole, ("spin(until)", "middle(until)", "innermost(x)")))
    check(below(wanted, "--lines") == seen, "with lines:", wanted,
          list(folded(path, "--lines"))[:5])


def jitted(path):
    """Its two functions are named, and who called them."""
    balanced(path)
    for name in ("jit_first", "jit_second(with a space)"):
        count = sum(count for frames, count in folded(path).items()
                    if in_order(frames, ("main", "caller", name)))
        note("%s: %d samples" % (name, count))
        check(count > 0, name, "is in no sample:", list(folded(path))[:5])
    check(not any("jit_before" in frames for frames in folded(path)), "an old name was taken")


@test("code of a just-in-time compiler: named by its perf map")
def jit():
    load()
    jitted(record("jit", command=(workload("jit"), "2")))


# Red on arm64 when a rule goes by sp after a step by frame pointer
@test("the same by unwind tables, and from copies: its callers are in a file that has a table")
def jit_unwound():
    load()
    for how in "dwarf", "dump":
        jitted(record("jit-" + how, "-g", how, command=(workload("jit"), "2")))


def jit_inside(name, *arguments):
    """Record the compiler in a pid and a mount namespace, with a /tmp of its own."""
    load()
    if not os.path.exists("/proc/self/ns/pid"):
        raise Skipped("this kernel has no pid namespaces")
    # not below /tmp, which it has its own of
    program = "/var/tmp/jit"
    shutil.copy(workload("jit"), program)
    inside = "mount -t tmpfs tmpfs /tmp && exec %s" % " ".join((program, "2", *arguments))
    jitted(record(name, command=("unshare", "--pid", "--mount", "--fork", "/bin/sh", "-c", inside)))


@test("the same in a pid and a mount namespace of its own, which end with the recording")
def jit_in_namespace():
    jit_inside("jit-namespace")


@test("code of a just-in-time compiler: named by its jitdump")
def dump():
    load()
    jitted(record("dump", command=(workload("jit"), "2", "dump")))


@test("the same, of a process that has ended, whose file is deleted before the recording ends")
def dump_gone():
    load()
    script = "%s 2 dump; rm /tmp/jit-*.dump; exec %s 1" % (workload("jit"), workload("readloop"))
    jitted(record("dump-gone", command=("/bin/sh", "-c", script)))


@test("the same in a pid and a mount namespace of its own, deleted as soon as it is mapped")
def dump_in_namespace():
    jit_inside("dump-namespace", "gone")


def chains(path, *options):
    return sum(count for frames, count in folded(path, *options).items()
               if in_order(frames, CHAIN))


@test("names that were not to be had are found later, with --resymbolize; others stay")
def again():
    load()
    program = scratch("chain-link")
    shutil.copy(workload("chain-link"), program)
    path = record("again", command=(program, "2"))
    check(not chains(path), "it is named without its debug file")
    debug = scratch("chain-link.debug")
    shutil.copy(workload("chain-link.debug"), debug)
    check(not chains(path), "a view looked for what was looked for already")
    check(chains(path, "--resymbolize") > 0, "not named again:", list(folded(path))[:3])
    named_now = record("named", command=(program, "2"))
    for gone in (debug, program):
        os.unlink(gone)
        check(chains(named_now, "--resymbolize") == chains(named_now) > 0,
              "names were lost with", gone)
