# SPDX-License-Identifier: GPL-2.0-or-later
"""
A program in a terminal of its own: keys go in, a screen comes out.

The terminal is a vt100 as far as ncurses uses one.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

# Control sequences; what a vt100 is asked to do beside those is padding and character sets
SEQUENCE = re.compile(r"\x1b(?:\[([?0-9;]*)([A-Za-z])|[()][A-Z0-9]|[=>78M]|#[0-9])|[\x00-\x1f]")


class Screen:
    """Rows of characters, and a cursor."""

    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.cells = [[" "] * cols for _ in range(rows)]
        self.row = self.col = 0
        self.top, self.bottom = 0, rows - 1
        self.rest = ""

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def down(self):
        if self.row == self.bottom:
            self.cells.insert(self.bottom + 1, [" "] * self.cols)
            del self.cells[self.top]
        elif self.row < self.rows - 1:
            self.row += 1

    def up(self):
        if self.row == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [" "] * self.cols)
        elif self.row:
            self.row -= 1

    def erase(self, kind, whole):
        if kind == "1":
            self.cells[self.row][: self.col + 1] = [" "] * (self.col + 1)
        else:
            self.cells[self.row][self.col:] = [" "] * (self.cols - self.col)
        if whole and kind != "1":
            for row in range(self.row + 1, self.rows):
                self.cells[row] = [" "] * self.cols

    def control(self, arguments, what):
        numbers = [int(n) if n.isdigit() else 0 for n in arguments.split(";")]
        first = max(numbers[0], 1)
        if what == "H":
            self.row = min(first, self.rows) - 1
            self.col = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.cols) - 1
        elif what == "A":
            self.row = max(self.row - first, 0)
        elif what == "B":
            self.row = min(self.row + first, self.rows - 1)
        elif what == "C":
            self.col = min(self.col + first, self.cols - 1)
        elif what == "D":
            self.col = max(self.col - first, 0)
        elif what in "JK":
            self.erase(arguments, what == "J")
        elif what == "r":
            self.top = first - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.row = self.col = 0

    def put(self, character):
        if self.col >= self.cols:
            self.col = 0
            self.down()
        self.cells[self.row][self.col] = character
        self.col += 1

    def feed(self, text):
        text, at = self.rest + text, 0
        self.rest = ""
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if not found and text[at] == "\x1b":
                self.rest = text[at:]
                return
            if not found:
                self.put(text[at])
                at += 1
                continue
            at = found.end()
            whole = found.group(0)
            if found.group(2):
                self.control(found.group(1), found.group(2))
            elif whole == "\n":
                self.down()
            elif whole == "\r":
                self.col = 0
            elif whole == "\b":
                self.col = max(self.col - 1, 0)
            elif whole == "\x1bM":
                self.up()


class Program:
    """One that runs in a terminal."""

    def __init__(self, argv, rows=24, cols=100, patience=20, **environment):
        self.patience = patience
        self.raw = b""
        self.status = None
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.screen = Screen(rows, cols)
        self.pid, self.fd = pty.fork()
        if not self.pid:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
                os.environ.update({"TERM": "vt100", "LC_ALL": "C.UTF-8", **environment})
                os.execv(argv[0], argv)
            finally:
                os._exit(127)

    def read(self, seconds):
        """Takes what it draws. Return: whether there was anything, None at its end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            some = os.read(self.fd, 65536)
        except OSError:
            some = b""
        if not some:
            return None
        self.raw += some
        self.screen.feed(self.decoder.decode(some))
        return True

    def wait_for(self, part, gone=False):
        """Until the screen has that text, or has it no more."""
        end = time.monotonic() + self.patience
        while (part in self.screen.text()) == gone:
            left = end - time.monotonic()
            if left <= 0 or self.read(left) is None:
                raise AssertionError("%r is %s the screen:\n%s"
                                     % (part, "still on" if gone else "not on", self.screen.text()))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def resize(self, rows, cols):
        self.screen = Screen(rows, cols)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def end(self):
        """Waits for its end. Return: its exit status as a shell has it, all that it wrote."""
        end = time.monotonic() + self.patience
        while self.read(max(end - time.monotonic(), 0)):
            pass
        while self.status is None and time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.01)
        if self.status is None:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
            raise AssertionError("it does not end:\n" + self.screen.text())
        os.close(self.fd)
        return self.status, self.raw.decode("utf-8", "replace")
