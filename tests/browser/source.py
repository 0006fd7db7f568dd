#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
source.py - compiles a program from hostile sources, and writes a profile of it, in order of time

usage: source.py DIRECTORY PROFILE

The program's files are in DIRECTORY. Samples are at addresses in its functions, also within instructions. A debug
line each says that the source is a pipe, a device, a file of /proc, or not text.
"""

import os
import struct
import subprocess
import sys

from timeline import START, STEP, Writer

BUILD_ID = bytes(range(20))
AT = 0x400000
KERNEL = 0xFFFFFFFF81000000

OUTER = rb"""int sink;
static inline __attribute__((always_inline)) void inner(int n)
{
	sink += n;	/* </script><script>document.body.dataset.hacked = 1</script><img src=x onerror=alert(1)> */
}
__attribute__((noinline)) void outer(int n)
{
	sink *= 3;	/* bytes that are no UTF-8: """ + b"\xff\xc0\x80 \xe2\x80\xae reversed \x1b[31m" + rb""" */
	inner(n);	/* a long line: """ + b"x" * 100_000 + rb""" */
}
"""

# The lines of each function come from another file
STRANGE = ["/dev/zero", "%s/pipe", "/proc/self/environ", "%s/binary.c", "%s/link.c", "../relative.c", "%s/newer.c",
           '%s/"><img src=x onerror=alert(1)>.c']


def compile_all(folder):
    with open(folder + "/outer.c", "wb") as f:
        f.write(OUTER)
    os.mkfifo(folder + "/pipe")
    os.symlink("/proc/self/environ", folder + "/link.c")
    with open(folder + "/binary.c", "wb") as f:
        f.write(b"\0\1\2binary\n" * 100)
    with open(folder + "/main.c", "w", encoding="utf-8") as f:
        f.write("extern int sink;\nvoid outer(int n);\n")
        for i, path in enumerate(STRANGE):
            name = path.replace("%s", folder).replace('"', '\\"')
            f.write('#line 1 "%s"\n__attribute__((noinline)) void strange%d(int n)\n{\n\tsink -= n * 7;\n}\n' % (name, i))
        f.write('#line 100 "main.c"\nint main(int n)\n{\n\touter(n);\n')
        f.writelines("\tstrange%d(n);\n" % i for i in range(len(STRANGE)))
        f.write("\treturn sink;\n}\n")
    subprocess.run(["gcc", "-g", "-O1", "-o", folder + "/prog", folder + "/main.c", folder + "/outer.c",
                    "-Wl,--build-id=0x" + BUILD_ID.hex()], check=True)
    with open(folder + "/newer.c", "w", encoding="utf-8") as f:
        f.write("one\ntwo\nthree\nfour\n")
    os.utime(folder + "/newer.c", (2 ** 31, 2 ** 31))


def offsets(program):
    """Functions of a program: name to file offset and size"""
    with open(program, "rb") as f:
        data = f.read()
    table, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    loads = [h for h in (struct.unpack_from("<2I6Q", data, table + i * size) for i in range(count)) if h[0] == 1]
    found = {}
    for line in subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            address = int(words[0], 16)
            [(offset, start)] = [(h[2], h[3]) for h in loads if h[3] <= address < h[3] + h[5]]
            found[words[3]] = (address - start + offset, int(words[1], 16))
    return found


def late(number):
    """Time of each sample of a stack that came late: the function has no self time then"""
    return STEP // 4 if number % 7 == 3 else 0


class Samples(Writer):
    """One thread, or two, whose samples come each STEP"""

    def file(self, number, path):
        st = os.stat(path)
        self.record(4, struct.pack("<4Q4I", number, st.st_ino, st.st_size, st.st_mtime_ns, os.major(st.st_dev),
                                   os.minor(st.st_dev), 0, len(BUILD_ID)) +
                    BUILD_ID + struct.pack("<I", len(path)) + path.encode() + b"\0")

    def user(self, number, addresses):
        self.record(5, struct.pack("<Q4I", number, 2, 0, 0xFFFFFFFF, len(addresses)) +
                    struct.pack("<%dQ" % len(addresses), *addresses))

    def seen(self, number, kernel, user, tid, times):
        self.record(6, struct.pack("<6Q4I16sQ", 1, kernel, user, len(times), len(times) * STEP, len(times) * late(number),
                                   0, 0, 101, tid, b"thread%d" % tid, 1 << 32 | number))

    def timed(self, samples):
        self.record(7, struct.pack("<Q2I", 1 << 32, 0, len(samples)) +
                    b"".join(struct.pack("<3Q2I", at, STEP, late(number), number, 0) for at, number in samples))


def main():
    folder, profile = os.path.realpath(sys.argv[1]), sys.argv[2]
    compile_all(folder)
    functions = offsets(folder + "/prog")
    w = Samples()
    w.record(1, struct.pack("<2I6Q6I72s16s32s", 1, 1, 1 << 10, STEP, STEP, 1, START, 17 * 10 ** 17,
                            2048, 127, 127, 50, 2, 4096, b"6.1", b"x86_64", b"1"))
    w.record(2, struct.pack("<2Q4IQ2I16s", 1, 1, 101, 101, 1, 0, 0, 0, os.getuid() + 1, b"prog"))
    w.file(1, folder + "/prog")
    w.record(3, struct.pack("<5Q2I", 1, AT, AT + 0x10000, 0, 1, 0, 0))
    caller = AT + functions["main"][0] + 5
    stacks = []
    for name in ["outer", "main"] + ["strange%d" % i for i in range(len(STRANGE))]:
        offset, size = functions[name]
        stacks += [(0, [AT + offset + i] + ([] if name == "main" else [caller])) for i in range(0, size, 1 if name == "outer" else 4)]
    w.record(5, struct.pack("<Q4IQ", 1, 1, 0, 0xFFFFFFFF, 1, KERNEL + 4))
    stacks.append((1, [caller]))
    ids, at, order = [], START, []
    for i, (kernel, user) in enumerate(stacks):
        w.user(2 + i, user)
        ids.append((1 if kernel else 0, 2 + i))
    for turn in range(3):
        for i in range(turn, len(ids)):
            order += [(at + k * STEP, i) for k in range(1 + i % 5)]
            at = order[-1][0] + STEP
    for i, (kernel, user) in enumerate(ids):
        # Stacks in turn have two threads
        w.seen(1 + i, kernel, user, 10 + i % 2, [t for t, n in order if n == i])
    w.timed([(t, 1 + i) for t, i in order])
    name = b"do_work"
    w.record(11, struct.pack("<2Q2I", KERNEL, KERNEL + 0x100, len(name), 0) + name + b"\0")
    w.record(0x1FF, struct.pack("<Q", w.records))
    with open(profile, "wb") as f:
        f.write(w.data)


if __name__ == "__main__":
    main()
