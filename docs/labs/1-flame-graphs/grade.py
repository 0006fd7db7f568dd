#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 1: reading flame graphs

Numbers are computed from the recordings of the start, and may be off by one percent. Words are here as hashes, so that
they are found in the flame graphs and not here.
"""

import hashlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from grading import Lab, check  # noqa: E402

RATE = 250  # samples a second of CPU time
WALL_4 = 20.8  # seconds that program 4 ran, as the page says
CAUSES = "quadratic scattered repeated waiting small-calls broken-stacks locks page-faults".split()

lab = Lab(__doc__)


def stacks(program):
    """(names from the outermost on, samples)"""
    found = []
    with open("%s/start/%d.folded" % (HERE, program), encoding="utf-8") as file:
        for line in file:
            names, _, count = line.rpartition(" ")
            found.append((names.split(";"), int(count)))
    return found


def share(program, fits):
    """Percent of the samples whose stack fits."""
    found = stacks(program)
    return 100 * sum(count for names, count in found if fits(names)) / sum(count for _, count in found)


def word(work, name, right, why, mistakes=()):
    """mistakes: pairs of a wrong word, and what to say then."""
    mine = work.answers().get(name, "").lower().replace("()", "").strip()
    check(mine, "'%s' has no answer" % name)
    check(not name.endswith("cause") or mine in CAUSES, "'%s' is no word of the page's list: %s" % (name, ", ".join(CAUSES)))
    why = dict(mistakes).get(mine, why)
    check(hashlib.sha256(("lab1 %s %s" % (name, mine)).encode()).hexdigest()[:16] == right,
          "'%s' is not %s. %s" % (name, mine, why))


def number(work, name, right, within, mistakes=()):
    """mistakes: pairs of what a common mistake gives, and what to say then."""
    mine = work.answers().get(name, "").rstrip(" %s")
    check(mine, "'%s' has no answer" % name)
    try:
        value = float(mine)
    except ValueError:
        value = float("nan")
    if abs(value - right) <= within:
        return
    advice = next((why for wrong, why in mistakes if abs(value - wrong) <= within), "Count once more in the .folded file")
    if name.endswith(("share", "self")):
        advice = wrong_unit(int(name[0]), value, right) or advice
    check(False, "'%s' is not %s. %s" % (name, mine, advice))


def wrong_unit(program, value, percent):
    """What to say if the value is right, but not in percent."""
    samples = sum(count for _, count in stacks(program))
    if value <= 1 and abs(100 * value - percent) <= 0.5:
        return "This is a fraction. Write it in percent"
    if abs(100 * value / samples - percent) <= 0.5:
        return "This is a number of samples. Write it in percent of all %d samples" % samples
    return ""


@lab.point("1-cause", 2, "program 1: what is wrong, and where")
def one(work):
    word(work, "1 cause", "c00a3ca85e19f6bf", "What does the function below the widest box have to do with each of its calls?")
    word(work, "1 function to change", "fb191a7b9e7556c7", "The widest box does what it is asked to. Which function calls it, and how often?")


@lab.point("1-share", 1, "program 1: its widest box of the top edge")
def one_share(work):
    number(work, "1 share", share(1, lambda names: names[-1] == "text_length"), 1)


@lab.point("2-cause", 2, "program 2: what is wrong, and where")
def two(work):
    word(work, "2 cause", "6c8516453aa4ec76", "No box of the top edge is wide. Sum up boxes with the same name: "
         "search in the picture, or kflame flame --reverse")
    word(work, "2 function to change", "88d40172bcd022a8", "Which name has the most samples, all its boxes together?")


@lab.point("2-share", 3, "program 2: all boxes of a function, self time, and what a change can bring")
def two_share(work):
    widest = {}
    for names, count in stacks(2):
        if names[-1] == "compare_keys":
            widest[tuple(names)] = widest.get(tuple(names), 0) + count
    total = sum(count for _, count in stacks(2))
    right = share(2, lambda names: names[-1] == "compare_keys")
    number(work, "2 share", right, 1, [(100 * max(widest.values()) / total, "This is one of its boxes. There are more")])
    number(work, "2 self", share(2, lambda names: names[-1] == "make_report"), 1, [
        (share(2, lambda names: "make_report" in names), "This is with its callees. Self time is the part with nothing on "
         "top")])
    number(work, "2 faster", 100 / (100 - right), 0.15, [
        (100 / right, "If a part p of the time goes away, what remains is 1 - p")])


@lab.point("3-cause", 2, "program 3: what is wrong, and where")
def three(work):
    word(work, "3 cause", "798b7aab59a5d22c", "How often does ways() compute ways(3)? A tower of one name is recursion")
    word(work, "3 function to change", "91bb9a715cf49d1c", "It is all over the picture")


@lab.point("3-share", 2, "program 3: each sample counts once")
def three_share(work):
    total = sum(count for _, count in stacks(3))
    twice = 100 * sum(count * names.count("ways") for names, count in stacks(3)) / total
    right = share(3, lambda names: "ways" in names)
    mine = work.answers().get("3 share", "").rstrip(" %")
    try:
        check(float(mine) <= 100 or wrong_unit(3, float(mine), right), "'3 share' is not %s: a share is never above 100 %%. A sample with ways() eight times "
              "in its stack is one sample. Adding all boxes gives %.0f %%" % (mine, twice))
    except ValueError:
        pass
    number(work, "3 share", right, 1)


@lab.point("4-cause", 2, "program 4: what is wrong")
def four(work):
    word(work, "4 cause", "7683c6839457c9d4", "How many samples are there at all, and how long did the program run?")
    word(work, "4 function to change", "55e38a476ab691cc", "What takes the time has no samples, so it is not in the picture. "
         "The page says what to write then")


@lab.point("4-share", 2, "program 4: its time on a CPU")
def four_share(work):
    seconds = sum(count for _, count in stacks(4)) / RATE
    number(work, "4 seconds", seconds, 0.02)
    number(work, "4 share", 100 * seconds / WALL_4, 0.5, [
        (100, "All samples are on a CPU: that is what this profiler samples. Compare with the time that the program ran"),
        (100 - 100 * seconds / WALL_4, "That is the other part")])


@lab.point("5-cause", 2, "program 5: what is wrong, and where")
def five(work):
    word(work, "5 cause", "5d15b4829c6a75c6", "The kernel is entered again and again. How much does one call do?")
    word(work, "5 function to change", "10be2473cd6e1c34", "Which function decides when the kernel is entered?", [
        ("write", "The library's function cannot be changed. Its caller can"),
        ("save_picture", "It makes one byte after the other, and a function that it calls gets each. Does every byte have to "
         "go on to the kernel?")])


@lab.point("5-share", 1, "program 5: the time in the kernel")
def five_share(work):
    number(work, "5 share", share(5, lambda names: "write" in names), 1, [
        (share(5, lambda names: "put_byte" in names), "This has put_byte()'s own time, too")])


@lab.point("6-cause", 2, "program 6: what is wrong with the picture")
def six(work):
    word(work, "6 cause", "e7fa7f5e55554b38", "main() should be below everything. Is it?")
    word(work, "6 caller", "3258f8249893d1e1", "Look below mix(): where are the callers? What is not recorded cannot be read")


@lab.point("6-share", 1, "program 6: how many stacks are cut")
def six_share(work):
    number(work, "6 share", share(6, lambda names: "main" not in names), 1, [
        (share(6, lambda names: "main" in names), "These are those that reach it")])


if __name__ == "__main__":
    lab.main()
