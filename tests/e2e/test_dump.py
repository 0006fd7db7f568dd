# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of user stacks, through rings: what is in them, whose fault it may be, the books."""

import collections
import errno
import glob
import mmap
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import time

import kfl
import ring
from harness import (balanced, check, enough, folded, info, load, no_losses, note, raw_info, record,
                     run, scaled, scratch, start, test, wait_until, workload, KFLAME, Skipped)
from session import CONFIGURE, Session, config

SIZE = 256 << 10
KERNEL = 1 << 63


def cpus():
    return info()["cpu_limit"]


def read_rest(session, copies=()):
    """The stream of a stopped session as a profile, with these copies counted, balanced."""
    path = scratch("dump.data")
    with open(path, "wb") as file:
        file.write(session.read_all())
    profile = kfl.Profile(path)
    profile.counts += ring.counts(copies)
    wrong = profile.imbalances()
    check(not wrong, "the books do not balance:\n" + "\n".join(wrong))
    return profile


def sampled(seconds, argv, read=True, **fields):
    """Record with rings of SIZE bytes; the profile, the copies, the rings' drops."""
    load()
    copies = []
    with Session(os.O_RDWR) as session:
        session.configure(ring_bytes=SIZE, **{"dump": ring.DUMP_ALL, **fields})
        session.start()
        rings = ring.rings(session.fd, SIZE, cpus())
        child = start(argv)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for each in rings.values() if read else ():
                copies += each.take()
            time.sleep(0.02)
        child.kill()
        session.stop()
        for each in rings.values():
            copies += each.take()
        profile = read_rest(session, copies)
        dropped = sum(each.dropped for each in rings.values())
        for each in rings.values():
            each.close()
    return profile, copies, dropped


def judge(copies):
    """What holds for each copy."""
    for c in copies:
        sp, pc = (c.regs[i] for i in ring.REGS[len(c.regs)])
        check(0 < sp < KERNEL and 0 < pc < KERNEL, "sp %#x, pc %#x" % (sp, pc))
        check(all(ip >= KERNEL for ip in c.kernel), "a user address in a kernel stack: %r" % (c,))
        check(c.aspace and c.tgid, "a copy of nobody: %r" % (c,))
        check(bool(c.flags & ring.COPY_CUT) != bool(c.flags & ring.COPY_FAULT), "flags", c.flags)


@test("CONFIGURE fills in sizes, and refuses those that cannot be")
def sizes():
    load()
    with Session() as session:
        answer = session.configure(dump=ring.DUMP_ALL)
        check((answer["dump_bytes"], answer["ring_bytes"]) == (16 << 10, 1 << 20), answer)
    with Session() as session:
        plain = session.configure()["memory"]
    with Session() as session:
        more = session.configure(dump=ring.DUMP_BOTH, dump_bytes=64 << 10, ring_bytes=SIZE)
        check(more["memory"] == plain + len(os.sched_getaffinity(0)) * (SIZE + ring.PAGE),
              "memory", plain, more["memory"])
    for fields in ({"dump": 4}, {"dump": 1, "dump_bytes": 4}, {"dump": 1, "dump_bytes": 65544},
                   {"dump": 1, "ring_bytes": 1 << 17}, {"dump": 1, "ring_bytes": 3 << 20},
                   {"dump": 1, "ring_bytes": 1 << 27}, {"dump_bytes": 8}, {"ring_bytes": SIZE}):
        with Session() as session:
            seen = session.errno(CONFIGURE, config(**fields))
            check(seen == "EINVAL", "%r: %s" % (fields, seen or "accepted"))


def mmap_errno(session, size=ring.PAGE + SIZE, flags=mmap.MAP_SHARED,
               prot=mmap.PROT_READ | mmap.PROT_WRITE, offset=0):
    try:
        mmap.mmap(session.fd, size, flags, prot, offset=offset).close()
    except OSError as error:
        return errno.errorcode[error.errno]
    return ""


@test("a ring is mapped whole, shared, and not to be run, and by nothing else")
def mapping():
    load()
    whole = ring.PAGE + SIZE
    refused = (
        ("half of it", {"size": ring.PAGE}), ("more than it", {"size": whole + ring.PAGE}),
        ("from its second page", {"offset": ring.PAGE}),
        ("of a CPU that cannot be", {"offset": cpus() * whole}),
        ("far away", {"offset": (1 << 62) // whole * whole}),
        ("private", {"flags": mmap.MAP_PRIVATE}),
        ("executable", {"prot": mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC}),
    )
    with Session() as session:
        check(mmap_errno(session) == "ENODATA", "not configured:", mmap_errno(session))
        session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE)
        check(mmap_errno(session) == "ENODATA", "not started:", mmap_errno(session))
        session.start()
        for what, how in refused:
            seen = mmap_errno(session, **how)
            check(seen in ("EINVAL", "EPERM"), what, seen)
        for cpu in range(cpus()):
            check(not mmap_errno(session, offset=cpu * whole), "CPU", cpu)
        read_only = mmap.mmap(session.fd, whole, mmap.MAP_SHARED, mmap.PROT_READ)
        read_only.close()
    with Session() as session:
        session.configure()
        session.start()
        check(mmap_errno(session) == "EINVAL", "no rings:", mmap_errno(session))
    with Session(os.O_RDONLY) as session:
        session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE)
        session.start()
        check(mmap_errno(session, prot=mmap.PROT_READ) == "EINVAL", "a descriptor to read only")


@test("a mapping outlives the descriptor, and no child inherits it")
def lifetime():
    load()
    session = Session()
    session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE)
    session.start()
    first = ring.Ring(session.fd, 0, SIZE)
    session.close()
    check(info()["nr_running"] == 1, "the session ended under its mapping")
    child = os.fork()
    if not child:
        with open("/proc/self/maps", encoding="ascii") as file:
            os._exit("/dev/kflame" in file.read())
    check(os.waitpid(child, 0)[1] == 0, "a child has the ring mapped")
    first.take()
    first.close()
    check(not info()["nr_running"], "the session is still there")


@test("copies begin at the stack pointer, and the books balance")
def contents():
    profile = copies = mine = dropped = None

    def take(seconds):
        nonlocal profile, copies, mine, dropped
        profile, copies, dropped = sampled(seconds, [workload("chain"), "600"])
        judge(copies)
        mine = [c for c in copies if c.comm == "chain"]
        return len(mine)

    enough(take, 101, 2, "copies")
    note("%d copies, %d of chain, %d bytes each on average, %d samples in tables, %d dropped"
         % (len(copies), len(mine), sum(len(c.stack) for c in mine) / max(1, len(mine)),
            profile.counted - len(copies), dropped))
    check(not any(count.ustack and profile.stacks[count.ustack].end == kfl.END_COMPLETE
                  for count in profile.counts), "a sample with a user stack is in a table")
    maps = {c.aspace: profile.mappings[c.aspace] for c in mine}
    # main's return address is in libc: where the stack is whole, some word leads there. Where
    # the program has just moved its stack pointer to a page that it never used, none does.
    without = [c for c in mine if not any(m.start <= word < m.end for m in maps[c.aspace]
                                          for (word,) in struct.iter_unpack("<Q", c.stack))]
    check(len(without) <= len(mine) / 100, "no return address: %r" % without)
    check(profile.stats[ring.STAT_COPIES] == len(copies), "copies", profile.stats)
    check(profile.stats[ring.STAT_COPY_BYTES] == sum(len(c.stack) for c in copies), "bytes")
    check(not profile.stats[ring.STAT_COPIES_DROPPED], "dropped", profile.stats)


@test("a copy that is not long enough is said to be cut")
def cut():
    mine = None

    def take(seconds):
        nonlocal mine
        _, copies, _ = sampled(seconds, [workload("chain"), "600"], dump_bytes=64)
        judge(copies)
        mine = [c for c in copies if c.comm == "chain"]
        return len(mine)

    enough(take, 51, 1, "copies")
    # where the program begins there is less of it
    less = [c for c in mine if not c.flags & ring.COPY_CUT]
    check(all(len(c.stack) == 64 for c in mine if c not in less), "cut elsewhere")
    check(all(c.flags & ring.COPY_FAULT and len(c.stack) < 64 for c in less) and
          len(less) <= 0.05 * len(mine), "not cut: %d of %d:" % (len(less), len(mine)),
          [(c.flags, len(c.stack)) for c in less[:5]])


@test("a reader that does not read costs samples, which are counted: lost, ring full")
def full():
    profile, copies, dropped = sampled(3, [workload("mixed"), "9"], read=False,
                                       dump_bytes=64 << 10)
    judge(copies)
    lost = profile.lost(ring.LOST_RING)
    note("%d copies fit, %d samples lost" % (len(copies), lost))
    check(lost and lost == dropped, "lost %d, dropped %d" % (lost, dropped))
    check(not profile.stats[ring.STAT_COPIES_DROPPED], "these are samples, not copies alone")


@test("copies for comparing: each sample is in the table, too, dropped or not")
def both():
    for read in (True, False):
        profile, copies, dropped = sampled(2, [workload("mixed"), "9"], read=read,
                                           dump=ring.DUMP_BOTH, dump_bytes=64 << 10)
        judge(copies)
        check(all(c.flags & ring.COPY_COUNTED for c in copies), "not counted")
        check(all(c.user for c in copies), "a copy without the module's own frames")
        check(not profile.lost(ring.LOST_RING), "a sample was lost for want of a copy")
        check(profile.stats[ring.STAT_COPIES] == len(copies), "copies", profile.stats)
        check(profile.stats[ring.STAT_COPIES_DROPPED] == dropped, "dropped", profile.stats)
        check(read or dropped, "nothing was dropped")
        agree(profile, copies)


def agree(profile, copies):
    """Nothing was copied more often than counted, with these frames."""
    counted, copied = collections.Counter(), collections.Counter(
        (c.aspace, c.cpu, c.comm, c.kernel, c.user) for c in copies)
    for count in profile.counts:
        kernel = profile.stacks[count.kstack].ip if count.kstack else ()
        user = profile.stacks[count.ustack] if count.ustack else None
        frames = tuple(ip for i, ip in enumerate(user.ip) if i != user.candidate) if user else ()
        counted[count.aspace, count.cpu, count.comm, kernel, frames] += count.samples
    more = copied - counted
    check(not more, "copied and not counted: %r" % more.most_common(2))


@test("poll wakes the reader of a ring that is past its mark, and only then")
def waking():
    load()
    with Session(os.O_RDWR | os.O_NONBLOCK) as session:
        session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE)
        session.start()
        rings = ring.rings(session.fd, SIZE, cpus())
        child = start([workload("chain"), "60"])
        poll = select.poll()
        poll.register(session.fd, select.POLLIN)
        woken, past = 0, 0
        end = time.monotonic() + 40
        while time.monotonic() < end and past < 3:
            poll.poll(8000)
            woken += 1
            past += any(2 * (each.head - each.tail) >= SIZE for each in rings.values())
            for each in rings.values():
                each.take()
            try:
                os.read(session.fd, 1 << 18)
            except BlockingIOError:
                pass
        child.kill()
        note("woken %d times, %d by a ring" % (woken, past))
        check(past >= 3, "rings past their mark: %d" % past)
        check(woken < 200, "woken %d times" % woken)
        for each in rings.values():
            each.close()


@test("whatever is written to the ring's header, nothing breaks and the books balance")
def hostile():
    load()
    rng = random.Random(7)
    with Session() as session:
        session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE, period_ns=100000)
        session.start()
        rings = list(ring.rings(session.fd, SIZE, cpus()).values())
        child = start([workload("mixed"), "60"])
        end = time.monotonic() + scaled(10)
        while time.monotonic() < end:
            each = rng.choice(rings)
            head = each.head
            each.tail = rng.choice((head, head - SIZE, head + 8, head - 12, 0, 1 << 63,
                                    rng.getrandbits(64), head - rng.randrange(SIZE)))
            if not rng.randrange(4):
                struct.pack_into("<3Q", each.memory, 0, *(rng.getrandbits(64) for _ in range(3)))
            if not rng.randrange(16):
                at = rng.randrange(SIZE // 8) * 8
                struct.pack_into("<2I", each.memory, ring.PAGE + at, 12, rng.getrandbits(32))
        child.kill()
        session.stop()
        for each in rings:
            each.close()
        path = scratch("hostile.data")
        with open(path, "wb") as file:
            file.write(session.read_all())
    profile = kfl.Profile(path)
    # what was counted is in no record that could be believed: the books must hold by themselves
    for books in profile.cpus.values():
        check(books.samples == books.counted + sum(books.lost), books)
        check(books.weight_ns == books.counted_ns + sum(books.lost_ns), books)
        check(books.active_ns == books.head_ns + books.weight_ns + books.tail_ns, books)
    note("%d samples, %d lost for want of room" % (profile.samples, profile.lost(ring.LOST_RING)))
    check(profile.lost(ring.LOST_RING) and profile.stats[ring.STAT_COPIES], "too tame")


@test("a CPU that comes online later has a ring from then on")
def late_cpu():
    load()
    switch = "/sys/devices/system/cpu/cpu1/online"
    if not os.path.exists(switch):
        raise Skipped("no second CPU here can be switched off")

    def turn(on):
        with open(switch, "w", encoding="ascii") as file:
            file.write(on)

    copies = []
    turn("0")
    try:
        with Session() as session:
            session.configure(dump=ring.DUMP_ALL, ring_bytes=SIZE)
            session.start()
            first = ring.rings(session.fd, SIZE, cpus())
            check(list(first) == [0], "rings of CPUs %r" % list(first))
            turn("1")
            second = ring.Ring(session.fd, 1, SIZE)
            child = start(["taskset", "-c", "1", workload("chain"), "9"])
            end = time.monotonic() + 1
            while time.monotonic() < end:
                copies += second.take() + first[0].take()
                time.sleep(0.02)
            turn("0")
            turn("1")
            child.kill()
            session.stop()
            copies += second.take() + first[0].take()
            read_rest(session, copies)
            for each in (first[0], second):
                each.close()
    finally:
        turn("1")
    judge(copies)
    check(any(c.cpu == 1 for c in copies), "no copy from the CPU that came")


# ------------------------------------------------------------------ by the tool

FRAMES = ["main"] + ["f%02d" % n for n in range(24, -1, -1)]


def deep_stacks(path):
    """Samples of deep in its own functions, and those of them that are whole."""
    whole, samples, rest = 0, 0, collections.Counter()
    for frames, count in folded(path).items():
        if frames[0] != "deep" or not any(f in FRAMES[1:] for f in frames):
            continue
        samples += count
        own = [f for f in frames if f in FRAMES]
        good = own == FRAMES[: len(own)] and "[truncated" not in ";".join(frames)
        whole += count if good else 0
        if not good:
            rest[";".join(frames)] += count
    for stack, count in rest.most_common(3):
        note("%d not whole: %s" % (count, stack))
    return whole, samples


@test("25 frames without frame pointers, whole in more than 99.5% of the samples")
def deep():
    load()
    whole = samples = 0

    def take(seconds):
        nonlocal whole, samples
        path = record("deep", "-g", "dump", "-F", 997, command=(workload("deep"), str(seconds)))
        profile = balanced(path)
        check(any(stack.end & kfl.BY_COPY and stack.id & kfl.STACK_OF_TOOL
                  for stack in profile.stacks.values()), "no stack of the tool's")
        whole, samples = deep_stacks(path)
        return samples

    enough(take, 1000, 3)
    note("%d of %d are whole" % (whole, samples))
    check(whole >= 0.995 * samples, "only %d of %d" % (whole, samples))
    without = record("deep-fp", "-F", 997, command=(workload("deep"), "1"))
    note("by frame pointers: %d of %d" % deep_stacks(without))


@test("what is longer than its copy says so, and a longer copy is whole")
def too_short():
    load()
    enough(lambda seconds: copied_and_cut("dump,4K", seconds)[1], 101, 2, "cut stacks")

    def whole(seconds):
        copies, cut = copied_and_cut("dump,64K", seconds)
        check(cut < 5, "cut: %d" % cut)
        return copies

    enough(whole, 101, 2, "copies")


def copied_and_cut(option, seconds):
    """Record deep stacks with such copies.  Return: how many copies there were, and how many stacks were cut."""
    path = record("short-" + option, "-g", option, "-F", 499, command=(workload("deep"), str(seconds), "2000"))
    profile = balanced(path)
    cut = sum(count.samples for count in profile.counts if count.ustack and
              profile.stacks[count.ustack].end & kfl.END_MASK == kfl.END_CUT)
    drawn = sum(count for frames, count in folded(path).items()
                if "[truncated: copy too short]" in frames)
    note("%s: %d of %d cut" % (option, cut, profile.counted))
    check(cut == drawn, "%d are drawn as cut, %d are" % (drawn, cut))
    return int(raw_info(path)["stat.copies"]), cut


def copying(name, seconds, command, *options):
    """Start to record with copies; the recorder, and the path of its profile."""
    path = scratch(name + ".data")
    recorder = start([KFLAME, "record", "-g", "dump,64K", "--budget", "0", "-o", path, *options,
                      "--", *command, str(seconds)], stderr=subprocess.PIPE)
    return recorder, path


@test("a tool that stops reading loses samples, each of which is counted")
def stopped():
    load()
    recorder, path = copying("stopped", 6, (workload("deep"),), "-a", "-F", "4999")
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "a recording")
    recorder.send_signal(signal.SIGSTOP)
    time.sleep(3)
    recorder.send_signal(signal.SIGCONT)
    check(recorder.wait(120) == 0, "record:", recorder.stderr.read())
    profile = balanced(path)
    note("%d samples, %d lost" % (profile.samples, profile.lost(ring.LOST_RING)))
    check(profile.lost(ring.LOST_RING), "nothing was lost")


def unwinders():
    """Sizes of the open files of each sandbox that unwinds (unprivileged, with a socket), by process id."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/status" % pid, encoding="ascii") as file:
                status = file.read()
            links = glob.glob("/proc/%s/fd/*" % pid)
            sockets = [link for link in links if os.readlink(link).startswith("socket:")]
            sizes = [os.stat(link).st_size for link in links]
        except OSError:
            continue
        if (status.startswith("Name:\tkflame\n") and "Uid:\t65534\t65534\t65534\t65534" in status and
                sockets):
            found[int(pid)] = sizes
    return found


@test("the process that unwinds is nobody; killed again and again, no sample is lost for it")
def killed():
    load()
    whole = samples = 0

    def take(seconds):
        nonlocal whole, samples
        whole, samples = killed_within(seconds)
        return samples

    enough(take, 501, 12)
    check(whole > 0.3 * samples, "%d of %d" % (whole, samples))


def killed_within(seconds):
    """Record for that long, and kill what unwinds three times.  Return: how many stacks are whole, and of how many."""
    recorder, path = copying("killed", seconds, (workload("deep"),), "-F", "997")
    wait_until(unwinders, "a process that unwinds")
    seen = set(unwinders())
    for _ in range(3):
        victim = min(unwinders())
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: set(unwinders()) - seen, "another one that unwinds")
        seen.update(unwinders())
    message = recorder.communicate(timeout=240 + seconds)[1]
    check(recorder.returncode == 0 and "process that unwinds" in message, message)
    profile = balanced(path)
    whole, samples = deep_stacks(path)
    note("%d of %d are whole; %s" % (whole, samples, message.strip().split("\n")[-1]))
    own = sum(count.samples for count in profile.counts if count.tgid in seen)
    check(not own, "%d samples of what unwinds itself, %d of the command" % (own, samples))
    no_losses(profile)
    wait_until(lambda: not unwinders(), "nobody is left")
    return whole, samples


@test("sandboxes that make unwind tables while a command is recorded are not in its profile")
def not_recorded():
    load()
    path = scratch("not-recorded.data")
    run([KFLAME, "record", "-g", "dwarf", "-F", "1999", "--budget", "0", "-o", path, "--", workload("busy"), "3"],
        env=dict(os.environ, KFLAME_TABLE_CACHE=""))
    processes = {count.tgid for count in balanced(path).counts if count.tgid}
    check(len(processes) == 1, "processes in the profile:", processes)


@test("each user's stacks are unwound in a sandbox of their own, which never has another user's copies")
def owners():
    load()
    # A sandbox may have a copy of the file in memory, which has no name: the files differ in size
    programs, users = {}, {}
    for user in 0, 1234:
        programs[user] = shutil.copy(workload("deep"), "/deep-%d" % user)
        with open(programs[user], "ab") as file:
            file.write(bytes(1 + user))
        users[os.path.getsize(programs[user])] = user
    start([programs[0], "600"])
    start(["setpriv", "--reuid", "1234", "--clear-groups", programs[1234], "600"])
    path = scratch("owners.data")
    recorder = start([KFLAME, "record", "-a", "-F", "997", "-g", "dump,64K", "--budget", "0", "-o", path],
                     stderr=subprocess.PIPE)
    seen = {}

    def look():
        """Which of the two programs each sandbox has been sent so far."""
        for pid, sizes in unwinders().items():
            seen.setdefault(pid, set()).update(size for size in sizes if size in users)
        return {size for sent in seen.values() for size in sent} == set(users)

    wait_until(look, "a sandbox has each user's program", 120)
    for _ in range(12):
        time.sleep(0.05)
        look()
    recorder.send_signal(signal.SIGINT)
    note("users whose program a sandbox has: %r" % {pid: [users[size] for size in sent] for pid, sent in seen.items()})
    check(all(len(sent) < 2 for sent in seen.values()), "a sandbox has two users' programs:", seen)
    message = recorder.communicate(timeout=240)[1]
    check(recorder.returncode == 0, message)
    profile = balanced(path)
    owners_seen = {aspace.owner - 1 for aspace in profile.aspaces.values() if aspace.comm.startswith("deep-")}
    check(owners_seen == {0, 1234}, owners_seen)
    for user in 0, 1234:
        spaces = {aspace.id for aspace in profile.aspaces.values() if aspace.comm == "deep-%d" % user}
        whole = sum(count.samples for count in profile.counts if count.aspace in spaces and count.ustack and
                    profile.stacks[count.ustack].end & kfl.END_MASK == kfl.END_COMPLETE)
        note("user %d: %d whole stacks" % (user, whole))
        check(whole > 0, "user %d: no whole stack" % user)


@test("short processes: their stacks are whole, though they are gone when they are unwound")
def short():
    load()
    path = record("short", "-g", "dump", "-F", 1999,
                  command=("/bin/sh", "-c", "for i in $(seq 40); do %s; done" % workload("short")))
    profile = balanced(path)
    named, rest = collections.Counter(), collections.Counter()
    for frames, count in folded(path).items():
        if frames[0] == "short":
            named["short_work" in frames, "main" in frames] += count
            rest[";".join(frames[:4])] += count if "main" not in frames else 0
    note("%d address spaces; samples in (short_work, main): %r; else %r"
         % (len(profile.aspaces), dict(named), rest.most_common(4)))
    check(named[True, True] > 0, named)
    check(not named[True, False], "short_work without main: %d" % named[True, False])
