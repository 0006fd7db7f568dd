# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tool's objects are linked with, here and in what tests and measures them.
# protobuf-c is 40 KB, and few machines have it: it comes with the tool.
libs	:= -ldw -lelf -lz -llzma -liberty -ljson-c -lncursesw -ltinfo -lseccomp -l:libprotobuf-c.a -lm -pthread
