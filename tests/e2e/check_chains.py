#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
check_chains.py - does the checker of stacks find wrong ones?

usage: tests/e2e/check_chains.py [PROGRAMS]	PROGRAMS: build/tests/unwind, to run their records

Judges made-up stacks: whole ones of each kind, and each of these with a frame left out, put in
twice, or exchanged, wherever that can be detected, and cut ones. Prints what went otherwise; exit
status 1 then.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import chains  # noqa: E402

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../workload/unwind")
MAIN = ("_start", "__libc_start_main", "[stripped: libc.so.6+0x2724a]", "main")
THREAD = ("[stripped: libc.so.6+0x1088ec]", "[stripped: libc.so.6+0x891f5]", "thread_main")
SIGNAL = "[stripped: libc.so.6+0x3c050]"
LIBC = "[stripped: libc.so.6+0x40000]"
ROUND = (*MAIN, "one_round")
WHOLE = [
    (*ROUND, "plain_user", "plain_middle", "plain_leaf"),
    (*ROUND, "plain_user"),
    (*ROUND, "aligned_user", "aligned_alloca", "aligned_leaf"),
    (*ROUND, "tail_user", "tail_third"),
    (*ROUND, "tail_user", "tail_first", "tail_help"),
    (*ROUND, "sort_user", "qsort", LIBC, LIBC, "sort_compare", "sort_leaf"),
    (*ROUND, "stub_user", "shared_add@plt"),
    (*ROUND, "stub_user", "[plt]"),
    (*ROUND, "lazy_user", "[stripped: ld-linux-x86-64.so.2+0x15000]"),
    (*ROUND, "jump_user", "jump_once", "jump_below", "jump_deeper", "longjmp", LIBC),
    (*ROUND, "plugin_user", "plugin_enter", "plugin_back", "plugin_back_leaf"),
    (*ROUND, "trap_user", "trap_leaf", SIGNAL, "on_trap", "trap_work"),
    (*ROUND, "trap_user", "trap_leaf", SIGNAL),
    (*ROUND, "trap_user", "trap_leaf", SIGNAL, SIGNAL),
    (*ROUND, "escape_user", "raise", LIBC, SIGNAL, "on_escape", "escape_work"),
    (*ROUND, "plain_user", "plain_middle", SIGNAL, "on_tick", "tick_work"),
    (*ROUND, "sort_user", "qsort", SIGNAL, "on_tick"),
    (*ROUND, "stub_user", "shared_add@plt", SIGNAL, "on_tick"),
    (*ROUND, "ill_user", "ill_leaf", SIGNAL, "on_ill", SIGNAL, "on_tick", "tick_work"),
    (*MAIN, "enough", "clock", "clock_gettime", "[vdso]"),
    (*THREAD, "thread_frame", "thread_leaf"),
    (*THREAD, "thread_frame", SIGNAL, "on_tick"),
    THREAD,
]
# libraries call each other as they like
OF_LIBRARIES = {SIGNAL, LIBC, "qsort", "raise", "longjmp", "clock", "clock_gettime", "[vdso]",
                "[plt]", "shared_add@plt", "[stripped: ld-linux-x86-64.so.2+0x15000]", *MAIN[1:3],
                *THREAD[:2]}

_wrong = []


def say(good, *words):
    if not good:
        _wrong.append(" ".join(str(word) for word in words))


def calls_of(program):
    return chains.Calls.declared(*(os.path.join(SOURCES, name) for name in chains.PROGRAMS[program]))


def surveyed(calls, stack, whole=tuple(WHOLE)):
    """Is it complete, or impossible, among whole ones?  ("", "complete", "cut", "impossible")"""
    folded = {("chains", *frames): 100 for frames in whole}
    folded["chains", *stack] = folded.get(("chains", *stack), 0) + 1
    old = {("chains", *frames): 100 for frames in whole}
    before, after = (chains.survey(calls, some, "chains", ("chains",)) for some in (old, folded))
    if after.complete > before.complete:
        return "complete"
    if after.impossible > before.impossible:
        return "impossible"
    return "cut" if sum(after.cut.values()) > sum(before.cut.values()) else ""


def whole_ones(calls):
    for stack in WHOLE:
        found = surveyed(calls, stack)
        say(found == "complete", found, "and not complete:", stack)


def wrong_ones(calls):
    """Each frame left out, each twice, each exchanged for another: none may be complete."""
    tried = 0
    for stack in WHOLE:
        for at, frame in enumerate(stack):
            changes = {"twice": (*stack[: at + 1], *stack[at:]),
                       "exchanged": (*stack[:at], "vla_leaf", *stack[at + 1 :]),
                       "unmapped": (*stack[:at], "[unmapped]", *stack[at + 1 :]),
                       "unnamed": (*stack[:at], "[stripped: chains+0x1234]", *stack[at + 1 :])}
            if at + 1 < len(stack):  # of the innermost one nothing tells that it was there
                changes["left out"] = (*stack[:at], *stack[at + 1 :])
            for how, changed in changes.items():
                if changed in WHOLE or cannot_be_told(stack, at, how):
                    continue
                found = surveyed(calls, changed)
                say(found not in ("complete", ""), found, frame, how, ":", changed)
                if at > len(MAIN) and frame not in OF_LIBRARIES and how != "twice":
                    say(found == "impossible", found, frame, how, ":", changed)
                tried += 1
    return tried


def cannot_be_told(stack, at, how):
    """Who was interrupted may be anything; how libraries call each other is not known."""
    if how not in ("twice", "left out"):
        return False
    if stack[at] == SIGNAL:  # a signal may come when a handler has just returned, too
        return how == "twice"
    if how == "left out" and stack[at + 1] == SIGNAL and stack[at] not in OF_LIBRARIES:
        return "on_tick" in stack or set(stack[at + 1 :]) == {SIGNAL}
    return stack[at] in OF_LIBRARIES - set(MAIN) - set(THREAD)


def cut_ones(calls):
    for stack in WHOLE:
        if len(stack) > len(MAIN) + 1:
            for at in range(1, len(stack) - 1):
                for note in ((), ("[truncated: depth]",), ("[no frame pointer: chains]",)):
                    found = surveyed(calls, (*note, *stack[at:]))
                    say(found == "cut", found, "and not cut:", (*note, *stack[at:]))
    found = surveyed(calls, ("[stripped: libc.so.6+0x1088d9]",))
    say(found == "complete", found, "and not complete: a thread that comes into being")
    for frame in ("[stripped: libc.so.6+0x1088f0]", "[stripped: libc.so.6+0x108800]", "qsort"):
        say(surveyed(calls, (frame,)) == "cut", "not cut:", frame)
    found = surveyed(calls, ("[truncated: depth]", *WHOLE[0]))
    say(found == "cut", found, "and not cut: a stack with a note")


def depths():
    calls = calls_of("deep")
    cycle = ("deep_big", "deep_first", "deep_small", "deep_big", "deep_second", "deep_small")
    right = (*MAIN, "deep_100", *(cycle * 17)[:100], "deep_bottom")
    for frames, wanted in (((cycle * 17)[:100], None), ((cycle * 17)[:97], "97 frames"),
                           ((cycle * 18)[:103], "103 frames"),
                           (right[5:50] + right[51:105], "no such call")):
        wrong = calls.judge((*MAIN, "deep_100", *frames, "deep_bottom")).wrong
        say((wrong is None) if wanted is None else (wrong and wrong.startswith(wanted)), "depth:",
            wrong, "and not", wanted)


def comparing():
    for first, second, wanted in (
            ("abc", "abc", (chains.EQUAL, 3)), ("ab", "abc", (chains.FIRST_CUT, 2)),
            ("abc", "a", (chains.SECOND_CUT, 1)), ("abd", "acd", (chains.DIFFERENT, 1)),
            ("", "", (chains.EQUAL, 0)), ("", "a", (chains.FIRST_CUT, 0)),
            ("acd", "abcd", (chains.DIFFERENT, 1))):
        got = chains.compare(first, second)
        say(got == wanted, "compare", first, second, got)


def names():
    for name, wanted in (
            ("_RNvCsbUMy3hIRLea_7deep_rs6rs_run", "deep_rs::rs_run"),
            ("_RNCNvCsbUMy3hIRLea_7deep_rs6rs_run0B3_", "deep_rs::rs_run::{closure}"),
            ("_RINvCsbUMy3hIRLea_7deep_rs10rs_genericNCNCNvB2_6rs_run00EB2_",
             "deep_rs::rs_generic"),
            ("_ZN7deep_rs6rs_run17h0123456789abcdefE", "deep_rs::rs_run"),
            ("_ZN7deep_rs6rs_run28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
             "deep_rs::rs_run::{closure}"),
            ("_ZN5guardD2Ev", "_ZN5guardD1Ev"), ("throw_user.cold", "throw_user"),
            ("throw_user", "throw_user")):
        say(chains.plain(name) == wanted, "plain", name, chains.plain(name))


def records(programs):
    """The sources say what the programs do, and no more."""
    for program in chains.PROGRAMS:
        calls = calls_of(program)
        for shortcut in calls.shortcuts():
            say(False, program, "has a shortcut:", shortcut)
        path = os.path.join(programs, "record", program) if programs else ""
        if os.access(path, os.X_OK):
            done = subprocess.run([path, "0"], stdout=subprocess.PIPE, text=True, check=True)
            for difference in calls.differences(done.stdout):
                say(False, program, difference)


def shortcut():
    calls = calls_of("chains")
    calls.pairs["call"].add(("plain_user", "plain_leaf"))
    say(calls.shortcuts(), "a shortcut was not found")
    say(calls.differences("edge main call plain_leaf\n")[0].startswith("not in the source"),
        "a call that the source does not say was not found")


if __name__ == "__main__":
    made_up = calls_of("chains")
    made_up.signal_frames.add(SIGNAL)
    whole_ones(made_up)
    changed_stacks = wrong_ones(made_up)
    cut_ones(made_up)
    depths()
    comparing()
    names()
    shortcut()
    records(sys.argv[1] if len(sys.argv) > 1 else "")
    for line in _wrong:
        print(line)
    print("%d whole stacks, %d changed ones, %d judged otherwise"
          % (len(WHOLE), changed_stacks, len(_wrong)))
    sys.exit(1 if _wrong else 0)
