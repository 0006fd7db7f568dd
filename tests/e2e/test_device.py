# SPDX-License-Identifier: GPL-2.0-or-later
"""The device's own promises: sizes, flags, states, errors, whatever the tool does."""

import ctypes
import errno
import fcntl
import os
import select
import struct
import subprocess
import threading

import kfl
from harness import TEST_MODULES, check, info, load, note, run, scratch, start, test, workload
from session import CONFIGURE, INFO, KSYM, START, STATS, STATS_SIZE, Session, config
import session as dev

WAKEUPS = 1  # of struct kflame_stats.count


def sampled(session, seconds="1"):
    session.start()
    run([workload("busy"), seconds])
    session.stop()
    path = scratch("device.kfl")
    with open(path, "wb") as file:
        file.write(session.read_all())
    return kfl.Profile(path)


@test("a structure may be shorter or longer than the kernel's, if the rest is zero")
def sizes():
    load()
    with Session() as session:
        length = struct.calcsize("<2I6Q4I32s")
        longer = bytearray(struct.pack("<I", length + 16).ljust(length + 16, b"\0"))
        check(session.errno(INFO, longer) == "", "a longer one with zeros")
        longer[-1] = 1
        check(session.errno(INFO, longer) == "E2BIG", "a longer one:", session.errno(INFO, longer))
        for size in (0, 4, 8, 104 - 8, 1 << 31):
            raw = struct.pack("<I", size).ljust(length + 16, b"\0")
            got = session.errno(INFO, raw)
            check(got in ("EINVAL", "E2BIG"), "size %d: %r" % (size, got))


@test("an older tool's structure is filled in as far as it goes, and can be used again")
def older():
    load()
    size = dev.CONFIG_SIZE_0
    raw = bytearray(config(entries=1 << 20, period_ns=1003009, size=size)[:size])
    guarded = (ctypes.c_uint8 * (size + 16)).from_buffer_copy(raw + b"\x55" * 16)
    with Session() as session:
        for entries in (1 << 20, 1 << 20, 64):
            struct.pack_into("<I", guarded, 24, entries)
            try:
                fcntl.ioctl(session.fd, CONFIGURE, guarded)
                check(entries == 64, "that much memory was given")
            except OSError as error:
                check(error.errno == errno.ENOMEM and entries > 64, error)
            check(struct.unpack_from("<I", guarded)[0] == size, "the size was changed")
            check(bytes(guarded[size:]) == b"\x55" * 16, "more was written than there is room")
        check(struct.unpack_from("<Q", guarded, 80)[0] > 0, "no answer")


@test("unknown flags, padding and numbers out of range are EINVAL")
def unknown():
    load()
    for wrong in ({"flags": kfl.CF_ALL + 1}, {"pad": 1}, {"flags": 1 << 63}, {"kway": 9}, {"period_ns": 0},
                  {"period_ns": 1}, {"period_ns": 1 << 63}, {"reserved": 1},
                  {"flags": 1 << 7 | 1 << 8}, {"budget_permille": 1001}, {"nr_pids": 1025, "pids": 4096}):
        with Session() as session:
            got = session.errno(CONFIGURE, config(**wrong))
            check(got == "EINVAL", "%r: %r" % (wrong, got))
    with Session() as session:
        session.configure()
        check(session.errno(START, dev.run(flags=1)) == "EINVAL", "START with a flag")
        check(session.errno(0xF7FF, dev.run()) == "ENOTTY", "an unknown ioctl")


@test("filters that cannot be: ESRCH, ENODEV, EFAULT")
def filters():
    load()

    def answer(ids, **fields):
        array = (ctypes.c_uint32 * len(ids))(*ids)
        key = fields.pop("key")
        with Session() as session:
            return session.errno(CONFIGURE, config(**{
                "nr_" + key: len(ids), key: fields.get("at", ctypes.addressof(array))}))

    check(answer([4194303], key="pids") == "ESRCH", answer([4194303], key="pids"))
    check(answer([4194303], key="tids") == "ESRCH", answer([4194303], key="tids"))
    check(answer([100000], key="cpus") == "ENODEV", answer([100000], key="cpus"))
    check(answer([1], key="pids", at=8) == "EFAULT", answer([1], key="pids", at=8))


@test("the states of a session: no START unconfigured, one CONFIGURE, no second START")
def states():
    load()
    with Session() as session:
        check(session.errno(START, dev.run()) != "", "START of an unconfigured session")
        session.configure()
        check(session.errno(CONFIGURE, config()) == "EBUSY", "a second CONFIGURE")
        session.start()
        check(info()["nr_running"] == 1, info())
        check(session.errno(START, dev.run()) != "", "a second START")
        session.stop()
        check(info()["nr_running"] == 0, info())


@test("memory: CONFIGURE reports it, START allocates it, close releases it")
def memory():
    load()
    with Session() as session:
        answer = session.configure()
        check(answer["memory"] > 0, answer)
        session.start()
        used = info()["memory_used"]
        note("reported %d, used %d" % (answer["memory"], used))
        check(0 < used <= answer["memory"] * 1.05, used, "of", answer["memory"])
    check(info()["memory_used"] == 0, info())


@test("reads of any size give the same stream, and end with EOF after STOP")
def read_sizes():
    load()
    for size in (1, 7, 4096, 1 << 20):
        with Session() as session:
            session.configure()
            session.start()
            run(["/bin/true"])
            session.stop()
            path = scratch("read-%d.kfl" % size)
            with open(path, "wb") as file:
                file.write(session.read_all(size))
        wrong = kfl.Profile(path).imbalances()
        check(not wrong, "read by %d: %s" % (size, wrong))


# Red when the module starts anew only on a read between START and STOP
@test("each further START and STOP sends all its records, also without a read while it runs")
def again():
    load()
    data = b""
    with Session() as session:
        session.configure()
        for _ in range(3):
            session.start()
            run([workload("busy"), "1"])
            session.stop()
            data += session.read_all()
        raw = struct.pack("<2I", STATS_SIZE, 0xFFFFFFFF).ljust(STATS_SIZE, b"\0")
        samples = kfl._books(session.ioctl(STATS, raw)[8:]).samples
    path = scratch("again.kfl")
    with open(path, "wb") as file:
        file.write(data)
    profile = kfl.Profile(path)
    check(not profile.imbalances(), profile.imbalances())
    note("%d samples reported of %d" % (profile.samples, samples))
    check(samples and profile.samples == samples, "reported", profile.samples, "of", samples)


# Red while poll() before CONFIGURE joined no queue
@test("epoll on a session that is added before CONFIGURE wakes for its later records")
def epoll_before():
    load()
    with Session(os.O_RDWR | os.O_NONBLOCK) as session, select.epoll() as epoll:
        # edge-triggered: it looks again only when it is woken
        epoll.register(session.fd, select.EPOLLIN | select.EPOLLET)
        before = epoll.poll(0)
        check(all(not event & select.EPOLLIN for _, event in before), "there is nothing yet: %r" % before)
        session.configure()
        session.start()
        woken = epoll.poll(20)
        check(woken and woken[0][1] & select.EPOLLIN, "epoll: %r" % woken)
        session.stop()


@test("a reader that does not want to wait gets EAGAIN; poll wakes one that does")
def waiting():
    load()
    with Session(os.O_RDWR | os.O_NONBLOCK) as session:
        session.configure(entries=64)
        session.start()
        try:
            while os.read(session.fd, 1 << 18):
                pass
            check(False, "EOF while the session runs")
        except BlockingIOError:
            pass
        poll = select.poll()
        poll.register(session.fd, select.POLLIN)
        load_running = subprocess.Popen([workload("diverse"), "5"], stdout=subprocess.DEVNULL)
        woken = poll.poll(20000)
        check(woken and woken[0][1] & select.POLLIN, "poll: %r" % woken)
        check(os.read(session.fd, 4096), "nothing to read after poll")
        load_running.kill()
        load_running.wait()


def read_to_end(session):
    """Of a stopped session. Return: how often there was nothing yet."""
    poll = select.poll()
    poll.register(session.fd, select.POLLIN)
    nothing, ready = 0, False
    while True:
        try:
            if not os.read(session.fd, 1 << 18):
                return nothing
            ready = False
        except BlockingIOError:
            check(not ready, "poll says that there is something, and read that there is not")
            nothing += 1
            ready = bool(poll.poll(20000))
            check(ready, "nothing came in 20 s")


@test("while a stopped session's last walk is waited for, poll does not say that there is something")
def walk_is_waited_for():
    load()
    victim = start([workload("diverse"), "600"], stdout=subprocess.DEVNULL)
    run(["insmod", os.path.join(TEST_MODULES, "torture/borrow/borrow.ko"),
         "pid=%d" % victim.pid, "lock=1"])
    nothing = 0
    try:
        # A walk is given up after 200 ms; who was too slow for that tries again
        for _ in range(50):
            with Session(os.O_RDWR | os.O_NONBLOCK) as session:
                session.configure(entries=16, period_ns=203009)
                session.start()
                while not session.count(WAKEUPS):
                    pass
                session.stop()
                nothing = read_to_end(session)
            if nothing:
                break
        check(nothing, "no walk was waited for")
    finally:
        run(["rmmod", "borrow"])
        victim.kill()
        victim.wait()


@test("STOP wakes a reader that is blocked")
def stop_wakes():
    load()
    with Session() as session:
        session.configure()
        session.start()
        data = []
        reader = threading.Thread(target=lambda: data.append(session.read_all()))
        reader.start()
        session.stop()
        reader.join(20)
        check(not reader.is_alive(), "the reader still waits")
        check(data and data[0].startswith(kfl.MAGIC), "read", data)


@test("STATS while it runs, of one CPU and of all")
def stats():
    load()

    def ask(session, cpu):
        raw = struct.pack("<2I", STATS_SIZE, cpu).ljust(STATS_SIZE, b"\0")
        return kfl._books(session.ioctl(STATS, raw)[8:])

    with Session() as session:
        session.configure()
        session.start()
        run([workload("busy"), "1"])
        every = ask(session, 0xFFFFFFFF)
        one = ask(session, 0)
        check(every.cpu == 0xFFFFFFFF and one.cpu == 0, "cpu", every.cpu, one.cpu)
        # samples that came late stand for several expiries
        check(every.samples + every.missed > 900 and 0 < one.samples <= every.samples + 100,
              "samples", every.samples, every.missed, one.samples)
        raw = struct.pack("<2I", STATS_SIZE, 100000).ljust(STATS_SIZE, b"\0")
        check(session.errno(STATS, raw) != "", "a CPU that cannot be")


@test("a session driven without the tool has balanced books")
def whole():
    load()
    with Session() as session:
        session.configure()
        first = sampled(session)
        check(not first.imbalances(), first.imbalances())
        check(first.expiries > 900, "only %d periods" % first.expiries)


@test("CF_SHORT: short records of stacks and counts, each stack once, the books balance")
def in_short():
    load()
    for flags in (0, kfl.CF_SHORT):
        with Session() as session:
            session.configure(flags=flags, period_ns=203009)
            seen = sampled(session)
        check(not seen.imbalances(), seen.imbalances())
        short = seen.kinds[kfl.LIKES], seen.kinds[kfl.COUNTS]
        check(all(short) if flags else not any(short), "records with flags %#x: %s" % (flags, seen.kinds))
        different = {stack._replace(id=stack.id >> 32) for stack in seen.stacks.values()}
        check(len(different) == len(seen.stacks), "%d stacks, of which %d differ"
              % (len(seen.stacks), len(different)))
        note("flags %#x: %d stacks, %d counts, records %s"
             % (flags, len(different), len(seen.counts), dict(seen.kinds)))


@test("the module names kernel addresses")
def names():
    load()
    with open("/proc/kallsyms", encoding="ascii") as file:
        address = next(int(line.split()[0], 16) for line in file if line.split()[2] == "ksys_read")
    with Session() as session:
        raw = struct.pack("<2IQ256s", 272, 0, address + 1, b"")
        name = session.ioctl(KSYM, raw)[16:].split(b"\0")[0].decode()
        check(name.startswith("ksys_read+0x1/"), name)


@test("a module with an open session is not unloaded")
def busy_module():
    load()
    with Session():
        done = run(["rmmod", "kflame"], status=None)
        check(done.returncode != 0 and "in use" in done.stderr, done.returncode, done.stderr)
