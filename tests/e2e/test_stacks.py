# SPDX-License-Identifier: GPL-2.0-or-later
"""Item 3: kernel stacks begin at the interrupted PC, and hold nothing of ours."""

import collections
import os
import re
import subprocess

import kfl
from harness import (balanced, check, enough, folded, info, load, note, record, run, scratch,
                     start, test, workload, KFLAME, PATIENCE, TEST_MODULES, Skipped)
from kernel_names import KernelNames

FEATURE = {"save": 1 << 0, "regs": 1 << 1}

# Run with interrupts off from end to end: in a stack, they are the handler's
HANDLER = {
    "hrtimer_interrupt", "__sysvec_apic_timer_interrupt", "local_apic_timer_interrupt",
    "arch_timer_handler_virt", "arch_timer_handler_phys",
}
# Others call it as well (KASAN, for each object that is allocated): ours is called by us, or by
# what was cut off with us
SAVE = "stack_trace_save"
# Entries of system calls, and of the kernel's own threads
SYSCALL = re.compile(r"entry_SYSCALL_64|el0(t_64)?_sync$")
TASK = ("do_syscall_64", "el0_svc", "kthread", "ret_from_fork")
# Entries of interrupts
INTERRUPT = ("asm_sysvec_", "asm_common_interrupt", "el0t_64_irq", "el1h_64_irq",
             "el0_irq", "el1_irq")
# The function that runs softirqs, as different kernels name it
SOFTIRQ = {"__do_softirq", "handle_softirqs", "__softirqentry_text_start"}
# The function that clears user memory: one string instruction
CLEAR = ("clear_user", "memset", "rep_stos")
# What may come between the entry of an interrupt and the task's own code
AFTER_INTERRUPT = ("irqentry_exit", "exit_to_user_mode", "do_notify_resume",
                   "__rseq_handle_notify_resume", "preempt_schedule", "schedule",
                   # what do_notify_resume() calls, where it is inlined (arm64)
                   "mem_cgroup_handle_over_high", "blkcg_maybe_throttle_current", "task_work_run")

_names = []


def names():
    if not _names:
        _names.append(KernelNames())
    return _names[0]


def offence(outermost_first, context):
    """What is wrong with a kernel stack, or None."""
    for at, name in enumerate(outermost_first):
        inner = outermost_first[at + 1 :]
        if name in HANDLER:
            return "a frame of the timer interrupt: " + name
        if name == SAVE and (not at or outermost_first[at - 1].startswith("kstack_save")):
            return "a frame of the unwinding itself: " + name
        if name.endswith("[kflame]"):
            # the recorder itself, in a read or an ioctl, may be sampled
            outer = outermost_first[:at]
            if not any(n in TASK for n in outer):
                return "a frame of kflame outside of system calls: " + name
        if name.startswith(INTERRUPT):
            if context == kfl.CTX_SOFTIRQ:
                # a copy that the compiler made has a suffix
                if not SOFTIRQ.intersection(n.split(".")[0] for n in outermost_first):
                    return "an interrupt's entry in a softirq's stack without a softirq"
            elif not any(n.startswith(AFTER_INTERRUPT) for n in inner):
                return "an interrupt's entry in a task's stack: " + name
    return None


def leaves(path, comm):
    """The weight of each innermost kernel address of a command."""
    profile = balanced(path)
    stacks = collections.Counter()
    for count in profile.counts:
        if count.kstack and count.comm == comm and count.context == kfl.CTX_TASK:
            stacks[profile.stacks[count.kstack].ip[0]] += count.samples
    return stacks


def judge(profile):
    """Fail at a wrong kernel stack; samples by (context, end), and what was cut."""
    seen, cut = collections.Counter(), collections.Counter()
    for count in profile.counts:
        if not count.kstack:
            continue
        stack = profile.stacks[count.kstack]
        check(stack.ip, "a kernel stack without a frame")
        check(all(ip >> 63 for ip in stack.ip), "a user address in a kernel stack:",
              " ".join("%#x" % ip for ip in stack.ip))
        outermost_first = names().of_stack(stack.ip)[::-1]
        wrong = offence(outermost_first, count.context)
        check(wrong is None, "%s\n%s" % (wrong, ";".join(outermost_first)))
        seen[count.context, stack.end] += count.samples
        if stack.end != kfl.END_COMPLETE:
            cut[";".join(outermost_first[:2] + ["..."] + outermost_first[-3:])] += count.samples
    return seen, cut


def no_handler(way):
    load()
    if not info()["features"] & FEATURE[way]:
        raise Skipped("this kernel does not let a module unwind that way")
    seen = cut = None

    def take(seconds):
        nonlocal seen, cut
        profile = balanced(record("stacks-" + way, "-a", "-F", 1999, "--unwind", way,
                                  command=(workload("mixed"), str(seconds))))
        check(profile.session.kway == {"save": 1, "regs": 2}[way], "kway", profile.session.kway)
        seen, cut = judge(profile)
        return sum(seen.values())

    enough(take, 500, 5)
    note("kernel stacks by (context, end): %r" % dict(seen))
    for stack, samples in cut.most_common(5):
        note("%d samples not complete: %s" % (samples, stack))
    complete = sum(n for (_, end), n in seen.items() if end == 0)
    check(complete >= 0.98 * sum(seen.values()), "complete are only %d" % complete)


@test("no frame of the handler, unwinding with stack_trace_save")
def handler_save():
    no_handler("save")


@test("no frame of the handler, unwinding from the registers")
def handler_regs():
    no_handler("regs")


@test("the leaf is the interrupted PC by both ways of unwinding")
def leaf_is_pc():
    # read() of /dev/zero spends its time in one string instruction: there the
    # PC is, and no return address can be, for it follows no call
    load()
    if not all(info()["features"] & feature for feature in FEATURE.values()):
        raise Skipped("only one way of unwinding here")
    child = start([workload("readloop"), "100000"])
    found = {}

    def both(seconds):
        # at once: where an emulator is interrupted varies with its load; and at rates that
        # drift, or one of them is always interrupted as long after the other
        tools = [start([KFLAME, "record", "-p", str(child.pid), "-F", rate, "-d", str(seconds),
                        "--budget", "0", "--unwind", way, "-o", scratch("leaf-" + way)],
                       stderr=subprocess.PIPE) for way, rate in zip(FEATURE, ("997", "1049"))]
        for tool in tools:
            message = tool.communicate(timeout=240 * PATIENCE)[1]
            check(tool.returncode == 0, message)
        for way in FEATURE:
            found[way] = leaves(scratch("leaf-" + way), "readloop")
        return min(hottest(stacks)[1] for stacks in found.values())

    enough(both, 300, 4, "samples of the instruction")
    hot = {}
    for way, stacks in found.items():
        total = sum(stacks.values())
        for address, samples in stacks.most_common(3):
            note("%s: %s at %#x has %.1f%% of %d samples"
                 % (way, names().name(address), address, 100 * samples / total, total))
        address, samples = hottest(stacks)
        hot[way] = address, samples / total
    check(hot["save"][0] == hot["regs"][0], "two ways, two addresses: %r" % hot)
    shares = sorted(share for _, share in hot.values())
    check(shares[1] - shares[0] < 0.1 and shares[0] > 0.5 * shares[1],
          "two ways, two shares: %r" % hot)


def hottest(stacks):
    """Of the function that clears memory: the innermost address that was seen most, how often."""
    for address, samples in stacks.most_common():
        if any(name in names().name(address) for name in CLEAR):
            return address, samples
    return None, 0


@test("a mixed stack goes user function, system call entry, kernel function")
def mixed_order():
    load()
    good = samples = 0

    def take(seconds):
        nonlocal good, samples
        path = record("order", "-F", 997, command=(workload("readloop"), str(seconds)))
        balanced(path)
        good, samples = in_order_of(folded(path))
        return samples

    enough(take, 1000, 3)
    check(good >= 0.99 * samples, "%d of %d" % (good, samples))


def in_order_of(stacks):
    """Samples in read() that go user, entry, kernel, and all samples in read()."""
    good = samples = 0
    for frames, count in stacks.items():
        if frames[0] != "readloop" or "ksys_read" not in frames:
            continue
        samples += count
        entry = [i for i, f in enumerate(frames) if SYSCALL.match(f)]
        user = [i for i, f in enumerate(frames) if f == "read_caller"]
        kernel = frames.index("ksys_read")
        strange = any(f.startswith("[kernel") for f in frames)
        if len(entry) == len(user) == 1 and user[0] < entry[0] < kernel and not strange:
            good += count
        else:
            note("out of order: " + ";".join(frames))
    return good, samples


# In read() of /dev/zero, as far as they are functions of their own: who calls whom
# Before 5.10 there are two functions more on the way
CALLERS = {"vfs_read": ("ksys_read", "__vfs_read"), "rw_verify_area": ("vfs_read",), "read_zero": ("vfs_read",),
           "read_iter_zero": ("vfs_read", "new_sync_read"), **dict.fromkeys(
               ("__arch_clear_user", "clear_user_erms", "rep_stos_alternative", "__clear_user"),
               ("read_zero", "read_iter_zero", "iov_iter_zero"))}


# Red, where stacks are unwound by frame records, when kf_kleaf_caller() says 0
@test("who calls a function is there where that has no frame record: its first instructions, leaves")
def callers():
    load()
    way = [name for name, feature in FEATURE.items() if info()["features"] & feature]

    def take(seconds):
        found.clear()
        path = record("callers", "-F", 1999, "--unwind", name,
                      command=(workload("readloop"), str(seconds)))
        for frames, count in folded(path).items():
            stack = frames[::-1]
            if len(stack) > 1 and stack[0] in CALLERS and "ksys_read" in stack:
                found[stack[0], stack[1] in CALLERS[stack[0]]] += count
        return sum(found.values())

    for name in way:
        found = collections.Counter()
        enough(take, 500, 3)
        note("--unwind %s: %r" % (name, dict(found)))
        wrong = sum(count for (_, right), count in found.items() if not right)
        check(wrong <= 0.005 * sum(found.values()), "callers are missing: %r" % dict(found))


# Red when kstack_unwind() adds the address as it is: all are in below_before() then
@test("what a softirq interrupted is named by its own instruction, and has its caller")
def below():
    load()
    if not info()["features"] & FEATURE["regs"]:
        raise Skipped("this kernel does not let a module unwind that way")
    if "PREEMPT_RT" in os.uname().version:
        raise Skipped("softirqs interrupt nothing on this kernel")
    found = collections.Counter()

    def take(seconds):
        found.clear()
        path = record("below", "-a", "-F", 1999, "--unwind", "regs", "-d", seconds)
        for frames, count in folded(path).items():
            plain = [frame.replace(" [below]", "") for frame in frames]
            if "below_softirq" in plain and "below_thread" in plain:
                found[tuple(name for name in plain if name.startswith("below_"))] += count
        return sum(found.values())

    run(["insmod", os.path.join(TEST_MODULES, "torture/below/below.ko")])
    try:
        enough(take, 200, 2)
    finally:
        run(["rmmod", "below"])
    note(repr(dict(found)))
    right = found["below_thread", "below_caller", "below_waits", "below_softirq"]
    # others: the thread was interrupted on its way there
    check(right >= 0.95 * sum(found.values()), "%d are right of %r" % (right, dict(found)))
