# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of kernel functions: of every one of them, and where kptr_restrict hides them."""

import collections

from harness import (balanced, check, enough, folded, load, note, record, run, test, workload,
                     DEVICE)
from kernel_names import KernelNames, restricted

def has_bpf_jit():
    try:
        with open("/proc/sys/net/core/bpf_jit_enable", encoding="ascii") as file:
            return file.read().strip() != "0"
    except FileNotFoundError:
        return False


@test("every kernel function's first, middle and last byte has its name, shown or hidden")
def every_function():
    load()
    done = run([workload("every_ksym"), DEVICE], status=None)
    note(done.stdout)
    check(done.returncode == 0, done.stderr)
    counts = {}
    for line in done.stdout.split("\n"):
        how, _, rest = line.partition(": ")
        if how in ("file", "module"):
            counts[how] = {word.split()[1]: int(word.split()[0]) for word in rest.split(", ")}
    for how in ("file", "module"):
        check(counts[how]["wrong"] == 0 and counts[how]["same"] > 10000, how, counts[how])
    check(counts["file"]["same"] + counts["file"]["open"] == sum(counts["file"].values()),
          "the tool's choice is another than the kernel's:", counts["file"])
    if has_bpf_jit():
        check("_every_ksym [bpf]" in done.stdout, "no BPF program is in kallsyms")


def kernel_addresses(profile):
    """Samples by kernel address, callers by the address of their call."""
    result = collections.Counter()
    for count in profile.counts:
        if count.kstack:
            for at, address in enumerate(profile.stacks[count.kstack].ip):
                result[address - 1 if at else address] += count.samples
    return result


@test("kptr_restrict=2: kernel frames have the names that they have without it")
def hidden():
    load()
    found = {}

    def take(seconds):
        with restricted():
            found["path"] = record("hidden", "-a", command=(workload("mixed"), str(seconds)))
        found["profile"] = balanced(found["path"])
        found["addresses"] = kernel_addresses(found["profile"])
        return sum(found["addresses"].values())

    enough(take, 2000, 3, "kernel frames")
    unnamed = [(frames[0], frame) for frames in folded(found["path"]) for frame in frames
               if frame.startswith("[kernel 0x")]
    # The tool's sandboxes run a filter of system calls: code that kallsyms has no name for
    filters = {int(frame.split()[1].rstrip("]"), 16) for comm, frame in unnamed if comm == "kflame"}
    unnamed = [pair for pair in unnamed if pair[0] != "kflame"]
    check(not unnamed, "kernel frames without a name:", unnamed[:5])
    names, recorded = KernelNames(), found["profile"].ksyms
    for address in found["addresses"]:
        if address in filters or address + 1 in filters:
            continue
        by_module = [name for start, end, name in recorded if start <= address < end]
        check(len(by_module) == 1, "%#x has the names" % address, by_module)
        shown = names.all_names(address)
        check(by_module[0] == shown[0], "%#x is %s, and in kallsyms" % (address, by_module[0]), shown)
    note("%d kernel addresses, %d functions, %d frames: all as in kallsyms"
         % (len(found["addresses"]), len(recorded), sum(found["addresses"].values())))
    check(len(recorded) > 20, "only %d functions" % len(recorded))
