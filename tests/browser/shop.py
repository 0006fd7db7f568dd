#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
shop.py - writes a profile with times of a shop's server and its database, for the questions that a page answers

usage: shop.py FILE

Eight seconds of two CPUs, a sample each 2 ms, and waits. On CPU 0, "web" parses, renders and reads files; on CPU 1, "db" scans
and syncs. From second 3 to 4, web rebuilds its cache instead: meanwhile "worker" waits for the cache's lock. Some samples were
lost, and a library is stripped.
"""

import struct
import sys

STEP, START, SECONDS, CPUS = 2_000_000, 1_000_000_000, 8, 2
END = START + SECONDS * 1_000_000_000
TASK, SOFTIRQ, IDLE, SLEEP, IOWAIT, RUNNABLE = 0, 1, 2, 5, 7, 9
WAITS, LOST_TABLE, NR_LOST, NR_STATS, STAT_ORDERED = 1, 2, 16, 32, 27
KERNEL, SIZE = 0xFFFFFFFF81000000, 0x100
FILES = ["/usr/bin/shop", "/usr/lib/libjson.so.5", "/usr/lib/libc.so.6", "/usr/lib/libssl.so.3", "/usr/bin/db"]
STRIPPED = 3

# "FILE:function" of a program, by its index in FILES; kernel functions have no number
REQUEST = "0:main 0:serve 0:handle"
PARSE = REQUEST + " 1:parse_json 1:parse_value"
READ = " entry_SYSCALL_64_after_hwframe do_syscall_64"
SYNC = "4:main 4:commit 2:fsync" + READ + " vfs_fsync_range ext4_sync_file"
WEB = [
    (5, PARSE + " 1:parse_object"), (4, PARSE + " 1:parse_object 1:parse_value 1:parse_object"),
    (2, PARSE + " 1:parse_object 1:parse_value 1:parse_object 1:parse_value 1:parse_string"), (3, REQUEST + " 0:render 2:memcpy"),
    (5, REQUEST + " 2:read" + READ + " ksys_read vfs_read filemap_read copy_page_to_iter"), (1, REQUEST + " 3:SSL_write"),
]
CACHE = [(7, "0:main 0:serve 0:rebuild_cache 0:hash_item"), (3, "0:main 0:serve 0:rebuild_cache 2:memcpy")]
DB = [(9, "4:main 4:query 4:scan 4:compare"), (3, "4:main 4:query 4:scan"), (2, SYNC)]
NET = "__do_softirq net_rx_action tcp_v4_rcv"
LOCKED = "0:main 0:work 0:lock_cache 2:pthread_mutex_lock" + READ + " futex_wait schedule"


class Writer:
    def __init__(self):
        self.data = struct.pack("<8s4IQ", b"KFLAME\r\n", 1, 0x01020304, 32, 0, 0)
        self.records, self.stacks, self.counts, self.names = 0, {}, {}, []
        self.samples, self.waits = [], []

    def record(self, kind, body):
        body += b"\0" * (-len(body) % 8)
        self.data += struct.pack("<2I", kind, 8 + len(body)) + body
        self.records += 1

    def address(self, name):
        if name not in self.names:
            self.names.append(name)
        at = SIZE * self.names.index(name) + 4
        return at + (0x10000000 * (1 + int(name[0])) if name[1:2] == ":" else KERNEL)

    def stack(self, frames, is_user):
        """The id of the stack of one kind; 0: there are no such frames."""
        ips = [self.address(name) for name in reversed(frames) if (name[1:2] == ":") == is_user]
        if not ips:
            return 0
        key = (is_user, tuple(ips))
        if key not in self.stacks:
            self.stacks[key] = len(self.stacks) + 1
            self.record(5, struct.pack("<Q4I", self.stacks[key], 2 if is_user else 1, 0, 0xFFFFFFFF, len(ips)) +
                        struct.pack("<%dQ" % len(ips), *ips))
        return self.stacks[key]

    def add(self, at, path, cpu, thread, context=TASK, weight=STEP, event=0):
        """A sample of the timer, or a wait that ended."""
        key = (path, cpu, thread, context, event)
        count = self.counts.setdefault(key, [len(self.counts) + 1, 0, 0])
        count[1] += 1
        count[2] += weight
        (self.waits if event else self.samples).append((at, cpu, weight, count[0]))

    def put_counts(self):
        for (path, cpu, (comm, tgid, tid), context, event), (number, samples, weight) in self.counts.items():
            frames, comm = path.split(), comm.encode()
            ustack, kstack = self.stack(frames, True), self.stack(frames, False)
            aspace = tgid if ustack else 0
            if event:
                self.record(16, struct.pack("<2Q4I16s2I4Q", aspace, 1 << 32 | number, cpu, context, tgid, tid, comm, event, 1,
                                            weight, samples, kstack, ustack))
            else:
                self.record(6, struct.pack("<6Q4I16sQ", aspace, kstack, ustack, samples, weight, 0, cpu, context, tgid, tid, comm,
                                           1 << 32 | number))

    def put_times(self, kind, samples):
        for cpu in range(CPUS):
            rows = sorted(row for row in samples if row[1] == cpu)
            if rows:
                self.record(kind, struct.pack("<Q2I", 1 << 32, cpu, len(rows)) + b"".join(
                    struct.pack("<3Q2I", at, weight, 0, number, 0) for at, _, weight, number in rows))

    def put_books(self):
        def books(cpu, samples, lost, active):
            ns, lost_ns = sum(row[2] for row in samples), lost * STEP
            causes = [[0] * NR_LOST, [0] * NR_LOST]
            causes[0][LOST_TABLE], causes[1][LOST_TABLE] = lost, lost_ns
            return struct.pack("<II6Q2q4Q", cpu, 0, len(samples) + lost, len(samples), 0, ns + lost_ns, ns,
                               ns + lost_ns if active else 0, 0, 0, STEP, 0, 0, 0) + struct.pack("<32Q", *causes[0], *causes[1])

        for cpu in range(CPUS):
            self.record(9, books(cpu, [row for row in self.samples if row[1] == cpu], 90 * cpu, True))
            self.record(18, struct.pack("<2I", WAITS, 0) + books(cpu, [row for row in self.waits if row[1] == cpu], 0, False))
        stats = [0] * NR_STATS
        stats[STAT_ORDERED] = len(self.samples) + len(self.waits)
        self.record(10, struct.pack("<Q32Q", END, *stats))

    def put_names(self):
        for number, name in enumerate(self.names):
            start, text = SIZE * number, name.split(":")[-1].encode() + b"\0"
            if name[1:2] != ":":
                self.record(11, struct.pack("<2Q2I", KERNEL + start, KERNEL + start + SIZE, len(text) - 1, 0) + text)
            elif int(name[0]) != STRIPPED:
                self.record(0x101, struct.pack("<3Q2I", 1 + int(name[0]), start, start + SIZE, len(text) - 1, 0) + text)
        for number, _ in enumerate(FILES):
            self.record(0x103, struct.pack("<Q2I", 1 + number, 2 if number == STRIPPED else 0, 0))


def begin(w):
    w.record(1, struct.pack("<2I6Q6I72s16s32s", 1, 1, 1 << 10, STEP, STEP, 1, START, 17 * 10 ** 17, 2048, 127, 127, 50, CPUS, 4096,
                            b"6.1", b"x86_64", b"1"))
    w.record(15, struct.pack("<4I32s", 0, 0, 0, 0, b"cpu-clock"))
    w.record(15, struct.pack("<4I32s", WAITS, 2, 0, 0, b"off-cpu"))
    host = b"tool=1.0\0host=shop-1\0command=./shop\0"
    w.record(0x100, struct.pack("<2I", len(host), 0) + host)
    for number, path in enumerate(FILES):
        w.record(4, struct.pack("<4Q4I20sI", 1 + number, 7, 1000, 0, 0, 0, 0, 0, b"", len(path)) + path.encode() + b"\0")
    for tgid, comm in ((100, b"shop"), (200, b"db")):
        w.record(2, struct.pack("<2Q4IQ2I16s", tgid, 5, tgid, tgid, 0, 0, 0, 0, 1001, comm))
        for number, _ in enumerate(FILES):
            start = 0x10000000 * (1 + number)
            w.record(3, struct.pack("<5Q2I", tgid, start, start + SIZE * 256, 0, 1 + number, 0, 0))


def turns(parts):
    """All paths, each as often as it weighs, over and over."""
    return [path for weight, path in parts for _ in range(weight)]


def run(w):
    web, cache, db = turns(WEB), turns(CACHE), turns(DB)
    for i in range(SECONDS * 500):
        at, second = START + i * STEP, i // 500
        if second == 3:
            w.add(at, cache[i % len(cache)], 0, ("web", 100, 101))
        elif i % 10 < 8:
            w.add(at, web[i * 7 % len(web)], 0, ("web", 100, 101))
        else:
            w.add(at, "", 0, ("swapper/0", 0, 0), IDLE)
        if i < 90:
            continue  # lost
        if i % 20 == 0:
            w.add(at, NET, 1, ("db", 200, 200), SOFTIRQ)
        elif i % 10 < 6 and second != 3:
            w.add(at, db[i * 5 % len(db)], 1, ("db", 200, 200))
        else:
            w.add(at, "", 1, ("swapper/1", 0, 0), IDLE)


def wait(w):
    ms = 1_000_000
    for i in range(SECONDS * 10):
        at = START + (i + 1) * 100 * ms - ms
        if not 30 <= i < 40:
            w.add(at, SYNC + " io_schedule", 1, ("db", 200, 200), IOWAIT, 20 * ms, WAITS)
            w.add(at, "0:main 0:work 2:poll" + READ + " do_poll schedule", 0, ("worker", 100, 102), SLEEP, 60 * ms, WAITS)
    w.add(START + 3980 * ms, LOCKED, 0, ("worker", 100, 102), SLEEP, 960 * ms, WAITS)
    w.add(START + 3984 * ms, LOCKED, 0, ("worker", 100, 102), RUNNABLE, 4 * ms, WAITS)


def main():
    w = Writer()
    begin(w)
    run(w)
    wait(w)
    w.put_counts()
    w.put_times(7, w.samples)
    w.put_times(17, w.waits)
    w.put_books()
    w.put_names()
    w.record(0x1FF, struct.pack("<Q", w.records))
    with open(sys.argv[1], "wb") as file:
        file.write(w.data)


if __name__ == "__main__":
    main()
