# SPDX-License-Identifier: GPL-2.0-or-later
"""
kflame summary of real problems: its first 40 lines name the cause; tests/unit/test_planted.c has many more.
"""

import json
import os
import subprocess

from harness import PATIENCE, Skipped, check, kflame, load, note, record, scaled, scratch, start, test, workload
from lent import slow_disk
from waiting import need_switches

LINES = 40


def page(path, *options):
    """The first lines of the page, which is no longer than it may be; its JSON says the same"""
    text = kflame("summary", *options, path).stdout
    check(len(text.encode()) <= 8192, len(text))
    check(text == kflame("summary", *options, path).stdout, "another page of the same profile")
    said = json.loads(kflame("summary", "--json", *options, path).stdout)
    for found in said["unusual"][:9]:
        check("--pid" in options or found["text"] in text, found)
    lines = text.split("\n")[:LINES]
    note("\n".join(lines))
    return lines


def shows(lines, *words):
    """One of the lines has all of these words"""
    check(any(all(word in line for word in words) for line in lines), "no line has", words)


@test("summary: a program that computes, with its function; its id leads on; its own page")
def busy():
    load()
    path = record("busy", "-a", command=(workload("busy"), "3"))
    lines = page(path)
    # Beside the recorder, it may not have a CPU for itself
    shows(lines, "+-", "busy: busy_work")
    found = next(line for line in lines if "busy: busy_work" in line)
    text = kflame("report", "-i", path, "--at", found.split()[2]).stdout
    check("busy_work" in text and "Path t" in text, text)
    pid = next(str(row["pid"]) for row in json.loads(kflame("summary", "--json", path).stdout)["processes"]
               if row["name"] == "busy")
    shows(page(path, "--pid", pid), "ran ", "of one CPU: user ")


@test("summary: a lock convoy, with the code that took the lock")
def convoy():
    need_switches()
    if PATIENCE > 1:
        raise Skipped("unwind tables of a new process come after its waits on a kernel this slow")
    path = record("convoy", "--wall", "--wakers", command=(workload("locks"), "convoy", "4", "20", "8"))
    shows(page(path), "* threads waited ", "for a futex (mutex) taken in take_turn", "convoy")


@test("summary: a priority inversion, with the thread that holds the lock and gets no CPU")
def inversion():
    need_switches()
    if PATIENCE > 1:
        raise Skipped("unwind tables of a new process come after its waits on a kernel this slow")
    path = record("inversion", "--wall", "--wakers", command=(workload("locks"), "inversion", "100", "5"))
    shows(page(path), "* priority inversion? high waited", "need_lock", "low waited", "for a CPU")


@test("summary: a slow disk, with the program that reads and where")
def disk():
    need_switches()
    with slow_disk(100000000) as device:
        path = record("disk", "--wall", command=(workload("waits"), "disk", device, "10"))
    shows(page(path), "* I/O wait: ", "waits in")


@test("summary: a loop that starts processes, with its name")
def processes():
    load()
    path = record("processes", "-a", command=(workload("spawn"), str(scaled(300)), "100000", workload("short"), "3000"))
    shows(page(path), "* short-lived processes: at least ", "short, started by spawn")


@test("summary: a system call that takes the time, with the program")
def system_call():
    load()
    child = start([workload("calls"), "blocks", "100000000"], stdout=subprocess.DEVNULL)
    path = record("calls", "-p", str(child.pid), "-d", "3")
    shows(page(path), "* the system call read takes ", "in calls")


@test("summary: page faults, with the function that touches memory")
def faults():
    load()
    try:
        path = record("faults", "-e", "cpu-clock,page-faults", command=(workload("faults"), str(scaled(100000))))
    except Exception as why:
        raise Skipped("no event page-faults on this kernel") from why
    shows(page(path), "page faults (", "by faults in", "touch_pages")


@test("summary of two recordings: the functions that take more time than before")
def slower():
    load()
    before = record("before", command=(workload("busy"), "2"))
    after = record("after", command=("sh", "-c", '"$0" 1; "$1" 20 100', workload("busy"), workload("phases")))
    # The earlier one comes first
    lines = page(after, before)
    shows(lines, "Changed since " + before)
    shows(lines, "0.0% -> ", "work_cpu")
    shows(lines, " -> ", "busy_work")
    shows(lines, "+-", "phases: work_cpu")


@test("summary: nothing longer than 8 KB of a machine with everything going on")
def everything():
    need_switches()
    start([workload("mixed"), "20"], stdout=subprocess.DEVNULL, cwd=os.path.dirname(workload("mixed")))
    path = record("everything", "--wall", "--wakers", "-a", "-d", "4")
    page(path)
    out = scratch("page.json")
    kflame("summary", "--json", "--max-bytes", "2048", "-o", out, path)
    with open(out, "rb") as file:
        raw = file.read()
    check(len(raw) <= 2048, len(raw))
    check(json.loads(raw)["shortened"], raw)
