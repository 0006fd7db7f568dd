#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
test_tui.py - kflame report --tui in a terminal: keys go in, a screen comes out

usage: tests/tui/test_tui.py PATH-OF-KFLAME PROFILE

Needs no module. The profile has a function busy() that main() calls, see tests/unit/test_browser.c.
"""

import os
import signal
import subprocess
import sys
import tempfile

from pty_screen import Program


def check(condition, *seen):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in seen))


def begin(kflame, profile, **how):
    program = Program([kflame, "report", "--tui", "-i", profile], **how)
    program.wait_for("Functions")
    program.wait_for("h: help")
    return program


def ended(program, status):
    """It ended with that status, and left the terminal as it was."""
    # of a terminal nobody has open any more there is nothing to be read
    got, raw = program.end()
    check(got == status, "exit status", got, "and not", status, raw[-300:])
    return raw


def walk(kflame, profile):
    program = begin(kflame, profile)
    program.wait_for("busy")
    program.type("t")
    program.wait_for("Call tree")
    program.type("e")
    program.wait_for("- main")
    program.type("f")
    program.wait_for("Functions")
    program.type("/busy\r")
    program.wait_for("/busy")
    program.type("<")
    program.wait_for("Callers of busy")
    program.type("\x7f")
    program.wait_for("Functions")
    program.type("h")
    program.wait_for("search for a part of a name")
    program.type("\x1b")
    program.wait_for("search for", gone=True)
    program.resize(10, 40)
    program.wait_for("Self count")
    check(all(len(line) <= 40 for line in program.screen.text().split("\n")), "too wide")
    program.type("q")
    ended(program, 0)


# The terminal gets another size when the program has drawn everything and is about to wait
RESIZES = r'''
#define _GNU_SOURCE
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    static const struct winsize size = { .ws_row = 10, .ws_col = 40 };
    static int done;
    const struct timespec left = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

    if (milliseconds < 0 && !done++)
        ioctl(0, TIOCSWINSZ, &size);
    return syscall(SYS_ppoll, fds, n, milliseconds < 0 ? NULL : &left, NULL, 0);
}
'''


def resized_before_it_waits(kflame, profile):
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", "resizes.so"], input=RESIZES,
                   text=True, check=True)
    program = begin(kflame, profile, LD_PRELOAD=os.path.abspath("resizes.so"))
    while "h: help" not in program.screen.text().split("\n")[9]:
        check(program.read(program.patience), "drawn for the old size:\n", program.screen.text())
    program.type("q")
    ended(program, 0)


def signals(kflame, profile):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        program = begin(kflame, profile)
        os.kill(program.pid, number)
        ended(program, 128 + number)
    program = begin(kflame, profile)
    program.type("\x03")
    ended(program, 128 + signal.SIGINT)
    # what kills it outright still gives the terminal back
    program = begin(kflame, profile, TERM="xterm")
    os.kill(program.pid, signal.SIGQUIT)
    raw = ended(program, -signal.SIGQUIT)
    check(raw.rfind("\x1b[?1049l") > raw.rfind("\x1b[?1049h"), "the terminal was not given back")


def leaves(kflame, profile):
    """A shell's terminal is as before: echo, lines, the screen that was there."""
    for end in ("q", "\x03"):
        line = ("stty -a >before; %s report --tui -i %s; stty -a >after; cmp before after "
                "&& echo just as before" % (kflame, profile))
        program = Program(["/bin/sh", "-c", line], TERM="xterm")
        program.wait_for("h: help")
        program.type(end)
        status, raw = program.end()
        check("just as before" in raw or status, "the terminal is not as it was:", raw[-300:])
        check(raw.rfind("\x1b[?1049l") > raw.rfind("\x1b[?1049h"), "not given back")


def colors(kflame, profile):
    for no_color, wanted in (("", True), ("1", False)):
        program = begin(kflame, profile, TERM="xterm", NO_COLOR=no_color)
        program.type("q")
        check(("\x1b[33m" in ended(program, 0)) == wanted, "colours, NO_COLOR=" + no_color)


def refusals(kflame, profile):
    done = subprocess.run([kflame, "report", "--tui", "-i", profile], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True, check=False)
    check(done.returncode == 1 and "needs a terminal" in done.stderr, done)
    program = Program([kflame, "report", "--tui", "-i", profile], TERM="no-such-terminal")
    status, raw = program.end()
    check(status == 1 and "TERM" in raw, status, raw)


def main():
    kflame, profile = (os.path.abspath(path) for path in sys.argv[1:])
    # leaks are not what this is about, and a tracer may sit where LSan wants to
    os.environ["ASAN_OPTIONS"] = "handle_segv=0:handle_abort=0:verify_asan_link_order=0"
    with tempfile.TemporaryDirectory(prefix="kflame-tui.") as where:
        os.chdir(where)
        for test in (walk, resized_before_it_waits, signals, leaves, colors, refusals):
            test(kflame, profile)
        os.chdir("/")


if __name__ == "__main__":
    main()
