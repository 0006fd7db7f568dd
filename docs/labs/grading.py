# SPDX-License-Identifier: GPL-2.0-or-later
"""
grading.py - what the grade.py of all labs share

A lab's grade.py has one function for each point:

    lab = Lab(__doc__)

    @lab.point("shares", 2, "the shares add up")
    def shares(work):
        if total != 100:
            raise Lost("the shares add up to %d: was a row counted twice?" % total)

    if __name__ == "__main__":
        lab.main()

`work` is a Work: the student's folder, and what was measured in a guest. A function that returns has
shown its point. Lost says why the points are lost. The reason says what was seen, and where to look.

A lab that is measured in a guest has Lab(__doc__, prepare=..., command=...). prepare(work) builds what
runs there. The command gets the folder as its argument, and prints lines `fact NAME VALUE...`. A guest
that dies is a reason like others: facts from before its death still count.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GUEST_DIED = 125  # see tests/vm/guest.sh
COMPLAINT = re.compile(r"WARNING: |BUG: |Oops|KASAN|UBSAN|Kernel panic|INFO: (task|rcu)|general protection"
                       r"|no end after |guest died")

Point = collections.namedtuple("Point", "name worth title function")


class Lost(Exception):
    """Why a student loses the points."""


def check(condition, reason):
    if not condition:
        raise Lost(reason)


class Work:
    """
    A student's folder. run_in: the folder that the guest's command gets, which prepare() may set. facts: what the guest printed, lists of words by name. failed: why nothing could be
    measured, died: what the guest's kernel said before it died. Both are empty if all went well.
    """

    def __init__(self, folder):
        self.folder = self.run_in = os.path.abspath(folder)
        self.facts = collections.defaultdict(list)
        self.failed = self.died = ""

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        """The text of a file that the student hands in."""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise Lost("%s: %s. The lab's page says what to hand in" % (name, error.strerror)) from None

    def answers(self, name="answers.txt"):
        """`key: value` of each line, without comments. A value may be empty."""
        pairs = {}
        for line in self.read(name).splitlines():
            key, colon, value = line.partition("#")[0].partition(":")
            if colon:
                pairs[key.strip().lower()] = value.strip()
        return pairs

    def has(self, name):
        """Was it measured?"""
        return name in self.facts

    def fact(self, name):
        """The words of the one line `fact NAME ...`."""
        return self.all_facts(name)[0]

    def all_facts(self, name):
        if name in self.facts:
            return self.facts[name]
        raise Lost(self.failed or (
            "the guest's kernel died before this was measured: %s. Your machine is none the worse" % self.died
            if self.died else "this was not measured: the guest printed no '%s'" % name))

    def copy(self, given, start):
        """Below build/, where a guest sees it, with the given files of start/ as they were; the folder."""
        self.run_in = os.path.join(ROOT, "build/labs-grade", "%08x" % zlib.crc32(self.folder.encode()))
        shutil.rmtree(self.run_in, ignore_errors=True)
        shutil.copytree(self.folder, self.run_in, ignore=shutil.ignore_patterns("lab.mk", "*.o", "*.ko", ".*"))
        for name in given:
            if os.path.isdir(os.path.join(start, name)):
                shutil.copytree(os.path.join(start, name), os.path.join(self.run_in, name), dirs_exist_ok=True)
            else:
                shutil.copy2(os.path.join(start, name), self.run_in)
        return self.run_in

    def take(self, line):
        words = line.split()
        if len(words) >= 2 and words[0] == "fact":
            self.facts[words[1]].append(words[2:])


class Lab:
    def __init__(self, title, prepare=None, command=None, options=()):
        self.title = title.strip().splitlines()[0]
        self.prepare, self.command, self.options = prepare, command, list(options)
        self.points = []

    def point(self, name, worth, title):
        def add(function):
            self.points.append(Point(name, worth, title, function))
            return function
        return add

    def measure(self, works):
        """All of them in one guest. After one that kills it, the others get another guest."""
        waiting = []
        for work in works:
            work.failed = self.prepare(work) or "" if self.prepare else ""
            if not work.failed:
                waiting.append(work)
        while waiting:
            done = self.run_guest(waiting)
            waiting = waiting[done:]

    def run_guest(self, works):
        """How many of them are measured."""
        command = 'for dir; do echo "lab-begin $dir"; %s "$dir"; echo "lab-end $dir"; done' % self.command
        argv = [os.path.join(ROOT, "tests/vm/guest.sh"), *self.options, "--timeout", str(300 + 120 * len(works)),
                "--", "bash", "-c", command, "lab", *[work.run_in for work in works]]
        by_folder = {work.run_in: work for work in works}
        current, over, complaint, rest = None, 0, "", []
        with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace") as guest:
            for line in guest.stdout:
                kind, _, folder = line.rstrip("\n").partition(" ")
                if kind == "lab-begin":
                    current = by_folder[folder]
                elif kind == "lab-end":
                    current, over = None, over + 1
                elif kind == "fact" and current:
                    current.take(line)
                else:
                    rest.append(line)
                    if not complaint and COMPLAINT.search(line):
                        complaint = re.sub(r"^\d*[-:]?\[ *[\d.]+\] *", "", line.strip())
        if current:
            # What comes after the last lab-begin is its own
            current.died = complaint or "it said nothing"
            return over + 1
        if guest.returncode == GUEST_DIED or over < len(works):
            if over and complaint:
                # It died at its end, of what the last one left behind
                works[over - 1].died = complaint
                return over
            sys.exit("grade: the guest did not run:\n" + "".join(rest[-20:]))
        return over

    def grade(self, work):
        """Prints a line for each point; returns the points, and those there are."""
        got = total = 0
        for number, point in enumerate(self.points, 1):
            total += point.worth
            try:
                point.function(work)
            except Lost as lost:
                print("not ok %d - %s (0 of %d): %s" % (number, point.name, point.worth, point.title))
                print("\n".join("    " + line for line in str(lost).splitlines()))
            else:
                got += point.worth
                print("ok %d - %s (%d of %d): %s" % (number, point.name, point.worth, point.worth, point.title))
        print("%d of %d points" % (got, total), flush=True)
        return got, total

    def main(self):
        parser = argparse.ArgumentParser(description=self.title + ". Several folders share one guest.")
        parser.add_argument("--where", action="store_true", help="print host or guest: where it is measured")
        parser.add_argument("folder", nargs="*", default=["."])
        options = parser.parse_args()
        if options.where:
            print("guest" if self.command else "host")
            return
        works = [Work(folder) for folder in options.folder]
        if self.command:
            self.measure(works)
        full = True
        for work in works:
            if len(works) > 1:
                print("== " + work.folder)
            got, total = self.grade(work)
            full = full and got == total
        sys.exit(0 if full else 1)
