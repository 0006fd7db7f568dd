#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record.sh - load the driver, record the whole machine for three seconds; runs in the guest
#
# usage: record.sh KFLAME-TREE DIR SEED
set -eu
cd "$2"
insmod "$1/build/modules/debian-6.1/kmod/kflame.ko"
insmod noise.ko seed="$3"
"$1/build/user/kflame" record -a -d 3 --budget 0 -o noise.kfl
rmmod noise
