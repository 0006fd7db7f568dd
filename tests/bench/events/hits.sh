#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hits.sh - the part of tests/bench/events/run hits that runs in the guest
#
# usage: hits.sh EVENTS RUNS	(KFLAME_BUILD, KFLAME_MODULE: as for tests)
#
# A program reads bytes, and vfs_read() is probed. The program has frame pointers.
set -eu
kflame=$KFLAME_BUILD/user/kflame events=$1 runs=$2

once() {
	"$KFLAME_BUILD/tests/workload/calls" reads "$events" > /dev/null
}

. "$(dirname "$0")/played.sh"

by_perf() {
	echo p:kflame_bench/vfs_read vfs_read > /sys/kernel/tracing/kprobe_events
	export -f play once
	export events runs KFLAME_BUILD
	perf record -e kflame_bench:vfs_read -g -a -o p.data -- bash -c 'play perf-probe' 2> p.err || cat p.err
	bytes perf-probe p.data
	echo > /sys/kernel/tracing/kprobe_events
}

once
play alone
by_kflame kprobe-fp -a -e kprobe:vfs_read -g fp
by_kflame kprobe -a -e kprobe:vfs_read
by_kflame kprobe-of-others -p 1 -e kprobe:vfs_read -g fp
by_kflame kretprobe -a -e kretprobe:vfs_read --weight value
by_kflame kretprobe-label -a -e kretprobe:vfs_read --weight value --labels
by_kflame syscall -a -e syscall:read
by_kflame syscall-label -a -e syscall:read --labels
by_kflame syscall-latency-label -a -e syscall:read --weight latency --labels
# The same with a name that has more directories
deep=/tmp/data/of/some/program/here
mkdir -p $deep
mknod $deep/zero c 1 5
mount --bind $deep/zero /dev/zero
by_kflame kretprobe-label-7 -a -e kretprobe:vfs_read --weight value --labels
umount /dev/zero
if command -v perf > /dev/null; then by_perf; fi
if command -v bpftrace > /dev/null; then
	by_program bpftrace 'grep -q vfs_read /sys/kernel/debug/kprobes/list' \
		bpftrace -e 'kprobe:vfs_read { @[kstack, ustack] = count(); }'
fi
play alone
