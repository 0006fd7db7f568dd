# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 5: the rate is the rate that was asked for.  (highres=off: see item 2.)"""

import subprocess
import time

from harness import balanced, check, lasting, load, note, record, scratch, start, test, KFLAME


def rate_holds(path, rate, seconds, took):
    profile = balanced(path)
    check(len(profile.cpus) >= 2, "only %d CPUs" % len(profile.cpus))
    for cpu, books in sorted(profile.cpus.items()):
        active = books.active_ns / 1e9
        # what was overdue when it stopped was no expiry yet
        seen = (books.samples + books.missed) / (active - max(books.tail_ns, 0) / 1e9)
        note("CPU %d: %d samples + %d missed in %.3f s: %.3f Hz"
             % (cpu, books.samples, books.missed, active, seen))
        # the session lasts from START to STOP, the clock below from before to after
        check(seconds <= active <= took,
              "active for %.3f s of %d, and of %.3f" % (active, seconds, took))
        check(abs(seen - rate) <= 0.001 * rate, "CPU %d: %.3f Hz" % (cpu, seen))


@test("997 Hz within 0.1%% over %d s of an idle guest" % lasting(30))
def idle():
    load()
    begin = time.monotonic()
    path = record("idle", "-a", "-F", 997, "-d", lasting(30))
    rate_holds(path, 997, lasting(30), time.monotonic() - begin)


@test("two sessions at 997 and 1499 Hz at once are both right")
def two():
    load()
    begin = time.monotonic()
    rates = (997, 1499)
    paths = [scratch("two-%d.data" % rate) for rate in rates]
    recorders = [start([KFLAME, "record", "-a", "-F", str(rate), "--budget", "0", "-d",
                        str(lasting(15)), "-o", path], stderr=subprocess.PIPE)
                 for rate, path in zip(rates, paths)]
    for recorder in recorders:
        check(recorder.wait(90) == 0, "record:", recorder.stderr.read())
    took = time.monotonic() - begin
    for rate, path in zip(rates, paths):
        rate_holds(path, rate, lasting(15), took)
