#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# panic.sh - the flight recorder in a kernel that panics; prints TAP
#
# usage: tests/panic.sh	(--in-guest, --after: what the guests do)
#
# In a guest, FIFO-99 tasks starve all CPUs, and then the kernel panics. The heaviest stacks must be on the guest's
# console. The kernel gives the same log to pstore after that: here to ramoops, in memory that the kernel leaves alone.
# A second guest with the same memory reads it back, as after a warm start.
set -eu -o pipefail
cd "$(dirname "$0")/.."

kernel=debian-6.1
log=build/check/panic.console
memory=$PWD/build/check/panic.memory
kept=build/check/panic.pstore
mkdir -p build/check

# The memory of ramoops: 1 MiB at 768 MiB
at=0x30000000
ramoops() {
	modprobe ramoops mem_address="$at" mem_size=0x100000 record_size=0x40000 ecc=0
}

# What the first guest does
doom() {
	local cpu
	ramoops
	insmod "build/modules/$kernel/kmod/kflame.ko" recorder=30s freq=199
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	for cpu in 0 1; do
		taskset -c "$cpu" chrt -f 99 build/tests/workload/busy 3 >/dev/null &
	done
	wait
	timeout 2 build/tests/workload/readloop 2 >/dev/null || :
	echo c >/proc/sysrq-trigger
}

# What the second guest does: print the records of the panic
after() {
	ramoops
	mount -t pstore pstore /sys/fs/pstore 2>/dev/null || :
	cat /sys/fs/pstore/dmesg-ramoops-*
}

case ${1:-} in
--in-guest) doom && exit ;;
--after) after && exit ;;
esac

prepare() {
	scripts/build-user.sh x86_64 && scripts/build-module.sh "$kernel"
}

prepare >build/check/panic.log 2>&1 || {
	sed 's/^/# /' build/check/panic.log
	echo "Bail out! no module"
	exit 1
}

# guest OPTION... -- COMMAND...: with the memory of the other one
guest() {
	tests/vm/guest.sh --kernel "$kernel" --timeout 600 --memory "$memory" \
		--append "memmap=1M\$$at pstore.kmsg_bytes=262144" "$@"
}

status=0 after=0
rm -f "$memory"
trap 'rm -f "$memory"' EXIT
guest --log "$log" -- "$PWD/tests/panic.sh" --in-guest >build/check/panic.log 2>&1 || status=$?
guest -- "$PWD/tests/panic.sh" --after >"$kept" 2>build/check/panic.after.log || after=$?

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

# lines PATTERN [FILE]: how many lines of the recorder's text have it
lines() {
	tr -d '\r' <"${2:-$log}" | grep -cE "kflame: .*$1" || :
}

# said FILE: the recorder's text without its times
said() {
	tr -d '\r' <"$1" | sed -n 's/.*\(kflame: .*\)/\1/p' | sed -n '/heaviest stacks/,/end of the stacks/p'
}

echo "TAP version 13"
echo "1..6"
ok "$([ "$status" = 125 ] && grep -q 'Kernel panic' "$log"; echo $?)" "the kernel panics, $status"
ok "$([ "$(lines 'heaviest stacks')" = 1 ] && [ "$(lines 'end of the stacks')" = 1 ]; echo $?)" "the text is whole"
ok "$([ "$(lines 'busy;\[user\] [0-9]{7}')" -ge 1 ]; echo $?)" "seconds of the tasks that starved the others are there"
ok "$([ "$(lines 'readloop;.*(vfs_read|read_zero|ksys_read)[^ ]* [0-9]+$')" -ge 1 ]; echo $?)" "kernel stacks have names"
ok "$([ "$after" = 0 ] && [ "$(lines 'heaviest stacks' "$kept")" = 1 ]; echo $?)" "after a warm start, pstore has the text, $after"
ok "$(diff <(said "$log") <(said "$kept") >&2; echo $?)" "and it is the text of the console, $(said "$kept" | wc -l) lines"
[ "$after" = 0 ] || sed 's/^/# /' build/check/panic.after.log
tr -d '\r' <"$log" | grep 'kflame: ' | tail -n 12 | sed 's/^/# /'
exit $failed
