#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
run.py - the labs' keys score full marks, and planted wrong answers lose what they should; prints TAP

usage: tests/labs/run.py host|guest [N...]

host: labs that are graded on this machine, and how a lab begins. guest: labs that are measured in one.
An answer is laid out as a student would have it: start/, the key over it, and one mistake over both. The
file `loses` of a mistake has a line `POINT: WORDS` for each point it loses. WORDS are in the reason.
"""

import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "build/labs-test")
LAB_SH = os.path.join(ROOT, "scripts/lab.sh")


class Tap:
    def __init__(self):
        self.lines, self.failed = [], 0

    def report(self, ok, title, notes=()):
        self.lines.append(("ok" if ok else "not ok", title))
        self.failed += not ok
        for note in notes:
            for line in str(note).splitlines():
                print("# " + line)
        print("%s %d - %s" % (*self.lines[-1][:1], len(self.lines), title), flush=True)


def run(*argv):
    return subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


def labs():
    """Folder names by number."""
    names = [os.path.basename(os.path.dirname(page)) for page in glob.glob(ROOT + "/docs/labs/[0-9]*/README.md")]
    return {int(name.split("-")[0]): name for name in sorted(names)}


def where(name):
    return run("python3", "-B", "docs/labs/%s/grade.py" % name, "--where").stdout.strip()


def answers(name):
    """The key, and the wrong answers, but for what crashes a kernel: those come last."""
    found = [os.path.basename(path) for path in glob.glob("%s/tests/labs/%s/wrong-*" % (ROOT, name))]
    crash = [word for word in found if os.path.exists("%s/tests/labs/%s/%s/crashes" % (ROOT, name, word))]
    return ["key", *sorted(set(found) - set(crash)), *sorted(crash)]


def lay_out(name, answer):
    """As a student would have it; the folder."""
    folder = os.path.join(OUT, name, answer)
    shutil.rmtree(folder, ignore_errors=True)
    for layer in ["docs/labs/%s/start" % name,
                  *["tests/labs/%s/%s" % (name, part) for part in dict.fromkeys(["key", answer])]]:
        shutil.copytree(os.path.join(ROOT, layer), folder, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("loses", "crashes"))
    return folder


def read_loses(name, answer):
    """Words of the reason, by point."""
    if answer == "key":
        return {}
    with open("%s/tests/labs/%s/%s/loses" % (ROOT, name, answer), encoding="utf-8") as file:
        pairs = [line.strip().partition(": ") for line in file if line.strip() and not line.startswith("#")]
    return {point: words for point, _, words in pairs}


def parts(text, folders):
    """What was printed of each folder."""
    if len(folders) == 1:
        return {folders[0]: text}
    pieces = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def judge(tap, name, answer, text, start=False):
    """Did it lose what it should, and nothing else?"""
    lost = {match[1]: match[2] for match in re.finditer(
        r"^not ok \d+ - (\S+) \(.*\n((?:    .*\n)*)", text, re.MULTILINE)}
    got = re.search(r"^(\d+) of (\d+) points$", text, re.MULTILINE)
    if start:
        tap.report(bool(got) and int(got[1]) < int(got[2]), "lab %s: what a student gets is graded, and has less than "
                   "full marks" % name, [] if got else [text])
        return
    should = read_loses(name, answer)
    wrong = ["lost without need: %s: %s" % (point, lost[point].strip()) for point in sorted(set(lost) - set(should))]
    wrong += ["kept: %s" % point for point in sorted(set(should) - set(lost))]
    wrong += ["%s: no '%s' in: %s" % (point, should[point], lost[point].strip()) for point in should
              if point in lost and should[point] not in re.sub(r"\s+", " ", lost[point])]
    if not got:
        wrong += ["no sum of points in:", text]
    title = "full marks" if answer == "key" else "loses " + ", ".join(should)
    tap.report(not wrong, "lab %s, %s: %s" % (name, answer, title), wrong)


def grade(tap, name):
    known = answers(name)
    folders = [lay_out(name, answer) for answer in known]
    start = os.path.join(OUT, name, "start")
    shutil.rmtree(start, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "docs/labs", name, "start"), start)
    # What crashes a guest comes last
    at = next((i for i, answer in enumerate(known)
               if os.path.exists("%s/tests/labs/%s/%s/crashes" % (ROOT, name, answer))), len(known))
    order = [*folders[:at], start, *folders[at:]]
    done = run("python3", "-B", "docs/labs/%s/grade.py" % name, *order)
    try:
        printed = parts(done.stdout, order)
    except ValueError:
        printed = {}
    if set(printed) != set(order):
        tap.report(False, "lab %s is graded" % name, [done.stdout])
        return
    for answer, folder in zip(known, folders, strict=True):
        judge(tap, name, answer, printed[folder])
    judge(tap, name, "start", printed[start], start=True)


def begins(tap, number, name):
    """make lab copies the start, twice without harm."""
    folder = os.path.join(OUT, name, "begun")
    shutil.rmtree(folder, ignore_errors=True)
    first = run("make", "-s", "lab", "N=%d" % number, "DIR=" + folder)
    start = os.path.join(ROOT, "docs/labs", name, "start")
    names = sorted(name for name in os.listdir(start) if os.path.isfile(os.path.join(start, name)))
    ok = not first.returncode and not filecmp.cmpfiles(start, folder, names, shallow=False)[1]
    victim = os.path.join(folder, names[0])
    with open(victim, "a", encoding="utf-8") as file:
        file.write("# the student's line\n")
    again = run("make", "-s", "lab", "N=%d" % number, "DIR=" + folder)
    with open(victim, encoding="utf-8") as file:
        kept = "the student's line" in file.read()
    ok = ok and kept and not again.returncode and folder in first.stdout and "README.md" in first.stdout
    tap.report(ok, "lab %s begins by one command, which keeps the student's work" % name,
               [] if ok else [first.stdout, again.stdout])


def page(tap, name):
    """Each has the parts that the list promises, and its figures are there."""
    folder = os.path.join(ROOT, "docs/labs", name)
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        text = file.read()
    wrong = ["no section '%s'" % title for title in ("Goals", "Background", "Tasks", "Hints", "What to hand in")
             if "\n## %s\n" % title not in text]
    wrong += ["no figure %s" % source for source in re.findall(r'<img src="([^"]*)"', text)
              if not os.path.isfile(os.path.join(folder, source))]
    wrong += [] if re.search(r"\d+ minutes", text) else ["it does not say how many minutes it takes"]
    wrong += ["%d planted wrong answers, and not five" % count
              for count in [len(glob.glob("%s/tests/labs/%s/wrong-*" % (ROOT, name)))] if count < 5]
    tap.report(not wrong, "lab %s: its page is whole, and it has five wrong answers" % name, wrong)


def packs(tap):
    """The student's pack has no solution."""
    out = os.path.join(OUT, "packs")
    done = run("scripts/labs-key.sh", out)
    student = run("tar", "-tzf", out + "/kflame-labs-student.tar.gz").stdout.split()
    key = run("tar", "-tzf", out + "/kflame-labs-key.tar.gz").stdout.split()
    ok = (not done.returncode and "kflame/docs/labs/README.md" in student
          and not [path for path in student if "/tests/" in path or "/key/" in path or "wrong-" in path]
          and not [path for path in key if "docs/labs" in path])
    tap.report(ok, "labs-key.sh: the student's pack has no key", [] if ok else [done.stdout, student[:5], key[:5]])


def hidden(tap):
    """In a guest, /tmp is another one."""
    number, folder = min(labs()), "/tmp/kflame-lab-%d" % os.getpid()
    done = run(LAB_SH, str(number), folder)
    ok = done.returncode == 2 and "guests do not see" in done.stdout and not os.path.exists(folder)
    tap.report(ok, "a folder that guests do not see is refused", [] if ok else [done.stdout])


def main():
    which = sys.argv[1] if len(sys.argv) > 1 else ""
    if which not in ("host", "guest"):
        sys.exit(__doc__.strip())
    wanted = [int(word) for word in sys.argv[2:]]
    known = {number: name for number, name in labs().items() if not wanted or number in wanted}
    graded = {number: name for number, name in known.items() if where(name) == which}
    count = sum(len(answers(name)) + 1 for name in graded.values())
    count += 2 * len(known) + 2 if which == "host" else 0
    tap = Tap()
    print("TAP version 13\n1..%d" % count, flush=True)
    if which == "host":
        packs(tap)
        hidden(tap)
        for number, name in known.items():
            page(tap, name)
            begins(tap, number, name)
    for name in graded.values():
        grade(tap, name)
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
