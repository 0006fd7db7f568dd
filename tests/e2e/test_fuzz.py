# SPDX-License-Identifier: GPL-2.0-or-later
"""Random and nearly valid calls to the device, racing."""

from harness import (check, load, needs_32bit, note, run, scaled, test, torture, unload)

CALLS = 1000000  # in full; a run may ask for a part (KFLAME_SCALE)
TABLES = 2000
SEEDS = (20261121, 7)


def fuzz(program, seed, calls):
    load()
    done = run([torture(program), str(seed), str(calls), "4"], timeout=600 + calls // 100,
               status=None)
    note(done.stdout)
    check(done.returncode == 0, "status", done.returncode, done.stderr)
    unload()  # nothing holds it any more


@test("random calls from four threads, on own and shared descriptors")
def native():
    fuzz("fuzz_device", SEEDS[0], scaled(CALLS))


@test("random calls of a 32-bit caller")
def compat():
    needs_32bit()
    fuzz("fuzz_device32", SEEDS[1], scaled(CALLS // 5))


@test("unwind tables that lead astray, for the files that are being run")
def tables():
    fuzz("fuzz_tables", SEEDS[0], max(scaled(TABLES), 1000))
