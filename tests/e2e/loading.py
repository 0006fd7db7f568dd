# SPDX-License-Identifier: GPL-2.0-or-later
"""Load and unload the module by system calls, and see it refuse."""

import ctypes
import os
import platform
import subprocess

from harness import MODULE, check

# finit_module, delete_module: to start insmod and rmmod takes longer than they take
NUMBERS = {"x86_64": (313, 176), "aarch64": (273, 106)}


def module_call(number, *arguments):
    result = ctypes.CDLL(None, use_errno=True).syscall(NUMBERS[platform.machine()][number], *arguments)
    check(result == 0, "system call %d:" % number, os.strerror(ctypes.get_errno()))


def insert(parameters):
    file = os.open(MODULE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        module_call(0, file, parameters.encode(), 0)
    finally:
        os.close(file)


def remove():
    module_call(1, b"kflame", os.O_NONBLOCK)


def refused():
    done = subprocess.run(["rmmod", "kflame"], stdin=subprocess.DEVNULL, timeout=20,
                          stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode != 0, "rmmod took the module from under its user")
    check("in use" in done.stderr, done.stderr)
