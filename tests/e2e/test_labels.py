# SPDX-License-Identifier: GPL-2.0-or-later
"""
Labels: which file each read and write is about.

The program of each test reads and writes files of sizes that the test chose. The bytes by label must be exact.
"""

import collections
import json
import os
import re
import subprocess
import sys

import kfl
from harness import (KFLAME, balanced, check, folded, kflame, load, note, raw_info, record, run, scaled, scratch,
                     test, unload, workload)
from lent import null_disk
from probing import configured, lost, needs
from session import Events

# argv: what to do, one Python statement each; all with a file's name and a size
PROGRAM = """
import os, sys
def write(path, size):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    assert os.write(fd, bytes(size)) == size
    os.close(fd)
def read(path, size):
    fd = os.open(path, os.O_RDONLY)
    assert os.read(fd, size) == bytes(size)
    os.close(fd)
for line in sys.argv[1:]:
    exec(line)
"""


def program(*lines):
    return (sys.executable, "-c", PROGRAM, *lines)


def about(path, event, way=os.fsdecode):
    """Bytes by label, by the reader that knows nothing of the tool."""
    profile = kfl.Profile(path)
    number, = (one.id for one in profile.events.values() if one.name == event)
    sums = collections.Counter()
    for count in profile.event_counts[number]:
        label = profile.label_of(count)
        sums[None if label is None else way(label)] += count.weight_ns
    return sums


READ, WRITE = "kretprobe:vfs_read", "kretprobe:vfs_write"


@test("--faults: minor and major faults of the heap, of other memory and of a file, as getrusage() counts them")
@needs(kfl.FAULTS, kfl.KRETPROBE)
def faults():
    pages, printed = scaled(2000), scratch("faults.txt")
    with null_disk() as name:
        path = record("faults", "--faults", command=("sh", "-c", "exec %s --kinds %d %s >%s" % (workload("faults"), pages, name, printed)))
        balanced(path)
    with open(printed, encoding="ascii") as lines:
        wanted = {key: int(value) for key, value in map(str.split, lines)}
    seen = collections.Counter()
    for frames, hits in folded(path, "--labels").items():
        if "touch_kinds" in frames:
            check(frames[0] == "faults" and "handle_mm_fault" in frames, frames)
            seen[frames[-1]] += hits
    note("%r, by the kernel %r" % (dict(seen), wanted))
    major = sum(hits for label, hits in seen.items() if label.startswith("[major] "))
    check((sum(seen.values()) - major, major) == (wanted["minor"], wanted["major"]), seen, wanted)
    check(seen["[heap]"] == seen["[anon]"] == pages and seen["[major] " + name] == major > 0, seen, pages)
    report = kflame("report", "-i", path, "--by", "label").stdout
    check("[major] " + name in report and "[heap]" in report, report)


def rows_of(path, event):
    """Bytes by label, as the report has them."""
    report = json.loads(kflame("report", "-i", path, "--event", event, "--by", "label", "-n", "0", "--json").stdout)
    return {row["name"]: row["total"]["samples"] for row in report["by_label"]}


@test("1,000 files, some of them deleted: the bytes of each are exact, by its whole name")
@needs(kfl.KRETPROBE)
def thousand():
    number = scaled(1000)
    where = scratch("files")
    os.makedirs(where)
    sizes = {"%s/%d/file %d" % (where, i % 7, i): 100 + 3 * i for i in range(number)}
    for i in range(7):
        os.makedirs("%s/%d" % (where, i))
    script = "\n".join((
        "import os",
        "for i in range(%d):" % number,
        "    path, size = '%s/%%d/file %%d' %% (i %% 7, i), 100 + 3 * i" % where,
        "    write(path, size)",
        "    fd = os.open(path, os.O_RDONLY)",
        "    if i % 3 == 0: os.unlink(path)",
        "    assert len(os.read(fd, 50)) == 50 and len(os.read(fd, 1 << 20)) == size - 50",
        "    os.close(fd)"))
    path = record("files", "--file-io", command=program(script))
    profile = balanced(path)
    for event in READ, WRITE:
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER, kfl.LOST_LENGTH}, lost(profile, event))
    written, read = about(path, WRITE), about(path, READ)
    for i, (name, size) in enumerate(sizes.items()):
        check(written[name] == size, name, written[name], size)
        check(read[name + " (deleted)" * (i % 3 == 0)] == size, name, size)
    check(None not in written and None not in read, "a hit without a label")
    rows = rows_of(path, WRITE)
    check(all(rows[name] == size for name, size in sizes.items()), rows)
    first = kflame("report", "-i", path, "--event", WRITE).stdout
    check(max(sizes, key=sizes.get) in first, first)


@test("views: the file at the root, or as the leaf, or not at all; convert keeps it as a label")
@needs(kfl.KRETPROBE)
def views():
    name = scratch("seen.txt")
    path = record("views", "--file-io", command=program("write(%r, 777)" % name))
    plain, leaf = folded(path, "--event", WRITE), folded(path, "--event", WRITE, "--labels")
    root = folded(path, "--event", WRITE, "--root", "file")
    check(not any(name in frames for frames in plain), plain)
    check(all(frames[-1] == "vfs_write" for frames in plain), plain)
    check(sum(plain.values()) == sum(leaf.values()) == sum(root.values()), plain, leaf, root)
    check(sum(hits for frames, hits in leaf.items() if frames[-1] == name and frames[-2] == "vfs_write") == 777, leaf)
    check(sum(hits for frames, hits in root.items() if frames[0] == name) == 777, root)
    check(folded(path, "--event", WRITE, "--root", "label") == root, root)
    svg = scratch("seen.svg")
    kflame("flame", "-i", path, "--event", WRITE, "--labels", "-o", svg)
    with open(svg, encoding="utf-8") as file:
        check(name in file.read(), "not drawn")
    other = record("none", "-e", "kretprobe:ksys_write", command=program("write(%r, 7)" % name))
    done = run([KFLAME, "report", "-i", other, "--by", "label"])
    check("No table by label: the profile does not say" in done.stdout, done.stdout)
    done = run([KFLAME, "fold", "-i", other, "--root", "file"])
    check("does not say what these samples are about: record with --file-io" in done.stderr, done.stderr)


@test("a file that is renamed, one whose name has a newline, escapes and no UTF-8, and one far down")
@needs(kfl.KRETPROBE)
def names():
    where = scratch("names")
    strange = os.fsencode(where) + b"/a\nb\x1b[31m\xff\xc3;c"
    deep = os.path.join(where, *("directory %d" % i for i in range(60)))
    os.makedirs(deep)
    path = record("names", "--file-io", command=program(
        "write(%r, 11)" % (where + "/old"),
        "os.rename(%r, %r)" % (where + "/old", where + "/new"),
        "read(%r, 11)" % (where + "/new"),
        "write(%r, 222)" % strange,
        "os.chdir(%r)" % deep,
        "write('at the end', 333)"))
    balanced(path)
    written, read = about(path, WRITE, bytes), about(path, READ, bytes)
    check(written[os.fsencode(where + "/old")] == 11 and read[os.fsencode(where + "/new")] == 11, written, read)
    check(written[strange] == 222, written)
    cut = [label for label in written if label and label.endswith(b"/directory 59/at the end")]
    check(len(cut) == 1 and written[cut[0]] == 333 and cut[0].startswith(b".../directory "), written)
    check(350 < len(cut[0]) <= 400, cut)
    # The device comes first, because the mount is not known.
    shown = kflame("report", "-i", path, "--event", WRITE, "--by", "label").stdout
    check("]" + cut[0].decode() in shown, shown)
    check("\x1b" not in shown and "a\nb" not in shown and "[31m" in shown, shown)
    for command in ("fold", "--labels"), ("flame", "--labels", "-o", "-"), ("report", "--by", "label", "--json"):
        text = kflame(command[0], "-i", path, "--event", WRITE, *command[1:]).stdout
        check("\x1b" not in text and "[31m" in text, text[:1000])


@test("a tmpfs, a bind mount of a directory and of a file, and a tmpfs that is unmounted")
@needs(kfl.KRETPROBE)
def mounts():
    where = {name: scratch(name) for name in ("disk", "bound", "single")}
    for name in "disk", "bound":
        os.makedirs(where[name])
    os.mknod(where["single"])
    run(["mount", "-t", "tmpfs", "disk", where["disk"]])
    os.makedirs(where["disk"] + "/below/it")
    with open(where["disk"] + "/one", "wb"):
        pass
    run(["mount", "--bind", where["disk"] + "/below", where["bound"]])
    run(["mount", "--bind", where["disk"] + "/one", where["single"]])
    gone = scratch("gone")
    os.makedirs(gone)
    run(["mount", "-t", "tmpfs", "gone", gone])
    try:
        path = record("mounts", "--file-io", command=program(
            "write(%r, 100)" % (where["disk"] + "/below/it/x"),
            "write(%r, 20)" % (where["bound"] + "/it/x"),
            "write(%r, 3)" % where["single"],
            "write(%r, 40)" % (gone + "/y"), "os.system('umount %s')" % gone))
    finally:
        for name in "single", "bound", "disk":
            run(["umount", where[name]])
    written = about(path, WRITE)
    check(written[where["disk"] + "/below/it/x"] == 100, written)
    check(written[where["bound"] + "/it/x"] == 20, written)
    check(written[where["single"]] == 3, written)
    # It is not mounted any more. So another file system may have had its device number, too.
    check([size for name, size in rows_of(path, WRITE).items() if name.endswith("]/y")] == [40], written)


@test("another mount namespace: the device and the path there")
@needs(kfl.KRETPROBE)
def namespaces():
    apart = scratch("apart")
    os.makedirs(apart)
    inside = "unshare -m sh -c 'mount -t tmpfs apart %s && dd if=/dev/zero of=%s/inside bs=555 count=1'"
    path = record("apart", "--file-io", command=("sh", "-c", inside % (apart, apart)))
    seen = {name: size for name, size in rows_of(path, WRITE).items() if name.endswith("/inside")}
    check(len(seen) == 1 and list(seen.values()) == [555], seen)
    check(re.fullmatch(r"\[0:\d+\]/inside", list(seen)[0]), seen)


@test("pipes, files of no directory, and devices have names, too; of a TCP socket the name is its peer")
@needs(kfl.KRETPROBE)
def nameless():
    path = record("nameless", "--file-io", command=program(
        "import socket; here = socket.create_server(('127.0.0.1', 4322))",
        "there = socket.create_connection(('127.0.0.1', 4322)); os.write(there.fileno(), bytes(36))",
        "try: os.read(socket.socket().fileno(), 1)\nexcept OSError: pass",
        "r, w = os.pipe(); os.write(w, bytes(31)); os.read(r, 100)",
        "a, b = socket.socketpair(); os.write(a.fileno(), bytes(32)); os.read(b.fileno(), 100)",
        "fd = os.open('/dev/zero', os.O_RDONLY); os.read(fd, 33)",
        "fd = os.memfd_create('kept'); os.write(fd, bytes(34))",
        "fd = os.open('/proc/self/stat', os.O_RDONLY); os.read(fd, 35)",
        "fd = os.eventfd(1) if hasattr(os, 'eventfd') else -1; fd < 0 or os.read(fd, 8)"))
    written, read = about(path, WRITE), about(path, READ)
    check((written["pipe"], written["socket (UNIX)"], written["memfd:kept"]) == (31, 32, 34), written)
    check(written["127.0.0.1 port 4322"] == 36, written)
    check((read["pipe"], read["socket (UNIX)"], read["/dev/zero"]) == (31, 32, 33), read)
    check(sum(size for name, size in read.items() if name.startswith("/proc/") and name.endswith("/stat")) >= 35, read)
    if hasattr(os, "eventfd"):
        check(read["anon_inode:[eventfd]"] == 8, read)


@test("kprobe: labels too; with -p, files of other processes take no room")
@needs(kfl.KPROBE, kfl.KRETPROBE)
def called():
    name = scratch("called")
    path = record("called", "--labels", "-e", "cpu-clock,kprobe:vfs_write", command=program(
        "for i in range(100): write(%r, 5)" % name))
    sums = about(path, "kprobe:vfs_write")
    check(sums[name] == 100, sums)
    path = record("unasked", "-e", "kprobe:vfs_write", command=program("write(%r, 5)" % name))
    check(set(about(path, "kprobe:vfs_write")) == {None}, about(path, "kprobe:vfs_write"))
    other = subprocess.Popen(program("while True: write(%r, 5)" % scratch("busy")))
    try:
        path = record("alone", "--file-io", command=program("write(%r, 5)" % name))
    finally:
        other.kill()
        other.wait()
    sums = about(path, WRITE)
    check(sums[name] == 5, sums)
    texts = {label.text for label in kfl.Profile(path).labels.values()}
    check(not any(b"busy" in text for text in texts), texts)
    check(configured(Events(kfl.KRETPROBE, names=["vfs_read"], flags=kfl.EF_LABELS)) == "", "refused")
    check(configured(Events(kfl.KRETPROBE, names=["ksys_read"], flags=kfl.EF_LABELS)) == "", "refused")
    check(configured(Events(kfl.TIMER, flags=kfl.EF_LABELS)) == "EINVAL", "the timer with labels")
    check(configured(Events(kfl.KRETPROBE, names=["vfs_read"], flags=4)) == "EINVAL", "an unknown flag")


@test("system calls: the file at the descriptor when the call begins, the peer of a socket")
@needs(kfl.SYSCALL)
def calls():
    first, second = scratch("first"), scratch("second")
    use = "fd = os.open(%r, os.O_RDWR | os.O_CREAT); [os.fsync(fd) for i in range(%d)]; os.close(fd)"
    command = program(
        use % (first, 3), use % (second, 5),
        # dup2() closes the first file without a close(2): the only call is about the second one
        "os.dup2(os.open(%r, os.O_RDONLY), 100); os.dup2(os.open(%r, os.O_RDONLY), 100); os.close(100)" % (first, second),
        "try: os.fsync(99)\nexcept OSError: pass",
        "import socket; here = socket.create_server(('127.0.0.1', 4321))",
        "there = socket.create_connection(('127.0.0.1', 4321)); [there.send(b'x') for i in range(7)]")
    path = record("calls", "--labels", "-e", "syscall:fsync,syscall:close,syscall:sendto,syscall:getpid", command=command)
    sums = about(path, "syscall:fsync")
    check((sums[first], sums[second], sums[None]) == (3, 5, 1), sums)
    sums = about(path, "syscall:close")
    check((sums[first], sums[second]) == (1, 2), sums)
    check(about(path, "syscall:sendto")["127.0.0.1 port 4321"] == 7, about(path, "syscall:sendto"))
    check(set(about(path, "syscall:getpid")) <= {None}, about(path, "syscall:getpid"))
    path = record("synced", "--file-io=sync", command=command)
    sums = about(path, "syscall:fsync")
    check(sums[first] > 0 and sums[second] > 0, sums)
    check(first in kflame("report", "-i", path).stdout, "not in the report")
    path = record("unasked", "-e", "syscall:fsync", command=command)
    check(set(about(path, "syscall:fsync")) == {None}, about(path, "syscall:fsync"))


@test("--exec and --signals: the program, and the signal")
@needs(kfl.TRACEPOINT)
def traced():
    path = record("exec", "--exec", command=("sh", "-c", "/bin/true; /bin/true; cd /bin && ./echo x"))
    sums = about(path, "tracepoint:sched:sched_process_exec")
    check((sums["/bin/true"], sums["./echo"]) == (2, 1), sums)
    check(set(about(path, "tracepoint:sched:sched_process_fork")) == {None}, "forks have no label")
    path = record("signals", "--signals", command=program(
        "import signal",
        "for number in signal.SIGUSR1, signal.SIGCHLD, 40: signal.signal(number, lambda *_: None)",
        "for number in signal.SIGUSR1, 40, signal.SIGUSR1: os.kill(os.getpid(), number)"))
    sums = about(path, "tracepoint:signal:signal_generate")
    check((sums["SIGUSR1"], sums["signal 40"]) == (2, 1), sums)
    check("SIGUSR1" in kflame("report", "-i", path).stdout, "not in the report")


@test("files that are renamed all the time: each label is one of the names")
@needs(kfl.KRETPROBE)
def moved():
    where = scratch("moved")
    os.makedirs(where + "/a" * 5)
    os.makedirs(where + "/a long name that is not kept in the entry itself" * 3)
    names = [where + "/x", where + "/another name that is too long to be kept in the entry itself, so it has memory"]
    rename = "while True: os.rename(%r, %r); os.rename(%r, %r)" % (names[0], names[1], names[1], names[0])
    with open(names[0], "wb"):
        pass
    other = subprocess.Popen(program(rename))
    try:
        path = record("moved", "--file-io", command=program(
            "fd = -1\nwhile fd < 0:\n    for name in %r:\n        try: fd = os.open(name, os.O_WRONLY)\n"
            "        except FileNotFoundError: pass" % names,
            "for i in range(%d): os.write(fd, b'x')" % scaled(50000)))
    finally:
        other.kill()
        other.wait()
    sums = about(path, WRITE)
    note({name: sums[name] for name in names})
    seen = {name for name in sums if name and name.startswith(where)}
    check(sum(sums[name] for name in seen) == scaled(50000), sums)
    check(sum(sums[name] for name in names) >= scaled(50000) * 99 // 100, sums)


@test("a full table of labels: all further files are one, and nothing is lost")
@needs(kfl.KRETPROBE)
def full():
    unload()
    load("memory_cap=64")
    where = scratch("full")
    os.makedirs(where)
    long = "x" * 200
    count = 6000
    path = record("full", "--file-io=write", command=program(
        "for i in range(%d): write('%s/%s%%d' %% i, 2); os.unlink('%s/%s%%d' %% i)" % (count, where, long, where, long)))
    profile = balanced(path)
    check(set(lost(profile, WRITE)) <= {kfl.LOST_FILTER, kfl.LOST_LENGTH}, lost(profile, WRITE))
    sums = about(path, WRITE)
    mine = {name: sums[name] for name in sums if name and name.startswith(where)}
    note("%d labels; %d bytes are of [more]" % (len(profile.labels), sums["[more]"]))
    check(set(mine.values()) == {2} and len(mine) > 1000, mine)
    check(sums["[more]"] >= 2 * (count - len(mine)), sums["[more]"])
    unload()


@test("merge: the files of both, and their bytes add up; an older reader shows all other frames")
@needs(kfl.KRETPROBE)
def merged():
    same = scratch("same")
    paths = [record("merge%d" % i, "--file-io", command=program(
        "write(%r, 10)" % same, "write(%r, %d)" % (scratch("only%d" % i), 1 + i))) for i in range(2)]
    path = scratch("merged.data")
    kflame("merge", "-o", path, *paths)
    sums = about(path, WRITE)
    check((sums[same], sums[scratch("only0")], sums[scratch("only1")]) == (20, 1, 2), sums)
    check(rows_of(path, WRITE)[same] == 20, rows_of(path, WRITE))
    check(raw_info(path)["profile.unknown"] == "0", "unknown records")
    profile = kfl.Profile(path)
    for stack in profile.stacks.values():
        if stack.ip and stack.ip[0] & kfl.LABEL_MASK == kfl.LABEL_BASE:
            check(not any(ip & kfl.LABEL_MASK == kfl.LABEL_BASE for ip in stack.ip[1:]), stack)
