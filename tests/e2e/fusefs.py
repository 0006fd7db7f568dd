# SPDX-License-Identifier: GPL-2.0-or-later
"""
A FUSE file system of one executable file, whose server can stop answering.

usage: fusefs.py MOUNTPOINT FILE

Serves FILE as MOUNTPOINT/program. Prints "ready" once it is mounted; answers until a
line comes on standard input, says "silent", and answers nothing any more. The protocol
is that of include/uapi/linux/fuse.h.
"""

import ctypes
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT = 1, 2, 3, 14, 15, 18, 25, 26
ENOSYS, ENOENT = 38, 2
FOR_EVER = 1 << 30


def attributes(inode, size, mode):
    return struct.pack("<6Q3I7I", inode, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0,
                       mode, 1, 0, 0, 0, 4096, 0)


class Server:
    def __init__(self, mountpoint, path):
        with open(path, "rb") as file:
            self.content = file.read()
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other" % self.fd
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"kflame", mountpoint.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "mount", mountpoint)

    def attr(self, inode):
        if inode == 1:
            return attributes(1, 4096, stat.S_IFDIR | 0o755)
        return attributes(2, len(self.content), stat.S_IFREG | 0o755)

    def answer(self, opcode, inode, body):
        """(negative errno, reply), or None where no reply is wanted."""
        if opcode == INIT:
            return 0, struct.pack("<4I2H3I", 7, 31, 1 << 17, 0, 12, 9, 1 << 17, 1, 0) + bytes(28)
        if opcode == LOOKUP:
            if body.rstrip(b"\0") != b"program":
                return -ENOENT, b""
            return 0, struct.pack("<4Q2I", 2, 0, FOR_EVER, FOR_EVER, 0, 0) + self.attr(2)
        if opcode == GETATTR:
            return 0, struct.pack("<Q2I", FOR_EVER, 0, 0) + self.attr(inode)
        if opcode == OPEN:
            return 0, struct.pack("<Q2I", 1, 2, 0)  # keep what is in the page cache
        if opcode == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return 0, self.content[offset : offset + size]
        if opcode in (RELEASE, FLUSH):
            return 0, b""
        if opcode == FORGET:
            return None
        return -ENOSYS, b""

    def serve_one(self):
        raw = os.read(self.fd, 1 << 18)
        _, opcode, unique, inode = struct.unpack_from("<2I2Q", raw)
        reply = self.answer(opcode, inode, raw[40:])
        if reply is not None:
            os.write(self.fd, struct.pack("<IiQ", 16 + len(reply[1]), reply[0], unique) + reply[1])


def main():
    server = Server(*sys.argv[1:])
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([server.fd, 0], [], [])
        if 0 in ready:
            sys.stdin.readline()
            print("silent", flush=True)
            sys.stdin.readline()  # the end of it
            return
        server.serve_one()


if __name__ == "__main__":
    main()
