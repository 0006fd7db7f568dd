# SPDX-License-Identifier: GPL-2.0-or-later
"""
Uprobes as events: each time that a process runs an instruction of a file, with its user stack.
"""

import os
import shutil

import kfl
from harness import KFLAME, balanced, check, folded, in_order, record, run, scaled, scratch, start, test, workload
from probing import configured, copy, lost, needs
from session import Events


def uprobe(file, place):
    return "uprobe:%s:%s" % (file, place)


def address_of(path, symbol):
    """The address of a symbol that the tests' programs have, and its bytes, by nm."""
    for line in run(["nm", "-S", path]).stdout.split("\n"):
        words = line.split()
        if words and words[-1] == symbol:
            return int(words[0], 16), int(words[1], 16)
    raise AssertionError("%s has no %s" % (path, symbol))


def exact(path, event, count, function, callers=("main", "call_many")):
    """So many hits, all with their callers and without kernel functions."""
    profile = balanced(path)
    causes = lost(profile, event)
    check(set(causes) <= {kfl.LOST_FILTER}, causes)
    hits = folded(path, "--event", event)
    check(sum(hits.values()) == count, hits)
    for frames in hits:
        check(in_order(frames, callers) and frames[-1] == function, frames)
    for counts in profile.event_counts.values():
        check(all(one.kstack == 0 for one in counts), "a kernel stack")


@test("uprobe of a program: as many hits as calls, each with its whole user stack")
@needs(kfl.UPROBE)
def program():
    file = workload("called")
    event = uprobe(file, "called_step")
    # By frame pointers, the caller of a function that has made no frame yet is not known
    for options, count, callers in (((), scaled(50000), ("main", "call_many")), (("-g", "fp"), scaled(5000), ("main",)),
                                    (("-g", "dump"), scaled(1000), ("main", "call_many"))):
        path = record("program", "-e", event, *options, command=(file, str(count)))
        exact(path, event, count, "called_step", callers)


@test("uprobe of a library, and of a function at an offset and by its address: exact")
@needs(kfl.UPROBE)
def library():
    count = scaled(20000)
    plugin = copy("plugin.so", "probed.so")
    event = uprobe(plugin, "plugin_step")
    address, _ = address_of(plugin, "plugin_step")
    events = [event, uprobe(plugin, "0x%x" % address), uprobe(plugin, "plugin_step+0")]
    path = record("library", "-e", ",".join(events), command=(workload("called"), str(count), plugin))
    for one in events:
        exact(path, one, count, "plugin_step")


@test("uprobe of a stripped program by address, beside the timer, with the time of each hit")
@needs(kfl.UPROBE)
def stripped():
    count = scaled(20000)
    address, _ = address_of(workload("called"), "called_step")
    file = workload("called-stripped")
    event = uprobe(file, "%d" % address)
    path = record("stripped", "-e", "cpu-clock," + event, "--timeline", command=(file, str(count)))
    balanced(path)
    hits = folded(path, "--event", event)
    check(sum(hits.values()) == count, hits)


@test("-p: a process that starts later is counted, all others are lost by the filter")
@needs(kfl.UPROBE)
def chosen():
    count = scaled(5000)
    file = copy("called", "chosen")
    event = uprobe(file, "called_step")
    begin, end = scratch("begin"), scratch("end")
    os.mkfifo(begin)
    os.mkfifo(end)
    shell = start(["/bin/sh", "-c", "read line < %s; %s %d; echo > %s" % (begin, file, count, end)])
    path = record("later", "-e", event, "-p", str(shell.pid),
                  command=("/bin/sh", "-c", "%s 7; echo > %s; read line < %s" % (file, begin, end)))
    profile = balanced(path)
    hits = folded(path, "--event", event)
    check(sum(hits.values()) == count, hits)
    check(lost(profile, event) == {kfl.LOST_FILTER: 7}, lost(profile, event))


@test("two sessions with the same uprobe count each for itself, and a container's file is the same file")
@needs(kfl.UPROBE)
def shared():
    file = copy("called", "shared")
    event, inside = uprobe(file, "called_step"), scratch("inside")
    with open(inside, "w", encoding="utf-8"):
        pass
    script = "mount --bind %s %s && %s 5" % (file, inside, inside)
    outer = scratch("outer.data")
    path = scratch("inner.data")
    run([KFLAME, "record", "-a", "-e", event, "-o", outer, "--", KFLAME, "record", "-e", event, "-o", path, "--",
         "unshare", "--mount", "/bin/sh", "-c", script])
    for profile in outer, path:
        balanced(profile)
        check(sum(folded(profile, "--event", event).values()) == 5, folded(profile, "--event", event))


@test("a file that is replaced while it is recorded: hits of the old one only")
@needs(kfl.UPROBE)
def replaced():
    file, new = copy("called", "replaced"), copy("called", "new")
    event = uprobe(file, "called_step")
    path = record("replaced", "-e", event, command=("/bin/sh", "-c", "%s 9; mv %s %s; %s 5" % (file, new, file, file)))
    balanced(path)
    check(sum(folded(path, "--event", event).values()) == 9, folded(path, "--event", event))


@test("a program in PATH, and one with a long path: its last parts are the event's name")
@needs(kfl.UPROBE)
def names():
    folder = scratch("d" * 60 + "/" + "e" * 60 + "/bin")
    os.makedirs(folder)
    file = os.path.join(folder, "called")
    shutil.copy(workload("called"), file)
    os.environ["PATH"], before = folder + ":" + os.environ["PATH"], os.environ["PATH"]
    try:
        path = record("in-path", "-e", "uprobe:called:called_step", command=("called", "3"))
    finally:
        os.environ["PATH"] = before
    check(sum(folded(path, "--event", "uprobe:called:called_step").values()) == 3, "the program in PATH")
    path = record("long", "-e", uprobe(file, "called_step"), command=(file, "3"))
    profile = balanced(path)
    name, = (event.name for event in profile.events.values())
    check(name == "uprobe:.../%s/bin/called:called_step" % ("e" * 60), name)


def inside(path, symbol):
    """How far the middle of the first instruction is that has several bytes, by objdump."""
    start, size = address_of(path, symbol)
    lines = run(["objdump", "-d", "--start-address=%d" % start, "--stop-address=%d" % (start + size), path]).stdout
    for line in lines.split("\n"):
        parts = line.split("\t")
        if len(parts) > 2 and len(parts[1].replace(" ", "")) > 2 and int(parts[0].rstrip(":"), 16) > start:
            return int(parts[0].rstrip(":"), 16) - start + 1
    raise AssertionError("no instruction of %s has several bytes" % symbol)


@test("what cannot be probed: the error says why, and exit status 1")
@needs(kfl.UPROBE)
def errors():
    file, text = workload("called"), scratch("text")
    with open(text, "w", encoding="utf-8") as out:
        out.write("no program\n")
    _, size = address_of(file, "called_step")
    for where, why in ((uprobe("/nowhere/prog", "f"), "there is no regular file /nowhere/prog"),
                       (uprobe("no-such-program", "f"), "no program no-such-program is in PATH"),
                       (uprobe(text, "f"), "is not an ELF file"), (uprobe("/dev/null", "f"), "no regular file"),
                       (uprobe(file, "called_stop"), "has no symbol called_stop. Similar ones are: called_step"),
                       (uprobe(file, "quite_another_name"), "see 'nm "),
                       (uprobe(file, "called_data"), "is data, and only code"),
                       (uprobe(file, "called_ifunc"), "an IFUNC of"), (uprobe(file, "dlopen"), "only calls dlopen"),
                       (uprobe(file, "called_step+%d" % size), "which has %d bytes" % size),
                       (uprobe(file, "called_step+%d" % inside(file, "called_step")), "no instruction begins there"),
                       (uprobe(file, "0x7fffffff"), "no code of")):
        done = run([KFLAME, "record", "-e", where, "-o", scratch("none"), "--", "true"], status=1)
        check(where in done.stderr and why in done.stderr, done.stderr)
        check(not os.path.exists(scratch("none")), "a profile of nothing")
    for event in "uprobe", "uprobe:", "uprobe:f", "uprobe::f", "uprobe:f:", "uprobe:f:1x", "uprobe:f:g+", "uprobe:f:g+x":
        run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=2)
    run([KFLAME, "record", "-K", "-e", uprobe(file, "called_step"), "-o", scratch("none"), "--", "true"], status=2)


def bad_instruction():
    """A program whose function begins with bytes that are no instruction of 64-bit programs."""
    path = copy("called", "bad")
    address, _ = address_of(path, "called_step")
    headers = run(["readelf", "-lW", path]).stdout.split("\n")
    for words in (line.split() for line in headers):
        if words[:1] == ["LOAD"] and int(words[2], 16) <= address < int(words[2], 16) + int(words[4], 16):
            offset = address - int(words[2], 16) + int(words[1], 16)
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(b"\x06\x06\x06\x06" if os.uname().machine == "x86_64" else b"\x00\x00\x20\xd4")
    return path


@test("bytes that are no instruction are refused at once, although no process runs the file")
@needs(kfl.UPROBE)
def no_instruction():
    event = uprobe(bad_instruction(), "called_step")
    done = run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=1)
    check("no instruction begins there" in done.stderr, done.stderr)


@test("CONFIGURE refuses descriptors and offsets that cannot be, and who may not change programs")
@needs(kfl.UPROBE)
def refused():
    file = os.open(workload("called"), os.O_RDONLY | os.O_CLOEXEC)
    folder = os.open("/", os.O_RDONLY | os.O_CLOEXEC)
    path = os.open(workload("called"), os.O_PATH | os.O_CLOEXEC)
    zero = os.open("/dev/zero", os.O_RDONLY | os.O_CLOEXEC)
    good = {"names": ["x"], "file": file, "offset": 0x40}
    for fields, error in (({"file": -1}, "EBADF"), ({"file": folder}, "EBADF"), ({"file": path}, "EBADF"),
                          ({"file": zero}, "EBADF"), ({"offset": 1 << 40}, "ERANGE"), ({"offset": 1 << 63}, "ERANGE"),
                          ({"pad": 1}, "EINVAL"), ({"names": [""]}, "EINVAL"), ({"names": ["a b"]}, "EINVAL"),
                          ({"names": ["x" * 121]}, "ENAMETOOLONG"), ({"flags": 1}, "EINVAL"), ({"longest": 1}, "EINVAL"),
                          ({}, "")):
        seen = configured(Events(kfl.UPROBE, **{**good, **fields}))
        check(seen == error, fields, seen, "is not", error)
    for fields in {"file": file}, {"offset": 1}, {"pad": 1}:
        check(configured(Events(kfl.TIMER, **fields)) == "EINVAL", fields, "of the timer")
    for one in file, folder, path, zero:
        os.close(one)
    done = run(["setpriv", "--bounding-set", "-sys_admin", KFLAME, "record", "-e", uprobe(workload("called"), "called_step"),
                "-o", scratch("none"), "--", "true"], status=1)
    check("needs CAP_SYS_ADMIN" in done.stderr, done.stderr)
