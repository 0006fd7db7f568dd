#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# measure.sh - load a student's module, let it sample the given programs, print what it counted; runs in the guest
#
# usage: measure.sh DIR
cd "$1" || exit 1

insmod sampler.ko || exit 1
echo "fact loaded"

# One second of CPU time each, then SIGXCPU ends it
pids=()
for program in nest leafy liar caller; do
	(ulimit -t 1; exec "programs/$program") 2>/dev/null &
	pids+=($!)
	echo "fact tgid $program $!"
done
wait "${pids[@]}" 2>/dev/null
sleep 0.5 # the idle tasks are kernel threads that are sampled, too
echo 0 >/sys/module/sampler/parameters/run
sed 's/^/fact first /' /proc/sampler
# The same, if nothing is counted any more
grep -E '^cpu' /proc/sampler | sed 's/^/fact second /'
echo "fact read"

rmmod sampler || exit 1
for _ in 1 2 3 4 5; do
	insmod sampler.ko && rmmod sampler || exit 1
done
sleep 0.1 # a timer that was left behind expires within a millisecond
echo "fact alive"
