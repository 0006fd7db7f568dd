# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 5: the rate is the rate that was asked for.  (highres=off: see item 2.)"""

import subprocess
import time

from harness import balanced, check, load, note, record, scratch, start, test, KFLAME


def rate_holds(path, rate, seconds):
    profile = balanced(path)
    check(len(profile.cpus) >= 2, "only %d CPUs" % len(profile.cpus))
    for cpu, books in sorted(profile.cpus.items()):
        active = books.active_ns / 1e9
        seen = (books.samples + books.missed) / active
        note("CPU %d: %d samples + %d missed in %.3f s: %.3f Hz"
             % (cpu, books.samples, books.missed, active, seen))
        # the session lasts from START to STOP, the clock below from before to after
        check(seconds <= active, "active for %.3f s of %d" % (active, seconds))
        check(abs(seen - rate) <= 0.001 * rate, "CPU %d: %.3f Hz" % (cpu, seen))


@test("997 Hz within 0.1% over 30 s of an idle guest")
def idle():
    load()
    begin = time.monotonic()
    path = record("idle", "-a", "-F", 997, "-d", 30)
    took = time.monotonic() - begin
    rate_holds(path, 997, 30)
    check(took < 45, "30 s took %.1f s" % took)


@test("two sessions at 997 and 1499 Hz at once are both right")
def two():
    load()
    rates = (997, 1499)
    paths = [scratch("two-%d.data" % rate) for rate in rates]
    recorders = [start([KFLAME, "record", "-a", "-F", str(rate), "--budget", "0", "-d", "15",
                        "-o", path], stderr=subprocess.PIPE)
                 for rate, path in zip(rates, paths)]
    for recorder in recorders:
        check(recorder.wait(90) == 0, "record:", recorder.stderr.read())
    for rate, path in zip(rates, paths):
        rate_holds(path, rate, 15)
