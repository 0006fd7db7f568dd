# SPDX-License-Identifier: GPL-2.0-or-later
"""No memory, at every place that asks for some."""

import os

from harness import (check, info, load, loaded, note, run, scaled, test, torture, unload, MODULE, Skipped)

DEBUGFS = "/sys/kernel/debug"
# also allocations that may sleep; also large ones; no dump of each failure
SETTINGS = {
    "failslab": {"ignore-gfp-wait": "N", "verbose": "0"},
    "fail_page_alloc": {"ignore-gfp-wait": "N", "ignore-gfp-highmem": "N", "min-order": "0",
                        "verbose": "0"},
    # fails by the same count: a copy from or to user memory
    "fail_usercopy": {"verbose": "0"},
}


def fail_nth(*argv):
    if not os.path.exists("/proc/self/fail-nth"):
        raise Skipped("this kernel has no fault injection")
    for kind, settings in SETTINGS.items():
        for name, value in settings.items():
            with open(os.path.join(DEBUGFS, kind, name), "w", encoding="ascii") as file:
                file.write(value)
    # the kernel's own words on a failure of large allocations look like a splat's; what
    # is worse than a warning is shown, and lockdep is asked at the end of the tests
    run(["dmesg", "-n", "4"])
    try:
        said = run([torture("fail_nth"), *argv], timeout=1500).stdout
    finally:
        run(["dmesg", "-n", "5"])
    note(said)
    words = said.split()
    allocations, errors = int(words[1]), int(words[3])
    check(allocations > 0, "no allocation was met")
    return allocations, errors


def nothing_left():
    seen = info()
    check(seen["nr_running"] == 0 and seen["memory_used"] == 0, "left over:", seen)


@test("each allocation of insmod fails once: an error, and the next insmod works")
def loading():
    unload()
    # where a run has time for a tenth of long counts: each tenth
    _, errors = fail_nth("load", MODULE, str(round(1000 / scaled(1000))))
    check(errors > 0, "no failure was answered with an error")
    check(not loaded(), "still loaded")
    load()


@test("each allocation of open fails once")
def opening():
    load()
    fail_nth("open")
    nothing_left()


@test("each allocation of CONFIGURE fails once: an error, all released, the next try works")
def configuring():
    load()
    _, errors = fail_nth("configure")
    check(errors > 0, "no failure was answered with an error")
    nothing_left()


@test("each allocation of START fails once: an error, all released, the next try works")
def starting():
    load()
    fail_nth("start")
    nothing_left()
    unload()
