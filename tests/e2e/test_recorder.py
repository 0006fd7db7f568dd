# SPDX-License-Identifier: GPL-2.0-or-later
"""The flight recorder: the last seconds, kept in the module, until a trigger freezes them."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess

import flight
from flight import recorder
from harness import (DEVICE, MODULE, Failed, Skipped, balanced, check, folded, host, info, kflame, load, note, run, scaled,
                     scratch, start, test, unload, wait_until, workload)

SECOND = 1000000000
# How often a window is recorded on a machine that others use
TRIES = 5
RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"


def cat(name):
    path = scratch(name)
    with open(path, "wb") as out:
        subprocess.run(["busybox", "cat", DEVICE], stdout=out, check=True, timeout=240)
    return path


def afresh():
    """A module without a recorder"""
    unload()
    load()


def adds_up(status):
    """Its accounting: what was counted is kept or was overwritten."""
    check(status["samples"] == status["counted"] + status["lost"], status)
    check(status["counted"] == status["kept"] + status["expired"], status)
    return status


def expired(nr=1):
    """Wait until so many samples were overwritten."""
    wait_until(lambda: recorder()["expired"] >= nr, "samples are overwritten")


def check_window(path, status):
    """
    The profile is of the last seconds of each CPU, whole.

    It begins with the epoch that the first of these seconds is in.  So it is an epoch longer, and an epoch may end
    a little late.  If the epoch was longer than two, then because the machine took the CPU away: timers of both
    kinds came late, and samples stand for periods that they missed.  Return: was it so?
    """
    profile = balanced(path)
    if status["state"] == flight.FROZEN:
        check(profile.counted <= status["kept"], profile.counted, status)
    epoch_ns = status["span_ns"] // status["epochs"]
    was_late = False
    for cpu in profile.cpus.values():
        first_ns = cpu.active_ns - status["span_ns"]
        note("CPU %d: the last %.3f s, %d samples, which missed %d periods of %.1f ms"
             % (cpu.cpu, cpu.active_ns / 1e9, cpu.samples, cpu.missed, cpu.period_ns / 1e6))
        check(first_ns >= 0, cpu.active_ns, status["span_ns"])
        if first_ns > 2 * epoch_ns:
            check((cpu.missed + 1) * cpu.period_ns >= first_ns - epoch_ns,
                  "an epoch of", first_ns, "ns, and hardly a sample came late:", cpu)
            was_late = True
    return was_late


def in_time(take):
    """Call take(), which returns a profile and the status, until no epoch was long for want of the CPU."""
    for _ in range(TRIES):
        path, status = take()
        if not check_window(path, status):
            return path
        note("the machine took a CPU away during an epoch: once more")
    raise Failed("the machine took a CPU away in each of %d windows" % TRIES)


@test("recorder=3s: the last seconds are kept, balance, and are a profile like any other")
def at_load():
    def take():
        load("recorder=3s", "freq=499")
        run([workload("busy"), "2"])
        expired()
        # Some more, so that the last seconds have them
        run([workload("busy"), "1"])
        adds_up(recorder())
        flight.trigger("freeze")
        status = adds_up(recorder())
        check(status["state"] == flight.FROZEN and status["cause"] == flight.REQUEST, status)
        note("the last CPU stopped %.3f ms after the trigger" % (status["freeze_ns"] / 1e6))
        return cat("p.kfl"), status

    path = in_time(take)
    check(any("busy_work" in frames for frames in folded(path)), "no busy_work in", list(folded(path))[:5])
    unload()


@test("frozen: nothing is overwritten, two readers get the same, and start continues")
def frozen():
    load("recorder=1s")
    expired()
    flight.trigger("freeze")
    status = adds_up(recorder())
    first = cat("first.kfl")
    # Longer than all that is kept
    run(["sleep", "2.5"])
    again = recorder()
    check(again == status, status, again)
    second = cat("second.kfl")
    with open(first, "rb") as one, open(second, "rb") as two:
        check(one.read() == two.read(), "two reads of the same differ")
    check(flight.error(flight.FREEZE) == "EBUSY", flight.error(flight.FREEZE))
    flight.trigger("start")
    wait_until(lambda: recorder()["samples"] > status["samples"] + 20, "it goes on")
    check(flight.error(flight.READ) == "EBUSY", "a running recorder was read")
    flight.trigger("freeze")
    status = adds_up(recorder())
    profile = balanced(cat("third.kfl"))
    # What was kept before the pause is too old by now
    check(profile.session.start_ns > again["frozen_ns"], profile.session.start_ns, again)
    unload()


@test("kflame recorder: start, status, save, freeze, stop; a recorder that runs continues after save")
def command():
    afresh()
    check("recorder:   off" in kflame("recorder", "status").stdout, "it is not off")
    check("does not run" in kflame("recorder", "save", status=1).stderr, "save without a recorder")
    before = info()["memory_used"]
    kflame("recorder", "start", "-s", "1", "-F", "199")
    status = recorder()
    taken = info()["memory_used"] - before
    # Records are taken as they are written
    check(status["memory"] <= taken <= status["memory"] + (16 << 20), taken, status)
    check("it runs" in kflame("recorder", "start", status=1).stderr, "it was started twice")
    path = scratch("saved.kfl")

    def take():
        run([workload("busy"), "1"])
        expired(recorder()["expired"] + 1)
        kflame("recorder", "save", "-o", path)
        return path, recorder()

    in_time(take)
    seen = recorder()["samples"]
    wait_until(lambda: recorder()["samples"] > seen + 20, "it goes on after save")
    kflame("recorder", "freeze")
    text = kflame("recorder", "status").stdout
    check("recorder:   frozen" in text and "frozen by:  request" in text, text)
    kflame("recorder", "save", "-o", path)
    check(recorder()["state"] == flight.FROZEN, "save of a frozen recorder continued it")
    kflame("recorder", "stop")
    check(info()["memory_used"] == before, info()["memory_used"], before)
    for wrong in (["fly"], [], ["stop", "-F", "99"], ["status", "-o", "x"], ["start", "stop"], ["start", "-s", "0"],
                  ["start", "-F", "20001"], ["start", "--late", "soon"], ["start", "--no-such-option"]):
        check(kflame("recorder", *wrong, status=2).stderr, "nothing is said of", wrong)
    check(recorder()["state"] == flight.OFF, "a wrong option started it")


def refused():
    """What the module refuses, by its name"""
    return {
        "no such operation": (flight.error(9), "EINVAL"),
        "no span": (flight.error(flight.BEGIN), "EINVAL"),
        "a span of 2 hours": (flight.error(flight.BEGIN, span_ns=7200 * SECOND), "EINVAL"),
        "epochs of less than 10 ms": (flight.error(flight.BEGIN, span_ns=SECOND, epochs=200), "EINVAL"),
        "257 epochs": (flight.error(flight.BEGIN, span_ns=600 * SECOND, epochs=257), "EINVAL"),
        "an unknown trigger": (flight.error(flight.BEGIN, span_ns=SECOND, triggers=1 << 30), "EINVAL"),
        "padding": (flight.error(flight.BEGIN, span_ns=SECOND, pad=1), "EINVAL"),
        "more memory than there is": (flight.error(flight.BEGIN, span_ns=SECOND, entries=32768), "ENOMEM"),
        "freeze without one": (flight.error(flight.FREEZE), "ENODATA"),
        "stop without one": (flight.error(flight.END), "ENODATA"),
        "read without one": (flight.error(flight.READ), "ENODATA"),
    }


@test("the module refuses wrong requests, and keeps nothing of them")
def bad_requests():
    afresh()
    before = info()["memory_used"]
    for what, (got, wanted) in refused().items():
        check(got == wanted, what, "gives", got, "not", wanted)
    check(info()["memory_used"] == before, "memory stays reserved")
    for text in ("=0", "=1m", "=-3", "=60ss", "=s", "=", "", "=99999999999999999999"):
        unload()
        done = run(["insmod", MODULE, "recorder" + text], status=None)
        check(done.returncode, "insmod took recorder" + text)
        check(not os.path.exists("/sys/module/kflame"), "it is loaded with recorder" + text)


@test("thousands of epochs: memory stays as it was computed, and the accounting balances")
def many_epochs():
    afresh()
    before = info()["memory_used"]
    recorder(flight.BEGIN, span_ns=SECOND, epochs=50, period_ns=2 * SECOND // 1000)
    # Epochs of 20 ms. 17,280 of the default length are a day
    wanted = scaled(500) * os.cpu_count()
    first, turns = None, 0
    busy = start([workload("busy"), "600"], stdout=subprocess.DEVNULL)
    while turns < wanted:
        status = adds_up(recorder())
        first = first or status
        turns = (status["samples"] - first["samples"]) // 10
        check(status["memory"] == first["memory"], status, first)
        records = info()["memory_used"] - before - status["memory"]
        check(records <= 16 << 20, "records take", records)
    busy.kill()
    busy.wait()
    note("about %d epochs of 20 ms; %d samples, %d of them kept" % (turns, status["samples"], status["kept"]))
    recorder(flight.FREEZE)
    status = adds_up(recorder())
    balanced(cat("many.kfl"))
    recorder(flight.END)
    check(info()["memory_used"] == before, "memory", info()["memory_used"], before)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@test("FIFO-99 tasks starve all CPUs: epochs end all the same, and the seconds before are whole")
def starved():
    afresh()
    with open(RUNTIME, encoding="ascii") as file:
        usual = file.read()
    recorder(flight.BEGIN, span_ns=6 * SECOND, epochs=24, period_ns=SECOND // 199)
    write(RUNTIME, "-1")
    try:
        hogs = [start(["taskset", "-c", str(cpu), "chrt", "-f", "99", workload("busy"), "3"],
                      stdout=subprocess.DEVNULL) for cpu in sorted(os.sched_getaffinity(0))]
        for hog in hogs:
            check(hog.wait(120) == 0, "a hog failed")
    finally:
        write(RUNTIME, usual)
    recorder(flight.FREEZE)
    status = adds_up(recorder())
    path = cat("starved.kfl")
    profile = balanced(path)
    pids = {hog.pid for hog in hogs}
    for cpu in sorted(profile.cpus):
        of_hogs = sum(count.weight_ns for count in profile.counts if count.cpu == cpu and count.tgid in pids)
        note("CPU %d: %.2f s of %.2f s are the hog's" % (cpu, of_hogs / 1e9, profile.cpus[cpu].active_ns / 1e9))
        check(of_hogs > 2.8 * SECOND, "CPU", cpu, of_hogs)
    check(any("busy_work" in frames for frames in folded(path)), "no names of the hogs")
    note(status)
    unload()


def fires(cause, provoke, **asked):
    """Start with a trigger, provoke it, and see it fire.  Return: the status"""
    recorder(flight.BEGIN, span_ns=2 * SECOND, **asked)
    provoke()
    wait_until(lambda: recorder()["state"] == flight.FROZEN, "it fires")
    status = adds_up(recorder())
    note("cause %d, detail %d, all CPUs stopped after %.3f ms" % (status["cause"], status["detail"],
                                                                status["freeze_ns"] / 1e6))
    check(status["cause"] == cause, status)
    balanced(cat("fired.kfl"))
    recorder(flight.END)
    return status


def stays(provoke, **asked):
    """The same without the trigger, or below its limit: it does not fire."""
    recorder(flight.BEGIN, span_ns=2 * SECOND, **asked)
    provoke()
    status = recorder()
    check(status["state"] == flight.RUNNING, status)
    recorder(flight.END)


def be_busy():
    """On all CPUs: an idle CPU is never late."""
    for cpu in sorted(os.sched_getaffinity(0)):
        start(["taskset", "-c", str(cpu), workload("busy"), "600"], stdout=subprocess.DEVNULL)


@test("trigger: a late interrupt freezes above the limit, and not below")
def late():
    afresh()
    be_busy()
    status = fires(flight.LATE, lambda: host("stop 3"), late_ns=2 * SECOND)
    check(status["detail"] > 2 * SECOND, status)
    stays(lambda: host("stop 1"), late_ns=60 * SECOND)


@test("trigger: less available memory than asked for freezes, and enough does not")
def memory():
    afresh()
    status = fires(flight.MEMORY, lambda: None, least_memory=1 << 40)
    check(0 < status["detail"] < 1 << 40, status)
    stays(lambda: run(["sleep", "1.5"]), least_memory=1 << 20)


# A process that takes more than its control group may have
GREEDY = "import os\nopen('%s/cgroup.procs', 'w').write(str(os.getpid()))\nx = bytearray(200 << 20)\n"


def exceed():
    """The OOM killer of a control group chooses a process."""
    top = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                if os.path.exists(path + "/cgroup.controllers")), None)
    if not top:
        raise Skipped("no cgroup v2 hierarchy")
    with open(top + "/cgroup.controllers", encoding="ascii") as file:
        if "memory" not in file.read().split():
            raise Skipped("no memory controller in the cgroup v2 hierarchy")
    with open(top + "/cgroup.subtree_control", "w", encoding="ascii") as file:
        file.write("+memory")
    group = top + "/kflame-greedy"
    os.makedirs(group, exist_ok=True)
    with open(group + "/memory.max", "w", encoding="ascii") as file:
        file.write("%d" % (30 << 20))
    greedy = start(["python3", "-c", GREEDY % group])
    check(greedy.wait(120) == -signal.SIGKILL, "it was not killed", greedy.returncode)
    os.rmdir(group)
    return greedy.pid


@test("trigger: the OOM killer freezes if asked to, and not otherwise")
def oom():
    afresh()
    victims = []
    status = fires(flight.OOM, lambda: victims.append(exceed()), triggers=1 << flight.OOM)
    check(status["detail"] == victims[0], status, victims)
    stays(exceed)


def flood():
    """Datagrams to this machine itself: its softirqs receive them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as by:
        run(["ip", "link", "set", "lo", "up"])
        to.bind(("127.0.0.1", 0))
        for _ in range(100):
            for _ in range(200):
                by.sendto(b"x" * 1000, to.getsockname())
            if recorder()["state"] == flight.FROZEN:
                return


@test("trigger: samples in softirqs freeze above the limit, and not below")
def softirq():
    afresh()
    # One sample in a softirq is enough
    fires(flight.SOFTIRQ, flood, softirq_ns=100000, period_ns=SECOND // 997)
    stays(flood, softirq_ns=30 * SECOND)


HUNG_TIMEOUT = "/proc/sys/kernel/hung_task_timeout_secs"
HUNG_WARNINGS = "/proc/sys/kernel/hung_task_warnings"


@contextlib.contextmanager
def hung():
    """A task that waits for a frozen file system, uninterruptibly, and a kernel that looks for such tasks each second."""
    if not os.path.exists(HUNG_TIMEOUT):
        raise Skipped("this kernel does not look for hung tasks")
    for program in ("mkfs.ext4", "mount", "umount", "fsfreeze"):
        if not shutil.which(program):
            raise Skipped("there is no %s here" % program)
    image, place = scratch("hung.img"), scratch("hung")
    os.makedirs(place, exist_ok=True)
    run(["truncate", "-s", "16M", image])
    run(["mkfs.ext4", "-q", "-F", image])
    mounted = run(["mount", "-o", "loop", image, place], status=None)
    if mounted.returncode:
        raise Skipped("an ext4 image cannot be mounted here: %s" % mounted.stderr.strip())
    with contextlib.ExitStack() as undo:
        undo.callback(run, ["umount", place])
        for path, text in ((HUNG_WARNINGS, "0"), (HUNG_TIMEOUT, "1")):
            with open(path, encoding="ascii") as file:
                undo.callback(write, path, file.read())
            # A write behind the first byte is ignored, so not by the same descriptor
            write(path, text)
        if run(["fsfreeze", "-f", place], status=None).returncode:
            raise Skipped("a file system cannot be frozen here")
        task = start(["touch", place + "/file"])
        undo.callback(task.wait, 60)
        undo.callback(run, ["fsfreeze", "-u", place])
        yield task.pid


@test("trigger: a hung task freezes if asked to, and not otherwise")
def hung_task():
    afresh()
    with hung() as pid:
        status = fires(flight.HUNG, lambda: None, triggers=1 << flight.HUNG)
        check(status["detail"] == pid, status, pid)
        stays(lambda: run(["sleep", "3"]))


@test("records of processes that are gone are dropped, and those of the kept samples stay")
def forget():
    afresh()
    before = info()["memory_used"]
    recorder(flight.BEGIN, span_ns=SECOND, epochs=10, period_ns=SECOND // 997)
    fixed = recorder()["memory"]
    start([workload("spawn"), "1000000", "0", workload("short"), "1500"], stdout=subprocess.DEVNULL)
    most = 0

    def dropped():
        nonlocal most
        records = info()["memory_used"] - before - fixed
        most = max(most, records)
        return records < most - (128 << 10)

    # Some six thousand processes: the cache of address spaces has 4,096 of them
    wait_until(dropped, "records are dropped", 500)
    recorder(flight.FREEZE)
    profile = balanced(cat("forget.kfl"))
    note("records took %d KiB at most; the profile has %d address spaces" % (most >> 10, len(profile.aspaces)))
    check(most <= 4 << 20, "records take", most)
    for count in profile.counts:
        check(not count.aspace or count.aspace in profile.aspaces, "no record of address space", count.aspace)
        for mapping in profile.mappings[count.aspace]:
            check(not mapping.file or mapping.file in profile.files, "no record of file", mapping)
    unload()


SWITCH = "/sys/devices/system/cpu/cpu1/online"


@test("a CPU that goes offline and online: running and frozen it adds up, and rmmod works with nobody having looked")
def hotplug():
    if not os.path.exists(SWITCH):
        raise Skipped("no CPU here can be switched off")
    afresh()
    before = info()["memory_used"]
    # Gives way: who switches a CPU waits for a thread of the kernel
    start(["nice", "-n", "19", workload("busy"), "600"], stdout=subprocess.DEVNULL)
    recorder(flight.BEGIN, span_ns=SECOND, epochs=10, period_ns=SECOND // 499)
    try:
        for _ in range(scaled(10)):
            write(SWITCH, "0")
            adds_up(recorder())
            write(SWITCH, "1")
            adds_up(recorder())
        write(SWITCH, "0")
        recorder(flight.FREEZE)
        status = adds_up(recorder())
        balanced(cat("offline.kfl"))
        write(SWITCH, "1")
        check(recorder() == status, "it changes while it is frozen", recorder(), status)
        recorder(flight.BEGIN)
        wait_until(lambda: recorder()["samples"] > status["samples"] + 100, "it goes on")
        recorder(flight.FREEZE)
        status = adds_up(recorder())
        check(sorted(balanced(cat("online.kfl")).cpus) == sorted(os.sched_getaffinity(0)), "a CPU is missing")
        recorder(flight.END)
        check(info()["memory_used"] == before, "memory", info()["memory_used"], before)
        # The timers of one CPU freeze it at once. Its interrupts may be under way when the module goes
        for _ in range(scaled(5)):
            recorder(flight.BEGIN, span_ns=SECOND, epochs=100, period_ns=SECOND // 997, least_memory=1 << 40)
            unload()
            load()
    finally:
        write(SWITCH, "1")
    unload()
