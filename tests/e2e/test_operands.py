# SPDX-License-Identifier: GPL-2.0-or-later
"""
What hits of probes weigh by an argument or a field, and conditions on them: exact sums, and what is refused.
"""

import ctypes
import errno
import fcntl
import os
import struct
import sys

import kfl
from harness import (KFLAME, balanced, check, folded, kflame, needs_32bit, note, record, run,
                     scaled, scratch, test, torture, workload)
from lent import allocate, allocs, null_disk
from probing import hits_of, lost, needs
from session import CONFIGURE, EVENT, Session, config

READ, READS = "kprobe:vfs_read", "kretprobe:vfs_read"


def sizes(count):
    """The reads of "calls sizes": of each size three, of which one has all bytes, and two have none."""
    return [i * 37 % 5000 + 1 for i in range(1, count + 1)]


def read_sizes(name, count, event, *options):
    path = record(name, "-e", event, *options, command=("sh", "-c", "exec %s sizes %d >/dev/null" %
                                                         (workload("calls"), count)))
    return path, balanced(path)


def total(path, event, function):
    return sum(hits_of(path, event, function).values())


@test("--weight arg3: the sizes of all reads, each exact; --min and --max leave out others")
@needs(kfl.KPROBE)
def weights():
    count = scaled(20000)
    path, profile = read_sizes("weights", count, READ, "--weight", "arg3")
    check(total(path, READ, "read_sizes") == 3 * sum(sizes(count)), folded(path))
    check([event.unit for event in profile.events.values()] == [kfl.UNIT_VALUE], profile.events)
    report = kflame("report", "-i", path).stdout
    check("units of arg3 of vfs_read" in report, report)
    # The lower byte of the size, of which some are 0
    path, profile = read_sizes("bytes", count, READ, "--weight", "arg3:u8", "--min", "7", "--max", "200")
    wanted = sum(size & 255 for size in sizes(count) if 7 <= size & 255 <= 200)
    check(total(path, READ, "read_sizes") == 3 * wanted, wanted, folded(path))
    left_out = 3 * sum(not 7 <= size & 255 <= 200 for size in sizes(count))
    check(lost(profile, READ)[kfl.LOST_LENGTH] >= left_out, left_out, lost(profile, READ))
    # Sizes as signed bytes: negative ones weigh nothing
    path, profile = read_sizes("signed", count, READ, "--weight", "arg3:s8")
    wanted = sum(size & 255 for size in sizes(count) if size & 255 < 128)
    check(total(path, READ, "read_sizes") == 3 * wanted, wanted, folded(path))


@test("--if: as many hits as the conditions are true of, for each comparison; all others are lost by that cause")
@needs(kfl.KPROBE)
def conditions():
    count = scaled(5000)
    for text, holds in (("arg3 > 4096", lambda n: n > 4096), ("arg3 >= 4096", lambda n: n >= 4096),
                        ("arg3 < 100", lambda n: n < 100), ("arg3 <= 100", lambda n: n <= 100),
                        ("arg3 == 38", lambda n: n == 38), ("arg3 != 38", lambda n: n != 38),
                        ("arg3 & 0x300", lambda n: n & 0x300), ("arg3:u8 > 200", lambda n: n & 255 > 200),
                        ("arg3:s8 < -100", lambda n: 128 <= n & 255 < 156),
                        ("arg3 > 1K && arg3 < 4K && arg3 & 1", lambda n: 1024 < n < 4096 and n & 1)):
        path, profile = read_sizes("conditions", count, READ, "--if", text)
        wanted = 3 * sum(bool(holds(size)) for size in sizes(count))
        check(total(path, READ, "read_sizes") == wanted, text, wanted, folded(path))
        check(lost(profile, READ)[kfl.LOST_LENGTH] >= 3 * count - wanted, text, lost(profile, READ))
        check(set(lost(profile, READ)) <= {kfl.LOST_LENGTH, kfl.LOST_FILTER}, lost(profile, READ))


@test("kretprobe: the arguments are those at the call, as a weight, and as a condition on the value")
@needs(kfl.KRETPROBE)
def returns():
    count = scaled(20000)
    path, profile = read_sizes("returns", count, READS, "--weight", "arg3")
    check(total(path, READS, "read_sizes") == 3 * sum(sizes(count)), folded(path))
    path, profile = read_sizes("values", count, READS, "--weight", "value", "--if", "arg3 > 1000 && arg3 <= 3000")
    wanted = sum(size for size in sizes(count) if 1000 < size <= 3000)
    check(total(path, READS, "read_sizes") == wanted, wanted, folded(path))
    path, profile = read_sizes("counted", count, READS, "--if", "arg3 > 4096")
    check(total(path, READS, "read_sizes") == 3 * sum(size > 4096 for size in sizes(count)), folded(path))
    check(set(lost(profile, READS)) <= {kfl.LOST_LENGTH, kfl.LOST_FILTER}, lost(profile, READS))


def steps(count):
    """The arguments of called_step()."""
    x = 0
    for _ in range(count):
        yield x
        x = (x * 7 + 1) & 0xffffffff


def signed(x):
    return x - (x >> 31 << 32)


@test("uprobe: the arguments of a user function, as a weight and as a condition, each exact")
@needs(kfl.UPROBE)
def uprobes():
    count = scaled(20000)
    file = workload("called")
    event = "uprobe:%s:called_step" % file
    for options, wanted in ((("--weight", "arg1:u16"), sum(x & 0xffff for x in steps(count))),
                            (("--weight", "arg1:s32", "--if", "arg1:s32 > 1000"),
                             sum(max(signed(x), 0) for x in steps(count) if signed(x) > 1000)),
                            (("--if", "arg1:s32 < 0"), sum(signed(x) < 0 for x in steps(count)))):
        path = record("uprobes", "-e", event, *options, command=(file, str(count)))
        balanced(path)
        check(total(path, event, "called_step") == wanted, options, wanted, folded(path))


@test("uprobe of a 32-bit program: no condition on an argument is true there")
@needs(kfl.UPROBE)
def compat():
    needs_32bit()
    file = torture("spin32")
    event = "uprobe:%s:descend" % file
    path = record("plain", "-e", event, command=(file,), status=32)
    hits = sum(folded(path, "--event", event).values())
    check(hits > 0, "no hits")
    path = record("compat", "-e", event, "--if", "arg1 >= 0", command=(file,), status=32)
    profile = balanced(path)
    check(not folded(path, "--event", event) and lost(profile, event) == {kfl.LOST_LENGTH: hits}, lost(profile, event))


def direct(path, event, function):
    """What hits weigh in what the function itself calls: further below, allocators allocate memory of their own."""
    return sum(weight for frames, weight in hits_of(path, event, function).items()
               if len(frames) - frames.index(function) <= 3)


KMALLOC, OBJECTS, PAGES = ("tracepoint:kmem:" + name for name in ("kmalloc", "kmem_cache_alloc", "mm_page_alloc"))


SLAB = "outstanding:kmem:kmalloc|kmalloc_node..kfree"


@test("--alloc=outstanding: what a module does not free, among much that it frees")
@needs(kfl.PAIR)
def leaks():
    count, many = scaled(500), scaled(5000)
    with allocs() as allocated:
        path = record("leaks", "--alloc=outstanding", command=allocate(many, count, many))
        profile = balanced(path)
        check({event.unit for event in profile.events.values()} == {kfl.UNIT_BYTES}, profile.events)
        leaked = allocated("leaked")
    check(direct(path, SLAB, "allocs_leak") == leaked > 0, leaked, folded(path, "--event", SLAB))
    number, = (one.id for one in profile.events.values() if one.name == SLAB)
    samples = sum(one.samples for one in profile.event_counts[number])
    note("%d allocations are left, %d of them leaked" % (samples, count))
    check(samples >= count and not direct(path, SLAB, "allocs_kmalloc"), samples, count, folded(path, "--event", SLAB))
    report = kflame("report", "-n", "1", "-i", path, "--event", SLAB).stdout
    check("bytes" in report and "kmalloc" in report, report)
    path = record("kept", "-e", SLAB, "--weight", "count", command=("sh", "-c", "true"))
    balanced(path)


@test("tracepoints: bytes of block requests: each write of a program, when it is queued, issued and done")
@needs(kfl.TRACEPOINT)
def blocks():
    number, size = 40, 16384
    events = ["tracepoint:block:block_" + name for name in ("bio_queue", "rq_issue", "rq_complete")]
    with null_disk() as disk:
        path = record("blocks", "-a", "-e", ",".join(events), "--weight", "bytes", command=(
            "dd", "if=/dev/zero", "of=" + disk, "oflag=direct", "bs=%d" % size, "count=%d" % number))
    balanced(path)
    for event in events:
        check(sum(folded(path, "--event", event).values()) == number * size, event, folded(path, "--event", event))


@test("tracepoints: lengths of packets, and conditions on the softirq and on the new thread's id")
@needs(kfl.TRACEPOINT)
def packets():
    queued, forked = "tracepoint:net:net_dev_queue", "tracepoint:sched:sched_process_fork"
    sends = ("import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
             "[s.sendto(bytes(1000), ('127.0.0.1', 9)) for i in range(30)]")
    path = record("packets", "-e", queued, "--weight", "len", command=(sys.executable, "-c", sends))
    balanced(path)
    # A port that is closed answers, in the same context. Headers: UDP 8, IP 20, Ethernet 14
    sent = sum(size for frames, size in folded(path, "--event", queued).items() if "icmp_send" not in " ".join(frames))
    check(sent == 30 * (1000 + 8 + 20 + 14), folded(path))
    softirq = "tracepoint:irq:softirq_entry"
    counted = {}
    for vec in 1, 99:
        path = record("vec", "-a", "-e", softirq, "--if", "vec == %d" % vec, command=("sleep", "0.2"))
        counted[vec] = sum(folded(path, "--event", softirq).values())
    check(counted[1] > 0 == counted[99], counted)
    path = record("forks", "-e", forked, "--if", "child_pid > 1 && parent_pid != 0", command=(
        "sh", "-c", "/bin/true; /bin/true; /bin/true; exit"))
    check(sum(folded(path, "--event", forked).values()) == 3, folded(path))


@test("tracepoints: bytes of kmalloc, of objects and of pages, as the module that allocates has counted them")
@needs(kfl.TRACEPOINT)
def fields():
    with allocs() as allocated:
        path = record("fields", "-e", ",".join((KMALLOC, OBJECTS, PAGES)), "--weight", "bytes",
                      command=allocate(scaled(5000)))
        profile = balanced(path)
        check({event.unit for event in profile.events.values()} == {kfl.UNIT_BYTES}, profile.events)
        for event, function, name in ((KMALLOC, "allocs_kmalloc", "kmalloc"), (OBJECTS, "allocs_objects", "objects"),
                                      (PAGES, "allocs_pages", "pages")):
            seen = total(path, event, function) if event == PAGES else direct(path, event, function)
            check(seen == allocated(name) > 0, event, seen, allocated(name), folded(path, "--event", event))
        report = kflame("report", "-n", "0", "-i", path, "--event", PAGES).stdout
        check(" bytes" in report and "allocs_pages" in report, report)
    with allocs() as allocated:
        path = record("took", "-e", KMALLOC, "--weight", "bytes_alloc", command=allocate(scaled(5000)))
        balanced(path)
        took = allocated("kmalloc_took")
        check(direct(path, KMALLOC, "allocs_kmalloc") == took, took, folded(path))
    with allocs() as allocated:
        path = record("large", "-e", KMALLOC, "--weight", "bytes", "--if", "bytes > 2K", command=allocate(4000))
        balanced(path)
        wanted = sum(i * 37 % 4000 + 1 for i in range(1, 4001) if i * 37 % 4000 + 1 > 2048)
        check(direct(path, KMALLOC, "allocs_kmalloc") == wanted, wanted, folded(path))


@test("tracepoint: raw arguments, as those of mm_page_alloc")
@needs(kfl.TRACEPOINT)
def raw():
    count = 4 * scaled(2000)
    with allocs():
        path = record("orders", "-e", PAGES, "--weight", "arg2:u32", command=allocate(count))
        balanced(path)
        # 0, 1, 2 and 3 in turn
        check(total(path, PAGES, "allocs_pages") == count // 4 * 6, folded(path))
        path = record("third", "-e", PAGES, "--if", "arg2:s32 == 3", command=allocate(count))
        balanced(path)
        check(total(path, PAGES, "allocs_pages") == count // 4, folded(path))


@test("--alloc: bytes of all ways to allocate, on kernels with and without tracepoints for nodes")
@needs(kfl.TRACEPOINT)
def preset():
    with allocs() as allocated:
        path = record("alloc", "--alloc", command=allocate(scaled(5000)))
        profile = balanced(path)
        names = [event.name for event in profile.events.values()]
        note(" ".join(names))
        for function, name in (("allocs_kmalloc", "kmalloc"), ("allocs_node", "kmalloc_node"),
                               ("allocs_objects", "objects")):
            seen = sum(direct(path, event, function) for event in names if event != PAGES)
            check(seen == allocated(name), name, seen, allocated(name))
        check(total(path, PAGES, "allocs_pages") == allocated("pages"), allocated("pages"))
        path = record("pages", "--alloc=pages", "--min", "16384", command=allocate(40))
        check(total(path, PAGES, "allocs_pages") == 10 * (16384 + 32768), folded(path))


# struct kflame_operand, and what follows it in struct kflame_event
OPERAND, REST, CONDITION = "<4I32s", "<Q2IQ2I", "<2IQ"
NONE, ARG, FIELD = 0, 1, 2


def operand(kind=NONE, arg=0, size=0, is_signed=0, field=b""):
    return struct.pack(OPERAND, kind, arg, size, is_signed, field)


ARG1 = operand(ARG, 1, 8)


def condition(value, op=4, pad=0):
    return value + struct.pack(CONDITION, op, pad, 4096)


def refusal(kind, name, value=operand(), weight=kfl.WEIGHT_OPERAND, conditions=(), nr=None, at=True):
    """CONFIGURE with the timer and this event: what it fails with, "" if it does not; and which event it names."""
    memory = ctypes.create_string_buffer(b"".join(conditions), 64 * 9)
    text = ctypes.create_string_buffer(name.encode())
    raw = struct.pack(EVENT, 144, kfl.TIMER, *[0] * 9) + bytes(80)
    raw += struct.pack(EVENT, 144, kind, 0, 0, 0, ctypes.addressof(text) if name else 0, len(name), weight, 0, 0, 0)
    raw += value + struct.pack(REST, ctypes.addressof(memory) if conditions and at else 0,
                               len(conditions) if nr is None else nr, 0, 0, 0, 0)
    events = ctypes.create_string_buffer(raw, len(raw))
    fields, error = bytearray(config(nr_events=2, events=ctypes.addressof(events))), ""
    with Session() as session:
        try:
            fcntl.ioctl(session.fd, CONFIGURE, fields)
        except OSError as failed:
            error = errno.errorcode[failed.errno]
    return error, struct.unpack_from("<I", fields, struct.calcsize("<2I2Q7I"))[0]


@test("CONFIGURE refuses operands and conditions that cannot be, and says of which event")
@needs(kfl.KPROBE, kfl.TRACEPOINT, kfl.KRETPROBE)
def refused():
    check(refusal(kfl.KPROBE, "vfs_read", ARG1)[0] == "", "arg1")
    check(refusal(kfl.KPROBE, "vfs_read", weight=0, conditions=[condition(ARG1)] * 8)[0] == "", "eight conditions")
    kmalloc = kfl.TRACEPOINT, "kmem:kmalloc"
    check(refusal(*kmalloc, operand(FIELD, field=b"bytes"))[0] == "", "bytes")
    vfs_read = kfl.KPROBE, "vfs_read"
    for event, value, fields, error in (
            (vfs_read, operand(), {}, "EINVAL"), (vfs_read, operand(3, 1, 8), {}, "EINVAL"),
            (vfs_read, operand(ARG, 0, 8), {}, "EINVAL"), (vfs_read, operand(ARG, 7, 8), {}, "EINVAL"),
            (vfs_read, operand(ARG, 1, 3), {}, "EINVAL"), (vfs_read, operand(ARG, 1, 16), {}, "EINVAL"),
            (vfs_read, operand(ARG, 1, 8, 2), {}, "EINVAL"), (vfs_read, operand(ARG, 1, 8, 0, b"x"), {}, "EINVAL"),
            (vfs_read, ARG1, {"weight": 0}, "EINVAL"), (vfs_read, ARG1, {"weight": 4}, "EINVAL"),
            (vfs_read, operand(FIELD, field=b"bytes"), {}, "ENODATA"),
            (kmalloc, operand(ARG, 6, 8), {}, "EINVAL"), (kmalloc, operand(FIELD, field=b"byte"), {}, "ENODATA"),
            (kmalloc, operand(FIELD, 1, field=b"bytes"), {}, "EINVAL"), (kmalloc, operand(FIELD), {}, "EINVAL"),
            (kmalloc, operand(FIELD, field=b"bytes\0x"), {}, "EINVAL"),
            (kmalloc, operand(FIELD, field=b"b" * 32), {}, "EINVAL"),
            ((kfl.TRACEPOINT, "sched:sched_switch"), operand(FIELD, field=b"bytes"), {}, "ENODATA"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1, op=7)]}, "EINVAL"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1, pad=1)]}, "EINVAL"),
            (vfs_read, ARG1, {"conditions": [condition(operand())]}, "EINVAL"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1), condition(operand(FIELD, field=b"bytes"))]}, "ENODATA"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1)] * 9}, "EINVAL"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1)], "nr": 0}, "EINVAL"),
            (vfs_read, ARG1, {"conditions": [condition(ARG1)], "nr": 0xffffffff}, "EINVAL")):
        seen = refusal(*event, value, **fields)
        check(seen == (error, 2), event, value, fields, seen)
    check(refusal(*vfs_read, ARG1, conditions=[condition(ARG1)], at=False) == ("EFAULT", 0), "no conditions at NULL")
    check(refusal(kfl.FAULTS, "", ARG1)[0] == "EINVAL", "page faults have no arguments")
    check(refusal(kfl.FAULTS, "", weight=0, conditions=[condition(ARG1)])[0] == "EINVAL", "nor conditions")


@test("kflame record: an unknown field, a wrong condition, and an old way are errors that say what is wrong")
@needs(kfl.TRACEPOINT, kfl.KPROBE)
def errors():
    for options, status, words in (
            (("-e", KMALLOC, "--weight", "no_such"), 1, "kmem:kmalloc: the module knows no such field"),
            (("-e", KMALLOC, "--if", "no_such > 5"), 1, "kmem:kmalloc: the module knows no such field"),
            (("-e", READ, "--weight", "bytes"), 2, "'bytes' is a field of tracepoints"),
            (("-e", READ, "--if", "arg3 >"), 2, "a number is missing after 'arg3 >'")):
        done = run([KFLAME, "record", *options, "-o", scratch("none"), "--", "true"], status=status)
        check(words in done.stderr, done.stderr)
        check(not os.path.exists(scratch("none")), "a profile of nothing")
