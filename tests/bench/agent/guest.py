#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
guest.py - what the agent costs, in a guest whose clock counts instructions

usage: tests/vm/guest.sh --icount --mem 1G -- env KFLAME_MODULE=... tests/bench/agent/guest.py [SECONDS]

Prints CPU time, in which 2 ns are one instruction, of all processes of the tool: the agent with its sandboxes and its sender,
for each profile of SECONDS (10); then a recording of as many seconds at the same rate. The machine runs a shell loop.
"""

import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KFLAME = os.path.join(os.environ.get("KFLAME_BUILD", os.path.join(ROOT, "build")), "user/kflame")
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
CUTS = 8
GROUP = "/sys/fs/cgroup/kflame-bench-%d" % os.getpid()
SPOOL = "/tmp/bench-spool"


def spent():
    """Microseconds of CPU time of all processes that were ever in the group."""
    with open(GROUP + "/cpu.stat", encoding="ascii") as file:
        return int(file.readline().split()[1])


def enter():
    with open(GROUP + "/cgroup.procs", "w", encoding="ascii") as file:
        file.write("0")


def metric(name):
    try:
        with open(SPOOL + ".prom", encoding="ascii") as file:
            return float(re.search(r"^kflame_agent_%s (\S+)" % name, file.read(), re.MULTILINE).group(1))
    except (OSError, AttributeError):
        return 0


def tell(what, us):
    print("%s: %d us of CPU time, %.1f M instructions" % (what, us, us * 500 / 1e6), flush=True)


def main():
    if not os.path.ismount("/sys/fs/cgroup"):
        subprocess.run(["mount", "-t", "cgroup2", "none", "/sys/fs/cgroup"], check=True)
    os.mkdir(GROUP)
    subprocess.run(["insmod", os.environ["KFLAME_MODULE"]], check=True)
    load = subprocess.Popen(["sh", "-c", "while :; do /bin/ls -l /usr/bin >/dev/null; sleep 0.1; done"])
    settings = {"interval": "%ds" % SECONDS, "spool": SPOOL, "metrics": SPOOL + ".prom", "off-file": "/tmp/off"}
    argv = [KFLAME, "agent", "-c", "/dev/null"]
    for key, value in settings.items():
        argv += ["-o", "%s=%s" % (key, value)]
    agent = subprocess.Popen(argv, preexec_fn=enter)
    before = done = 0
    while done < CUTS:
        time.sleep(0.2)
        if metric("profiles_total") > done:
            done += 1
            now = spent()
            tell("profile %d" % done, now - before)
            before = now
    print("RSS %.1f MB, %d samples, handler %.3f s of %.0f s" % (
        metric("resident_memory_bytes") / 1e6, metric("samples_total"), metric("handler_seconds_total"),
        metric("sampled_seconds_total")))
    agent.terminate()
    agent.wait()
    for number in range(1, 3):
        before = spent()
        subprocess.run([KFLAME, "record", "-a", "-F", "19", "-d", str(SECONDS), "-o", "/tmp/r"], preexec_fn=enter,
                       stderr=subprocess.DEVNULL, check=True)
        tell("record -F 19 -d %d, %d" % (SECONDS, number), spent() - before)
    load.kill()


main()
