#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# panic.sh - the flight recorder in a kernel that panics; prints TAP
#
# usage: tests/panic.sh	(--in-guest: what the guest does)
#
# In a guest, FIFO-99 tasks starve all CPUs, and then the kernel panics. The heaviest stacks must be on the guest's
# console. The kernel gives the same log to pstore after that.
set -eu -o pipefail
cd "$(dirname "$0")/.."

kernel=debian-6.1
log=build/check/panic.console
mkdir -p build/check

# What the guest does
doom() {
	local cpu
	insmod "build/modules/$kernel/kmod/kflame.ko" recorder=30s freq=199
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	for cpu in 0 1; do
		taskset -c "$cpu" chrt -f 99 build/tests/workload/busy 3 >/dev/null &
	done
	wait
	timeout 2 build/tests/workload/readloop 2 >/dev/null || :
	echo c >/proc/sysrq-trigger
}

if [ "${1:-}" = --in-guest ]; then
	doom
	exit
fi

prepare() {
	scripts/build-user.sh x86_64 && scripts/build-module.sh "$kernel"
}

prepare >build/check/panic.log 2>&1 || {
	sed 's/^/# /' build/check/panic.log
	echo "Bail out! no module"
	exit 1
}

status=0
tests/vm/guest.sh --kernel "$kernel" --log "$log" --timeout 600 -- "$PWD/tests/panic.sh" --in-guest >build/check/panic.log 2>&1 || status=$?

nr=0 failed=0
# ok CONDITION-STATUS TITLE
ok() {
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=1
	fi
}

# lines PATTERN: how many lines of the recorder's text have it
lines() {
	tr -d '\r' <"$log" | grep -cE "kflame: .*$1" || :
}

echo "TAP version 13"
echo "1..4"
ok "$([ "$status" = 125 ] && grep -q 'Kernel panic' "$log"; echo $?)" "the kernel panics, $status"
ok "$([ "$(lines 'heaviest stacks')" = 1 ] && [ "$(lines 'end of the stacks')" = 1 ]; echo $?)" "the text is whole"
ok "$([ "$(lines 'busy;\[user\] [0-9]{7}')" -ge 1 ]; echo $?)" "seconds of the tasks that starved the others are there"
ok "$([ "$(lines 'readloop;.*(vfs_read|read_zero|ksys_read)[^ ]* [0-9]+$')" -ge 1 ]; echo $?)" "kernel stacks have names"
tr -d '\r' <"$log" | grep 'kflame: ' | tail -n 12 | sed 's/^/# /'
exit $failed
