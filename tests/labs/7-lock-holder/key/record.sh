#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - record the shop: its CPU time, and its waits; runs in the guest.
#
# usage: record.sh KFLAME-TREE DIR SEED
set -eu
kflame=$1/build/user/kflame
cd "$2"
insmod "$1/build/modules/debian-6.1/kmod/kflame.ko"
"$kflame" record --budget 0 -o cpu.kfl -- ./shop "$3"
"$kflame" record --budget 0 --wakers -o shop.kfl -- ./shop "$3"
