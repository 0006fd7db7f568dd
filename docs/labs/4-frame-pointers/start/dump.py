#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
dump.py - what a profiler has of a program that it stops at an instruction, by gdb

usage: dump.py PROGRAM WHERE	(WHERE: an address as gdb has it, such as leaf or leaf+4)

Writes registers, functions (begin, size, name), the code of all functions, and the stack. The first line says which
callers gdb finds, by .eh_frame.
"""

import re
import subprocess
import sys

program, where = sys.argv[1:]
said = subprocess.run(
    ["gdb", "-nx", "-batch", "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on",
     "-ex", "set width 0", "-ex", "break *(%s)" % where, "-ex", "run", "-ex", r'printf "rip %#lx\n", $rip',
     "-ex", r'printf "rsp %#lx\n", $rsp', "-ex", r'printf "rbp %#lx\n", $rbp', "-ex", "bt", "-ex", "x/24gx $rsp", program],
    check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
callers = re.findall(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(\w+)", said, re.MULTILINE)
if not callers:
    sys.exit("dump.py: gdb did not stop %s at %s" % (program, where))
print("# %s at %s. gdb: %s" % (program.split("/")[-1], where, " < ".join(callers)))
print("\n".join(re.findall(r"^r[isb]p 0x[0-9a-f]+$", said, re.MULTILINE)))
symbols = subprocess.run(["nm", "-S", "--defined-only", program], check=True, text=True, stdout=subprocess.PIPE).stdout
functions = sorted((int(begin, 16), int(size, 16), name) for begin, size, name in re.findall(
    r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\w+)$", symbols, re.MULTILINE))
for function in functions:
    print("function %#x %d %s" % function)
sections = subprocess.run(["readelf", "-SW", program], check=True, text=True, stdout=subprocess.PIPE).stdout
address, offset, size = (int(word, 16) for word in re.search(
    r"\.text\s+PROGBITS\s+(\w+)\s+(\w+)\s+(\w+)", sections).groups())
with open(program, "rb") as file:
    file.seek(offset)
    print("code %#x %s" % (address, file.read(size).hex()))
for at, words in re.findall(r"^(0x[0-9a-f]+)[^:\n]*:\s+(.*)$", said, re.MULTILINE):
    for i, word in enumerate(words.split()):
        print("word %#x %s" % (int(at, 16) + 8 * i, word))
