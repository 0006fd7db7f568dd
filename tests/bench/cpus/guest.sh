#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh - the part of tests/bench/cpus that runs in the guest
#
# usage: guest.sh RATE RECORDINGS	(KFLAME_BUILD, KFLAME_MODULE: as for tests)
#
# A load on each CPU, which lets the recorder by: that has to come to its end on eight CPUs, too, of which
# the machine has two. Prints a line "cost NS" for each recording of a second: what the module's clock says
# a sample took, over all CPUs.
set -eu

kflame=$KFLAME_BUILD/user/kflame
insmod "$KFLAME_MODULE"
for cpu in $(seq 0 $(($(nproc) - 1))); do
	nice -n 19 taskset -c "$cpu" "$KFLAME_BUILD/tests/workload/fixed" 1000000000 > /dev/null &
done
for _ in $(seq "$2"); do
	"$kflame" record -a -F "$1" --budget 0 -g fp --no-inline -d 1 -o /tmp/k.data 2> /tmp/k.err || {
		cat /tmp/k.err
		exit 1
	}
	"$kflame" info --raw -i /tmp/k.data | awk -F = '
		/^handler_ns=/ { ns = $2 }
		/^samples=/ { samples = $2 }
		END { printf "cost %.0f\n", ns / samples }'
done
