# SPDX-License-Identifier: GPL-2.0-or-later
"""Attacks by unprivileged users on the tool that root runs."""

import os
import shutil
import subprocess

from harness import (Skipped, become_nobody, check, folded, load, record, run, start, test, wait_until,
                     workload, KFLAME)

NOBODY = 65534
ELSEWHERE = "/var/tmp/kflame-elsewhere"  # see tests/workload/elsewhere.c
SECRET = "nobody may read this line"


def write(path, text, mode, owner=0):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chown(path, owner, owner)
    os.chmod(path, mode)


def program_of(owner):
    path = "/var/tmp/elsewhere"
    shutil.copy(workload("elsewhere"), path)
    os.chown(path, owner, owner)
    os.chmod(path, 0o755)
    return path


def annotated(profile):
    return run([KFLAME, "report", "-i", profile, "--annotate", "elsewhere"]).stdout


def shown(profile, mode, owner):
    write(ELSEWHERE, (SECRET + "\n") * 40, mode, owner)
    return SECRET in annotated(profile)


@test("report --annotate by root shows no source file that the program's owner cannot read")
def sources():
    load()
    for owner in (NOBODY, 0):
        profile = record("elsewhere-%d" % owner, "-a", command=(program_of(owner), "1"))
        check(not shown(profile, 0o600, 0), "a file of root's alone is shown")
        check(shown(profile, 0o644, 0), "what everybody may read is not shown")
    profile = record("elsewhere", "-a", command=(program_of(NOBODY), "1"))
    check(shown(profile, 0o600, NOBODY), "the owner's own file is not shown")
    check(not shown(profile, 0o600, 1234), "another user's file is shown")
    os.unlink(ELSEWHERE)
    for link in ("/proc/self/environ", "/sys/kernel/notes"):
        os.symlink(link, ELSEWHERE)
        check("not here" in annotated(profile), link, "is shown")
        os.unlink(ELSEWHERE)


# Mounts a file that belongs to root over the process's own perf map
BIND = """touch /tmp/perf-$$.map && mount --bind /var/tmp/kflame-secret.map /tmp/perf-$$.map || exit 9
exec %s 5 quiet"""


@test("a perf map that is a bind mount of a secret file is not read")
def bound():
    load()
    map_of_root = "/var/tmp/kflame-secret.map"
    write(map_of_root, "0 7fffffffffff name_in_a_file_of_roots\n", 0o600)
    program = "/var/tmp/kflame-jit"
    shutil.copy(workload("jit"), program)
    argv = ("unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", BIND % program)
    for readable in (False, True):
        os.chmod(map_of_root, 0o644 if readable else 0o600)
        process = start(argv, preexec_fn=become_nobody, stderr=subprocess.PIPE)
        wait_until(lambda: process.poll() is not None or
                   os.readlink("/proc/%d/exe" % process.pid) == program, "it runs", 60)
        if process.poll() is not None:
            raise Skipped("no user namespace: %s" % process.stderr.read().strip())
        os.utime(map_of_root)  # one that is older than the process would be another process's
        path = record("bound-%d" % readable, "-p", process.pid, "-d", 2)
        process.kill()
        process.wait()
        named = any("name_in_a_file_of_roots" in frames for frames in folded(path))
        check(named == readable, "a file with mode", oct(os.stat(map_of_root).st_mode),
              "gave names" if named else "gave none")


@test("code that took over a parser cannot read, send, fork, trace, or outlive its parent")
def taken_over():
    done = run([workload("escape")], status=None)
    check(done.returncode == 0, done.returncode, done.stdout, done.stderr)
