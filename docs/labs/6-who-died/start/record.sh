#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - record the factory's CPU time; runs in the guest. Task 3 adds the programs that it starts.
#
# usage: record.sh KFLAME-TREE DIR SEED
set -eu
kflame=$1/build/user/kflame
cd "$2"
insmod "$1/build/modules/debian-6.1/kmod/kflame.ko"
./factory "$3" 2 # a first run, so that all files are in memory
"$kflame" record --budget 0 -o out/cpu.kfl -- ./factory "$3" 100
# Task 3: a second recording, in out/exec.kfl: who starts which program?
