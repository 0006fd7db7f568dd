#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - record the shop's CPU time; runs in the guest. Task 2 adds its waits.
#
# usage: record.sh KFLAME-TREE DIR SEED
set -eu
kflame=$1/build/user/kflame
cd "$2"
insmod "$1/build/modules/debian-6.1/kmod/kflame.ko"
"$kflame" record --budget 0 -o cpu.kfl -- ./shop "$3"
# Task 2: the same for waits, and who ended them, in shop.kfl
