#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
is_drawn.py - shows a PNG picture something, or is it of one colour?

usage: is_drawn.py PICTURE	exit status 0: it shows something; else it says why not

The bytes of a picture of one colour are those of a pixel (4), types of filters (5), and zero.
"""

import struct
import sys
import zlib


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("it is no PNG picture")
    at, pixels = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IDAT":
            pixels += data[at + 8 : at + 8 + size]
        at += size + 12
    if len(set(zlib.decompress(pixels))) <= 10:
        sys.exit("it is blank")


if __name__ == "__main__":
    main()
