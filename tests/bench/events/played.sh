#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# played.sh - what the parts of tests/bench/events that run in the guest share; they source it
#
# Before: kflame; the function once, which plays the events of one run. $events, $runs: how many of each.
# Prints "took NAME INSTRUCTIONS" for each run: of an event, all in, on a clock that advances 2 ns with each
# instruction; "bytes NAME BYTES" of the recording.
set -eu
cd /tmp
insmod "$KFLAME_MODULE"
mount -t tracefs none /sys/kernel/tracing 2> /dev/null || :
mount -t debugfs none /sys/kernel/debug 2> /dev/null || :

play() {
	local begin i
	for ((i = 0; i < runs; i++)); do
		begin=$(date +%s%N)
		once
		echo "took $1 $((($(date +%s%N) - begin) / 2 / events))"
	done
}

bytes() {
	echo "bytes $1 $(stat -c %s "$2")"
}

# by_kflame NAME OPTION...: of kflame record
by_kflame() {
	local name=$1
	shift
	"$kflame" record "$@" -o k.data 2> k.err &
	sleep 3
	once
	play "$name"
	kill -INT $!
	wait $! || cat k.err
	bytes "$name" k.data
}

# by_program NAME READY COMMAND...: play while it runs, from when the shell's test READY is true
by_program() {
	local name=$1 ready=$2 i
	shift 2
	"$@" > by.txt 2> by.err &
	for ((i = 0; i < 300; i++)); do
		eval "$ready" && break
		kill -0 $! 2> /dev/null || break
		sleep 1
	done
	if kill -0 $! 2> /dev/null; then
		sleep 2
		play "$name"
		kill -INT $!
		wait $! || :
	else
		echo "$name does not run here: $(head -n 1 by.err)"
	fi
}
