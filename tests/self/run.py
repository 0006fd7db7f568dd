#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
run.py - is the counter of results right, and what becomes of a guest that dies?  Prints TAP

No guest is started: a script stands for it.
"""

import io
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from suites import Suite, Tap, Totals, run_suite  # noqa: E402

# Dies in the second of four tests, once; what is over is not run again
GUEST = """#!/bin/sh
over=$(echo "$*" | sed -n 's/.*KFLAME_OVER=\\([0-9]*\\).*/\\1/p')
echo "KTAP version 1"
echo "1..$((4 - ${over:-0}))"
if [ -z "$over" ]; then
	echo "ok 1 - first"
	echo "WARNING: CPU: 0 PID: 1 at kernel/sched/deadline.c:255"
	exit 125
fi
echo "ok 1 - third"
echo "not ok 2 - fourth # SKIP nothing there"
"""


def counts(text, status=0):
    tap = Tap()
    for line in text.split("\n"):
        tap.feed(line)
    tap.finish(status)
    return tap.passed, len(tap.failures), tap.skipped


def skips():
    """cmocka prints a test that was skipped as "not ok"."""
    assert counts("1..3\nok 1 - a\nnot ok 2 # SKIP\nnot ok 3 - b # skip why") == (1, 0, 2)
    assert counts("1..2\nok 1 - a\nnot ok 2 - b", 1) == (1, 1, 0)
    assert counts("1..3\nok 1 - a\n", 1) == (1, 2, 0)
    assert counts("", 1) == (0, 1, 0)
    assert counts("1..0 # skip no namespaces here") == (0, 0, 1)


def death():
    """One failure, with the kernel's first line, and the tests after it run in another guest."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
        script.write(GUEST)
    out = io.StringIO()
    suite = Suite("dies", "none", "a guest that dies", ["sh", script.name, "env", "tests"])
    totals = run_suite(suite, out)
    os.unlink(script.name)
    assert totals == Totals(2, 1, 1), totals
    assert "FAILED in dies: test 2, in which the guest died: WARNING: CPU: 0" in out.getvalue()


TESTS = (skips, death)


def main():
    print("TAP version 13\n1..%d" % len(TESTS))
    failed = False
    for number, test in enumerate(TESTS, 1):
        try:
            test()
            print("ok %d - %s" % (number, test.__name__))
        except AssertionError as why:
            failed = True
            print("not ok %d - %s: %s" % (number, test.__name__, why))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
