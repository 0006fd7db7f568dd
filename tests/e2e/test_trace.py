# SPDX-License-Identifier: GPL-2.0-or-later
"""
kflame trace: calls of kernel functions by the kernel's own tracer, whose settings are restored in any case.
"""

import collections
import os
import re
import select
import signal
import subprocess
import sys

from harness import KFLAME, Skipped, check, in_order, note, run, scratch, start, test, wait_until

TRACING = "/sys/kernel/tracing"
SETTINGS = ("current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace "
            "set_ftrace_pid set_ftrace_notrace_pid max_graph_depth trace_clock trace_options buffer_size_kb").split()
# Waits for a line, then calls uname(2) so many times
UNAMES = "import os, sys; sys.stdin.readline(); [os.uname() for _ in range(%d)]"
HOSTILE = b"\n => evil\nx\x1b[2J"
COUNT = 100


def path(name):
    return os.path.join(TRACING, name)


def read(name):
    with open(path(name), encoding="utf-8", errors="replace") as file:
        return file.read()


def write(name, text):
    with open(path(name), "w", encoding="ascii") as file:
        file.write(text)


def needs(tracer):
    if not os.path.exists(path("trace")):
        run(["mount", "-t", "tracefs", "none", TRACING], status=None)
    if not os.path.exists(path("available_tracers")):
        raise Skipped("this kernel has no tracefs")
    if tracer not in read("available_tracers").split():
        raise Skipped("this kernel has no tracer " + tracer)


def settings():
    """All files that kflame trace may change, and the names of all instances."""
    values = {name: read(name) for name in SETTINGS if os.path.exists(path(name))}
    # Once a tracer has run, the kernel has its whole buffer
    values["buffer_size_kb"] = re.sub(r".*expanded: (\d+)\)", r"\1", values["buffer_size_kb"])
    for option in os.listdir(path("options")):
        values["options/" + option] = read("options/" + option)
    values["instances"] = sorted(os.listdir(path("instances")))
    return values


def differences(a, b):
    return {name: (a[name], b[name]) for name in a if a[name] != b[name]}


def same_settings(before):
    after = settings()
    check(before == after, "settings that differ:", differences(before, after))


def function_that_ends_with(end):
    for name in read("available_filter_functions").split():
        if name.endswith(end):
            return name
    raise Skipped("this kernel cannot trace " + end)


def uname_function():
    return function_that_ends_with("_sys_newuname")


def trace(*argv, **options):
    return run([KFLAME, "trace", *argv], **options)


def trees(text):
    """Trees of the tool's output: pairs of depth and function."""
    result = []
    for block in text.split("\n\n"):
        calls = re.findall(r"^ *\d+ +[\d.]+ us  ( *)(\S+)$", block, re.MULTILINE)
        if calls:
            result.append(tuple((len(blanks) // 2, name) for blanks, name in calls))
    return result


def direct_trees(text, function):
    """The same from the kernel's text."""
    result, tree = [], None
    for line in text.split("\n"):
        found = re.search(r"\|( +)([^ ]+)\(\)(;| \{)$", line)
        if not found:
            continue
        name = found[2]
        if name == function:
            base, tree = len(found[1]), []
            result.append(tree)
        if tree is not None:
            tree.append(((len(found[1]) - base) // 2, name))
    return [tuple(tree) for tree in result]


def most_common(all_trees):
    (tree, number), = collections.Counter(all_trees).most_common(1)
    note("%d of %d trees are alike, with %d calls" % (number, len(all_trees), len(tree)))
    return tree


def traced_directly(function):
    """What the tracer shows for a process that calls uname(2)."""
    child = start([sys.executable, "-c", UNAMES % COUNT], stdin=subprocess.PIPE)
    write("set_ftrace_pid", str(child.pid))
    write("set_graph_function", function)
    write("current_tracer", "function_graph")
    try:
        child.communicate("\n", timeout=120)
        return direct_trees(read("trace"), function)
    finally:
        write("current_tracer", "nop")
        write("set_graph_function", "")
        write("set_ftrace_pid", "")


@test("trace -g: the tree of a function is what the kernel's tracer shows when it is read directly")
def graph():
    needs("function_graph")
    function = uname_function()
    want = most_common(traced_directly(function))
    before = settings()
    done = trace("-g", function, "--", sys.executable, "-c", UNAMES % COUNT)
    same_settings(before)
    found = [tree for tree in trees(done.stdout) if tree[0] == (0, function)]
    check(len(found) == COUNT, "%d trees" % len(found), done.stdout[:2000], done.stderr)
    check(most_common(found) == want, most_common(found), want)
    check("traced %d calls" % COUNT in done.stderr, done.stderr)


def chosen_settings(function):
    """Settings as a user may have left them."""
    write("trace_clock", "local")
    write("set_ftrace_filter", "vfs_read\nvfs_write\n")
    write("set_graph_function", "vfs_open\n")
    write("set_graph_notrace", function + "\n")
    write("set_ftrace_pid", "1\n")
    write("max_graph_depth", "3")
    write("options/funcgraph-proc", "1")
    write("options/sym-offset", "1")
    write("tracing_on", "0")


def default_settings():
    for name in "set_ftrace_filter", "set_graph_function", "set_graph_notrace", "set_ftrace_pid":
        write(name, "")
    write("max_graph_depth", "0")
    write("options/funcgraph-proc", "0")
    write("options/sym-offset", "0")
    write("tracing_on", "1")


def wait_for_output(child):
    ready, _, _ = select.select([child.stdout], [], [], 120)
    check(ready, "nothing was traced")
    check(os.read(child.stdout.fileno(), 4096), "the tool has ended: %s" % child.poll())


def killed(how, *argv):
    """Kill the tool while it traces: all settings come back, and its output ends."""
    before = settings()
    child = start([KFLAME, "trace", *argv], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    load = start(["/bin/sh", "-c", "while :; do /bin/cat /proc/version; sleep 0.1; done"], stdout=subprocess.DEVNULL)
    wait_for_output(child)
    load.kill()
    load.wait()
    changed = differences(before, settings())
    check("instances" in changed or "current_tracer" in changed, changed)
    os.killpg(child.pid, how)
    child.stdout.read()  # until its end: nobody else keeps it open
    child.wait()
    wait_until(lambda: settings() == before, "the settings are as before")


@test("trace: after a SIGKILL of its process group, all settings of the tracer are as before, and no instance is left")
def sigkill():
    needs("function_graph")
    function = uname_function()
    chosen_settings(function)
    try:
        killed(signal.SIGKILL, "-g", "vfs_read", "-n", function, "--depth", "1")
        killed(signal.SIGKILL, "--stack", "vfs_read")
        killed(signal.SIGINT, "-g", "vfs_*", "--depth", "1")
    finally:
        default_settings()


@test("trace: refused where somebody else traces, and for a function that is missing; nothing is changed")
def refused():
    needs("function_graph")
    before = settings()
    done = trace("-g", "vfs_raed", status=1)
    check("vfs_read" in done.stderr, done.stderr)
    done = trace("--stack", "no_such_function_*", status=1)
    check("no function" in done.stderr, done.stderr)
    done = trace("-g", "vfs_read", "--depth", "1", "--", "/no/such/program", status=127)
    same_settings(before)
    write("set_ftrace_filter", "vfs_read")
    write("current_tracer", "function")
    try:
        other = start(["/bin/cat", path("trace_pipe")], stdout=subprocess.DEVNULL)
        wait_until(lambda: any(os.readlink(fd).endswith("trace_pipe") for fd in open_files(other.pid)), "it reads")
        before = settings()
        done = trace("-g", "vfs_read", "-d", "1", status=1)
        check("somebody else" in done.stderr and "cat (process %d)" % other.pid in done.stderr, done.stderr)
        same_settings(before)
        # The kernel does not change the tracer while its trace is read
        other.kill()
        other.wait()
    finally:
        write("current_tracer", "nop")
        write("set_ftrace_filter", "")


def open_files(pid):
    folder = "/proc/%d/fd" % pid
    return [os.path.join(folder, fd) for fd in os.listdir(folder)]


@test("trace --stack: each call with its callers, and a hostile task name adds no frame and no control character")
def stacks():
    needs("function")
    before = settings()
    code = "import os; open('/proc/self/comm', 'wb').write(%r); fd = os.open('/proc/version', 0); %s" \
        % (HOSTILE, "[os.pread(fd, 10, 0) for _ in range(%d)]" % COUNT)
    done = trace("--stack", "vfs_read", "-n", "vfs_write", "--", sys.executable, "-c", code)
    same_settings(before)
    hits = [block.split("\n") for block in done.stdout.strip().split("\n\n")]
    check(len(hits) >= COUNT, "%d hits" % len(hits), done.stderr)
    for hit in hits:
        frames = [line.strip() for line in hit[1:]]
        check(frames[0] == "vfs_read" and in_order(frames, ("vfs_read", "do_syscall_64")), hit)
        check("evil" not in frames, hit)
    check("\x1b" not in done.stdout and "have no stack" not in done.stderr, done.stderr)


@test("trace: the command's exit status and children, a chart, and a reader that ends early")
def command():
    needs("function_graph")
    before = settings()
    svg = scratch("trace.svg")
    function = uname_function()
    # The shell's child calls it, too
    done = trace("-g", function, "--depth", "1", "-o", svg, "--", "/bin/sh", "-c", "/bin/uname; /bin/uname; exit 7", status=7)
    check(len([tree for tree in trees(done.stdout) if tree[0] == (0, function)]) >= 2, done.stdout, done.stderr)
    with open(svg, encoding="utf-8") as file:
        picture = file.read()
    check(function in picture and ", task " in picture, picture[:500])
    load = "while :; do /bin/cat /proc/version; done >/dev/null & "
    done = run(["/bin/sh", "-c", load + "%s trace --depth 1 -g vfs_read | head -n 1; kill $!" % KFLAME])
    check("standard output" not in done.stderr, done.stderr)
    check(re.match(r".* \(\d+\), at ", done.stdout), done.stdout)
    same_settings(before)
