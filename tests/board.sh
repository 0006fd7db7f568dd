#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# board.sh - docs/board.md, tried on an emulated board; prints TAP
#
# usage: tests/board.sh [--kit DIR]
#
# The board has arm64, two CPUs, 64 MB, an SD card with busybox, a program and its C library, and a kernel
# without BPF, perf events, ftrace, debugfs and BTF. The module and kflame-record come from one command, make cross; with
# --kit they are DIR/kflame.ko and DIR/kflame-record. What happened is in build/board/: board.log is the board's
# terminal, host.log what was done here.
set -eu -o pipefail
cd "$(dirname "$0")/.."

top=$PWD
work=$top/build/board
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
kflame=$top/build/user/kflame
most_kb=1500 # of the board's SD card
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=scripts/suite.sh
. scripts/suite.sh

kit=''
[ "${1:-}" != --kit ] || kit=$(cd "$2" && pwd)

skip() {
	echo "1..0 # SKIP $*"
	exit
}

command -v qemu-system-aarch64 >/dev/null || skip "no qemu-system-aarch64: apt-get install qemu-system-arm"
command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc: apt-get install gcc-aarch64-linux-gnu"
[ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || skip "no C library for arm64: apt-get install libc6-dev-arm64-cross"
command -v mke2fs >/dev/null && command -v debugfs >/dev/null || skip "no mke2fs or debugfs: apt-get install e2fsprogs"

number=0 failed=0
tests=(make_cross records_by_kflame_record copies_by_cat text_by_cat names_from_the_root archive_of_the_root
	the_kernel_is_small memory_by_the_machine disk_used nothing_left)
check() {
	local name=$1 out status=0
	number=$((number + 1))
	out=$( (set -e; "$name") 2>&1) || status=$?
	[ -z "$out" ] || printf '%s\n' "$out" | tail -n 40 | sed 's/^/# /'
	if [ $status -eq 0 ]; then
		echo "ok $number - ${name//_/ }"
	else
		echo "not ok $number - ${name//_/ }"
		failed=1
	fi
}

# make cross in a copy, because the objects of the tree are those under test
make_cross() {
	if [ -z "$kit" ]; then
		rm -rf "$work/tree"
		mkdir -p "$work/tree"
		cp -r Makefile kmod user include scripts "$work/tree"
		rm -f "$work/tree/kmod/compat/features.h"
		find "$work/tree/kmod" \( -name '*.o' -o -name '*.cmd' -o -name '*.ko' -o -name '*.mod*' \) -delete
		local begun=$SECONDS
		make -C "$work/tree" cross ARCH=arm64 KDIR="$kdir" >"$work/cross.log" 2>&1 || {
			tail -n 20 "$work/cross.log"
			return 1
		}
		echo "make cross: $((SECONDS - begun)) s"
	fi
	ls "$kit_dir/kflame.ko" "$kit_dir/kflame-record" >/dev/null
}

# The board's SD card, and what the developer has of it: the same files, and the program's symbols in .debug as
# Yocto's -dbg packages have them
make_root() {
	local root=$work/root name
	rm -rf "$root" "$work/sysroot"
	mkdir -p "$root"/{bin,dev,lib,proc,root,sys,tmp,usr/bin}
	[ -e "$cache/board-busybox/bin/busybox" ] ||
		suite_unpack bookworm "$cache/board-busybox" busybox-static:arm64
	cp "$cache/board-busybox/bin/busybox" "$root/bin/"
	ln -s busybox "$root/bin/sh"
	cp -L /usr/aarch64-linux-gnu/lib/{ld-linux-aarch64.so.1,libc.so.6} "$root/lib/"
	for name in mixed mixed-child; do
		aarch64-linux-gnu-gcc -std=gnu11 -O2 -g -fno-omit-frame-pointer \
			-o "$root/usr/bin/$name" "tests/workload/${name/mixed-child/short}.c"
	done
	mkdir "$root/usr/bin/.debug"
	aarch64-linux-gnu-objcopy --only-keep-debug "$root/usr/bin/mixed" "$root/usr/bin/.debug/mixed"
	aarch64-linux-gnu-strip "$root/usr/bin/mixed"
	aarch64-linux-gnu-objcopy --add-gnu-debuglink="$root/usr/bin/.debug/mixed" "$root/usr/bin/mixed"
	cp "$kit_dir/kflame.ko" "$kit_dir/kflame-record" "$root/root/"
	cp -a "$root" "$work/sysroot"
	rm -r "$root/usr/bin/.debug"
	write_session >"$root/root/session"
	cat >"$root/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox mount -t proc proc /proc
		/bin/busybox mount -t sysfs sys /sys
		/bin/busybox --install -s /bin
		export PATH=/bin:/usr/bin HOME=/root
		cd /root
		df -k / | tail -n 1 | awk '{ print $3 }' >/tmp/before
		sh /root/session 2>&1
		sync
		poweroff -f
	END
	chmod 755 "$root/init"
	rm -f "$work/card"
	mke2fs -q -t ext2 -b 1024 -d "$root" "$work/card" 24M
}

# What is typed on the board. Each line is printed before it runs.
write_session() {
	cat <<-'END'
		type() { echo "# $*"; eval "$*"; status=$?; [ $status = 0 ] || echo "exit status $status"; }
		type uname -srm
		type free -k
		type ls /sys/kernel/btf /sys/kernel/debug /sys/kernel/tracing /sys/bus/event_source
		type insmod kflame.ko
		type ./kflame-record doctor
		type ./kflame-record -o p.kfl /usr/bin/mixed 1
		type "./kflame-record -U -o u.kfl /usr/bin/mixed 1 && rm u.kfl"
		type cat /dev/kflame
		type rmmod kflame
		type insmod kflame.ko autostart=1
		type "/usr/bin/mixed 1 & gzip -9 </bin/busybox >/dev/null; wait"
		type "cat /dev/kflame >q.kfl"
		type "./kflame-record cat -o r.kfl && rm r.kfl"
		type rmmod kflame
		type insmod kflame.ko autostart=1 text=1
		type /usr/bin/mixed 1
		type "cat /dev/kflame >q.folded"
		type rmmod kflame
		type insmod kflame.ko autostart=1 entries=4096
		type "dmesg | grep kflame:"
		type du -k kflame.ko kflame-record p.kfl q.kfl q.folded
		rm session
		sync
		echo "used: $(df -k / | tail -n 1 | awk '{ print $3 }') kB"
		echo "left: $(cat /proc/sys/kernel/tainted) $(lsmod | grep -c kflame)"
	END
}

boot() {
	local status=0
	timeout 600 qemu-system-aarch64 -M virt -cpu cortex-a57 -accel tcg,thread=multi -smp 2 -m 64M -nographic -nodefaults \
		-serial "file:$work/board.log" -kernel "$vmlinuz" -drive "if=none,id=card,format=raw,file=$work/card" \
		-device virtio-blk-device,drive=card -no-reboot \
		-append "console=ttyAMA0 quiet root=/dev/vda rw init=/init panic=-1" </dev/null >"$work/qemu.log" 2>&1 || status=$?
	tr -d '\r' <"$work/board.log" >"$work/board.txt"
	[ $status -eq 0 ] || { cat "$work/qemu.log"; echo "the board did not end: $status"; tail -n 20 "$work/board.txt"; return 1; }
	for name in p.kfl q.kfl q.folded; do
		debugfs -R "dump /root/$name $work/$name" "$work/card" >>"$work/qemu.log" 2>&1
		[ -s "$work/$name" ] || { echo "the board wrote no $name:"; tail -n 60 "$work/board.txt"; return 1; }
	done
}

# host COMMAND...: run it, and keep what was typed and said
host() {
	echo "$ $*" | sed "s|$kflame|kflame|; s|$work/||g" >>"$work/host.log"
	"$@" 2>&1 | sed "s|$work/||g" | tee -a "$work/host.log"
}

# fold NAME [OPTION...]
fold() {
	local name=$1
	shift
	"$kflame" fold -i "$work/$name.kfl" -o "$work/$name.stacks" "$@"
}

# share FUNCTION FILE: percent of the three computing functions
share() {
	awk -v name="$1" '/;(compress|encrypt|checksum)[; ]/ { all += $NF; if (index($0, ";" name ";") || index($0, ";" name " ")) own += $NF }
		END { printf "%d\n", all ? 100 * own / all + 0.5 : 0 }' "$2"
}

# shares FILE: the program's functions have about 70, 20 and 10 percent of its computing
shares() {
	local compress encrypt
	compress=$(share compress "$1") encrypt=$(share encrypt "$1")
	echo "${1##*/}: compress $compress %, encrypt $encrypt % (70, 20)"
	[ "$compress" -gt 60 ] && [ "$compress" -lt 80 ] && [ "$encrypt" -gt 10 ] && [ "$encrypt" -lt 30 ]
}

records_by_kflame_record() {
	rm -f "$work/host.log"
	fold p --symbols "$work/sysroot"
	shares "$work/p.stacks"
	grep -E '^kflame: [0-9]+ samples, .* in u.kfl' "$work/board.txt"
	"$kflame" info -i "$work/p.kfl" --symbols "$work/sysroot" | grep -x 'books: balanced'
	"$kflame" info -i "$work/p.kfl" | grep -x '  an arm64 profile: name its root with --symbols DIR'
}

copies_by_cat() {
	fold q --symbols "$work/sysroot"
	shares "$work/q.stacks"
	"$kflame" info -i "$work/q.kfl" --symbols "$work/sysroot" | grep -x 'books: balanced'
}

text_by_cat() {
	grep -q '^mixed;.*;mixed+0x' "$work/q.folded"
	host "$kflame" flame --folded -i "$work/q.folded" --symbols "$work/sysroot" -o "$work/text.svg"
	grep -q '<title>compress' "$work/text.svg"
}

# Every frame of a file in which the root has a symbol there has a name
names_from_the_root() {
	host "$kflame" flame -i "$work/p.kfl" --symbols "$work/sysroot" -o "$work/p.svg"
	host "$kflame" flame -i "$work/q.kfl" --symbols "$work/sysroot" -o "$work/q.svg"
	grep -q '<title>compress' "$work/q.svg"
	tests/board_unnamed.py "$work/sysroot" "$work/p.stacks" "$work/q.stacks"
}

# The archive names as much without the root
archive_of_the_root() {
	rm -rf "$work/there" "$work/q.tar"
	host "$kflame" archive -i "$work/q.kfl" --from-sysroot "$work/sysroot" -o "$work/q.tar" || :
	mkdir "$work/there"
	tar -xf "$work/q.tar" -C "$work/there"
	"$kflame" fold -i "$work/q.kfl" --symbols "$work/there" -o "$work/there.stacks"
	cmp "$work/q.stacks" "$work/there.stacks"
}

the_kernel_is_small() {
	! grep -E '^CONFIG_(BPF_SYSCALL|PERF_EVENTS|FTRACE|KPROBES|DEBUG_FS|DEBUG_INFO_BTF)=' "$kdir/.config"
	grep -E '^Mem:' "$work/board.txt"
}

# The default of a larger machine is too much here, and the kernel's log says what to do
memory_by_the_machine() {
	grep -o -m 1 'sampling at 997 Hz, 512 entries for each CPU, 4096 in all' "$work/board.txt"
	grep -o -m 1 'not enough memory for entries=4096.*' "$work/board.txt"
}

# With the profiles; the board's own files were there before
disk_used() {
	local kb
	kb=$(awk '/^# du -k/ { on = 1; next } /^[0-9]+\t/ && on { sum += $1 } END { print sum + 0 }' "$work/board.txt")
	echo "$kb kB"
	[ "$kb" -gt 800 ] && [ "$kb" -le $most_kb ]
}

nothing_left() {
	grep '^left: ' "$work/board.txt"
	grep -qE '^left: [0-9]+ 0$' "$work/board.txt"
	! grep -E 'BUG:|WARNING:|Oops|Kernel panic' "$work/board.txt"
}

mkdir -p "$work"
at=$(scripts/build-kernel.sh board 2>"$work/kernel.log") || skip "the board's kernel cannot be built here: $(tail -n 1 "$work/kernel.log")"
eval "$at"
kit_dir=${kit:-$work/tree/out/cross-arm64}
make -s -j"$(nproc)" -C user >"$work/user.log" 2>&1 || { cat "$work/user.log" >&2; exit 1; }
echo "1..${#tests[@]}"
check make_cross
if [ $failed -eq 0 ]; then
	made=0
	out=$( (set -e; make_root; boot) 2>&1) || made=$?
	[ $made -eq 0 ] || { printf '%s\n' "$out" | sed 's/^/# /'; exit 1; }
	for name in "${tests[@]:1}"; do
		check "$name"
	done
fi
exit $failed
