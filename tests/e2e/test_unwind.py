# SPDX-License-Identifier: GPL-2.0-or-later
"""
User stacks without frame pointers: complete, and stacks that can be.

Programs of tests/workload/unwind, of which chains.py knows all calls, by each way of unwinding;
and Debian's own stripped programs at work, of which only is known whether a stack is complete.
"""

import collections
import os
import platform
import re
import shutil

import chains
import kfl
from harness import (balanced, check, enough, folded, info, kflame, load, note, record, run, scratch, test,
                     workload, BUILD, PATIENCE, ROOT, Skipped)

BY_COPY, STAT_COPIES_DROPPED = 1 << 10, 25
FEATURE = {"dwarf": 1 << 8, "dump": 1 << 9, "auto": 1 << 8 | 1 << 9, "fp": 0,
           "dwarf,dump": 1 << 8 | 1 << 9}
END_MASK, STAT_PENDING = 0xFF, 22
SECONDS = {"chains": 3, "chains_cc": 3, "deep": 2, "forks": 2, "deep_rs": 2}
# Until the first tables are there takes a part of that. A machine that needs longer gets longer
LONGER = min(PATIENCE, 3)
# A copy costs the tool many times a sample, and all of it is emulated
RATE = collections.defaultdict(lambda: 1999, dump=397)
WANTED = 0.995  # of the samples are complete
# Of the samples, those where libgcc hands over to a catch: see chains.hands_over()
HANDED_OVER = 0.005
# Of the samples, those that say so: the others are counted as what they are
PENDING = 0.01
# A recording waits that long for tables before it begins: kflame-record(1)
WAITED_FOR_MS = 4000
# Of the samples, those where the stack's page is being copied: see chains.is_moving(). For an
# emulated arm64, which stops all its CPUs to forget a page, that takes many times as long
MOVING = 0.01 if platform.machine() == "x86_64" else 0.1
# Of the samples, those in the middle of a signal's delivery: see chains.is_delivering(). It is the
# kernel's stack that says so. On emulated arm64 (5.10) that was 0.1% by tables, and 0.5% of some
# 1,000 samples by copies
# Of the samples of programs that are unwound by their instructions, so many are complete
BY_CODE = 0.9
DELIVERING = 0.005 if platform.machine() == "x86_64" else 0.015
FILES = {"chains": ("chains", "libchains.so", "chains_plugin.so")}
# A program and its library, and the file of which the kernel starts all of them
LINKER = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}

# KFLAME_UNWIND=all: the suite "unwind-all"
EVERYTHING = os.environ.get("KFLAME_UNWIND") == "all"

_calls = {}


def program_of(name, built="omit"):
    path = os.path.join(BUILD, "tests/unwind", built, name)
    if os.path.exists(path + ".missing"):
        with open(path + ".missing", encoding="utf-8") as file:
            raise Skipped("%s was not built: %s" % (name, file.read().strip()))
    return path


def linker():
    path = os.path.realpath(LINKER[platform.machine()])
    return chains.entry_of(path)


def calls_of(name):
    """The calls that the program's source declares, once a run that records its calls agrees."""
    if name not in _calls:
        calls = chains.Calls.declared(*(os.path.join(ROOT, "tests/workload/unwind", source)
                                        for source in chains.PROGRAMS[name]))
        done = run([program_of(name, "record"), "0"])
        wrong = calls.differences(done.stdout) + calls.shortcuts()
        check(not wrong, "%s does not call what it says:\n%s" % (name, "\n".join(wrong)))
        _calls[name] = calls
    return _calls[name]


def needs(way):
    load()
    if info()["features"] & FEATURE[way] != FEATURE[way]:
        raise Skipped("this module cannot walk that way")


def ends(profile, comm):
    """How the user stacks of a program's samples ended, as the module or the tool says."""
    seen = collections.Counter()
    for count in profile.counts:
        if count.ustack and count.comm == comm:
            seen[profile.stacks[count.ustack].end & END_MASK] += count.samples
    return seen


def recorded(name, way, built, seconds):
    """
    Record it, and judge all its stacks. Return: what was found, frames that waited, and for how long tables
    were made.
    """
    calls = calls_of(name)
    path = record("%s-%s-%s" % (name, built, way), "-g", way, "-F", RATE[way],
                  command=(program_of(name, built), str(seconds * LONGER)))
    profile = balanced(path)
    found = chains.survey(calls, folded(path, "--kernel", "--no-inline", "--no-demangle"), name,
                          FILES.get(name, (name,)), linker())
    note("\n".join(chains.describe("%s, %s, -g %s" % (name, built, way), found, 5)))
    said = ends(profile, name)
    note("  ended by: " + ", ".join("%d: %d" % end for end in said.most_common()))
    shown = kflame("info", "-i", path).stdout
    for line in re.findall(r"^  .*(?:unwind tables of|without unwind).*$", shown, re.MULTILINE):
        note(line)
    made = re.search(r"unwind tables of .* made in ([\d,.]+) ms", shown)
    if way != "dump":  # of a copy, what is at its end is for the tool to say
        truly = found.complete + found.handed_over + found.impossible
        if said[kfl.END_COMPLETE] > truly + 0.001 * found.samples:
            note("  %d stacks are said to be complete, and %d are"
                 % (said[kfl.END_COMPLETE], found.complete))
    # -g auto goes by frame pointer meanwhile, in code that has none, too
    waited = profile.stats[STAT_PENDING] if way == "auto" else 0
    return found, min(waited, int(PENDING * found.samples)), float(made[1].replace(",", "")) if made else 0


def beyond_copy(frames):
    """Of a copied stack: it does not reach below the alternate stack, nor so deep, nor beyond
    what only the code of its file tells."""
    # where files are copied (other file systems than / and /usr) their code is not there
    bare = frames[0] == "[no unwind information]" and frames[1] in ("clone3", "__restore_rt")
    return bare or "ill_leaf" in frames or sum("deep_" in frame or "rs_" in frame
                                    for frame in frames) > 20


def too_deep(frames):
    return frames[0] == "[truncated: depth]"


# What the compiler links every program with is built without unwind information
CRT = {"_init", "_fini", "__do_global_dtors_aux", "register_tm_clones", "deregister_tm_clones",
       "frame_dummy"}


def in_crt(frames):
    """Code of crtbegin.o or crti.o, which has no frame either; of a stripped library, what ends it."""
    if frames[0].startswith("[no frame pointer: "):
        return frames[1] in CRT
    return frames[0] == "[no unwind information]" and (
        frames[1] in CRT or (len(frames) > 2 and frames[2] == "__cxa_finalize"))


def pending_in(found):
    return sum(samples for frames, samples in found.cut_stacks.items()
               if frames[0] == "[unwind table pending]")


def judge(name, way, built="omit"):
    needs(way)
    found = waited = made_ms = None

    def take(seconds):
        nonlocal found, waited, made_ms
        found, waited, made_ms = recorded(name, way, built, seconds)
        return found.samples

    enough(take, 201, SECONDS[name])
    if pending_in(found) > PENDING * found.samples and made_ms > WAITED_FOR_MS:
        # A busy machine made them more slowly than a recording waits. They are kept: the next one has them.
        note("%d of %d samples waited for a table: once more" % (pending_in(found), found.samples))
        enough(take, 201, SECONDS[name])
    if found.delivering > DELIVERING * found.samples and found.samples < 2000:
        # Of few samples, one or two more by chance are too many: judge more of them.
        note("%d of only %d samples where a signal is delivered: once more, for longer"
             % (found.delivering, found.samples))
        enough(take, 2 * found.samples, 3 * SECONDS[name])
    pending = pending_in(found)
    excused = 0
    for frames, samples in found.cut_stacks.items():
        if too_deep(frames) or in_crt(frames) or way == "dump" and beyond_copy(frames):
            excused += samples
    if excused:
        note("  %d of them are in crt's code, or deeper than is recorded, or than a copy goes"
             % excused)
    # Until a program that begins was walked: a few milliseconds, on a machine with time for it
    check(pending <= PENDING * found.samples, "%d samples waited for a table" % pending)
    check(found.moving <= MOVING * found.samples,
          "%d samples where a page is copied" % found.moving)
    check(found.delivering <= DELIVERING * found.samples,
          "%d samples where a signal is delivered" % found.delivering)
    check(found.impossible <= waited, "%d samples of stacks that cannot be, %d frames without"
          " a table yet:\n%s" % (found.impossible, waited, "\n".join(found.examples[:10])))
    check(found.handed_over <= HANDED_OVER * found.samples, "%d samples on the way to a catch"
          % found.handed_over)
    # while libgcc hands over, no chain of callers exists to be judged (chains.hands_over())
    there = (found.samples - waited - found.handed_over - pending - found.moving
             - found.delivering)
    check(found.complete + excused >= WANTED * there,
          "complete are only %d, and %d could"
          " not be, of %d:\n%s" % (found.complete, excused, found.samples, "\n".join(
              "%d %s" % (samples, ";".join(frames))
              for frames, samples in found.cut_stacks.most_common(10))))
    check(found.complete, "none is complete")


def each_way(name, way):
    def one():
        judge(name, way)

    one.__name__ = "%s_%s" % (name, way)
    test("%s without frame pointers, -g %s: complete, and all its stacks can be" % (name, way))(one)


# Of deep stacks there is much to say and to read: with them it takes minutes
QUICK = (("chains", "dwarf"), ("chains", "dump"), ("chains", "auto"), ("chains_cc", "dwarf"),
         ("chains_cc", "auto"), ("forks", "dwarf"))
EVERY = [(name, way) for name in chains.PROGRAMS for way in ("dwarf", "dump", "auto")]

for _name, _way in EVERY if EVERYTHING else QUICK:
    each_way(_name, _way)


@test("chains with frame pointers, -g auto: complete, and all its stacks are possible")
def with_frame_pointers():
    judge("chains", "auto", "fp")


def only_in_full(title):
    """A test of the suite unwind-all."""
    return test(title) if EVERYTHING else lambda function: function


# What `kflame record -g dwarf,both` says at its end
BOTH = re.compile(r"(?P<stacks>\d+) stacks by tables and by libdw: (?P<same>\d+) the same,"
                  r" (?P<tables>\d+) where the tables end first, (?P<copy>\d+) where the copy"
                  r" does, (?P<different>\d+) different; of (?P<frames>\d+) frames"
                  r" (?P<frames_same>\d+) the same")


@test("the same sample by tables and by libdw: no frame differs")
def both_ways():
    needs("dwarf")
    needs("dump")
    load()
    for name in ("chains", "chains_cc"):
        enough(lambda seconds, name=name: compared(name, seconds), 201, 2, "stacks both ways")


def compared(name, seconds):
    """Record it for that long, and judge all its stacks.  Return: how many there are."""
    done = kflame("record", "-g", "dwarf,both", "-F", 997, "--budget", "0", "-o",
                  scratch("both-%s.data" % name), "--", program_of(name), seconds)
    result = BOTH.search(done.stderr)
    check(result, "nothing was compared:", done.stderr)
    note("%s: %s" % (name, result[0]))
    seen = {key: int(value) for key, value in result.groupdict().items()}
    # What differs is in the output, both stacks with the ends of their walks
    check(seen["frames_same"] >= 0.999 * seen["frames"] and
          seen["different"] <= 0.001 * seen["stacks"], done.stderr)
    return seen["stacks"]


@only_in_full("for contrast: the shares by frame pointer")
def contrast():
    load()
    if not info()["features"] & (FEATURE["auto"]):
        raise Skipped("there is no -g yet")
    for name, built in (("chains", "omit"), ("chains", "fp"), ("deep", "omit")):
        recorded(name, "fp", built, 1)


# ------------------------------------------------------------- programs of others

# name of the thread: what a shell runs; each for a few seconds at most
OTHERS = {
    "bash": "bash -c 'end=$((SECONDS + 2)); f() { local i; for ((i = 0; i < 50; i++)); do"
            " x=${x:0:9}$i; done; }; while ((SECONDS < end)); do f; y=$(f; echo $x); done'",
    "perl": "perl -e '$end = time + 2; sub f { my $n = shift; $n ? f($n - 1) + 1 : 0 }"
            " while (time < $end) { my @a = sort { $a <=> $b } map { ($_ * 7919) % 1009 } 1..200;"
            " my $s = join q(,), @a; $s =~ s/(\\d+)7,/x$1/g; f(50) }'",
    "python3": "python3 -I -S -c 'import time, re, json\nend = time.time() + 2\n"
               "def f(n): return f(n - 1) + 1 if n else 0\n"
               "while time.time() < end: f(30); json.loads(json.dumps([{str(i): i} for i in"
               " range(30)])); re.sub(\"a(b+)\", \"x\", \"abbb\" * 50)'",
    "cc1": "timeout 6 gcc -O1 -x c -c -o /dev/null %s",
    "git": "timeout 3 git -c safe.directory='*' -C %s log --stat -n 40 >/dev/null",
}
LOADER = 0x80  # bytes from the first instruction on that may be outermost


class Outermost:
    """Where the stacks of a profile begin."""

    def __init__(self, profile):
        self._profile, self._entries = profile, {}

    def is_begin(self, count):
        """Is the outermost address in the first function of a program or the dynamic linker?"""
        frames = self._profile.stacks[count.ustack].ip
        if not frames:  # it had no user stack then
            return False
        address = frames[-1]
        for mapping in self._profile.mappings[count.aspace]:
            if mapping.start <= address < mapping.end and mapping.file:
                path = self._profile.files[mapping.file].path
                offset = address - mapping.start + mapping.offset
                return 0 <= offset - self._entry(path) < LOADER
        return False

    def _entry(self, path):
        if path not in self._entries:
            try:
                self._entries[path] = chains.entry_of(path)[1]
            except (OSError, chains.Wrong, ValueError):
                self._entries[path] = 1 << 62
        return self._entries[path]


def others_at(way, script):
    path = record("others-" + way, "-a", "-g", way, "-F", min(RATE[way], 997),
                  command=("/bin/sh", script), timeout=200)
    profile = balanced(path)
    outermost = Outermost(profile)
    seen, begun, said = (collections.Counter() for _ in range(3))
    for count in profile.counts:
        if count.ustack and count.comm in OTHERS and count.context != kfl.CTX_GAP:
            seen[count.comm] += count.samples
            end = profile.stacks[count.ustack].end & END_MASK
            said[count.comm] += count.samples * (end == kfl.END_COMPLETE)
            begun[count.comm] += count.samples * outermost.is_begin(count)
    return {comm: (seen[comm], begun[comm] / seen[comm], said[comm] / seen[comm]) for comm in seen}


@only_in_full("Debian's bash, perl, python3, gcc and git: shares of complete stacks, each way")
def others():
    load()
    ways = [way for way in ("fp", "dump", "dwarf")
            if info()["features"] & FEATURE[way] == FEATURE[way]]
    if len(ways) < 2:
        raise Skipped("there is no -g yet")
    script = scratch("others.sh")
    here = {"cc1": os.path.join(ROOT, "tests/workload/unwind/deep.c"), "git": ROOT}
    with open(script, "w", encoding="utf-8") as file:
        for name, line in OTHERS.items():
            tool = {"cc1": "gcc"}.get(name, name)
            if not os.path.exists("/usr/bin/" + tool):
                note("there is no %s here" % tool)
                continue
            text = line % here[name] if name in here else line
            # Debian's own, whatever else is in PATH
            file.write("PATH=/usr/bin:/bin; %s\n" % text)
        file.write("exit 0\n")
    for way in ways:
        for name, (samples, begun, said) in sorted(others_at(way, script).items()):
            note("%-5s %-8s %6d samples, from the beginning on %5.1f%%, said to be complete %5.1f%%"
                 % (way, name, samples, 100 * begun, 100 * said))


# ---------------------------------------------------------------------- the books


@test("books balance in every mode, system-wide")
def books():
    load()
    done = 0
    for way in FEATURE:
        if info()["features"] & FEATURE[way] != FEATURE[way] or (
                way == "fp" and not info()["features"] & FEATURE["auto"]):
            continue
        profile = balanced(record("books-" + way, "-a", "-g", way, "-F", RATE[way],
                                  command=(program_of("chains"), "1")))
        check(profile.ended, "no end record")
        check(profile.samples, "no samples")
        lost = {cause: profile.lost(cause) for cause in range(kfl.NR_LOST) if profile.lost(cause)}
        note("-g %s: %d samples, lost %r" % (way, profile.samples, lost))
        done += 1
    if not done:
        raise Skipped("there is no -g yet")


@test("-g auto: stacks of programs whose tables come late are copied, and whole")
def late():
    late_tables()


@test("-g auto with --timeline: late stacks are copied and whole, too, and each has its time")
def late_timeline():
    late_tables("--timeline")


def late_tables(*options):
    load()
    if not info()["features"] & 1 << 12:
        raise Skipped("this module cannot copy those")
    # each copy is a file that nobody knows, and nothing is kept from before
    copies = [scratch("late-%d" % i) for i in range(6)]
    for directory in copies:
        os.makedirs(directory, exist_ok=True)
        for name in FILES["chains"]:
            shutil.copy(os.path.join(os.path.dirname(program_of("chains")), name), directory)
    path = scratch("late.data")

    def take(seconds):
        """Each program's start has some four stacks that are cut: there must be many samples beside them."""
        script = "; ".join("%s/chains %d" % (directory, seconds) for directory in copies)
        os.environ["KFLAME_TABLE_CACHE"] = ""
        try:
            record("late", "-g", "auto", "-F", 997, *options, command=("/bin/sh", "-c", script))
        finally:
            del os.environ["KFLAME_TABLE_CACHE"]
        return sum(count.samples for count in kfl.Profile(path).counts if count.comm == "chains")

    enough(take, 8000, 2)
    profile = balanced(path)
    found = chains.survey(calls_of("chains"), folded(path, "--kernel", "--no-inline"), "chains",
                          FILES["chains"], linker())
    note("\n".join(chains.describe("late", found, 5)))
    copied = sum(count.samples for count in profile.counts
                 if count.ustack and profile.stacks[count.ustack].end & BY_COPY)
    note("%d of %d samples were unwound from a copy, %d had no room; ends %r"
         % (copied, profile.samples, profile.stats[STAT_COPIES_DROPPED], ends(profile, "chains")))
    there = found.samples - found.moving - found.delivering - found.handed_over
    late = sum(samples for frames, samples in found.cut_stacks.items()
               if frames[0] == "[unwind table pending]")
    # A copy has 16 KiB: a deeper stack ends there, and says so. The slower the machine, the more copies.
    short = sum(samples for frames, samples in found.cut_stacks.items()
                if frames[0] == "[truncated: copy too short]")
    check(short <= 0.1 * copied, "%d of %d copies are too short" % (short, copied))
    check(found.complete >= WANTED * (there - short), "complete are only %d of %d, %d are pending"
          % (found.complete, there - short, late))
    # A copy can be cut where the module came through by frame pointers, which may skip a caller on arm64
    skipping = profile.stats[STAT_PENDING] if platform.machine() == "aarch64" else 0
    check(found.impossible <= skipping, found.examples[:5])
    if not profile.stats[STAT_PENDING]:
        raise Skipped("every table was there in time")
    check(copied, "%d frames had no table yet, and nothing was copied" % profile.stats[STAT_PENDING])


JS_WORK = ("inner", "sortWork", "mapWork", "jsonWork", "regexWork")


def is_js(frame, name):
    """V8 writes the tier, the name and the place: "JS:*inner /path/builtins.js:12:15"."""
    return re.search(r"\b%s\b" % name, frame) is not None and ".js" in frame


@test("node at work: stacks through V8's builtins are whole, and functions are under their callers")
def node():
    program = shutil.which("node")
    if not program:
        raise Skipped("no node here")
    load()
    enough(lambda seconds: node_at_work(program, seconds), 500, 8, "samples in functions at work")


def node_at_work(program, seconds):
    script = os.path.join(ROOT, "tests/workload/builtins.js")
    path = record("node", "-F", 499, command=(program, "--perf-basic-prof",
                                              "--interpreted-frames-native-stack", script, str(seconds)))
    balanced(path)
    every = cut = hot = under = 0
    for frames, samples in folded(path).items():
        if frames[0] != "node" or len(frames) < 2:
            continue
        every += samples
        cut += samples if frames[1].startswith(("[truncated", "[no ", "[unwind table")) else 0
        if any(is_js(frame, name) for frame in frames for name in JS_WORK):
            hot += samples
            under += samples if all(any(is_js(frame, name) for frame in frames)
                                    for name in ("driver", "outer")) else 0
    note("%d samples, %d cut; of %d in functions at work %d are under their callers"
         % (every, cut, hot, under))
    check(cut <= 0.01 * every, "%d of %d samples are cut" % (cut, every))
    check(under >= 0.99 * hot, "%d of %d samples are under their callers" % (under, hot))
    return hot


GO_BEGINS = ("runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.mcall", "runtime.morestack",
             "runtime.clone")
GO_WORK = ("main.compute", "main.sortWork", "main.mapWork", "main.stringWork")


@test("Go at work, with symbols and without: stacks begin where Go begins them, and go on across its stacks")
def go():
    if not os.path.exists(workload("goroutines")):
        raise Skipped("no Go here when the workloads were built")
    load()
    for name in ("goroutines", "goroutines-stripped"):
        enough(lambda seconds, name=name: go_at_work(name, seconds), 5, 4, "samples on g0 under work")


def switches(frames):
    """
    How often a stack goes through systemstack() to another stack. On the system's stack already,
    systemstack() jumps to its function and leaves no frame, so as the innermost frame it is no switch.
    """
    return sum(frame == "runtime.systemstack" and inner.startswith("runtime.")
               for frame, inner in zip(frames, frames[1:]))


def go_at_work(name, seconds):
    path = record(name, "-F", 499, command=(workload(name), str(seconds)))
    balanced(path)
    every = begun = hot = under = switched = 0
    for frames, samples in folded(path).items():
        frames = [frame.removesuffix(".abi0") for frame in frames]
        if not frames[0].startswith("goroutines") or len(frames) < 2 or frames[1] in (
                "[exec]", "[exiting]"):
            continue
        every += samples
        begun += samples if frames[1] in GO_BEGINS else 0
        if any(frame in GO_WORK for frame in frames):
            hot += samples
            under += samples if frames[1:3] == ["runtime.goexit", "main.main.func1"] else 0
            switched += samples if "runtime.systemstack" in frames else 0
        check(switches(frames) < 2, "a stack goes in circles:", frames)
    note("%s: %d of %d samples begin where Go does; of %d at work %d are under main.main.func1, %d of"
         " them on another stack" % (name, begun, every, hot, under, switched))
    check(begun >= 0.99 * every, "%d of %d samples begin where Go does" % (begun, every))
    check(under >= 0.99 * hot, "%d of %d samples are under main.main.func1" % (under, hot))
    return switched


def is_in_libc_of_arm64(profile, count):
    """
    glibc's swapcontext() and setcontext() use the link register for something else there, and their
    unwind information does not say so (2.36).
    """
    at = profile.stacks[count.ustack].ip[0]
    return platform.machine() == "aarch64" and any(
        mapping.start <= at < mapping.end and mapping.file and
        os.path.basename(profile.files[mapping.file].path).startswith("libc.so")
        for mapping in profile.mappings[count.aspace])


@test("static programs with musl, without unwind information: nine of ten stacks are whole, and can be")
def by_code():
    needs("auto")
    for name in ("deep", "forks"):
        found = waited = None

        def take(seconds, name=name):
            nonlocal found, waited
            found, waited, _ = recorded(name, "auto", "musl", seconds)
            return found.samples

        enough(take, 201, SECONDS[name])
        excused = sum(samples for frames, samples in found.cut_stacks.items() if too_deep(frames))
        check(found.impossible <= waited, "%d samples of stacks that cannot be:\n%s"
              % (found.impossible, "\n".join(found.examples[:10])))
        check(found.complete + excused >= BY_CODE * found.samples, "%s: complete are only %d of %d samples"
              % (name, found.complete, found.samples))


BUSYBOX_WORK = "i=0; while [ $i -lt %d ]; do i=$((i+1));" \
    " seq 1 4000 | sort -r | gzip | gunzip | md5sum; seq 1 2000 | awk '{ s += $1 } END { print s }';" \
    " seq 1 2000 | sed 's/1/x/g' | grep -c x; done"


@test("busybox at work: nine of ten stacks are whole, and info says that its table is by code")
def busybox():
    needs("auto")
    program = os.path.realpath(shutil.which("busybox") or "/")
    if not os.path.isfile(program):
        raise Skipped("busybox is not installed")
    shown = found = None

    def take(seconds):
        nonlocal shown, found
        path = record("busybox", "-F", 997, command=(
            program, "sh", "-c", with_applets(program, BUSYBOX_WORK % (4 * seconds))))
        found = collections.Counter()
        profile = balanced(path)
        for count in profile.counts:
            if count.ustack and profile.stacks[count.ustack].ip:
                found[profile.stacks[count.ustack].end & END_MASK] += count.samples
        shown = kflame("info", "-i", path).stdout
        return sum(found.values())

    enough(take, 201, 2)
    if "unwound by its instructions: busybox" not in shown:
        raise Skipped("this busybox has unwind information")
    note(str(dict(found)))
    check(found[kfl.END_COMPLETE] >= BY_CODE * sum(found.values()), "%r" % dict(found))


def with_applets(program, script):
    """The script, in which each command is busybox's own."""
    for applet in ("seq", "sort", "gzip", "gunzip", "md5sum", "awk", "sed", "grep"):
        script = re.sub(r"(?<![\w'])%s(?= )|(?<=\| )%s(?=[ ;])" % (applet, applet), program + " " + applet, script)
    return script


@test("stacks are whole where a coroutine begins, and where the return address is in a register")
def fibers():
    load()
    for way in ("auto", "dwarf"):
        for kind, caller in (("context", "fiber_work;fiber_leaf"), ("vfork", "spawn_one")):
            fibers_are_whole(way, kind, caller)


def fibers_are_whole(way, kind, caller):
    path = scratch("fibers.data")
    found = None

    def take(seconds):
        nonlocal found
        record("fibers", "-F", 997, "-g", way, command=(workload("fibers"), kind, str(seconds)))
        found = fiber_ends(balanced(path), kind)
        return sum(found.values())

    enough(take, 201, 2)
    whole, every = found[kfl.END_COMPLETE], sum(found.values())
    note("%s, %s: %d of %d samples are whole; ends %r" % (kind, way, whole, every, dict(found)))
    check(whole >= 0.98 * every, "%s, %s: %r" % (kind, way, found))
    if platform.machine() == "x86_64":
        named = sum(n for stack, n in folded(path).items() if caller in ";".join(stack))
        check(named >= 0.5 * every, "%s, %s: %d samples under %s" % (kind, way, named, caller))


def fiber_ends(profile, kind):
    """How its user stacks ended, as the module or the tool says."""
    found = collections.Counter()
    for count in profile.counts:
        if count.comm == "fibers" and count.ustack and profile.stacks[count.ustack].ip and not (
                kind == "context" and is_in_libc_of_arm64(profile, count)):
            found[profile.stacks[count.ustack].end & END_MASK] += count.samples
    return found
