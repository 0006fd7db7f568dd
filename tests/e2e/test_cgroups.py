# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples by cgroup, container, process and thread: every one of them with its own."""

import array
import collections
import contextlib
import os
import signal
import struct
import subprocess

import kfl
from harness import (balanced, check, folded, info, kflame, load, note, run, scratch, start, test,
                     wait_until, workload, KFLAME, PATIENCE, Skipped)
from session import CGROUP, Session

ROOT = "/sys/fs/cgroup"
ID = "0123456789abcdef" * 4
NONE = "[no address space]"
PATHS = ("/plain", "/system.slice/docker-%s.scope" % ID)


def mounted():
    with open("/proc/self/mountinfo", encoding="ascii") as file:
        return any(line.split()[4] == ROOT and " - cgroup2 " in line for line in file)


@contextlib.contextmanager
def cgroups(paths):
    if not mounted():
        raise Skipped("no cgroup v2 hierarchy on this kernel")
    for path in paths:
        os.makedirs(ROOT + path)
    try:
        yield
    finally:
        for path in paths:
            remove(path)


def remove(path):
    while path != "/" and os.path.exists(ROOT + path):
        # its last process is reaped, and may be on its way out nevertheless
        wait_until(lambda: not processes(path), "%s is empty" % path)
        os.rmdir(ROOT + path)
        path = os.path.dirname(path)


def processes(path):
    with open(ROOT + path + "/cgroup.procs", encoding="ascii") as file:
        return file.read().split()


def start_in(path, *argv):
    """It is in that cgroup before the program begins."""
    return start(["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', ROOT + path, *argv],
                 stdout=subprocess.PIPE)


def recording(name, *options):
    path = scratch(name + ".data")
    tool = start([KFLAME, "record", "-a", "--budget", "0", "-o", path, *options],
                 stderr=subprocess.PIPE)
    # before that it has no handler for the signal that ends it
    wait_until(lambda: info()["nr_running"] == 1, "the session runs")
    return path, tool


def end(tool):
    tool.send_signal(signal.SIGINT)
    message = tool.communicate(timeout=120 * PATIENCE)[1]
    check(tool.returncode == 0, message)


def by_root(path, root):
    """Samples of the program by what its stacks begin with; idle and gaps are as they are."""
    stacks, result = folded(path, "--root", root), collections.Counter()
    for frames, count in stacks.items():
        if len(frames) > 1 and frames[1] == "busy":
            result[frames[0]] += count
    plain = folded(path)
    for note_ in (("swapper", "[idle]"), ("[gap]",)):
        check(stacks.get(note_) == plain.get(note_), note_, stacks.get(note_), plain.get(note_))
    check(sum(stacks.values()) == sum(plain.values()), "samples by", root, "are others")
    return result


def counts(profile, key):
    result = collections.Counter()
    for count in profile.counts:
        if count.comm == "busy" and count.context != kfl.CTX_GAP:
            result[key(count)] += count.samples
    return result


@test("cgroups, one of a container, one that is removed meanwhile: each has its own samples")
def two_cgroups():
    load()
    gone = "/gone"
    with cgroups((*PATHS, gone)):
        path, tool = recording("cgroups")
        children = {name: start_in(name, workload("busy"), "4") for name in PATHS}
        children[gone] = start_in(gone, workload("busy"), "2")
        check(children[gone].wait(timeout=60 * PATIENCE) == 0, "busy failed")
        remove(gone)
        for child in children.values():
            check(child.wait(timeout=60 * PATIENCE) == 0, "busy failed")
        end(tool)
    profile = balanced(path)
    pids = {child.pid: name for name, child in children.items()}
    # of one that is exiting, the address space was gone already
    wanted = counts(profile, lambda count: pids[count.tgid] if count.aspace else NONE)
    check(all(wanted[name] for name in children), wanted)
    found = by_root(path, "cgroup")
    note("by cgroup: %r" % dict(found))
    check(found == wanted, "by cgroup:", found, "by process:", wanted)
    found = by_root(path, "container")
    wanted[ID[:12]] = wanted.pop(PATHS[1])
    check(found == wanted, "by container:", found, "by process:", wanted)
    for name in children:
        check(name in profile.cgroups.values(), name, "is in no record:", profile.cgroups)
        check(name + "\n" in kflame("info", "-i", path).stdout, "info does not tell", name)
    check("  %s\n" % PATHS[1] in kflame("report", "-i", path, "--root", "cgroup").stdout,
          "report does not tell", PATHS[1])


def busy_in(path, seconds):
    child = start_in(path, workload("busy"), seconds)
    check(child.stdout.readline() == "ready\n", "busy did not start")
    return child


# Red while the session kept to the group that it had begun with
@test("--cgroup of a unit that restarts: the new group at its path is sampled, and record says so")
def restarts():
    load()
    path = scratch("restarts.data")
    with cgroups(["/unit"]):
        tool = start([KFLAME, "record", "--cgroup", "/unit", "--budget", "0", "-o", path],
                     stderr=subprocess.PIPE)
        wait_until(lambda: info()["nr_running"] == 1, "the session runs")
        first = busy_in("/unit", "2")
        check(first.wait(timeout=60 * PATIENCE) == 0, "busy failed")
        remove("/unit")
        os.mkdir(ROOT + "/unit")
        second = busy_in("/unit", "4")
        check(second.wait(timeout=60 * PATIENCE) == 0, "busy failed")
        tool.send_signal(signal.SIGINT)
        message = tool.communicate(timeout=120 * PATIENCE)[1]
    check(tool.returncode == 0 and "/unit was removed and made again, 1 time." in message, message)
    samples = counts(balanced(path), lambda count: count.tgid)
    note("%r: %s" % (dict(samples), message.strip()))
    # the recorder looks four times a second
    check(samples[first.pid] and samples[second.pid], samples)


@test("--cgroup of a unit that ends: record says since when there was nothing to sample")
def ends():
    load()
    path = scratch("ends.data")
    with cgroups(["/unit"]):
        tool = start([KFLAME, "record", "--cgroup", "/unit", "-o", path], stderr=subprocess.PIPE)
        wait_until(lambda: info()["nr_running"] == 1, "the session runs")
        child = busy_in("/unit", "1")
        check(child.wait(timeout=60 * PATIENCE) == 0, "busy failed")
        remove("/unit")
        tool.send_signal(signal.SIGINT)
        message = tool.communicate(timeout=120 * PATIENCE)[1]
    check("/unit was removed, and is not there again" in message, message)


@test("KFLAME_IOC_CGROUP refuses what is no group of the session")
def refused():
    load()
    with cgroups(["/unit"]), Session() as session:
        directory = os.open(ROOT + "/unit", os.O_RDONLY)
        ids = array.array("I", [directory])

        def ask(index, fd, flags=0):
            return session.errno(CGROUP, struct.pack("<4I", 16, index, fd, flags))

        check(ask(0, directory) == "EINVAL", "before CONFIGURE")
        session.configure(nr_cgroups=1, cgroups=ids.buffer_info()[0])
        check(ask(0, directory) == "", "the same group")
        check(ask(1, directory) == "EINVAL", "an index that there is not")
        check(ask(0, directory, 1) == "EINVAL", "a flag")
        check(ask(0, session.fd) == "EBADF", "a descriptor that is no group's")
        check(ask(0, 1 << 20) == "EBADF", "no descriptor")
        os.close(directory)


@test("the hierarchy is mounted at another place, with a blank in its path")
def mounted_elsewhere():
    load()
    path = scratch("elsewhere.data")
    script = """umount "$1" && mkdir -p "$2" && mount -t cgroup2 cgroup2 "$2" || exit 9
        echo $$ >"$2/plain/cgroup.procs" && shift 2 && exec "$@" """
    with cgroups(["/plain"]):
        run(["unshare", "--mount", "/bin/sh", "-c", script, "sh", ROOT, "/run/my cgroups/unified",
             KFLAME, "record", "--budget", "0", "-o", path, "--", workload("busy"), "2"])
    found = by_root(path, "cgroup")
    note("by cgroup: %r" % dict(found))
    check(found["/plain"] and set(found) <= {"/plain", NONE}, found)


@test("by process and by thread, where they were counted apart")
def processes_and_threads():
    load()
    path, tool = recording("threads", "--per-thread")
    children = [start([workload("busy"), "2"], stdout=subprocess.PIPE) for _ in range(2)]
    for child in children:
        check(child.wait(timeout=60 * PATIENCE) == 0, "busy failed")
    end(tool)
    profile = balanced(path)
    wanted = counts(profile, lambda count: "pid %d" % count.tgid)
    check(set(wanted) == {"pid %d" % child.pid for child in children}, wanted)
    check(by_root(path, "pid") == wanted, "by pid:", by_root(path, "pid"), wanted)
    wanted = counts(profile, lambda count: "pid %d tid %d" % (count.tgid, count.tid))
    check(by_root(path, "tid") == wanted, "by tid:", by_root(path, "tid"), wanted)
    note("by thread: %r" % dict(wanted))


@test("--root with another word is refused")
def another_word():
    done = run([KFLAME, "fold", "--root", "user"], status=2)
    check("--root is comm, cgroup, container, cpu," in done.stderr and "not 'user'" in done.stderr,
          done.stderr)
