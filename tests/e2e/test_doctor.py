# SPDX-License-Identifier: GPL-2.0-or-later
"""kflame doctor, before the module is loaded and after."""

import os
import re
import shutil

from harness import (become_nobody, check, info, kflame, load, matches, note, public_tool, record,
                     run, scratch, test, unload, workload, KFLAME)


def doctor(status, tool=KFLAME, **options):
    """The lines it prints: a dictionary of topics to (verdict, text with the fix)."""
    done = run([tool, "doctor"], status=status, **options)
    check(not done.stderr, "it complained:", done.stderr)
    lines, topic = {}, None
    for line in done.stdout.split("\n"):
        found = re.match(r"(works|limit|fails|\?)\s+(.{13})\s+(.*)", line)
        if found:
            topic = found[2].strip()
            lines[topic] = (found[1], found[3])
        elif topic and "fix: " in line:
            lines[topic] = (lines[topic][0], lines[topic][1] + "\n" + line.strip())
    return lines


def megabytes(line):
    return float(re.search(r"takes (?:about )?([0-9.]+) MiB", line)[1])


@test("doctor: without the module it says so, how to load it, and exits 1")
def before():
    unload()
    lines = doctor(status=1)
    for topic, (verdict, text) in lines.items():
        note("%-5s %s: %s" % (verdict, topic, text))
    verdict, text = lines["kflame.ko"]
    check(verdict == "fails" and "not loaded" in text, verdict, text)
    check(matches("insmod|modprobe", text), "not how to load it:", text)
    # a guest's /lib/modules may be without the link to what its modules are built from
    failed = {topic for topic, line in lines.items() if line[0] == "fails"} - {"headers"}
    expected = {"kflame.ko"} if shutil.which("gcc") else {"kflame.ko", "compiler"}
    check(failed == expected, "more fails than the module:", failed)
    check("about" in lines["memory"][1], lines["memory"])


@test("doctor: with the module it says so, exits 0, and recording works")
def after():
    unload()
    estimate = megabytes(doctor(status=1)["memory"][1])
    load()
    lines = doctor(status=0)
    verdict, text = lines["kflame.ko"]
    check(verdict == "works" and text.startswith("loaded: version"), verdict, text)
    check(lines["permission"] == ("works", "/dev/kflame opens"), lines["permission"])
    # what it worked out before is what the module says
    exact = megabytes(lines["memory"][1])
    note("memory: estimated %.1f MiB, the module says %.1f MiB" % (estimate, exact))
    check("about" not in lines["memory"][1], lines["memory"])
    check(abs(estimate - exact) <= 0.05 * exact, "estimated", estimate, "but it takes", exact)
    check(info()["memory_used"] == 0, "it left memory taken:", info()["memory_used"])
    record("doctor", "-a", command=(workload("busy"), "1"))


@test("doctor: reports a user without rights, and that recording needs root")
def unprivileged():
    load()
    verdict, text = doctor(status=1, tool=public_tool(), preexec_fn=become_nobody)["permission"]
    check(verdict == "fails" and "sudo" in text, verdict, text)


@test("doctor: names are found with kptr_restrict=2, as it says")
def restricted():
    load()
    path = "/proc/sys/kernel/kptr_restrict"
    with open(path, encoding="ascii") as file:
        was = file.read()
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write("2")
        verdict, text = doctor(status=0)["kernel names"]
        check(verdict == "works" and "from the module" in text, verdict, text)
        data = record("kptr", "-a", command=(workload("readloop"), "1"))
        stacks = kflame("fold", "-i", data).stdout
        check(matches(r"ksys_read|vfs_read", stacks), "no kernel names:\n", stacks[:1000])
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(was)


@test("doctor: a system below a directory, and one that is not there")
def below():
    load()
    done = kflame("doctor", "--root", "/", status=0)
    check("/dev/kflame opens" in done.stdout, done.stdout)
    empty = scratch("empty")
    os.mkdir(empty)
    done = kflame("doctor", "--root", empty, status=None)
    check(done.returncode in (0, 1), done.returncode, done.stdout)
    check("works  kflame.ko" not in done.stdout, done.stdout)
    done = run([KFLAME, "doctor", "--root", "/nowhere"], status=2)
    check("/nowhere" in done.stderr, done.stderr)
