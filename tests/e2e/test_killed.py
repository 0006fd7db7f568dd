# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 7: a killed recorder leaves nothing behind."""

import os
import subprocess

from harness import (check, info, load, loaded, matches, note, run, scratch, start, test, wait_until,
                     workload, KFLAME)


@test("kill -9 of the recorder: sampling stops, memory returns, rmmod works at once")
def killed():
    load("freq=997")  # afresh
    before = info()
    check(before["nr_running"] == 0 and before["memory_used"] == 0, "before:", before)
    busy = start([workload("busy"), "60"], stdout=subprocess.PIPE)
    check(busy.stdout.readline() == "ready\n", "busy did not start")
    path = scratch("killed.data")
    recorder = start([KFLAME, "record", "-a", "-F", "997", "--budget", "0", "-o", path],
                     stderr=subprocess.PIPE)
    wait_until(lambda: info()["nr_running"] == 1, "the session runs")
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0,
               "the recorder wrote something")
    during = info()
    check(during["memory_used"] > 0, "during:", during)
    recorder.kill()
    recorder.wait(10)
    # The module may be reading the recorder's own mappings, the rings among them: it releases
    # the session only when it has read them
    wait_until(lambda: info()["nr_running"] == 0, "sampling stops")
    wait_until(lambda: info()["memory_used"] == 0, "memory is back")
    note("memory used: %d before, %d during" % (before["memory_used"], during["memory_used"]))
    run(["rmmod", "kflame"], timeout=5)
    check(not loaded(), "still loaded")
    check(busy.poll() is None, "the workload did not survive")


@test("what the killed recorder had written is said to be cut")
def leftovers():
    path = scratch("killed.data")
    check(os.path.exists(path), "no profile was left")
    done = run([KFLAME, "report", "-i", path], status=None)
    check(0 <= done.returncode < 126, "report crashed: status", done.returncode)
    check(matches(r"not complete|truncated", done.stderr),
          "nothing was said of the missing end:\n", done.stderr)
