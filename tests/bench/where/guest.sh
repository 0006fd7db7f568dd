#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh - the part of tests/bench/where that runs in the guest
#
# usage: guest.sh PROFILER RATE LOAD ROUNDS WARM OUT	(KFLAME_BUILD, KFLAME_MODULE: as for tests)
#
# Runs the load with WARM rounds, a mark, then ROUNDS, a mark, all while the profiler looks on; prints what
# the load says of each, and leaves the kernel's symbols in OUT.
set -eu

profiler=$1 rate=$2 rounds=$4 warm=$5 out=$6
workloads=$KFLAME_BUILD/tests/workload
load=$workloads/$3
cd /tmp
echo never > /sys/kernel/mm/transparent_hugepage/enabled
echo 0 > /proc/sys/kernel/randomize_va_space
case $profiler in
alone)
	set --
	;;
kflame)
	insmod "$KFLAME_MODULE"
	set -- "$KFLAME_BUILD/user/kflame" record -a -F "$rate" --budget 0 -g fp -o /tmp/k.data --
	;;
perf)
	# it lowers its rate by itself when a sample takes long: it does here
	echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
	set -- perf record -q -a -g -e cpu-clock -F "$rate" -o /tmp/perf.data --
	;;
esac
# shellcheck disable=SC2016
"$@" /bin/sh -ec '"$1" "$2"; "$4"; "$1" "$3"; "$4"' sh "$load" "$warm" "$rounds" "$workloads/mark"
cp /proc/kallsyms "$out/$profiler.symbols"
