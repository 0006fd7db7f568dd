# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs come and go while they are sampled."""

import os
import subprocess
import threading

import kfl
from harness import (balanced, bearable, check, load, loaded, no_losses, note, quick_names, run,
                     scaled, scratch, start, test, wait_until, workload, KFLAME, PATIENCE, Skipped)

SWITCH = "/sys/devices/system/cpu/cpu%d/online"


def cpus():
    """Those that can be switched off."""
    found = [n for n in range(1, os.cpu_count() or 1) if os.path.exists(SWITCH % n)]
    if not found:
        raise Skipped("no CPU here can be switched off")
    return found


def switch(cpu, on):
    with open(SWITCH % cpu, "w", encoding="ascii") as file:
        file.write("1" if on else "0")


def finish(recorder):
    with quick_names():
        recorder.terminate()
        _, said = recorder.communicate(timeout=60 * PATIENCE)
    note(said.strip().split("\n")[-1])
    check(recorder.returncode == 0, "record: status", recorder.returncode, said)


@test("CPUs go down and up while they are recorded: the books balance, rmmod works at once")
def loop():
    load("freq=997")
    some = cpus()
    path = scratch("hotplug.data")
    # they give way: who switches CPUs waits for a thread of the kernel many times a CPU
    busy = [start(["nice", "-n", "19", workload("busy"), "600"], stdout=subprocess.PIPE)
            for _ in range(2)]
    recorder = start([KFLAME, "record", "-a", "-F", str(bearable(1999)), "--budget", "0", "-o", path],
                     stderr=subprocess.PIPE)
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the recorder runs")
    rounds = scaled(100)
    try:
        for _ in range(rounds):
            for cpu in some:
                switch(cpu, False)
            for cpu in some:
                switch(cpu, True)
    finally:
        for cpu in some:
            switch(cpu, True)
    finish(recorder)
    run(["rmmod", "kflame"], timeout=10)
    check(not loaded(), "still loaded")
    profile = balanced(path)
    no_losses(profile)
    note("%d rounds of %d CPUs" % (rounds, len(some)))
    for cpu in some:
        check(profile.cpus[cpu].samples > 0, "CPU %d has no sample" % cpu)
    check(all(child.poll() is None for child in busy), "the workload did not survive")


@test("a CPU that comes up after the start is sampled; one that went is not missed")
def later():
    load()
    cpu = cpus()[-1]
    path = scratch("later.data")
    switch(cpu, False)
    try:
        recorder = start([KFLAME, "record", "-a", "-F", "997", "--budget", "0", "-o", path],
                         stderr=subprocess.PIPE)
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the recorder runs")
        switch(cpu, True)
        run(["taskset", "-c", str(cpu), workload("busy"), "2"])
    finally:
        switch(cpu, True)
    finish(recorder)
    profile = balanced(path)
    seen = [count for count in profile.counts if count.cpu == cpu and count.comm == "busy"]
    seconds = sum(count.weight_ns for count in seen) / 1e9
    note("%d samples of %.2f s of what ran on the CPU that came later"
         % (sum(count.samples for count in seen), seconds))
    check(seconds >= 1, "only %.2f s of 2 on CPU %d" % (seconds, cpu))


@test("copies of stacks on a CPU that comes just before the end are read, too")
def copies_of_later():
    load()
    cpu = cpus()[-1]
    path = scratch("later-copies.data")
    switch(cpu, False)
    try:
        recorder = start([KFLAME, "record", "-a", "-g", "dump", "-F", "997", "--budget", "0", "-o", path],
                         stderr=subprocess.PIPE)
        # it has just looked for rings, and does so once a second
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the recorder runs")
        switch(cpu, True)
        run(["taskset", "-c", str(cpu), workload("busy"), "0"])
    finally:
        switch(cpu, True)
    finish(recorder)
    balanced(path)


@test("a session that starts and ends while CPUs go down and up")
def races():
    load()
    some = cpus()
    stop = threading.Event()

    def toggle():
        while not stop.is_set():
            for on in (False, True):
                for cpu in some:
                    switch(cpu, on)

    thread = threading.Thread(target=toggle)
    thread.start()
    try:
        for number in range(scaled(10)):
            path = scratch("race%d.data" % number)
            with quick_names():
                run([KFLAME, "record", "-a", "-F", str(bearable(1999)), "-o", path,
                     "--", workload("busy"), "0"])
            wrong = kfl.Profile(path).imbalances()
            check(not wrong, wrong)
            os.unlink(path)
    finally:
        stop.set()
        thread.join()
        for cpu in some:
            switch(cpu, True)
    run(["rmmod", "kflame"], timeout=10)
