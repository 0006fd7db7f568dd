# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules that tests load for a while: a block device, and one that allocates memory."""

import contextlib
import os

from harness import TEST_MODULES, Skipped, run

DISK = "/dev/nullb0"


@contextlib.contextmanager
def null_disk(*parameters):
    """A block device without a disk; yields its name."""
    done = run(["modprobe", "null_blk", "nr_devices=1", *parameters], status=None)
    if done.returncode:
        raise Skipped("this kernel has no null_blk: %s" % done.stderr.strip())
    try:
        yield DISK
    finally:
        run(["modprobe", "-r", "null_blk"])


def slow_disk(ns):
    """The same, but a timer completes each request after this time."""
    return null_disk("irqmode=2", "completion_nsec=%d" % ns)


@contextlib.contextmanager
def allocs():
    """The module that allocates, and a function: what it has allocated, by the name of its parameter."""
    def allocated(name):
        with open("/sys/module/allocs/parameters/" + name, encoding="ascii") as file:
            return int(file.read())
    run(["insmod", os.path.join(TEST_MODULES, "torture/allocs/allocs.ko")])
    try:
        yield allocated
    finally:
        run(["rmmod", "allocs"])


def allocate(run_before, leak=0, run_after=0):
    """A command: that module allocates and frees so many times, leaks so many times, and again allocates and frees."""
    return ("sh", "-c", "cd /sys/module/allocs/parameters && echo %d >run && echo %d >leak && echo %d >run"
            % (run_before, leak, run_after))
