#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
grade.py - lab 2: sampling theory

Nothing here is random but for seeds that are written down.
"""

import json
import math
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from grading import Lab, Lost, check  # noqa: E402

CALL = """
import json, sys
sys.path.insert(0, sys.argv[1])
import sampling
seen = []
for name, arguments in json.load(sys.stdin):
    value = getattr(sampling, name)(*arguments)
    seen.append(list(value) if isinstance(value, (tuple, list)) else value)
print("\\n" + json.dumps(seen))
"""

lab = Lab(__doc__)


def call(work, *calls):
    """What the student's functions return, in a process of their own."""
    work.read("sampling.py")
    for name in ("simulator.py",):
        with open(os.path.join(HERE, "start", name), encoding="utf-8") as file:
            check(work.read(name) == file.read(), "%s was changed. Take it from the start again" % name)
    try:
        done = subprocess.run([sys.executable, "-B", "-c", CALL, work.folder], input=json.dumps(calls), check=False,
                              text=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Lost("%s() did not end within 120 s" % calls[0][0]) from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise Lost("%s() is not written yet" % calls[0][0] if lines[-1].startswith("NotImplementedError") else
                   "%s() failed: %s" % (calls[0][0], lines[-1]))
    return json.loads(done.stdout.splitlines()[-1])


def interval(value, hits, samples):
    check(isinstance(value, list) and len(value) == 3 and all(isinstance(x, (int, float)) for x in value),
          "share(%d, %d) is %r. It should be three numbers: the share, and both ends" % (hits, samples, value))
    p, low, high = value
    check(abs(p - hits / samples) < 0.02 + 2 / samples, "share(%d, %d) estimates %.3f" % (hits, samples, p))
    check(-1e-9 <= low <= p + 1e-9 and p - 1e-9 <= high <= 1 + 1e-9, "share(%d, %d) is %.3f, from %.3f to %.3f: the ends should be around it, between "
          "0 and 1" % (hits, samples, p, low, high))
    return low, high


def coverage(work, p, samples):
    """How many of 1000 intervals have the truth."""
    source = random.Random(1)
    draws = [sum(source.random() < p for _ in range(samples)) for _ in range(1000)]
    kinds = sorted(set(draws))
    ends = dict(zip(kinds, (interval(value, hits, samples) for hits, value in zip(
        kinds, call(work, *(("share", (hits, samples)) for hits in kinds))))))
    return sum(ends[hits][0] <= p <= ends[hits][1] for hits in draws)


@lab.point("interval", 3, "a share comes with its 95 % interval")
def interval_point(work):
    (value,) = call(work, ("share", (300, 1000)))
    low, high = interval(value, 300, 1000)
    check(high > low, "share(300, 1000) is %.3f without error bars. Another recording would have another share" % low)
    check(abs(high - low - 0.0567) < 0.002, "of 300 in 1000, the interval should be 5.7 %% wide, and it is %.1f %%. "
          "One standard deviation is sqrt(p (1 - p) / n), and 95 %% are within 1.96 of them to each side"
          % (100 * (high - low)))
    for p in (0.3, 0.1):
        covered = coverage(work, p, 400)
        check(925 <= covered <= 975, "of 1000 recordings with 400 samples, the intervals of %d have the true share "
              "%g. It should be about 950" % (covered, p))


@lab.point("never", 2, "what was never seen may exist all the same")
def never(work):
    for samples in (100, 1000):
        none, every = call(work, ("share", (0, samples)), ("share", (samples, samples)))
        low, high = interval(none, 0, samples)
        check(low < 1e-9 and high > 0, "0 of %d samples: the interval ends at 0, as if the function could not exist. The "
              "formula p +- 1.96 sqrt(p (1 - p) / n) fails here; Wilson's does not" % samples)
        check(2 / samples <= high <= 6 / samples, "0 of %d samples: the interval ends at %.4f. A share of %.3f would "
              "still be missed now and then" % (samples, high, 3 / samples))
        check(abs(1 - interval(every, samples, samples)[0] - high) < 1e-6, "all of %d samples: the interval is not the "
              "mirror of that of 0" % samples)
    check(coverage(work, 0.01, 100) >= 910, "of 100 samples, intervals of a share of 1 % have the truth too rarely")


@lab.point("samples", 3, "how many samples an answer needs")
def samples_point(work):
    cases = [(0.5, 0.01), (0.02, 0.01), (0.5, 0.005), (0.1, 0.001)]
    for (p, half), seen in zip(cases, call(work, *(("samples_for", case) for case in cases))):
        right = math.ceil(1.96 ** 2 * p * (1 - p) / half ** 2)
        check(isinstance(seen, (int, float)), "samples_for(%g, %g) is %r" % (p, half, seen))
        check(abs(seen - right) <= max(1, right / 1000), "samples_for(%g, %g) should be %d and is %g. %s" % (
            p, half, right, seen,
            "The width falls with the root of the number: half of it takes four times as many"
            if abs(seen - math.sqrt(right)) < right / 4 else "Solve 1.96 sqrt(p (1 - p) / n) = half_width for n"))


@lab.point("seconds", 1, "how long a recording takes")
def seconds_point(work):
    cases = [(9604, 997, 1), (9604, 997, 0.05)]
    for (samples, rate, busy), seen in zip(cases, call(work, *(("seconds_for", case) for case in cases))):
        right = samples / rate / busy
        check(isinstance(seen, (int, float)) and abs(seen - right) <= 1,
              "seconds_for(%d, %d, %g) should be %.1f and is %r. A program that waits gets no samples" % (
                  samples, rate, busy, right, seen))


@lab.point("differs", 3, "is it faster now, or was that chance?")
def differs(work):
    cases = {(12, 100, 9, 100): False, (1200, 10000, 900, 10000): True, (300, 1000, 345, 1000): True,
             (300, 1000, 330, 1000): False, (0, 50, 2, 50): False, (50, 1000, 500, 10000): False}
    for case, seen in zip(cases, call(work, *(("differs", case) for case in cases))):
        check(seen in (True, False) and seen == cases[case], "differs(%d, %d, %d, %d) should be %s and is %r. %s" % (
            *case, cases[case], seen,
            "Two intervals may overlap a bit, and the shares differ all the same: ask for the interval of the "
            "difference" if cases[case] else "Compare the difference with its own standard deviation"))


@lab.point("phases", 2, "at how many positions of the tick a rate looks")
def phases(work):
    cases = {(250, 250): 1, (1000, 250): 4, (500, 250): 2, (100, 250): 2, (997, 250): 997, (999, 300): 333,
             (1001, 1000): 1001}
    for case, seen in zip(cases, call(work, *(("phases", case) for case in cases))):
        check(seen == cases[case], "phases(%d, %d) should be %d and is %r. Sample k is at k * hz / rate of the period: "
              "when is that a whole number again?" % (*case, cases[case], seen))


@lab.point("lockstep", 3, "the simulator shows lockstep, and its absence at 997")
def lockstep(work):
    cases = {(250, 250, 20, 0): 1.0, (250, 250, 20, 500000): 0.0, (1000, 250, 20, 0): 0.25, (997, 250, 20, 0): 0.1,
             (997, 250, 20, 500000): 0.1, (997, 1000, 20, 1234): 0.1}
    for case, seen in zip(cases, call(work, *(("measure", case) for case in cases))):
        check(isinstance(seen, list) and len(seen) == 3, "measure() should return what share() does")
        check(abs(seen[0] - cases[case]) < 0.004, "measure(%d, %d, %d, %d) has %.3f for tick_work, and it should be about "
              "%g" % (*case, seen[0], cases[case]))


@lab.point("rate", 2, "a rate that is in lockstep with none of them")
def rate(work):
    hz = [100, 250, 300, 1000]
    cases = [(1000, hz, 997), (100, hz, 97), (4000, hz, 3997 if math.gcd(3999, 300) > 1 else 3999),
             (1000, list(range(2, 501)), 997), (50, list(range(2, 26)), 47)]
    for (around, list_, right), seen in zip(cases, call(work, *(("choose_rate", case[:2]) for case in cases))):
        check(seen == right, "choose_rate(%d, %s) should be %d and is %r. %s" % (
            around, list_ if len(list_) < 6 else "all up to half of it", right, seen,
            "%d meets only %d of its positions within a tick of %d Hz" % (seen, seen // math.gcd(seen, bad), bad)
            if isinstance(seen, int) and seen > 0 and (bad := next((f for f in list_ if math.gcd(seen, f) > 1), 0))
            else "There is a higher one"))


RIGHT = {
    "could f have a share of 1.5 percent": ("yes", "share(10, 1000) goes up to 1.8 %."),
    "could g have a share of 0.3 percent": ("yes", "share(0, 1000) goes up to 0.4 %: never seen is not never there."),
    "could g have a share of 2 percent": ("no", "With 2 %, 1000 samples would miss it with a chance of 2 in a billion."),
    "times as many samples": (16, "Half the width takes four times as many."),
    "share at 250 hz with offset 0": (100, "What does make print for it?"),
    "share at 250 hz with offset 0.5 ms": (0, "What does make print for it?"),
    "share at 1000 hz with offset 0": (25, "What does make print for it?"),
    "is 10 percent within the bars at 250 hz": ("no", "Bars are for chance. Lockstep is no chance: it is bias."),
    "do ten times as many seconds help at 250 hz": ("no", "All samples are at one position of the tick, for ever."),
    "in lockstep with something at 7 hz at a rate of 1001": ("yes", "1001 = 7 * 11 * 13."),
    "in lockstep with something at 7 hz at a rate of 997": ("no", "997 is a prime."),
}


@lab.point("answers", 3, "what the numbers mean")
def answers(work):
    given = work.answers()
    for name, (right, why) in RIGHT.items():
        mine = given.get(name, "").rstrip(" %").lower()
        check(mine, "'%s' has no answer" % name)
        try:
            fits = abs(float(mine) - right) <= 0.5 if not isinstance(right, str) else mine == right
        except ValueError:
            fits = False
        check(fits, "'%s' is not %s. %s" % (name, mine, why))


if __name__ == "__main__":
    lab.main()
