#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - record the CPU time of the factory, and the programs that it starts; runs in the guest
#
# usage: record.sh KFLAME-TREE DIR SEED
set -eu
kflame=$1/build/user/kflame
cd "$2"
insmod "$1/build/modules/debian-6.1/kmod/kflame.ko"
./factory "$3" 2 # a first run, so that all files are in memory
"$kflame" record --budget 0 -o out/cpu.kfl -- ./factory "$3" 100
"$kflame" record --exec -o out/exec.kfl -- ./factory "$3" 100
