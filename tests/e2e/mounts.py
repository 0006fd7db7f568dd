# SPDX-License-Identifier: GPL-2.0-or-later
"""File systems that come and go while they are sampled."""

import ctypes
import os
import shutil
import time

from harness import check, run, scratch, wait_until, workload

LIBC = ctypes.CDLL(None, use_errno=True)


def filesystem():
    """A fresh tmpfs with a program on it; its directory and the program."""
    where = scratch("mnt")
    os.makedirs(where, exist_ok=True)
    run(["mount", "-t", "tmpfs", "sampled", where])
    program = os.path.join(where, "short")
    shutil.copy(workload("short"), program)
    return where, program


def as_soon_as_walked(what, action, error):
    """
    Do something that the module's reference to an address space, held until its worker has
    read the map, may forbid for a moment. Seconds it took to be allowed; while the session
    goes on, so nothing else lets go.
    """
    begin = time.monotonic()

    def allowed():
        try:
            action()
        except OSError as why:
            check(why.errno == error, why)
            return False
        return True

    wait_until(allowed, what)
    return time.monotonic() - begin


def umount(where):
    """umount(2), not the command: the command would give the worker time."""
    if LIBC.umount2(where.encode(), 0):
        raise OSError(ctypes.get_errno(), where)
