#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
guest.py - the part of the benchmark of complete stacks that runs in the guest; see run

usage: guest.py DIRECTORY RATE LOAD...

Records each load with each profiler, into DIRECTORY.  kflame records a load twice by unwind
tables: "auto" is the first time, "auto again" the second.  Prints "took LOAD WAY STATUS".
"""

import os
import pwd
import shutil
import subprocess
import sys

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]
KFLAME = os.path.join(ROOT, "build/user/kflame")

C_FILE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int function_%(n)d(const char *text) { return (int)strtol(text, NULL, 10) + %(n)d; }
int print_%(n)d(FILE *to) { return fprintf(to, "%%d\\n", function_%(n)d("1")); }
"""
PYTHON = """
import json, re
data = [{"id": i, "name": "n%d" % i, "tags": ["a", "b"] * 5} for i in range(4000)]
for _ in range(6):
    text = json.dumps(data)
    assert len(json.loads(text)) == 4000
    assert len(re.findall("n[0-9]+", text)) >= 4000
"""
PERL = """
my %h;
for my $i (1 .. 250000) { my $k = "key" . ($i % 5000); $h{$k} .= chr(65 + $i % 26) if length($h{$k} // "") < 50; }
my @s = sort { $h{$a} cmp $h{$b} } keys %h;
print scalar(grep { /A.*B/ } values %h), "\\n";
"""
SHELL = "i=0; while [ $i -lt 300 ]; do seq 3 >/dev/null; i=$((i+1)); done"
GIT = """
export GIT_CONFIG_GLOBAL=/dev/null HOME=/tmp
git init -q repository && cd repository && git config user.email a@b.c && git config user.name n
for i in 1 2 3 4 5 6; do
    for j in $(seq 30); do seq $i $((i * 100 + j)) > file$j; done
    git add . && git commit -q -m "change $i"
done
git log -p --stat >/dev/null && git gc -q && git fsck --no-progress
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def prepare_make(where):
    for number in range(24):
        write("%s/f%d.c" % (where, number), C_FILE % {"n": number})
    objects = " ".join("f%d.o" % number for number in range(24))
    write(where + "/Makefile", "all: lib.a\nCFLAGS = -O2\nlib.a: %s\n\tar rcs $@ $^\n" % objects)
    return ["make", "-s", "-j2", "-C", where]


def prepare_gcc(where):
    lines = ["int f%d(int x) { for (int i = 0; i < x; i++) x ^= i * %d; return x; }" % (n, n)
             for n in range(600)]
    write(where + "/big.c", "\n".join(lines) + "\n")
    return ["gcc", "-O2", "-c", "-o", where + "/big.o", where + "/big.c"]


def prepare_cargo(where):
    write(where + "/Cargo.toml", '[package]\nname = "load"\nversion = "0.1.0"\nedition = "2021"\n')
    functions = "\n".join(
        "pub fn f%d(v: &[u64]) -> Vec<u64> { v.iter().map(|x| x.wrapping_mul(%d)).collect() }"
        % (n, n) for n in range(60))
    write(where + "/src/main.rs",
          functions + "\nfn main() { println!(\"{:?}\", f1(&[1, 2, 3])); }\n")
    return ["cargo", "build", "-q", "--offline", "--manifest-path", where + "/Cargo.toml"]


LOADS = {
    "make": prepare_make,
    "gcc": prepare_gcc,
    "cargo": prepare_cargo,
    "dash": lambda where: ["dash", "-c", SHELL],
    "git": lambda where: ["sh", "-c", "cd '%s' && %s" % (where, GIT)],
    "node": lambda where: ["node", ROOT + "/tests/workload/builtins.js", "2"],
    "python": lambda where: ["python3", "-c", PYTHON],
    "perl": lambda where: ["perl", "-e", PERL],
}


def kflame(way):
    return lambda out, rate, load: [KFLAME, "record", "-F", rate, "--budget", "0", "-g", way,
                                    "-o", out, "--", *load]


def perf(way):
    return lambda out, rate, load: ["perf", "record", "-q", "-F", rate, "--call-graph", way,
                                    "-m", "1024", "-e", "cpu-clock", "-o", out, "--", *load]


WAYS = {
    "kflame fp": kflame("fp"),
    "kflame auto": kflame("auto"),
    "kflame auto again": kflame("auto"),
    "kflame dwarf": kflame("dwarf"),
    "perf fp": perf("fp"),
    "perf dwarf": perf("dwarf"),
}


def main():
    out, rate, loads = sys.argv[1], sys.argv[2], sys.argv[3:] or list(LOADS)
    # rustup's programs are in the home directory, and a guest has no login
    home = os.environ["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    os.environ["PATH"] += ":" + home + "/.cargo/bin"
    with open("/proc/sys/kernel/perf_cpu_time_max_percent", "w", encoding="ascii") as file:
        file.write("0")
    subprocess.run(["insmod", ROOT + "/kmod/kflame.ko"], check=True)
    for load in loads:
        for way, argv in WAYS.items():
            where = "/tmp/load"
            shutil.rmtree(where, ignore_errors=True)
            os.makedirs(where)
            profile = "%s/%s.%s" % (out, load, way.replace(" ", "-"))
            program = LOADS[load](where)
            if not shutil.which(program[0]):
                print("took %s %s: SKIPPED, %s is not installed" % (load, way, program[0]))
                continue
            command = argv(profile, rate, program)
            with open(profile + ".log", "w", encoding="ascii") as log:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log,
                                      stderr=subprocess.STDOUT, check=False)
            print("took %s %s %d" % (load, way, done.returncode), flush=True)
    subprocess.run(["rmmod", "kflame"], check=True)


if __name__ == "__main__":
    main()
