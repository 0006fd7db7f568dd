# SPDX-License-Identifier: GPL-2.0-or-later
"""
simulator.py - a program and a sampler, without a computer in between. Complete.

The program runs on a CPU whose kernel has a tick, HZ times a second. With each tick a function tick_work()
runs, for a tenth of the time between two ticks. Then compute() runs, until the next tick. Nothing is random.
"""

NS = 1000000000
TICK_SHARE = 0.1  # of the time, tick_work() runs


def running(ns, hz):
    """What runs at that nanosecond."""
    into = ns * hz % NS  # how far into the tick's period, in units of 1/hz ns
    return "tick_work" if into < TICK_SHARE * NS else "compute"


def sample(rate, hz, seconds, offset_ns=0):
    """The functions that a sampler sees that samples rate times a second and begins offset_ns behind a tick."""
    return [running(offset_ns + i * NS // rate, hz) for i in range(rate * seconds)]
