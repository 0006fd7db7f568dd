# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual machines: the time of a virtual CPU in guest mode is [guest]."""

import subprocess

import kfl
from harness import balanced, check, enough, folded, load, note, record, run, test, workload, Skipped

NO_KVM = 77


def has_kvm():
    for module in ("kvm_amd", "kvm_intel"):
        subprocess.run(["modprobe", module], check=False, stderr=subprocess.DEVNULL)
    return run([workload("vcpu"), "1"], status=None).returncode != NO_KVM


@test("a virtual CPU in guest mode is [guest], below its thread; other programs are not")
def guest_mode():
    if not has_kvm():
        raise Skipped("this kernel has no KVM for the emulated machine")
    load()
    seen = {}

    def take(seconds):
        seen["path"] = path = record("vcpu", "-a", "-F", 997,
                                     command=["sh", "-c", '"$1" $3 & "$2" $3 >/dev/null; wait', "sh",
                                              workload("vcpu"), workload("busy"), str(seconds)])
        samples = seen["samples"] = {}
        for count in balanced(path).counts:
            key = count.comm, count.context == kfl.CTX_GUEST
            samples[key] = samples.get(key, 0) + count.samples
        return samples.get(("vcpu", True), 0)

    # To make a machine takes some 250 samples, however busy this one is.
    enough(take, 800, 3, "samples in guest mode")
    path, samples = seen["path"], seen["samples"]
    inside, outside = samples.get(("vcpu", True), 0), samples.get(("vcpu", False), 0)
    note("vcpu: %d samples in guest mode, %d others" % (inside, outside))
    # making the machine, and leaving guest mode at each interrupt, is not the guest's
    check(inside > 2 * outside, "%d of %d samples" % (inside, inside + outside))
    check(not samples.get(("busy", True)), samples)
    drawn = folded(path)
    below = sum(n for frames, n in drawn.items() if frames[:2] == ("vcpu", "[guest]"))
    check(below == inside, "%d samples are drawn below [guest], %d recorded" % (below, inside))
    check(all("[guest]" not in frames[2:] for frames in drawn), "[guest] is not at the root")
