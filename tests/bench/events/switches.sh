#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# switches.sh - the part of tests/bench/events/run switches that runs in the guest
#
# usage: switches.sh EVENTS RUNS	(KFLAME_BUILD, KFLAME_MODULE: as for tests)
#
# Two threads hand a byte to and fro on one CPU.
set -eu
kflame=$KFLAME_BUILD/user/kflame events=$1 runs=$2

once() {
	"$KFLAME_BUILD/tests/workload/waits" pingpong $((events / 2)) > /dev/null
}

. "$(dirname "$0")/played.sh"

by_perf() {
	export -f play once
	export events runs KFLAME_BUILD
	perf sched record -o p.data -- bash -c 'play perf-sched' 2> p.err || cat p.err
	bytes perf-sched p.data
}

# It compiles its program first, by the kernel's headers.
by_bcc() {
	local build

	build=/lib/modules/$(uname -r)
	mkdir -p "$build"
	ln -sfn "/usr/src/linux-headers-$(uname -r)" "$build/build"
	ln -sfn "/usr/src/linux-headers-$(uname -r | sed 's/-[a-z0-9]*$//')-common" "$build/source"
	by_program offcputime 'grep -q finish_task_switch /sys/kernel/debug/kprobes/list' offcputime-bpfcc -f 600
}

once
play alone
by_kflame off-cpu-fp -a --off-cpu -g fp
by_kflame off-cpu -a --off-cpu
by_kflame wakers-fp -a --wakers -g fp
by_kflame no-wait-long-enough -a --off-cpu -g fp --min-block 1000s
by_kflame sampled -a --off-cpu=sampled
if command -v perf > /dev/null; then by_perf; fi
if command -v offcputime-bpfcc > /dev/null; then by_bcc; fi
play alone
