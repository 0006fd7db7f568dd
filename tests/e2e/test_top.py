# SPDX-License-Identifier: GPL-2.0-or-later
"""kflame top: live, in a terminal of its own."""

import os
import signal
import subprocess
import sys

from harness import KFLAME, PATIENCE, ROOT, check, kflame, load, run, start, test, unload, workload

sys.path.insert(0, os.path.join(ROOT, "tests/tui"))

from pty_screen import Program  # noqa: E402


def busy():
    program = start([workload("busy"), "600"], stdout=subprocess.PIPE)
    check(program.stdout.readline() == "ready\n", "busy did not start")
    return program


def begin(*options):
    """Waits until the busy program's function is what it shows first."""
    program = Program([KFLAME, "top", *options], patience=30 * PATIENCE)
    program.wait_for("samples now")
    program.wait_for("busy")
    return program


def ended(program, how):
    status, raw = program.end()
    check(status == 0, how, "exit status", status, raw[-400:])
    check("kflame:" not in raw, how, raw[-400:])


@test("kflame top --once prints what takes the time, with -p only of that process")
def once():
    load()
    process = busy()
    done = kflame("top", "--once", "-F", 997, "-p", process.pid)
    lines = done.stdout.split("\n")
    check("samples now" in lines[0], done.stdout)
    check(lines[3].split()[4] == "busy", "busy is not at the top:", done.stdout)
    # it is no terminal: the same without being asked
    check("samples now" in kflame("top", "-d", 0.5).stdout, "piped")
    kflame("top", "--once", "extra", status=2)
    kflame("top", "-d", 0, status=2)


@test("kflame top shows a busy function first, is refreshed, and takes keys")
def live():
    load()
    process = busy()
    program = begin("-p", str(process.pid), "-d", "0.5")
    program.type("<")
    program.wait_for("Callers of")
    program.type("\x7ft")
    program.wait_for("Call tree")
    program.type("a")
    program.wait_for("put the cursor on a function")
    # what ended fades away
    program.type("f")
    program.wait_for("Functions")
    process.kill()
    process.wait()
    program.wait_for("0 samples now")
    program.resize(12, 50)
    program.wait_for("Self count")
    program.type("q")
    ended(program, "q")
    unload()


@test("kflame top: o shows waits instead of CPU time, and CPU time again")
def waits():
    load()
    busy()
    sleeper = start([sys.executable, "-c", "import time\nwhile True:\n    time.sleep(0.1)"])
    program = begin("-d", "0.5")
    program.type("o")
    program.wait_for("waits ended now")
    program.type("o")
    program.wait_for("samples now")
    program.wait_for("busy")
    program.type("q")
    ended(program, "q")
    program = Program([KFLAME, "top", "--off-cpu", "-p", str(sleeper.pid)], patience=30 * PATIENCE)
    program.wait_for("waits ended now")
    program.type("e/o_nanosl\r")
    program.wait_for("do_nanosleep")
    program.type("q")
    ended(program, "q")
    done = kflame("top", "--off-cpu", "-p", sleeper.pid)
    check("waits ended now" in done.stdout and "nanosleep" in done.stdout, done.stdout)
    check("busy" not in done.stdout, done.stdout)
    sleeper.kill()
    program = begin("-U", "-d", "0.5")
    program.type("o")
    program.wait_for("without -U")
    program.type("q")
    ended(program, "q")
    done = kflame("top", "--off-cpu=often", status=2)
    check("--off-cpu=sampled" in done.stderr, done.stderr)
    unload()


@test("it ends clean by Ctrl-C, SIGTERM, and when the terminal goes")
def ends():
    load()
    busy()
    program = begin("-d", "0.5")
    refused = run(["rmmod", "kflame"], status=None)
    check(refused.returncode, "the module went away under it")
    program.type("\x03")
    ended(program, "Ctrl-C")
    program = begin("-d", "0.5")
    os.kill(program.pid, signal.SIGTERM)
    ended(program, "SIGTERM")
    program = begin("-d", "0.5")
    os.close(program.fd)
    check(os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1]) == 0, "hung up")
    unload()


@test("without the device it says so, with a terminal as without")
def no_device():
    unload()
    done = kflame("top", "--once", status=1)
    check("the module is not loaded" in done.stderr, done.stderr)
    program = Program([KFLAME, "top"], patience=30 * PATIENCE)
    status, raw = program.end()
    check(status == 1 and "the module is not loaded" in raw, status, raw)
