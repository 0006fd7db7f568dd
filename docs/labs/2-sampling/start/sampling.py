# SPDX-License-Identifier: GPL-2.0-or-later
"""sampling.py - lab 2: what you write. Each function says what it returns."""

import math  # noqa: F401

import simulator  # noqa: F401

Z = 1.96  # 95 % of a normal distribution are within this many standard deviations


def share(hits, samples):
    """
    Task 1. Of so many samples, hits were in a function. Return (share, low, high): the estimate, and the ends of
    its 95 % interval, all between 0 and 1. It must make sense with 0 hits, too.
    """
    raise NotImplementedError


def samples_for(p, half_width):
    """Task 2. How many samples are needed for a share of about p to be known within +- half_width (95 %)?"""
    raise NotImplementedError


def seconds_for(samples, rate, busy):
    """Task 2. How long must we record for so many samples of a program that is on a CPU for this part of the time?"""
    raise NotImplementedError


def differs(hits_a, samples_a, hits_b, samples_b):
    """Task 3. True if two shares differ by more than chance explains (95 %)."""
    raise NotImplementedError


def phases(rate, hz):
    """Task 4. How many different positions within the period of a tick do samples at this rate meet?"""
    raise NotImplementedError


def choose_rate(around, frequencies):
    """Task 5. The highest rate up to around that has all its positions within each of these periods."""
    raise NotImplementedError


def measure(rate, hz, seconds, offset_ns=0):
    """Task 4. Sample the simulator. Return share() of tick_work."""
    raise NotImplementedError
