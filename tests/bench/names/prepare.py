# SPDX-License-Identifier: GPL-2.0-or-later
"""
What is to be named: addresses of the libraries and of a made up kernel, in recordings.

usage: prepare.py DIRECTORY	(with the libraries; gets all files)

One recording of 20,000 samples, each with 50 user and 10 kernel addresses, in the formats
of kflame and perf; for perf also some with one user address a sample; LIBRARY.addresses:
what of the recording is in a library, rising.
"""

import collections
import glob
import os
import random
import re
import subprocess
import sys

import recordings

SAMPLES = 20000
FEW = 4000
USER_FRAMES = 50
ADDRESSES = SAMPLES * USER_FRAMES
KERNEL_FRAMES = 10
KERNEL_SYMBOLS = 150000
KERNEL_START = 0xFFFFFFFF81000000

Library = collections.namedtuple("Library", "path base size addresses")


def libraries():
    """All *.so here, each with its part of the addresses: instructions, rising."""
    paths = sorted(glob.glob("*.so"))
    part = ADDRESSES // len(paths)
    found = []
    for i, path in enumerate(paths):
        text = subprocess.run(["objdump", "-d", "-j", ".text", "--no-show-raw-insn", path],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        code = [int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\t", text, re.MULTILINE)]
        if len(code) < part:
            sys.exit("bench: only %d instructions in %s" % (len(code), path))
        addresses = [code[k * len(code) // part] for k in range(part)]
        found.append(Library(os.path.abspath(path), 0x7F0000000000 + (i << 28),
                             os.path.getsize(path), addresses))
    return found


def kernel():
    """Makes up a kallsyms.  Return: addresses in each of its functions, and its end."""
    chance = random.Random(1)
    starts = [KERNEL_START]
    with open("kallsyms", "w", encoding="ascii") as out:
        print("%016x T _text" % KERNEL_START, file=out)  # perf wants it
        for i in range(KERNEL_SYMBOLS):
            print("%016x %s some_kernel_function_%d" % (starts[-1], "tT"[i % 2], i), file=out)
            starts.append(starts[-1] + 16 * chance.randint(1, 16))
    return [starts[i % KERNEL_SYMBOLS] + 5 + i // KERNEL_SYMBOLS
            for i in range(SAMPLES * KERNEL_FRAMES)], starts[-1]


def stacks_of(libs, in_kernel):
    """What each sample saw.  Addresses are in no order: so they come."""
    in_user = [library.base + at for library in libs for at in library.addresses]
    chance = random.Random(2)
    chance.shuffle(in_user)
    chance.shuffle(in_kernel)
    return [(in_kernel[i * KERNEL_FRAMES : (i + 1) * KERNEL_FRAMES],
             in_user[i * USER_FRAMES : (i + 1) * USER_FRAMES]) for i in range(SAMPLES)]


def main():
    os.chdir(sys.argv[1])
    libs = libraries()
    for library in libs:
        with open(library.path + ".addresses", "w", encoding="ascii") as out:
            out.writelines("%#x\n" % at for at in library.addresses)
    in_kernel, end = kernel()
    stacks = stacks_of(libs, in_kernel)
    recordings.kflame("kflame.data", libs, stacks)
    recordings.perf("perf.data", libs, stacks, (KERNEL_START, end))
    for nr in (FEW, SAMPLES):
        recordings.perf("perf-%d.data" % nr, libs, stacks[:nr], (KERNEL_START, end), unwound=True)


if __name__ == "__main__":
    main()
