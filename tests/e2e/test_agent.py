# SPDX-License-Identifier: GPL-2.0-or-later
"""kflame agent: one endless session, cut into whole profiles whose sum is what the module counted."""

import collections
import glob
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import threading

import kfl
from harness import (KFLAME, PATIENCE, check, folded, info, kflame, lasting, load, note, run, scratch, start, test,
                     wait_until, workload)

NAME = re.compile(r"^(\d{8}T\d{6}Z)-(.+)-([0-9a-f]{12})\.kflame(\.zst)?$")


def fresh(name):
    """An empty spool directory, beside which the metrics and the off-file are."""
    path = scratch(name)
    shutil.rmtree(path, ignore_errors=True)
    return path


def begin(spool, *settings, notify=None, config="/dev/null"):
    """Starts the agent; it samples when this returns."""
    options = {"spool": spool, "interval": "1s", "rate": "199", "budget": "0", "compress": "0",
               "metrics": spool + ".prom", "off-file": spool + ".off", "label.service": "shop"}
    options.update(setting.split("=", 1) for setting in settings)
    argv = [KFLAME, "agent", "-c", config]
    for key, value in options.items():
        argv += ["-o", "%s=%s" % (key, value)]
    environment = dict(os.environ)
    if notify:
        environment.update(notify)
    log = open(spool + ".log", "w+", encoding="utf-8")
    agent = start(argv, stderr=log, env=environment)
    wait_until(lambda: "the agent runs" in said(spool) or agent.poll() is not None, "the agent to start", 60)
    check(agent.poll() is None, "the agent ended:", said(spool))
    return agent


def said(spool):
    with open(spool + ".log", encoding="utf-8") as file:
        return file.read()


def cuts(spool):
    return sorted(path for path in glob.glob(spool + "/*") if NAME.match(os.path.basename(path)))


def metrics(spool):
    """The samples of the metrics, by name and labels."""
    with open(spool + ".prom", encoding="utf-8") as file:
        lines = file.read().split("\n")
    check(lines[-2] == "# EOF", "the metrics do not end as OpenMetrics do:", lines[-3:])
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if line and line[0] != "#"}


def end(agent, spool, how=signal.SIGTERM):
    agent.send_signal(how)
    status = agent.wait(timeout=120 * PATIENCE)
    check(status == 0, "exit status", status, said(spool))


def come_and_go(count):
    """Processes that come and go while the agent cuts."""
    for _ in range(count):
        run(["sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done"])


class Sum:
    """The accounting of all cuts, each of which must balance by itself; and what merge and fold make of them."""

    def __init__(self, paths):
        self.samples = self.counted = self.weight = self.active = self.tail = 0
        self.lost = collections.Counter()
        self.names = collections.Counter()
        for path in paths:
            profile = kfl.Profile(path)
            wrong = profile.imbalances()
            check(not wrong and profile.ended, path, wrong)
            for books in profile.cpus.values():
                self.samples += books.samples
                self.counted += books.counted
                self.weight += books.weight_ns
                self.active += books.active_ns
                self.tail += books.tail_ns
                for cause, lost in enumerate(books.lost):
                    self.lost[cause] += lost
        # its exit status is 1 if one of them is damaged
        kflame("merge", "-o", scratch("sum.kflame"), *paths)
        self.stacks = folded(scratch("sum.kflame"))
        self.drawn = sum(self.stacks.values())
        for stack, number in self.stacks.items():
            for frame in set(stack):
                self.names[frame] += number


@test("agent: cuts of a second, processes that come and go: the sum is what the module counted, to the sample")
def sum_of_cuts():
    load()
    spool = fresh("sum")
    agent = begin(spool)
    busy = start([workload("busy"), "600"], stdout=subprocess.PIPE)
    wait_until(lambda: len(cuts(spool)) >= 3, "three cuts")
    come_and_go(10)
    wait_until(lambda: len(cuts(spool)) >= 8, "eight cuts", 120)
    end(agent, spool)
    busy.kill()
    paths = cuts(spool)
    total = Sum(paths)
    seen = metrics(spool)
    note("%d cuts, %d samples, %d counted" % (len(paths), total.samples, total.counted))
    note("".join("%s %d; " % (name, number) for name, number in total.names.most_common(6)))
    # the module's own counters, read after STOP
    check(seen["kflame_agent_samples_total"] == total.samples, seen, total.samples)
    check(seen["kflame_agent_counted_samples_total"] == total.counted, seen, total.counted)
    check(seen["kflame_agent_differences_total"] == 0, "module and profiles disagree", seen)
    check(total.counted == total.drawn, "drawn", total.drawn, "counted", total.counted)
    check(total.counted > 200, "hardly any samples:", total.counted)
    check(total.names["busy"] > 0, "the busy program's function has no name:", total.names.most_common(40))
    check(info()["nr_running"] == 0, "a session is left")


@test("agent: each cut is a whole profile with its times, its id and the labels; no time is between two cuts")
def each_cut():
    load()
    spool = fresh("each")
    agent = begin(spool, "label.zone=eu-1", "host=web-7")
    wait_until(lambda: len(cuts(spool)) >= 3, "three cuts")
    end(agent, spool)
    last = None
    for path in cuts(spool):
        with open(path, "rb") as file:
            data = file.read()
        name = NAME.match(os.path.basename(path))
        check(name and name.group(2) == "web-7", path)
        host = dict(text.decode().split("=", 1) for text in re.findall(rb"[\w.-]+=[^\0]*", data[-2000:])
                    if text.split(b"=")[0] in (b"host", b"cut", b"cut-start", b"cut-end", b"label.service", b"label.zone"))
        check(host["cut"] == os.path.basename(path)[:-len(".kflame")], host)
        check((host["host"], host["label.service"], host["label.zone"]) == ("web-7", "shop", "eu-1"), host)
        begin_ns, end_ns = int(host["cut-start"]), int(host["cut-end"])
        check(begin_ns < end_ns, host)
        check(last is None or last == begin_ns, "a gap between two cuts:", last, begin_ns)
        last = end_ns
    check(not glob.glob(spool + "/.part-*"), "unfinished files are left")


@test("agent: the spool is compressed and bounded, the oldest profiles make room, and views read what is there")
def bounded():
    load()
    spool = fresh("bounded")
    agent = begin(spool, "compress=3", "spool-bytes=64K", "spool-age=1d")
    busy = start([workload("busy"), "600"], stdout=subprocess.PIPE)
    wait_until(lambda: metrics(spool)["kflame_agent_spool_dropped_files_total"] >= 2, "profiles to make room", 240)
    end(agent, spool)
    busy.kill()
    size = sum(os.path.getsize(path) for path in cuts(spool))
    seen = metrics(spool)
    check(size <= 64 << 10 and size == seen["kflame_agent_spool_bytes"], size, seen)
    newest = cuts(spool)[-1]
    check(newest.endswith(".kflame.zst"), newest)
    check(kflame("info", "-i", newest).stdout, "nothing")
    check(sum(folded(newest).values()) == sum(int(line.split("=")[1]) for line in kflame("info", "--raw", "-i", newest)
          .stdout.split("\n") if line.startswith("counted=")), newest)


@test("agent: the off-file stops sampling and its removal starts it; SIGHUP brings other labels; the watchdog is fed")
def switched():
    load()
    spool = fresh("switched")
    socket_path = scratch("notify")
    if os.path.exists(socket_path):
        os.unlink(socket_path)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(socket_path)
    states = queue.Queue()

    # A manager reads all the time: a full socket takes no more
    def read():
        while state := manager.recv(4096).decode():
            states.put(state)

    threading.Thread(target=read, daemon=True).start()
    config = scratch("agent.conf")

    def label(value):
        with open(config, "w", encoding="ascii") as file:
            file.write("label.zone = %s\n" % value)

    def tell(wanted):
        while True:
            if states.get(timeout=60 * PATIENCE) == wanted:
                return

    label("red")
    agent = begin(spool, notify={"NOTIFY_SOCKET": socket_path, "WATCHDOG_USEC": "400000"}, config=config)
    tell("READY=1")
    tell("WATCHDOG=1")
    tell("WATCHDOG=1")
    with open(spool + ".off", "w", encoding="ascii"):
        pass
    wait_until(lambda: info()["nr_running"] == 0, "sampling to stop")
    wait_until(lambda: metrics(spool)["kflame_agent_off"] == 1, "the metrics to say so")
    label("blue")
    agent.send_signal(signal.SIGHUP)
    tell("RELOADING=1")
    tell("READY=1")
    check(info()["nr_running"] == 0, "it samples in spite of the off-file")
    before = len(cuts(spool))
    os.unlink(spool + ".off")
    wait_until(lambda: len(cuts(spool)) > before + 1, "profiles again")
    end(agent, spool)
    tell("STOPPING=1")
    with open(cuts(spool)[0], "rb") as file:
        check(b"label.zone=red\0" in file.read(), "the first label")
    with open(cuts(spool)[-1], "rb") as file:
        check(b"label.zone=blue\0" in file.read(), "the second label")
    Sum(cuts(spool))
    check(metrics(spool)["kflame_agent_sessions_total"] >= 2, metrics(spool))


@test("agent: a long run of cuts with processes that come and go: its memory stays within 5 percent")
def memory():
    load()
    spool = fresh("memory")
    agent = begin(spool, "compress=3", "processes-memory=128K", "names-memory=256K", "spool-bytes=1M")

    def resident():
        with open("/proc/%d/smaps_rollup" % agent.pid, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Rss:"))

    # processes of the shell: each has an address space of its own
    churn = start(["sh", "-c", "while :; do /bin/true; /bin/ls >/dev/null; done"])
    count, sizes = lasting(60), []
    for number in range(1, count + 1):
        wait_until(lambda: metrics(spool)["kflame_agent_profiles_total"] >= number, "profile %d" % number, 120)
        sizes.append(resident())
    seen = metrics(spool)
    churn.kill()
    end(agent, spool)
    third = max(1, count // 3)
    early, late = max(sizes[third:2 * third]), max(sizes[-third:])
    note("RSS %d kB after %d profiles, %d kB after %d; %d processes forgotten, %d bytes of processes, %d bytes of names"
         % (early, 2 * third, late, count, seen["kflame_agent_processes_forgotten_total"],
            seen["kflame_agent_processes_bytes"], seen["kflame_agent_names_bytes"]))
    check(late <= early * 1.05, "it grows:", sizes)
    check(seen["kflame_agent_processes_forgotten_total"] > 0, "no process was forgotten: the test shows nothing", seen)
    check(seen["kflame_agent_processes_bytes"] <= 128 << 10, seen)
