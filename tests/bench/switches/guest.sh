#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh - the part of tests/bench/switches that runs in the guest
#
# usage: guest.sh SWITCHES RUNS	(KFLAME_BUILD, KFLAME_MODULE: as for tests)
#
# Two threads hand a byte to and fro on one CPU whose clock advances 2 ns with each instruction. Prints
# "took NAME INSTRUCTIONS" for each run: of a switch, all in; "bytes NAME BYTES" of the recording.
set -eu

export waits=$KFLAME_BUILD/tests/workload/waits each=$(($1 / 2)) switches=$1 runs=$2
kflame=$KFLAME_BUILD/user/kflame
cd /tmp
insmod "$KFLAME_MODULE"
mount -t tracefs none /sys/kernel/tracing || :
mount -t debugfs none /sys/kernel/debug || :

play() {
	local begin i
	for ((i = 0; i < runs; i++)); do
		begin=$(date +%s%N)
		"$waits" pingpong "$each" > /dev/null
		echo "took $1 $((($(date +%s%N) - begin) / 2 / switches))"
	done
}
export -f play

bytes() {
	echo "bytes $1 $(stat -c %s "$2")"
}

by_kflame() {
	local name=$1
	shift
	"$kflame" record "$@" -a -o k.data 2> k.err &
	sleep 3
	"$waits" pingpong 1000 > /dev/null
	play "$name"
	kill -INT $!
	wait $! || cat k.err
	bytes "$name" k.data
}

by_perf() {
	perf sched record -o p.data -- bash -c 'play perf-sched' 2> p.err || cat p.err
	bytes perf-sched p.data
}

# It compiles its program first, by the kernel's headers.
by_bcc() {
	local build i

	build=/lib/modules/$(uname -r)
	mkdir -p "$build"
	ln -sfn "/usr/src/linux-headers-$(uname -r)" "$build/build"
	ln -sfn "/usr/src/linux-headers-$(uname -r | sed 's/-[a-z0-9]*$//')-common" "$build/source"
	offcputime-bpfcc -f 600 > b.txt 2> b.err &
	for ((i = 0; i < 300; i++)); do
		grep -q finish_task_switch /sys/kernel/debug/kprobes/list && break
		kill -0 $! 2> /dev/null || break
		sleep 1
	done
	if kill -0 $! 2> /dev/null; then
		sleep 2
		play offcputime
		kill -INT $!
		wait $! || :
	else
		echo "offcputime does not run here: $(head -n 1 b.err)"
	fi
}

"$waits" pingpong 1000 > /dev/null
play alone
by_kflame off-cpu-fp --off-cpu -g fp
by_kflame off-cpu --off-cpu
by_kflame wakers-fp --wakers -g fp
by_kflame no-wait-long-enough --off-cpu -g fp --min-block 1000s
by_kflame sampled --off-cpu=sampled
if command -v perf > /dev/null; then by_perf; fi
if command -v offcputime-bpfcc > /dev/null; then by_bcc; fi
play alone
