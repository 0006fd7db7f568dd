# SPDX-License-Identifier: GPL-2.0-or-later
"""experiments.py - calls what you have written, and prints a table for each task. Complete."""

import sampling


def show(title, rows):
    print(title)
    for name, call in rows:
        try:
            print("  %-46s %s" % (name, call()))
        except NotImplementedError:
            print("  %-46s (not written yet)" % name)


def bars(triple):
    return "%5.1f %%   [%5.1f, %5.1f]" % tuple(100 * x for x in triple)


show("Task 1: a share with its 95 % interval", [
    ("%d of %d" % pair, lambda pair=pair: bars(sampling.share(*pair)))
    for pair in ((3, 10), (30, 100), (300, 1000), (3000, 10000), (0, 100), (100, 100))])
show("Task 2: samples and seconds", [
    ("samples: 50 % within 1 %", lambda: sampling.samples_for(0.5, 0.01)),
    ("samples: 2 % within 1 %", lambda: sampling.samples_for(0.02, 0.01)),
    ("samples: 50 % within 0.5 %", lambda: sampling.samples_for(0.5, 0.005)),
    ("seconds: 9604 samples at 997 Hz, always on a CPU", lambda: sampling.seconds_for(9604, 997, 1)),
    ("seconds: the same, on a CPU 5 % of the time", lambda: sampling.seconds_for(9604, 997, 0.05))])
show("Task 3: is it faster now?", [
    ("12 of 100, then 9 of 100", lambda: sampling.differs(12, 100, 9, 100)),
    ("1200 of 10000, then 900 of 10000", lambda: sampling.differs(1200, 10000, 900, 10000))])
show("Task 4: positions within a tick, HZ=250", [
    ("%d samples a second" % rate, lambda rate=rate: sampling.phases(rate, 250))
    for rate in (100, 250, 500, 997, 1000, 4000)])
show("Task 4: the share of tick_work (it is 10 %), HZ=250, 20 s", [
    ("%d Hz, begun %.1f ms behind a tick" % (rate, offset / 1e6),
     lambda rate=rate, offset=offset: bars(sampling.measure(rate, 250, 20, offset)))
    for rate in (250, 1000, 997) for offset in (0, 500000)])
show("Task 5: a rate", [
    ("up to 1000, for HZ of 100, 250, 300 and 1000", lambda: sampling.choose_rate(1000, [100, 250, 300, 1000])),
    ("up to 100, for the same", lambda: sampling.choose_rate(100, [100, 250, 300, 1000]))])
