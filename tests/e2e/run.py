#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
run.py - run end-to-end tests, in a guest

usage: tests/e2e/run.py TEST[:WORDS]...	names of files here, as truth or test_truth.py

With WORDS only those tests of the file whose title contains them.
"""

import importlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402

FILES = {}  # the tests of each file, by its name


def load(argument):
    """Adds tests of a file to harness.TESTS, where importing the file puts all of them."""
    name, _, words = argument.partition(":")
    name = os.path.basename(name)
    name = name[: -len(".py")] if name.endswith(".py") else name
    if name not in FILES:
        before = len(harness.TESTS)
        importlib.import_module(name if name.startswith("test_") else "test_" + name)
        FILES[name] = harness.TESTS[before:]
        del harness.TESTS[before:]
    chosen = [test for test in FILES[name] if words in test[0]]
    if not chosen:
        sys.exit("%s: no test has %r in its title; there are:\n    %s" % (
            name, words, "\n    ".join(test[0] for test in FILES[name])))
    harness.TESTS.extend(test for test in chosen if test not in harness.TESTS)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    for argument in sys.argv[1:]:
        load(argument)
    harness.main()
