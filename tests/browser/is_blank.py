#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
is_blank.py - is a PNG picture of one colour?

usage: is_blank.py PICTURE	exit status 0: it is; 1: it is not; 2: it cannot be read

Rows that are alike are bytes of a filter's type, and then zeros or pixels that repeat: of one
colour, not more than the 4 bytes of a pixel, the filters' types and zero.
"""

import struct
import sys
import zlib


def main():
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
    except OSError as why:
        print(why)
        return 2
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        print("it is no PNG picture")
        return 2
    at, pixels = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IDAT":
            pixels += data[at + 8 : at + 8 + size]
        at += size + 12
    return 0 if len(set(zlib.decompress(pixels))) <= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
