# SPDX-License-Identifier: GPL-2.0-or-later
"""
A reader of kflame's record stream, for judging the tool and the module.

Written from include/uapi/kflame.h and from nothing of the tool, so that the two
can be wrong only apart.  Strict: what the header does not promise is an error.
"""

import collections
import struct

MAGIC = b"KFLAME\r\n"
NR_LOST = 16
NR_STATS = 32
NR_GROUPS = 2

SESSION, ASPACE, MAPPING, FILE, STACK, COUNT, SAMPLE = 1, 2, 3, 4, 5, 6, 7
CPU, STATS, KSYM = 9, 10, 11
LIKES, COUNTS = 13, 14
EVENT, EVENT_COUNTS, EVENT_SAMPLE, EVENT_CPU, WAKER, WAKE_COUNTS, EVENT_HISTOGRAM = 15, 16, 17, 18, 19, 20, 21
LABEL = 22
FUNCTION = 24
TIMER, FAULTS, OFFCPU, SLEEPERS, KPROBE, TRACEPOINT, KRETPROBE, UPROBE = 0, 1, 2, 3, 4, 5, 6, 7
SYSCALL, PAIR, URETPROBE = 8, 9, 10
UNIT_NS, UNIT_EVENTS, UNIT_BYTES, UNIT_VALUE = 0, 1, 2, 3
WEIGHT_OWN, WEIGHT_LATENCY, WEIGHT_VALUE, WEIGHT_OPERAND = 0, 1, 2, 3
HOST, USYM, LEAF, NAMED, JSYM, END = 0x100, 0x101, 0x102, 0x103, 0x104, 0x1FF
CGROUP = 0x107

LOST_FILTER, LOST_IDLE, LOST_TABLE, LOST_STACKS = 0, 1, 2, 3
LOST_NESTED = 5
CF_PER_THREAD = 1 << 6
LOST_LENGTH, LOST_WAITS = 8, 9
CF_TIMELINE, CF_SHORT, CF_EXPLAIN, CF_ALL = 1 << 10, 1 << 11, 1 << 13, (1 << 14) - 1
STAT_ORDERED, STAT_ORDER_FULL = 27, 28
CTX_TASK, CTX_SOFTIRQ, CTX_IDLE, CTX_GAP, CTX_GUEST = 0, 1, 2, 3, 4
(CTX_INTERRUPTIBLE, CTX_UNINTERRUPTIBLE, CTX_IOWAIT, CTX_STOPPED, CTX_RUNNABLE,
 CTX_PREEMPTED) = 5, 6, 7, 8, 9, 10
CTX_STILL = 1 << 8
CTX_IRQ = 11
EF_WAKERS, EF_LABELS = 1 << 0, 1 << 1
FUNCTION_BASE, FUNCTION_MASK, FUNCTION_SHIFT = 0x4B49000000000000, 0xFFFF000000000000, 24
LABEL_BASE, LABEL_MASK = 0x4B464C0000000000, 0xFFFFFFFF00000000
LABEL_TEXT, LABEL_FILE, LABEL_MAJOR, LABEL_NO_ROOT = 0, 1, 0x100, 0xFFFF
STACK_KERNEL, STACK_USER = 1, 2
END_COMPLETE, END_FAULT, END_BAD_FP, END_DEPTH, END_COMPAT, END_EXEC = range(6)
END_UNWIND, END_NO_MM, END_PENDING, END_NO_MAP = 10, 7, 12, 14
END_CUT, END_UNWINDER = 16, 17
END_MASK, BY_COPY = 0xFF, 0x400
STACK_OF_TOOL = 1 << 63
ASPACE_MAPPED = 0

Session = collections.namedtuple(
    "Session",
    "abi kway flags asked_period_ns period_ns resolution_ns start_ns start_realtime_ns"
    " entries kdepth udepth budget_permille nr_cpus page_size release machine version",
)
Aspace = collections.namedtuple(
    "Aspace",
    "id start_time_ns tgid ns_tgid pidns_inode exec_id cgroup_id state owner comm",
)
Mapping = collections.namedtuple("Mapping", "aspace start end offset file flags pad")
File = collections.namedtuple(
    "File",
    "id inode bytes mtime_ns dev_major dev_minor generation build_id path",
)
Stack = collections.namedtuple("Stack", "id kind end candidate ip")
Count = collections.namedtuple(
    "Count",
    "aspace kstack ustack samples weight_ns late_ns cpu context tgid tid comm",
)
Label = collections.namedtuple("Label", "id kind dev_major dev_minor root_len text")
Function = collections.namedtuple("Function", "id kind line name file")
Waker = collections.namedtuple("Waker", "id aspace kstack ustack cpu context tgid tid comm")
Event = collections.namedtuple("Event", "id kind unit name")
Sample = collections.namedtuple("Sample", "time_ns weight_ns late_ns cpu count")
Histogram = collections.namedtuple("Histogram", "buckets weight longest")
Books = collections.namedtuple(
    "Books",
    "cpu flags samples counted missed weight_ns counted_ns active_ns head_ns tail_ns"
    " period_ns stretches handler_ns handler_max_ns lost lost_ns",
)


class Damaged(Exception):
    """The stream is not what the header says it is."""


def _text(raw):
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def bucket_of(weight):
    """The bucket of a weight in an EVENT_HISTOGRAM record."""
    shift = max(weight.bit_length() - 4, 0)
    return shift * 8 + (weight >> shift)


def group_of(context):
    """The group of a sample in an EVENT_HISTOGRAM record: 1 for waits for a CPU."""
    return int(context & ~CTX_STILL in (CTX_RUNNABLE, CTX_PREEMPTED))


def _books(body):
    fields = struct.unpack_from("<II6Q2q4Q", body)
    rest = struct.unpack_from("<%dQ" % (2 * NR_LOST), body, 104)
    return Books(*fields, rest[:NR_LOST], rest[NR_LOST:])


class Profile:
    """
    Everything that one stream says.  cpus: the last books of each CPU.

    counts and cpus are the timer's; event_counts and event_cpus are of each other event, by its id.
    histograms: by event, group and CPU, the last ones.
    wakers: by id.  waker_of: of a count by its identity, id(count), the waker that ended its waits.
    """

    def __init__(self, path):
        self.session = None
        self.aspaces, self.files, self.stacks, self.cpus = {}, {}, {}, {}
        self.mappings = collections.defaultdict(list)
        self.counts, self.ksyms, self.usyms = [], [], []
        self.numbered, self.samples_of = {}, collections.defaultdict(list)
        self.events, self.event_counts = {}, collections.defaultdict(list)
        self.event_cpus, self.event_samples = collections.defaultdict(dict), collections.defaultdict(list)
        self.event_samples_of_tool = 0
        self.samples_of_tool = []
        self.wakers, self.waker_of, self.histograms = {}, {}, {}
        self.cgroups, self.labels, self.functions = {}, {}, {}
        self.kinds = collections.Counter()
        self.stats = None
        self.ended = False
        with open(path, "rb") as file:
            self._parse(file.read())
        self.ordered_by_module = self.ordered
        # The tool's own lie between those of the module
        for sample in self.samples_of_tool:
            self.samples_of[sample.cpu].append(sample)
        for cpu in {sample.cpu for sample in self.samples_of_tool}:
            self.samples_of[cpu].sort()

    def _parse(self, data):
        if len(data) < 32:
            raise Damaged("no header: %d bytes" % len(data))
        magic, version, endian, size, pad, required = struct.unpack_from("<8s4IQ", data)
        if magic != MAGIC or version != 1 or endian != 0x01020304 or required or pad:
            raise Damaged("bad header %r" % data[:32])
        at = size
        while at < len(data):
            if at + 8 > len(data):
                raise Damaged("a record's header is cut at byte %d" % at)
            kind, length = struct.unpack_from("<II", data, at)
            if length < 8 or length % 8 or length > 1 << 20 or at + length > len(data):
                raise Damaged("record type %d of %d bytes at %d" % (kind, length, at))
            if self.ended:
                raise Damaged("a record after the end record, at %d" % at)
            self.kinds[kind] += 1
            self._record(kind, data[at + 8 : at + length])
            at += length

    def _record(self, kind, body):
        if kind == SESSION:
            fields = struct.unpack_from("<2I6Q6I72s16s32s", body)
            self.session = Session(*fields[:14], *(_text(f) for f in fields[14:]))
        elif kind == ASPACE:
            fields = struct.unpack_from("<2Q4IQ2I16s", body)
            self.aspaces[fields[0]] = Aspace(*fields[:9], _text(fields[9]))
        elif kind == MAPPING:
            mapping = Mapping(*struct.unpack_from("<5Q2I", body))
            if mapping.file and mapping.file not in self.files:
                raise Damaged("mapping of file %d, which has no record" % mapping.file)
            self.mappings[mapping.aspace].append(mapping)
        elif kind == FILE:
            fields = struct.unpack_from("<4Q4I20sI", body)
            path = body[72 : 72 + fields[9]]
            if body[72 + fields[9]] != 0:
                raise Damaged("a path is not terminated: %r" % path)
            build_id = fields[8][: fields[7]].hex()
            self.files[fields[0]] = File(*fields[:7], build_id, path.decode("utf-8", "replace"))
        elif kind == STACK:
            number, which, end, candidate, nr = struct.unpack_from("<Q4I", body)
            if not number or 24 + 8 * nr > len(body):
                raise Damaged("stack %d of %d frames in %d bytes" % (number, nr, len(body)))
            ip = struct.unpack_from("<%dQ" % nr, body, 24)
            self.stacks[number] = Stack(number, which, end, candidate, ip)
        elif kind == LIKES:
            self._likes(body)
        elif kind == COUNT:
            fields = struct.unpack_from("<6Q4I16s", body)
            number = struct.unpack_from("<Q", body, 80) if len(body) > 80 else None
            self._count(Count(*fields[:10], _text(fields[10])), number and number[0])
        elif kind == COUNTS:
            self._counts(body)
        elif kind == EVENT:
            number, which, unit, arg, name = struct.unpack_from("<4I32s", body)
            if len(body) > 48 and body[48]:
                name = body[48:]
            if arg > 6 or number in self.events or (number == 0) != (which == TIMER):
                raise Damaged("event %d of kind %d" % (number, which))
            self.events[number] = Event(number, which, unit, _text(name))
        elif kind == EVENT_COUNTS:
            self._event_counts(body)
        elif kind == LABEL:
            self._label(body)
        elif kind == FUNCTION:
            self._function(body)
        elif kind == WAKER:
            self._waker(body)
        elif kind == WAKE_COUNTS:
            self._wake_counts(body)
        elif kind in (SAMPLE, EVENT_SAMPLE):
            self._samples(body, kind == EVENT_SAMPLE)
        elif kind == EVENT_CPU:
            event, pad = struct.unpack_from("<2I", body)
            if pad or not event or event not in self.events:
                raise Damaged("the accounting of event %d" % event)
            books = _books(body[8:])
            self.event_cpus[event][books.cpu] = books
        elif kind == EVENT_HISTOGRAM:
            self._histogram(body)
        elif kind == CPU:
            books = _books(body)
            self.cpus[books.cpu] = books
        elif kind == STATS:
            self.stats = struct.unpack_from("<%dQ" % (1 + NR_STATS), body)[1:]
        elif kind == KSYM:
            start, end, length = struct.unpack_from("<2QI", body)
            self.ksyms.append((start, end, body[24 : 24 + length].decode("utf-8", "replace")))
        elif kind == CGROUP:
            number, length = struct.unpack_from("<QI", body)
            if body[16 : 17] != b"/" or 16 + length >= len(body) or body[16 + length] != 0:
                raise Damaged("the path of cgroup %d: %r" % (number, body[16:]))
            self.cgroups[number] = body[16 : 16 + length].decode("utf-8", "replace")
        elif kind == END:
            self.ended = True

    def _likes(self, body):
        upper, nr, pad = struct.unpack_from("<Q2I", body)
        if upper & 0xFFFFFFFF or not nr or pad or len(body) != 16 + 16 * nr:
            raise Damaged("%d stacks of %x in %d bytes" % (nr, upper, len(body)))
        for ip, number, like in struct.iter_unpack("<Q2I", body[16:]):
            if not number or upper | number in self.stacks or not self.stacks[upper | like].ip:
                raise Damaged("stack %d is like stack %d" % (number, like))
            whole = self.stacks[upper | like]
            self.stacks[upper | number] = whole._replace(
                id=upper | number, ip=(ip,) + whole.ip[1:])

    def _counts(self, body):
        aspace, upper, *who, comm, nr, first = struct.unpack_from("<2Q4I16s2I", body)
        if upper & 0xFFFFFFFF or not nr or len(body) != 56 + 24 * nr:
            raise Damaged("%d counts of %x in %d bytes" % (nr, upper, len(body)))
        for i, (weight_ns, kstack, ustack, samples, late_ns) in enumerate(
                struct.iter_unpack("<Q4I", body[56:])):
            self._count(Count(aspace, kstack and upper | kstack, ustack and upper | ustack, samples,
                              weight_ns, late_ns, *who, _text(comm)),
                        upper | first + i if first else None)

    def _event_counts(self, body):
        aspace, first, *who, comm, event, nr = struct.unpack_from("<2Q4I16s2I", body)
        if not nr or len(body) != 56 + 32 * nr:
            raise Damaged("%d counts in %d bytes" % (nr, len(body)))
        if not event or event not in self.events:
            raise Damaged("counts of event %d, which has no record" % event)
        for i, (weight, samples, kstack, ustack) in enumerate(struct.iter_unpack("<4Q", body[56:])):
            self._count(Count(aspace, kstack, ustack, samples, weight, 0, *who, _text(comm)),
                        first + i if first else None, self.event_counts[event])

    def _label(self, body):
        *fields, length = struct.unpack_from("<6I", body)
        label = Label(*fields, body[24 : 24 + length])
        if not label.id or not length or 24 + length >= len(body) or body[24 + length] or b"\0" in label.text:
            raise Damaged("label %d: %r" % (label.id, body))
        kind = label.kind & ~LABEL_MAJOR
        if kind not in (LABEL_TEXT, LABEL_FILE) or (kind == LABEL_TEXT and fields[2:] != [0, 0, 0]):
            raise Damaged("%r is no label" % (label,))
        if label.root_len > length and label.root_len != LABEL_NO_ROOT:
            raise Damaged("%r has a longer root" % (label,))
        self.labels[label.id] = label

    def _function(self, body):
        number, kind, line, name_len, length, pad = struct.unpack_from("<6I", body)
        text = body[24 : 24 + length]
        if number < 2 or number >> FUNCTION_SHIFT or kind not in (1, 2, 3) or name_len > length or pad:
            raise Damaged("function %d: %r" % (number, body))
        if 24 + length >= len(body) or body[24 + length] or b"\0" in text:
            raise Damaged("the name of function %d: %r" % (number, body))
        self.functions[number] = Function(number, kind, line, text[:name_len].decode("utf-8"),
                                          text[name_len:].decode("utf-8"))

    def functions_in(self, stack):
        """The functions of interpreted programs in a stack, innermost first, each with the line that was executed."""
        return [(self.functions.get(ip >> FUNCTION_SHIFT & 0xFFFFFF), ip & 0xFFFFFF) for ip in stack.ip
                if ip & FUNCTION_MASK == FUNCTION_BASE]

    def kernel_pc(self, count):
        """The program counter of a count's kernel stack. Behind a label it is recorded plus one."""
        ip = self.stacks[count.kstack].ip
        return ip[1] - 1 if ip[0] & LABEL_MASK == LABEL_BASE else ip[0]

    def label_of(self, count):
        """The text of the label of a count's samples, None if they have none."""
        ip = self.stacks[count.kstack].ip if count.kstack else ()
        return self.labels[ip[0] & 0xFFFFFFFF].text if ip and ip[0] & LABEL_MASK == LABEL_BASE else None

    def _waker(self, body):
        fields = struct.unpack_from("<4Q4I16s", body)
        waker = Waker(*fields[:8], _text(fields[8]))
        if not waker.id or waker.id in self.wakers or waker.id in self.numbered:
            raise Damaged("waker %d is there twice" % waker.id)
        if waker.context not in (CTX_TASK, CTX_SOFTIRQ, CTX_IDLE, CTX_IRQ):
            raise Damaged("waker %d has context %d" % (waker.id, waker.context))
        if waker.context in (CTX_SOFTIRQ, CTX_IRQ) and (
                waker.aspace, waker.ustack, waker.tgid, waker.tid, waker.comm) != (0, 0, 0, 0, ""):
            raise Damaged("an interrupt that is a task: %r" % (waker,))
        self._check_stacks(waker)
        self.wakers[waker.id] = waker

    def _wake_counts(self, body):
        aspace, first, *who, comm, event, nr = struct.unpack_from("<2Q4I16s2I", body)
        if not nr or len(body) != 56 + 40 * nr:
            raise Damaged("%d counts with wakers in %d bytes" % (nr, len(body)))
        if not event or event not in self.events:
            raise Damaged("counts of event %d, which has no record" % event)
        for i, (weight, samples, kstack, ustack, waker) in enumerate(struct.iter_unpack("<5Q", body[56:])):
            if waker not in self.wakers:
                raise Damaged("waker %d has no record" % waker)
            if who[1] not in range(CTX_INTERRUPTIBLE, CTX_RUNNABLE):
                raise Damaged("a waker of context %d" % who[1])
            count = Count(aspace, kstack, ustack, samples, weight, 0, *who, _text(comm))
            self._count(count, first + i if first else None, self.event_counts[event])
            self.waker_of[id(count)] = self.wakers[waker]

    def _check_stacks(self, who):
        for stack, which in ((who.kstack, STACK_KERNEL), (who.ustack, STACK_USER)):
            if stack and (stack not in self.stacks or self.stacks[stack].kind != which):
                raise Damaged("%r: stack %d has no record" % (who, stack))

    def _count(self, count, number, counts=None):
        self._check_stacks(count)
        (self.counts if counts is None else counts).append(count)
        if number is not None:
            if not number or number in self.numbered:
                raise Damaged("the number of a count: %d" % number)
            self.numbered[number] = count

    def _samples(self, body, of_event):
        upper, cpu, nr = struct.unpack_from("<Q2I", body)
        if upper & 0xFFFFFFFF or not nr or 16 + 32 * nr != len(body):
            raise Damaged("%d samples of %x in %d bytes" % (nr, upper, len(body)))
        for time_ns, weight_ns, late_ns, count, pad in struct.iter_unpack("<3Q2I", body[16:]):
            if upper | count not in self.numbered or pad:
                raise Damaged("a sample of count %x, which has no record" % (upper | count))
            count = self.numbered[upper | count]
            if count.cpu != cpu:
                raise Damaged("a sample of CPU %d, counted on %d" % (cpu, count.cpu))
            sample = Sample(time_ns, weight_ns, late_ns, cpu, count)
            if of_event:
                self.event_samples[cpu].append(sample)
                self.event_samples_of_tool += bool(upper & STACK_OF_TOOL)
            elif upper & STACK_OF_TOOL:
                self.samples_of_tool.append(sample)
            else:
                self.samples_of[cpu].append(sample)

    @property
    def ordered(self):
        return sum(len(samples) for samples in self.samples_of.values())

    @property
    def samples(self):
        return sum(books.samples for books in self.cpus.values())

    @property
    def expiries(self):
        """Periods that passed: a late sample stands for those that it missed."""
        return sum(books.samples + books.missed for books in self.cpus.values())

    @property
    def counted(self):
        return sum(count.samples for count in self.counts)

    def lost(self, cause):
        return sum(books.lost[cause] for books in self.cpus.values())

    def _histogram(self, body):
        event, group, cpu, nr, weight, longest = struct.unpack_from("<4I2Q", body)
        rows = [struct.unpack_from("<Q2I", body, 32 + 16 * i) for i in range(nr)]
        buckets = [bucket for _, bucket, _ in rows]
        if (not event or event not in self.events or group >= NR_GROUPS or len(body) != 32 + 16 * nr or not nr
                or any(pad or not count for count, _, pad in rows) or buckets != sorted(set(buckets))
                or bucket_of(longest) != buckets[-1]):
            raise Damaged("histogram of event %d, group %d, CPU %d: longest %d, %r" % (event, group, cpu, longest, rows))
        self.histograms[event, group, cpu] = Histogram({bucket: count for count, bucket, _ in rows}, weight, longest)

    def imbalances(self):
        """What is wrong with the books, as lines of text; empty when they balance."""
        wrong = []

        def equal(what, left, right):
            if left != right:
                wrong.append("%s: %d != %d (off by %d)" % (what, left, right, left - right))

        if not self.cpus and not self.event_cpus:
            wrong.append("no CPU reported its accounting")
        self._compare("", self.counts, self.cpus, equal, wrong)
        for event, name in self.events.items():
            if event:
                self._compare(name.name + ", ", self.event_counts[event], self.event_cpus[event], equal, wrong)
                self._compare_histograms(name.name + ", ", event, equal)
        for cpu, books in sorted(self.cpus.items()):
            equal("CPU %d: active = head + weight + tail" % cpu, books.active_ns,
                  books.head_ns + books.weight_ns + books.tail_ns)
        if self.session.flags & CF_TIMELINE and self.stats:
            full = self.stats[STAT_ORDER_FULL]
            counted = self.counted + sum(count.samples for counts in self.event_counts.values() for count in counts)
            of_events = sum(len(samples) for samples in self.event_samples.values())
            equal("samples in order = reported in order",
                  self.ordered_by_module + of_events - self.event_samples_of_tool, self.stats[STAT_ORDERED])
            equal("in order + not = counted", self.ordered + of_events + full, counted)
        return wrong

    def _compare_histograms(self, what, event, equal):
        """Compare the histograms of an event, if it has any, with its counts."""
        samples, weights = collections.Counter(), collections.Counter()
        of_event = [key for key in self.histograms if key[0] == event]
        for count in self.event_counts[event] if of_event else ():
            samples[group_of(count.context), count.cpu] += count.samples
            weights[group_of(count.context), count.cpu] += count.weight_ns
        for key in sorted({key[1:] for key in of_event} | set(samples)):
            histogram = self.histograms.get((event, *key), Histogram({}, 0, 0))
            at = "%sgroup %d, CPU %d: " % (what, *key)
            equal(at + "samples in buckets = counted", sum(histogram.buckets.values()), samples[key])
            equal(at + "weight of the histogram = of the counts", histogram.weight, weights[key])

    def _compare(self, what, counts, cpus, equal, wrong):
        """Compare counts of one event with its accounting."""
        samples, weights = collections.Counter(), collections.Counter()
        for count in counts:
            samples[count.cpu] += count.samples
            weights[count.cpu] += count.weight_ns
            if count.late_ns > count.weight_ns:
                wrong.append("more late than weight: %r" % (count,))
        for cpu in set(samples) - set(cpus):
            wrong.append("%sCPU %d has counts and no books" % (what, cpu))
        for cpu, books in sorted(cpus.items()):
            at = "%sCPU %d: " % (what, cpu)
            equal(at + "samples = counts + losses", books.samples, samples[cpu] + sum(books.lost))
            equal(at + "counted = sum of counts", books.counted, samples[cpu])
            equal(at + "counted_ns = sum of weights", books.counted_ns, weights[cpu])
            equal(at + "weight = counts + losses", books.weight_ns,
                  weights[cpu] + sum(books.lost_ns))
