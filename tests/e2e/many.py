# SPDX-License-Identifier: GPL-2.0-or-later
"""Events with several functions, and a module that has 1,000 of them: what their tests share."""

import contextlib
import ctypes
import os
import struct

import kfl
from harness import TEST_MODULES, run
from session import Events

MODULE = os.path.join(TEST_MODULES, "torture/many/many.ko")
# Of struct kflame_event, what follows the offset: an operand, conditions, functions, pad2, addresses, errors
FUNCTIONS = "<48xQ2IQ2I2Q"
EVENT_SIZE = 64 + struct.calcsize(FUNCTIONS)


class Functions(Events):
    """
    A kprobe of several functions; names: a list of them. The result of CONFIGURE is in self.errors.

    fields: what the structure shall have instead.
    """

    def __init__(self, names, name="many_*", addresses=None, wants_errors=True, **fields):
        text = b"".join(one.encode() + b"\0" for one in names)
        self.text = ctypes.create_string_buffer(text, len(text) + 1)
        self.at = (ctypes.c_uint64 * len(names))(*addresses) if addresses else None
        self.errors = (ctypes.c_int32 * len(names))(*[1] * len(names))
        fields = {"nr": len(names), "functions": ctypes.addressof(self.text), "len": len(text), "pad2": 0,
                  "at": ctypes.addressof(self.at) if addresses else 0,
                  "to": ctypes.addressof(self.errors) if wants_errors else 0, "kind": kfl.KPROBE, **fields}
        tail = struct.pack(FUNCTIONS, 0, 0, fields["nr"], fields["functions"], fields["len"], fields["pad2"],
                           fields["at"], fields["to"])
        super().__init__(fields["kind"], size=EVENT_SIZE, names=[name], tail=tail)


def symbols(prefix):
    """Functions of /proc/kallsyms that begin so, and their addresses."""
    result = {}
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            address, kind, name = line.split()[:3]
            if kind in "tT" and name.startswith(prefix):
                result[name] = int(address, 16)
    return result


@contextlib.contextmanager
def many_loaded():
    run(["insmod", MODULE])
    try:
        yield
    finally:
        if os.path.exists("/sys/module/many"):
            run(["rmmod", "many"])


def call(which, number):
    """Call each function of the module so many times, or the one that calls itself."""
    with open("/sys/module/many/parameters/" + which, "w", encoding="ascii") as file:
        file.write(str(number))
