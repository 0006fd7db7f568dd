# SPDX-License-Identifier: GPL-2.0-or-later
"""
Kernel names by an image of the kernel, at the address where this kernel was loaded.

The image is made here: the functions of a profile where kallsyms has them, moved back to where
kernels are linked.
"""

import os
import shutil
import struct

import kfl
from harness import (balanced, check, enough, folded, load, note, record, run, scratch, test,
                     workload, Skipped)
from kernel_names import restricted

LINKED = 0xFFFFFFFF81000000


def stext():
    with open("/proc/kallsyms", encoding="ascii") as file:
        return next(int(line.split()[0], 16) for line in file if line.split()[2] == "_stext")


def make_image(functions, base):
    """An ELF file with these functions, and _stext at LINKED."""
    source, image = scratch("image.s"), scratch("vmlinux")
    at, lines = 0, [".text", ".globl _stext", "_stext:"]
    for name, (start, end) in sorted(functions.items(), key=lambda item: item[1]):
        lines += [".skip %d" % (start - base - at), '.type "%s", @function' % name,
                  '"%s":' % name, ".skip %d" % (end - start),
                  '.size "%s", %d' % (name, end - start)]
        at = end - base
    with open(source, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    run(["as", "-o", source + ".o", source])
    run(["ld", "-e", "0", "-Ttext=%#x" % LINKED, "-o", image, source + ".o"])
    return image


def without_names(path):
    """A copy of a profile that lacks the kernel's names, and so its end record."""
    with open(path, "rb") as file:
        data = file.read()
    at = struct.unpack_from("<8s4I", data)[3]
    kept = [data[:at]]
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == kfl.END:
            number = struct.unpack_from("<Q", data, at + 8)[0]
            number -= len(kfl.Profile(path).ksyms)
            kept.append(struct.pack("<IIQ", kind, length, number))
        elif kind != kfl.KSYM:
            kept.append(data[at : at + length])
        at += length
    copy = path + ".nameless"
    with open(copy, "wb") as file:
        file.write(b"".join(kept))
    return copy


@test("kptr_restrict=2: the profile tells where the kernel was loaded, and an image names it there")
def placed():
    load()
    if not shutil.which("ld"):
        raise Skipped("no linker in this guest")
    if not os.path.exists("/proc/kcore"):
        raise Skipped("kptr_restrict hides _stext, and /proc/kcore does not have it")
    found = {}

    def take(seconds):
        with restricted():
            found["path"] = record("placed", "-a", command=(workload("mixed"), str(seconds)))
        return sum(count.samples for count in balanced(found["path"]).counts if count.kstack)

    enough(take, 1000, 3, "kernel stacks")
    with open(found["path"], "rb") as file:
        recorded = file.read().partition(b"kernel-base=")[2].partition(b"\0")[0]
    base = stext()
    check(int(recorded or b"0", 16) == base, "kernel-base is", recorded, "and _stext at %#x" % base)
    symbols = set(kfl.Profile(found["path"]).ksyms)
    functions = {name: (start, end) for start, end, name in symbols if "[" not in name}
    image, copy = make_image(functions, base), without_names(found["path"])
    named, unnamed, again = folded(found["path"]), folded(copy), folded(copy, "--vmlinux", image)
    check(any(frame.startswith("[kernel 0x") for frames in unnamed for frame in frames),
          "the copy has names")
    check(sum(again.values()) == sum(named.values()), "other sums")
    # Functions of modules are in no image, and of two of one name one is in ours
    whole = {frames: count for frames, count in again.items()
             if not any(frame.startswith("[kernel 0x") for frame in frames)}
    wrong = [frames for frames, count in whole.items() if named.get(frames, 0) < count]
    check(not wrong, "stacks that are not in the profile:", wrong[:3])
    left = sum(again.values()) - sum(whole.values())
    check(left < sum(named.values()) / 2, left, "samples have frames without a name")
    note("%d functions at %#x, moved by %#x: %d stacks, %d samples with frames that are not in it"
         % (len(functions), base, base - LINKED, len(named), left))
    os.unlink(image)
