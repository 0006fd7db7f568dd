# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tool's objects are linked with, here and in what tests and measures them.
libs	:= -ldw -lelf -lz -llzma -liberty -ljson-c -lncursesw -ltinfo -lseccomp -lm -pthread
