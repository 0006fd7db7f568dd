# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture in one step: kflame flame -- COMMAND, and -p PID."""

import os
import subprocess

from harness import balanced, check, kflame, load, scratch, start, test, workload


def drawn(where, done, function):
    """Both files are there; standard error names the picture, and it has that function."""
    balanced(os.path.join(where, "kflame.data"))
    with open(os.path.join(where, "flame.svg"), encoding="utf-8") as file:
        picture = file.read()
    check("flame.svg" in done.stderr, "standard error does not name the picture:", done.stderr)
    check("<title>" + function in picture, "no %s in the picture" % function)


@test("kflame flame -- COMMAND records and draws; its exit status is the command's")
def command():
    load()
    where = scratch("one-step")
    os.makedirs(where)
    drawn(where, kflame("flame", "-F", 997, "--", workload("busy"), 1, cwd=where), "main")
    kflame("flame", "--", "/bin/sh", "-c", "exit 3", cwd=where, status=3)


@test("kflame flame -p PID -d 1 records and draws a running process")
def process():
    load()
    where = scratch("one-step-pid")
    os.makedirs(where)
    busy = start([workload("busy"), "600"], stdout=subprocess.PIPE)
    check(busy.stdout.readline() == "ready\n", "busy did not start")
    drawn(where, kflame("flame", "-p", busy.pid, "-d", 1, cwd=where), "main")
