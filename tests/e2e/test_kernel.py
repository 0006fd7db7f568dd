# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel it is, and that the main job works on it."""

import os

from harness import balanced, check, folded, in_order, info, load, note, record, test, workload

# what tests/matrix puts into docs/kernels.md
KSTACK = {"regs": 1 << 1, "save": 1 << 0}
USTACK_FP, CANDIDATES, HIGHRES = 1 << 2, 1 << 3, 1 << 4


def preemption(version):
    """As the kernel was built: a word of `uname -v`."""
    words = [word for word in version.split() if word.startswith("PREEMPT")]
    return words[0].lower() if words else "none"


@test("the module loads, and one recording names the kernel's frames and the program's")
def main_job():
    load()
    system, features = os.uname(), info()["features"]
    ways = [name for name, bit in KSTACK.items() if features & bit]
    note("kernel release: %s" % system.release)
    note("kernel machine: %s" % system.machine)
    note("kernel preemption: %s" % preemption(system.version))
    note("kernel stacks: %s" % ", ".join(ways))
    note("kernel timers: %s" % ("high resolution" if features & HIGHRES else "low resolution"))
    check(ways, "no way to take kernel stacks: features", hex(features))
    check(features & USTACK_FP and features & CANDIDATES, "features", hex(features))
    path = record("kernel", "-a", command=(workload("readloop"), "2"))
    check(balanced(path).samples, "no samples")
    check(any(in_order(frames, ("read_caller", "ksys_read")) for frames in folded(path)),
          "no stack leads from read_caller to ksys_read")
