# SPDX-License-Identifier: GPL-2.0-or-later
"""Attacks by unprivileged users on the tool that root runs."""

import os
import shutil
import signal
import struct
import subprocess
import threading
import time

from harness import (MOST_LATE, Skipped, balanced, become_nobody, check, enough, folded, load, note, record, run,
                     scratch, start, test, wait_until, workload, KFLAME)

NOBODY = 65534
ELSEWHERE = "/var/tmp/kflame-elsewhere"  # see tests/workload/elsewhere.c
SECRET = "nobody may read this line"


def write(path, text, mode, owner=0):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chown(path, owner, owner)
    os.chmod(path, mode)


def program_of(owner):
    path = "/var/tmp/elsewhere"
    shutil.copy(workload("elsewhere"), path)
    os.chown(path, owner, owner)
    os.chmod(path, 0o755)
    return path


def annotated(profile):
    return run([KFLAME, "report", "-i", profile, "--annotate", "elsewhere"]).stdout


def shown(profile, mode, owner):
    write(ELSEWHERE, (SECRET + "\n") * 40, mode, owner)
    return SECRET in annotated(profile)


@test("report --annotate by root shows no source file that the program's owner cannot read")
def sources():
    load()
    for owner in (NOBODY, 0):
        profile = record("elsewhere-%d" % owner, "-a", command=(program_of(owner), "1"))
        check(not shown(profile, 0o600, 0), "a file of root's alone is shown")
        check(shown(profile, 0o644, 0), "what everybody may read is not shown")
    profile = record("elsewhere", "-a", command=(program_of(NOBODY), "1"))
    check(shown(profile, 0o600, NOBODY), "the owner's own file is not shown")
    check(not shown(profile, 0o600, 1234), "another user's file is shown")
    os.unlink(ELSEWHERE)
    for link in ("/proc/self/environ", "/sys/kernel/notes"):
        os.symlink(link, ELSEWHERE)
        check("not here" in annotated(profile), link, "is shown")
        os.unlink(ELSEWHERE)


# Mounts a file that belongs to root over the process's own perf map
BIND = """touch /tmp/perf-$$.map && mount --bind /var/tmp/kflame-secret.map /tmp/perf-$$.map || exit 9
exec %s 5 quiet"""


@test("a perf map that is a bind mount of a secret file is not read")
def bound():
    load()
    map_of_root = "/var/tmp/kflame-secret.map"
    write(map_of_root, "0 7fffffffffff name_in_a_file_of_roots\n", 0o600)
    program = "/var/tmp/kflame-jit"
    shutil.copy(workload("jit"), program)
    argv = ("unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", BIND % program)
    for readable in (False, True):
        os.chmod(map_of_root, 0o644 if readable else 0o600)
        process = start(argv, preexec_fn=become_nobody, stderr=subprocess.PIPE)
        wait_until(lambda: process.poll() is not None or
                   os.readlink("/proc/%d/exe" % process.pid) == program, "it runs", 60)
        if process.poll() is not None:
            raise Skipped("no user namespace: %s" % process.stderr.read().strip())
        os.utime(map_of_root)  # one that is older than the process would be another process's
        path = record("bound-%d" % readable, "-p", process.pid, "-d", 2)
        process.kill()
        process.wait()
        named = any("name_in_a_file_of_roots" in frames for frames in folded(path))
        check(named == readable, "a file with mode", oct(os.stat(map_of_root).st_mode),
              "gave names" if named else "gave none")


@test("code that took over a parser cannot read, send, fork, trace, or outlive its parent")
def taken_over():
    done = run([workload("escape")], status=None)
    check(done.returncode == 0, done.returncode, done.stdout, done.stderr)


# ------------------------------------------------------------- the whole toolbox

HERE = os.path.dirname(os.path.abspath(__file__))
SYMTAB, STRTAB, FUNCTION = 2, 3, 2
PEAK = 200 << 20  # bytes of all of kflame's processes together


def sections(data):
    """Offset of the header, type, offset, bytes, and link of each section of a 64-bit file."""
    at, = struct.unpack_from("<Q", data, 0x28)
    size, number = struct.unpack_from("<2H", data, 0x3a)
    for i in range(number):
        header = at + i * size
        kind, = struct.unpack_from("<I", data, header + 4)
        offset, length, link = struct.unpack_from("<QQI", data, header + 24)
        yield header, kind, offset, length, link


def share_name(data):
    """All functions get the longest name, which is there once."""
    found = list(sections(data))
    _, _, offset, length, link = next(s for s in found if s[1] == SYMTAB)
    strings = found[link][2]
    names = bytes(data[strings:strings + found[link][3]])
    longest = max(range(0, length, 24), key=lambda i: names.find(b"\0", struct.unpack_from(
        "<I", data, offset + i)[0]) - struct.unpack_from("<I", data, offset + i)[0])
    name = bytes(data[offset + longest:offset + longest + 4])
    for i in range(offset, offset + length, 24):
        if data[i + 4] & 15 == FUNCTION:
            data[i:i + 4] = name


def program(name, change=None, size=0):
    """A copy of toolbox that belongs to nobody."""
    path = "/var/tmp/kflame-toolbox-" + name
    with open(workload("toolbox"), "rb") as file:
        data = bytearray(file.read())
    if change:
        change(data)
    # A program that runs cannot be written to, and one that was killed may still be ending
    if os.path.exists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)
        if size:
            file.truncate(size)
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, 0o755)
    return path


def endless_symbols(data):
    """The symbol table says that it has 6 GiB."""
    header = next(s for s in sections(data) if s[1] == SYMTAB)[0]
    struct.pack_into("<Q", data, header + 32, 6 << 30)


def spoilt_map(pid, make):
    """In place of a perf map there is something else."""
    path = "/tmp/perf-%d.map" % pid
    wait_until(lambda: os.path.exists(path), "a perf map", 60)
    os.unlink(path)
    make(path)
    if not os.path.islink(path):
        os.chown(path, NOBODY, NOBODY)


def sparse_map(path):
    with open(path, "wb") as file:
        file.truncate(2 << 30)


def toolbox():
    """Starts all of it, as nobody, for two minutes at most. Return: the processes."""
    names, sparse = program("names", share_name), program("sparse", endless_symbols, 8 << 30)
    plain, jit = program("plain"), "/var/tmp/kflame-jit"
    shutil.copy(workload("jit"), jit)
    silent = ("import subprocess, sys; f = subprocess.Popen([sys.executable, sys.argv[1], sys.argv[2], sys.argv[3]],"
              "stdin=subprocess.PIPE, stdout=subprocess.PIPE); f.stdout.readline();"
              "p = subprocess.Popen([sys.argv[2] + '/program', 'names', '120']); f.stdin.write(b'\\n'); f.stdin.flush(); p.wait()")
    mountpoint = "/var/tmp/kflame-toolbox-fuse"
    os.makedirs(mountpoint, exist_ok=True)
    os.chown(mountpoint, NOBODY, NOBODY)
    spaces = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork")
    commands = ((plain, "maps", "120"), (names, "names", "120"), (sparse, "names", "120"), (plain, "comm", "120"),
                ("env", "LD_PRELOAD=" + workload("plugin.so"), plain, "names", "120"),
                (*spaces, plain, "names", "120"),
                (*spaces, "python3", "-c", silent, os.path.join(HERE, "fusefs.py"), mountpoint, plain),
                (jit, "120"), (jit, "120"), (jit, "120"))
    processes = [start(argv, preexec_fn=become_nobody, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for argv in commands]
    for process, make in zip(processes[-3:], (lambda path: os.mkfifo(path, 0o666), sparse_map,
                                              lambda path: os.symlink("/dev/zero", path))):
        spoilt_map(process.pid, make)
    return processes


def resident():
    """Bytes of all processes of kflame."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/status" % pid, encoding="ascii", errors="replace") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue
        if lines["Name"].strip() == "kflame" and "RssAnon" in lines:
            total += int(lines["RssAnon"].split()[0]) << 10
    return total


class Peak(threading.Thread):
    """What kflame takes at most, by looking often."""

    def __init__(self):
        super().__init__(daemon=True)
        self.bytes, self.over = 0, threading.Event()

    def run(self):
        while not self.over.wait(0.02):
            self.bytes = max(self.bytes, resident())


def shares_of(path):
    """Samples in the functions of "shares"."""
    counts = dict.fromkeys(("share_70", "share_20", "share_10"), 0)
    for frames, count in folded(path).items():
        for name in counts:
            counts[name] += count if frames[0] == "shares" and name in frames else 0
    return counts


def beside_toolbox(path, seconds):
    """Record "shares" beside the toolbox. Return: the recorder, the report, and the most bytes that kflame took."""
    processes, peak = toolbox(), Peak()
    peak.start()
    begin = time.monotonic()
    try:
        done = run([KFLAME, "record", "-a", "--budget", "0", "-o", path, "--",
                    "nice", "-n", "-10", workload("shares"), str(seconds)], timeout=400)
        took = time.monotonic() - begin
        report = run([KFLAME, "report", "-i", path], timeout=100)
    finally:
        peak.over.set()
        peak.join()
        for process in processes:
            process.send_signal(signal.SIGKILL)
    note("%.0f s, %.0f MB in memory, %.1f MB of profile; %s"
         % (took, peak.bytes / 1e6, os.path.getsize(path) / 1e6, done.stderr.strip()))
    return done, report, peak.bytes


@test("beside a hostile user's whole toolbox a recording is right, ends, and takes at most 200 MB")
def whole_toolbox():
    load()
    path = scratch("toolbox.data")
    done = seen = late = None

    def take(seconds):
        nonlocal done, seen, late
        done, report, peak = beside_toolbox(path, seconds)
        check(peak < PEAK, "%d bytes" % peak)
        check("\x1b" not in report.stdout + report.stderr + done.stderr, "an escape sequence is printed")
        own = [count for count in balanced(path).counts if count.comm == "shares"]
        late = sum(count.late_ns for count in own) / max(1, sum(count.weight_ns for count in own))
        seen = shares_of(path)
        return sum(seen.values())

    for attempt in range(3):
        enough(take, 1001, 6)
        truth = {name: int(ns) for name, ns in (line.split() for line in done.stdout.strip().split("\n"))}
        samples, total = sum(seen.values()), sum(truth.values())
        wrong = ""
        for name, ns in truth.items():
            share, allowed = ns / total, max(4 * (ns / total / samples) ** 0.5, 0.03)
            if abs(seen[name] / samples - share) >= allowed:
                wrong = "%s ran for %.4f, %r" % (name, share, seen)
        note("%d samples, %r; %.1f%% of the time came late" % (samples, seen, 100 * late))
        if not wrong:
            return
        # The program's own clock may be wrong, see MOST_LATE.
        check(late > MOST_LATE and attempt < 2, wrong)
