# SPDX-License-Identifier: GPL-2.0-or-later
"""One sample, taken apart: what the module says of it, and kflame explain."""

import json
import os
import re
import shutil
import struct
import subprocess
import time

import kfl
import ring
from harness import Skipped, check, enough, info, kflame, load, note, run, scratch, start, test, wait_until, workload
from session import CONFIGURE, Session, config

SIZE = 1 << 20
FEAT_EXPLAIN = 1 << 25
UWAY_FP, UWAY_TABLE = 0, 2
MASK = (1 << 64) - 1


def hash_of(seed, key):
    """As kmod/store/table.c has it, written from its text: of 6 words of 64 bits."""
    value = seed
    for (word,) in struct.iter_unpack("<Q", key):
        value = ((value << 5 | value >> 59) & MASK ^ word) * 0x9E3779B97F4A7C15 & MASK
    return (value ^ value >> 29) >> 32


def explained(seconds, argv, **fields):
    """Copies of that program, with what the module says of them."""
    load()
    found = []
    with Session(os.O_RDWR) as session:
        session.configure(ring_bytes=SIZE, dump=ring.DUMP_BOTH, flags=kfl.CF_EXPLAIN, **fields)
        session.start()
        rings = ring.rings(session.fd, SIZE, info()["cpu_limit"])
        child = start(argv)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for each in rings.values():
                each.take()
            time.sleep(0.02)
        child.kill()
        session.stop()
        for each in rings.values():
            each.take()
            found += each.explained
            each.close()
    return [(c, x) for c, x in found if c.comm == os.path.basename(argv[0])]


@test("KFLAME_CF_EXPLAIN needs copies beside counts, and other unknown bits are refused")
def refused():
    load()
    check(info()["features"] & FEAT_EXPLAIN, "no KFLAME_FEAT_EXPLAIN")
    for fields in ({}, {"dump": ring.DUMP_ALL}, {"dump": ring.DUMP_REST, "uway": UWAY_TABLE},
                   {"dump": ring.DUMP_BOTH, "flags": kfl.CF_EXPLAIN | kfl.CF_ALL + 1}):
        with Session() as session:
            seen = session.errno(CONFIGURE, config(**{"flags": kfl.CF_EXPLAIN, **fields}))
            check(seen == "EINVAL", "%r: %s" % (fields, seen or "accepted"))
    with Session() as session:
        plain = session.configure(dump=ring.DUMP_BOTH)["memory"]
    with Session() as session:
        more = session.configure(dump=ring.DUMP_BOTH, flags=kfl.CF_EXPLAIN)["memory"]
        check(more > plain, "memory is not accounted for:", plain, more)


@test("the key's hash, its bucket, and the counts before and after each sample are as the table has them")
def counted():
    pairs = []

    def take(seconds):
        nonlocal pairs
        pairs = explained(seconds, [workload("chain"), "600"], uway=UWAY_FP)
        return len(pairs)

    enough(take, 101, 2, "samples")
    again = 0
    last = {}
    for c, x in pairs:
        key = struct.pack("<Q6I16s", c.aspace, x.kstack, x.ustack, c.cpu, c.context, c.tgid, c.tid, c.comm.encode())
        check(x.hash == hash_of(x.seed, key), "hash", x, key)
        check(x.buckets & x.buckets - 1 == 0 and x.probes >= 1 and
              x.bucket == (x.hash + x.probes - 1) % x.buckets, "bucket", x)
        check((x.samples, x.weight) == (x.samples_before + 1, x.weight_before + c.weight_ns), "counts", x)
        check(1 <= x.entry <= x.nr_entries, "entry", x)
        check(x.due_ns <= c.time_ns and not x.steps, "late, or steps without tables", x, c.time_ns)
        check(bool(x.kwalk) == bool(c.kernel) == bool(x.kstack), "kernel stack", x, c.kernel)
        # The same entry of the same filling of a table: its last sample's count is this one's before
        at = (x.seed, x.entry)
        if at in last:
            again += 1
            check(x.samples_before == last[at], "samples before", x, last[at])
        else:
            check(not x.samples_before, "an entry began with", x)
        last[at] = x.samples
    note("%d samples, %d of them in an entry that was there" % (len(pairs), again))


# ------------------------------------------------------- kflame explain


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        raise Skipped("not installed: %s" % " ".join(missing))


def spinning(program, *arguments):
    """Start it, and wait until it has written its stack. Return: the process, the words by address."""
    if os.uname().machine != "x86_64":
        raise Skipped("these tests know the registers of x86-64 only")
    path = scratch("known_stack.words")
    if os.path.exists(path):
        os.unlink(path)
    child = start([workload(program), path, *arguments])
    if arguments:
        return child, {}

    wait_until(lambda: os.path.exists(path), "the program has written its stack")
    with open(path, "rb") as file:
        sp, *words = (word for (word,) in struct.iter_unpack("<Q", file.read()))
    return child, {sp + 8 * i: word for i, word in enumerate(words)}


def explain(child, *options):
    """Explain a sample of that process whose unwind tables were loaded. Return: the JSON, the text."""
    load()
    paths = scratch("explain.json"), scratch("explain.txt")
    for seconds in (3, 10, 30):
        kflame("explain", *options, "--json", paths[0], "-o", paths[1], "-d", seconds, "-p", child.pid)
        with open(paths[0], encoding="utf-8") as file:
            seen = json.load(file)
        if seen["user_end"] != "table-pending":
            break
        note("the unwind tables came too late in %d s" % seconds)
    with open(paths[1], encoding="utf-8") as file:
        return seen, file.read()


def number(text):
    return int(text, 16)


def words_of(seen):
    sp = number(seen["stack"]["sp"])
    return {sp + 8 * i: number(word) for i, word in enumerate(seen["stack"]["words"])}


def names_of(seen):
    return [frame["place"]["function"] for frame in seen["frames"]]


def rows_of(path, cache={}):
    """
    Rows that readelf has for a file: by entry, its offset, range and rows of (address, columns). An entry
    for which readelf prints no rows has the row of its CIE.
    """
    if path not in cache:
        # It fails if a debug file that the file names is not there
        out = subprocess.run(["readelf", "-wF", path], check=False, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
        entries, columns, cies, rows = [], [], {}, []
        for line in out.splitlines():
            head = re.match(r"([0-9a-f]+) \S+ \S+ FDE cie=(\S+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
            if head:
                at, cie, begin, end = (int(word, 16) for word in head.groups())
                rows = []
                entries.append((at, begin, end, rows, [(begin, cies[cie][0][1])] if cies[cie] else []))
            elif line.split()[:2] == ["LOC", "CFA"]:
                columns = line.split()[1:]
            elif re.match(r"[0-9a-f]{16} ", line):
                loc, *values = re.sub(r" \(\w+\)", "", line).split()
                rows.append((int(loc, 16), dict(zip(columns, values))))
            elif re.match(r"[0-9a-f]+ \S+ \S+ CIE", line):
                rows = cies[int(line.split()[0], 16)] = []
        cache[path] = [(*entry[:3], entry[3] or entry[4]) for entry in entries]
    return cache[path]


def check_rows(seen):
    """The rows of all frames are what readelf prints. Return: how many there were."""
    rows = 0
    for frame in seen["frames"]:
        if "row" not in frame:
            continue
        row, at = frame["row"], number(frame["place"]["in_file"])
        entry = next((e for e in rows_of(frame["place"]["path"]) if e[1] <= at < e[2]), None)
        check(entry, "readelf has no entry for", frame)
        check((number(row["entry"]), number(row["start"]), number(row["end"])) == entry[:3], "entry", row, entry)
        before = [r for r in entry[3] if r[0] <= at]
        check(before, "readelf has no row for", frame, entry)
        loc, columns = before[-1]
        check(number(row["from"]) == loc, "row begins at", row, entry)
        for mine, theirs in (("cfa", "CFA"), ("frame_pointer", "rbp"), ("base_register", "rbx"),
                             ("return_address", "ra")):
            check(row[mine] == columns.get(theirs, "u"), mine, row, columns)
        rows += 1
    return rows


def check_rule(frame):
    """The module's rule says what the row of .eh_frame says, for rows of the common kinds."""
    rule, row = frame["rule"], frame["row"]
    check(rule.startswith("CFA=%s, " % row["cfa"]), rule, row)
    check("return address=[CFA%s]" % row["return_address"][1:] in rule, rule, row)
    saved = row["frame_pointer"]
    check("rbp=%s" % ("unchanged" if saved in "us" else "[CFA%s]" % saved[1:]) in rule, rule, row)


def symbols_of(path):
    out = subprocess.run(["nm", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: int(value, 16) for value, name in re.findall(r"^([0-9a-f]+) [tT] (\S+)$", out, re.MULTILINE)}


def check_names(seen, path):
    """The names of frames in that file are what nm and addr2line say. Return: how many there were."""
    symbols, names = symbols_of(path), 0
    for frame in seen["frames"]:
        place = frame["place"]
        if place.get("path") != path:
            continue
        begin = number(place["in_file"]) - place["into"] + (0 if frame["interrupted"] else 1)
        check(symbols.get(place["function"]) == begin, "nm has another address:", place, symbols)
        named = subprocess.run(["addr2line", "-f", "-e", path, place["in_file"]], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split()[0]
        check(named == place["function"], "addr2line says", named, place)
        names += 1
    return names


def check_arithmetic(seen):
    """Words and rules give what is said of each frame, computed here once more."""
    words, frames = words_of(seen), seen["frames"]
    for frame, caller in zip(frames, frames[1:]):
        check(frame["agrees"], "the module found another caller", frame, caller)
        at = number(frame["return_address_at"])
        check(words[at] == number(frame["return_address"]) == number(caller["ip"]), "return address", frame)
        if frame["how"] == "rule":
            base, offset = re.match(r"CFA=(rsp|rbp)([+-]\d+)", frame["rule"]).groups()
            cfa = number(frame["sp" if base == "rsp" else "fp"]) + int(offset)
            check(cfa == number(frame["cfa"]) == number(caller["sp"]), "CFA", frame, caller)


def check_memory(seen, program):
    """The words are those that the program wrote, from its own memory."""
    mine = words_of(seen)
    common = set(mine) & set(program)
    check(len(common) >= 20, "only %d words in common" % len(common))
    wrong = [(hex(at), hex(mine[at]), hex(program[at])) for at in sorted(common) if mine[at] != program[at]]
    check(not wrong, "words differ", wrong[:5])
    return len(common)


def check_gdb(seen, child):
    """gdb has the same frames, of the same process that is still where it was."""
    done = run(["gdb", "-nx", "-batch", "-p", str(child.pid), "-ex", "set print frame-arguments none",
                "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on",
                "-ex", "bt", "-ex", "info registers rsp rbp", "-ex", "x/40gx $rsp"])
    innermost = re.search(r"^#0\s+(?:0x[0-9a-f]+ in )?(\w+)", done.stdout, re.MULTILINE)
    callers = re.findall(r"^#[1-9]\d*\s+(0x[0-9a-f]+) in (\w+)", done.stdout, re.MULTILINE)
    check(innermost and innermost[1] == names_of(seen)[0], "gdb's innermost frame", done.stdout)
    mine = [(number(frame["ip"]), frame["place"]["function"]) for frame in seen["frames"][1:]]
    check([address for address, _ in mine] == [number(address) for address, _ in callers], "gdb's frames", mine, callers)
    registers = dict(re.findall(r"^(rsp|rbp)\s+(0x[0-9a-f]+)", done.stdout, re.MULTILINE))
    check(all(number(seen["registers"][name]) == number(value) for name, value in registers.items()) and
          len(registers) == 2, "registers", registers, seen["registers"])
    words = {}
    for at, values in re.findall(r"^(0x[0-9a-f]+).*?:\s*((?:\s*0x[0-9a-f]{16})+)", done.stdout, re.MULTILINE):
        for i, value in enumerate(values.split()):
            words[number(at) + 8 * i] = number(value)
    check(len(words) >= 20, "gdb printed no memory", done.stdout)
    mine = words_of(seen)
    check(all(mine[at] == word for at, word in words.items() if at in mine), "gdb's words differ", words)
    return len(callers) + 1, len(words)


def judge(program):
    """Explain a sample of the program in leaf, and compare all numbers."""
    needs("readelf", "nm", "addr2line", "gdb")
    child, written = spinning(program)
    seen, text = explain(child, "-f", "leaf")
    check(names_of(seen)[:4] == ["leaf", "middle", "outer", "main"], names_of(seen))
    check(seen["user_end"] == "complete" and seen["user_walk"] == "tables", seen["user_end"])
    rows, names = check_rows(seen), check_names(seen, os.path.realpath(workload(program)))
    for frame in seen["frames"][:4]:
        check_rule(frame)
    check_arithmetic(seen)
    common = check_memory(seen, written)
    frames, words = check_gdb(seen, child)
    table, key = seen["table"], seen["table"]["key"]
    raw = struct.pack("<Q6I16s", key["address_space"], key["kernel_stack"], key["user_stack"], key["cpu"],
                      key["context"], key["process"], key["thread"], key["comm"].encode())
    check(number(table["hash"]) == hash_of(number(table["seed"]), raw), "hash", table)
    check(table["samples"] == table["samples_before"] + 1, "count", table)
    check(seen["thread"]["pid"] == child.pid and "0x%s" % text.split("rip")[1].split()[0].lstrip("0") ==
          seen["registers"]["rip"], text)
    child.kill()
    note("%d rows as readelf has them, %d names as nm and addr2line have them, %d words as the program wrote them,"
         " %d frames and %d words as gdb has them" % (rows, names, common, frames, words))
    check(rows >= 6 and names >= 5, "too little was compared")
    return seen


@test("explain, without frame pointers: rules, words and names are those of readelf, gdb and nm")
def by_tables():
    seen = judge("known_stack-tables")
    check(all(frame["rule"].startswith("CFA=rsp+") for frame in seen["frames"][:4]), seen["frames"])


@test("explain, with frame pointers: rules, words and names are those of readelf, gdb and nm")
def with_frame_pointers():
    seen = judge("known_stack")
    check(any(frame["rule"].startswith("CFA=rbp+16") for frame in seen["frames"][1:4]), seen["frames"])


@test("explain --fp: frame records, and the caller of a leaf that they miss")
def by_frame_pointers():
    child, written = spinning("known_stack")
    seen, text = explain(child, "--fp", "-f", "leaf")
    child.kill()
    check(names_of(seen)[:3] == ["leaf", "outer", "main"], names_of(seen))
    check(seen["missed_caller"]["place"]["function"] == "middle" and "middle" in text, seen["missed_caller"])
    check(all(frame["how"] == "frame-pointer" for frame in seen["frames"]), seen["frames"])
    check_arithmetic(seen)
    check_memory(seen, written)
    words = words_of(seen)
    for frame, caller in zip(seen["frames"], seen["frames"][1:]):
        check(words[number(frame["fp"])] == number(caller["fp"]), "frame record", frame, caller)


@test("explain --kernel: kernel frames, and the user stack below them")
def kernel():
    child, _ = spinning("known_stack-tables", "read")
    seen, text = explain(child, "--kernel")
    child.kill()
    functions = [frame["function"] for frame in seen["kernel_frames"]]
    note("%s: %s" % (seen["kernel_walk"], " < ".join(str(name) for name in functions)))
    check(any("read" in str(name) for name in functions) and seen["kernel_end"] == "complete", functions)
    check(seen["kernel_walk"] in ("cached", "kernel") and "Kernel stack" in text, seen["kernel_walk"])
    check("read_zeroes" in names_of(seen) and "main" in names_of(seen), names_of(seen))
    check(all(number(frame["ip"]) >> 63 for frame in seen["kernel_frames"]), seen["kernel_frames"])
