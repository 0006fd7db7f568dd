# SPDX-License-Identifier: GPL-2.0-or-later
"""
Uretprobes as events: each time that a function of a file returns, with the function and its callers.
"""

import collections
import os

import kfl
from harness import KFLAME, Skipped, balanced, check, folded, in_order, needs_32bit, note, record, run, scaled, scratch, test, torture, workload
from probing import copy, lost, needs

DEPTH = 7


def by_depth(path, event):
    """Samples of the event by how many calls of the function are in the stack; each stack is whole."""
    depths = collections.Counter()
    for frames, hits in folded(path, "--event", event).items():
        steps = sum(frame == "nested_step" for frame in frames)
        check(in_order(frames, ("main", *["nested_step"] * steps)) and frames[-1] == "nested_step", frames)
        check(not any("uprobes" in frame or "unknown" in frame for frame in frames), frames)
        depths[steps] += hits
    return depths


def x86_only():
    """Elsewhere callers whose returns are probed, too, are not found."""
    if os.uname().machine != "x86_64":
        raise Skipped("a stack ends at a caller whose return is probed, too")


@test("uretprobe: as many hits as returns, also of a function that calls itself, with whole stacks by each way")
@needs(kfl.URETPROBE)
def recursion():
    x86_only()
    few, many = scaled(100), scaled(5000)
    # Copies of many stacks in a row may find no room
    for program, way, count in (("nested-tables", "auto", many), ("nested-tables", "dump", few), ("nested", "auto", many),
                                ("nested", "fp", many)):
        event = "uretprobe:%s:nested_step" % workload(program)
        path = record("nested", "-e", event, "-g", way, command=(workload(program), str(count), str(DEPTH)))
        profile = balanced(path)
        check(set(lost(profile, event)) <= {kfl.LOST_FILTER}, lost(profile, event))
        depths = by_depth(path, event)
        check(depths == {steps: count for steps in range(1, DEPTH + 2)}, program, way, depths)


@test("uretprobe --weight value, --min and --max: the sum is exact, what is left out is accounted for")
@needs(kfl.URETPROBE)
def values():
    count, file = scaled(5000), copy("nested", "values")
    event = "uretprobe:%s:nested_step" % file
    path = record("values", "-e", event, "--weight", "value", command=(file, str(count), "0"))
    balanced(path)
    check(sum(folded(path, "--event", event).values()) == count, folded(path, "--event", event))
    path = record("some", "-e", event, "--weight", "value", "--min", "2", "--max", "3",
                  command=(file, str(count), str(DEPTH)))
    profile = balanced(path)
    check(sum(folded(path, "--event", event).values()) == 5 * count, folded(path, "--event", event))
    check(lost(profile, event)[kfl.LOST_LENGTH] == count * (DEPTH - 1), lost(profile, event))


@test("uretprobe --weight latency: the time that the program measured, within 2 %, and each call of a recursion once")
@needs(kfl.URETPROBE)
def latency():
    x86_only()
    file, count, seen = workload("nested-tables"), 20, scratch("latency.txt")
    event = "uretprobe:%s:nested_step" % file
    path = record("latency", "-e", event, "--weight", "latency",
                  command=("sh", "-c", "exec %s %d %d 20 >%s" % (file, count, DEPTH, seen)))
    profile = balanced(path)
    with open(seen, encoding="ascii") as lines:
        measured = {key: int(value) for key, value in map(str.split, lines)}["ns"]
    depths = by_depth(path, event)
    note("%d ns measured, %d ns in calls" % (measured, depths[1]))
    check(0.98 * measured <= depths[1] <= measured, measured, depths)
    check(all(depths[n + 1] < depths[n] for n in range(1, DEPTH + 1)) and not lost(profile, event), depths, lost(profile, event))
    number, = (one.id for one in profile.events.values())
    check(sum(one.samples for one in profile.event_counts[number]) == count * (DEPTH + 1), profile.event_counts)
    path = record("longest", "-e", event, "--weight", "latency", "--min", "1s", command=(file, str(count), str(DEPTH)))
    check(lost(balanced(path), event)[kfl.LOST_LENGTH] == count * (DEPTH + 1) and not folded(path), folded(path))


@test("uretprobe --weight latency of a 32-bit program: the begin of each return is known")
@needs(kfl.URETPROBE)
def compat():
    needs_32bit()
    file = torture("spin32")
    event = "uretprobe:%s:descend" % file
    hits = sum(folded(record("plain", "-e", event, command=(file,), status=32), "--event", event).values())
    profile = balanced(record("compat", "-e", event, "--weight", "latency", command=(file,), status=32))
    number, = (one.id for one in profile.events.values())
    samples = sum(one.samples for one in profile.event_counts[number])
    check(samples == hits > 0 and not lost(profile, event), samples, hits, lost(profile, event))


@test("a program whose returns are probed: samples of the timer have whole stacks, too")
@needs(kfl.URETPROBE)
def timer():
    x86_only()
    file = workload("nested-tables")
    path = record("timed", "-e", "cpu-clock,uretprobe:%s:nested_step" % file, "-F", "997", command=(file, "3", str(DEPTH), "200"))
    balanced(path)
    # On a slow machine the first samples come before the program's unwind table, and say so
    deep = {frames: hits for frames, hits in folded(path, "--event", "cpu-clock").items()
            if "nested_step" in frames and "[unwind table pending]" not in frames}
    check(sum(deep.values()) > 100, deep)
    check(all(in_order(frames, ("main", "nested_step")) for frames in deep), deep)
    check(not any("uprobes" in frame for frames in deep for frame in frames), deep)
    steps = max(deep, key=deep.get).count("nested_step")
    check(steps == DEPTH + 1, steps)


@test("a function that is left by longjmp() has no return; those after it have the right callers")
@needs(kfl.URETPROBE)
def jumps():
    x86_only()
    file, count = workload("nested-tables"), scaled(5000)
    step, leaver = ("uretprobe:%s:%s" % (file, name) for name in ("nested_step", "nested_leaver"))
    path = record("jumps", "-e", step + "," + leaver, command=(file, str(count), str(DEPTH)))
    balanced(path)
    check(sum(folded(path, "--event", leaver).values()) == 0, folded(path, "--event", leaver))
    check(by_depth(path, step) == {steps: count for steps in range(1, DEPTH + 2)}, by_depth(path, step))
    path = record("later", "-e", step + "," + leaver, "--weight", "latency", command=(file, str(count), str(DEPTH)))
    profile = balanced(path)
    counts = {event.name: sum(one.samples for one in profile.event_counts[event.id]) for event in profile.events.values()}
    check(counts == {step: count * (DEPTH + 1), leaver: 0} and not lost(profile, step), counts, lost(profile, step))


@test("what has no return to probe is refused")
@needs(kfl.URETPROBE)
def errors():
    file = workload("nested")
    for event, status in (("uretprobe:%s:nested_step+4" % file, 2), ("uretprobe:%s:nested_stop" % file, 1)):
        done = run([KFLAME, "record", "-e", event, "-o", scratch("none"), "--", "true"], status=status)
        check(event in done.stderr, done.stderr)
    done = run([KFLAME, "record", "-e", "uretprobe:%s:nested_step" % file, "--if", "arg1 > 2", "-o", scratch("none"), "--", "true"],
               status=2)
    check("is known when a function is called" in done.stderr, done.stderr)
