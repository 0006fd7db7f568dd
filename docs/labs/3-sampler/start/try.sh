#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# try.sh - load the module, sample a program for two seconds, print what was counted; runs in the guest
#
# usage: try.sh DIR
cd "$1" || exit 1
insmod sampler.ko || exit 1
timeout 2 programs/nest
echo 0 >/sys/module/sampler/parameters/run
cat /proc/sampler
rmmod sampler
echo "the kernel lives"
