# SPDX-License-Identifier: GPL-2.0-or-later
"""Cached unwind steps: stacks are the same as without them."""

import os
import platform
import re
import signal

from harness import (bearable, check, enough, folded, info, load, note, raw_info, record, run, scratch,
                     start, test, torture, unload, wait_until, workload, BUILD, KFLAME, PATIENCE,
                     Skipped, TEST_MODULES)
from learnt import (checked, counters, load_checking, needs_learning, same_both_ways,
                    user_stacks_same)

# calls by pointers and returns of many kinds, signals, plugins that come and go
CHAINS = os.path.join(BUILD, "tests/unwind/omit/chains")


@test("cached steps give the unwinder's stacks, under a mixed load and while modules are loaded and unloaded")
def mixed():
    needs_learning()
    module = os.path.join(TEST_MODULES, "torture/borrow/borrow.ko")
    cycle = "while :; do insmod %s pid=$$; rmmod borrow; sleep 0.1; done 2>/dev/null"
    start(["/bin/sh", "-c", cycle % module])
    cached, left = checked("mixed")
    # not most: on a slow machine there are few samples, and the first ones fill the cache
    check(cached * 4 > left, "nearly all stacks were left to the unwinder")


def frames(size):
    """A module of tests/torture/frames, and the parameter that takes how long to run."""
    name = "frames_" + size
    return (os.path.join(TEST_MODULES, "torture/frames/%s.ko" % name),
            "/sys/module/%s/parameters/run" % name)


# Where interrupts and faults enter: such a stack has registers
ENTRIES = ("asm_sysvec_", "asm_exc_", "asm_common_interrupt", "el1_irq", "el1h_64_irq", "el1h_64_sync")


def stacks_in_module(times):
    """
    Record a module that is busy for so long. Return: stacks by cached steps, left to the unwinder, and
    samples in the module.
    """
    module, knob = frames("small")
    load_checking()
    run(["insmod", module])
    try:
        # the worker that looks up the code's module runs between the writes, also where there is one CPU
        path = record("cached-module", "-F", 1999, "-g", "fp", "-K",
                      command=("/bin/sh", "-c", "for i in $(seq %d); do echo %d > %s; done"
                               % (10 * times, 200 * PATIENCE, knob)))
    finally:
        run(["rmmod", "frames_small"])
    same_both_ways()
    stacks = folded(path, "--kernel").items()
    inside = sum(samples for stack, samples in stacks
                 if any(frame.startswith("descend") for frame in stack))
    # an interrupt's registers are the unwinder's; the slower the machine, the more stacks have them
    through = sum(samples for stack, samples in stacks
                  if any(frame.startswith(ENTRIES) for frame in stack))
    cached, left = counters(path)
    note("%d stacks by cached steps, %d left; %d samples in the module, %d in interrupts and faults"
         % (cached, left, inside, through))
    return cached, left - through, inside


@test("modules: a stack in one is walked by cached steps")
def in_module():
    needs_learning()
    # Each page of modules is looked up once, and each address is cached once. Until then stacks fall back
    # to the unwinder, for long on a busy machine. Their share falls with time, unless nothing is cached.
    for times in 1, 4:
        cached, left, inside = stacks_in_module(times)
        if inside > 200 and left * 10 < cached:
            return
    check(inside > 200, "only %d samples in the module" % inside)
    check(False, "%d of %d stacks were left to the unwinder" % (left, cached + left))


def run_one(size):
    """Load it, let it run, unload it.  Return: the address of its code"""
    module, knob = frames(size)
    run(["insmod", module])
    try:
        with open("/sys/module/frames_%s/sections/.text" % size, encoding="ascii") as file:
            address = file.read().strip()
        with open(knob, "w", encoding="ascii") as file:
            file.write("100")
    finally:
        run(["rmmod", "frames_" + size])
    return address


# Red, with thousands of stacks that differ, when kf_ktext's forget() is not called
@test("of a module that went nothing is kept: the next one has other frames at the same addresses")
def replaced():
    needs_learning()
    load_checking()
    path = scratch("cached-replaced.data")
    recorder = start([KFLAME, "record", "-a", "-F", str(bearable(4999)), "--budget", "0",
                      "-g", "fp", "-o", path, "-d", "1000"])
    wait_until(lambda: info()["nr_running"], "the recording begins")
    same = sum(run_one("small") == run_one("large") for _ in range(8))
    recorder.send_signal(signal.SIGINT)
    check(recorder.wait() == 0, "the recorder's exit status is", recorder.returncode)
    same_both_ways()
    cached, left = counters(path)
    note("%d stacks by cached steps, %d left; %d of 8 times at the same address"
         % (cached, left, same))
    check(same, "no module came to where the one before it had been: that shows nothing")
    check(cached > left, "most stacks were left to the unwinder: that shows little")


@test("arm64: the cache for interrupted addresses covers all of the kernel's code")
def whole_image():
    if platform.machine() != "aarch64":
        raise Skipped("of frame records only")
    unload()
    run(["dmesg", "-C"])
    load("dyndbg=+p")
    found = re.search(r"the kernel's image: from \S+ - 0x([0-9a-f]+) to \S+ \+ 0x([0-9a-f]+)",
                      run(["dmesg"]).stdout)
    check(found, "the log does not say where the image is")
    with open("/proc/kallsyms", encoding="ascii") as file:
        symbols = {name: int(at, 16) for at, _, name in
                   (line.split()[:3] for line in file
                    if re.search(r" (_stext|_etext|sprint_symbol)$", line))}
    below, above = (int(number, 16) for number in found.groups())
    low, high = symbols["sprint_symbol"] - below, symbols["sprint_symbol"] + above
    note("%#x to %#x; code from %#x to %#x" % (low, high, symbols["_stext"], symbols["_etext"]))
    check(low <= symbols["_stext"] and high >= symbols["_etext"] - (64 << 10), "it ends in the code")


@test("learn=0 learns nothing")
def switched_off():
    load("learn=0")
    seen = counters(record("cached-off", "-a", "-F", 997, command=(workload("readloop"), "1")))
    check(not any(seen), seen)
    load("learn=1")


def walk_both_ways(how, seconds):
    """Record a mixed load. Return: user stacks with and without what was there before, frames that were."""
    load_checking()
    loads = [start([program, str(10 ** 6)])
             for program in (workload("fixed"), workload("callers"), CHAINS)]
    path = record("cached-user-" + how, "-a", "-F", bearable(4999), "--budget", 0, "-g", how,
                  "-d", seconds)
    for child in loads:
        child.kill()
        child.wait()
    seen, again = user_stacks_same(), int(raw_info(path)["stat.steps_again"])
    note("-g %s: %d user stacks, %d frames were as before" % (how, seen, again))
    return seen, again


def walked_both_ways(how):
    """Where the machine is busy, tables come some seconds after the beginning: then once more, longer."""
    for seconds in 2, 4, 8:
        seen, again = walk_both_ways(how, seconds * PATIENCE)
        if seen > 500 and again > 1000:
            return
    check(seen > 500, "only %d user stacks were walked" % seen)
    check(False, "hardly anything was as before")


# Red when leads_on() in kmod/ustack/by_frame_pointer.h leaves out a comparison, or is_as_it_was() where records lie
@test("of user stacks with the same return addresses none is taken for another")
def other_records():
    enough(records_again, 1001, 2, "frames that were as before")


def records_again(seconds):
    """Record the chains for that long.  Return: how many frames were as before."""
    load_checking()
    path = record("cached-records", "-a", "-F", bearable(4999), "--budget", 0, "-g", "fp",
                  command=(torture("records"), str(1000 * seconds * PATIENCE), str(PATIENCE)))
    seen, raw = user_stacks_same(), raw_info(path)
    ends = [int(raw.get("end.user.%d.samples" % end, 0)) for end in (0, 1, 2)]
    note("%d user stacks: complete %d, fault %d, bad frame pointer %d; %s frames were as before"
         % (seen, *ends, raw["stat.steps_again"]))
    check(min(ends) > 0, "not all kinds of chains were met")
    return int(raw["stat.steps_again"])


# Red when is_as_it_was() in kmod/ustack/by_frame_pointer.h leaves out a frame
@test("a user stack that is taken for the one that was there before is that one")
def user_by_fp():
    walked_both_ways("fp")


# Red when kf_ras_are() in kmod/ustack/known_parts.h does not look at a word
@test("of walks by tables, too: parts of stacks that are as they were are not walked anew")
def user_by_tables():
    walked_both_ways("dwarf")
    walked_both_ways("auto")
