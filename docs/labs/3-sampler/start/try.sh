#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# try.sh - load the module, sample a program, print what was counted of it; runs in the guest
#
# usage: try.sh DIR
cd "$1" || exit 1
insmod sampler.ko || exit 1
(ulimit -t 2; exec programs/nest) 2>/dev/null & # two seconds of CPU time
wait $! 2>/dev/null
echo 0 >/sys/module/sampler/parameters/run
echo "programs/nest was process $!. Its stacks, the commonest first:"
grep "^stack [0-9]* $! " /proc/sampler | sort -k2,2nr | head -n 20
grep -E "^(cpu|context)" /proc/sampler
rmmod sampler
echo "the kernel lives"
