# SPDX-License-Identifier: GPL-2.0-or-later
"""sampling.py - lab 2: the key"""

import math

import simulator

Z = 1.96  # 95 % of a normal distribution are within this many standard deviations


def share(hits, samples):
    p = hits / samples
    # Wilson's interval: it is never empty, and stays within 0 and 1
    middle = (p + Z * Z / (2 * samples)) / (1 + Z * Z / samples)
    half = Z / (1 + Z * Z / samples) * math.sqrt(p * (1 - p) / samples + Z * Z / (4 * samples * samples))
    return p, max(0.0, middle - half), min(1.0, middle + half)


def samples_for(p, half_width):
    return math.ceil(Z * Z * p * (1 - p) / half_width ** 2)


def seconds_for(samples, rate, busy):
    return samples / (rate * busy)


def differs(hits_a, samples_a, hits_b, samples_b):
    a, b = share(hits_a, samples_a), share(hits_b, samples_b)
    return a[1] > b[2] or b[1] > a[2]


def phases(rate, hz):
    return rate // math.gcd(rate, hz)


def choose_rate(around, frequencies):
    return next(rate for rate in range(around, 0, -1) if all(phases(rate, hz) == rate for hz in frequencies))


def measure(rate, hz, seconds, offset_ns=0):
    seen = simulator.sample(rate, hz, seconds, offset_ns)
    return share(seen.count("tick_work"), len(seen))
