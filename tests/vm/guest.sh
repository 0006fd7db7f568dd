#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh - boot a guest, run a command in it, end it
#
# usage: tests/vm/guest.sh [OPTION...] [--] COMMAND [ARGUMENT...]
#	 tests/vm/guest.sh [OPTION...] --shell [COMMAND...]
#
# The guest sees the machine's root file system read-only under an overlay in
# memory, so the work tree and every program are at the same path; a guest of
# another architecture sees one of its own (scripts/guest-root.sh) and the work
# tree.  The command runs as root in the directory guest.sh was called in; its
# output is printed as it comes, its exit status is ours.
#
#	--kernel NAME	kernel, see scripts/guest-kernel.sh (default debian-6.1)
#	--cpus N	(default 2)
#	--mem SIZE	(default 1G)
#	--memory FILE	the guest's memory is this file, of size --mem. A second guest with the same file finds
#			the memory that the first kernel left alone, as after a warm start
#	--append WORDS	more words for the kernel's command line
#	--timeout SECS	end the run after that long (default 300), from its start or the last "begin"
#	--share DIR	this directory is writable, at the same path
#	--log FILE	keep the guest's console there
#	--icount	one CPU whose clock counts instructions, 2 ns for each
#	--icount=N	2^N ns for each
#	--plugin WORDS	a plugin of the emulator: file=PATH,NAME=VALUE,...
#	--accel NAME	accelerator (default tcg; kvm where the machine has it)
#	--secure-boot CERT	started by firmware with Secure Boot, for which CERT (DER) is a
#			machine owner's key; x86-64, kernels of Debian
#	--shell		COMMAND, or a shell, has this terminal
#
# A line written to descriptor 7 (KFLAME_HOST_FD) in the guest is a request to this side:
#	stop SECONDS	SIGSTOP the emulator for that long
#	say WORDS	print them
#	begin		a test begins: from here the time of --timeout counts anew
#
# A guest that is tainted, or dies, before the command runs is started again, three times
# at most.
#
# Exit status: the command's; 125 when the guest did not end in time, died,
# never came up, or its console shows a kernel splat, which is then printed.
set -eu -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin

kernel=debian-6.1 cpus=2 mem=1G memory='' append='' limit=300 shared='' log='' icount='' plugin='' accel=tcg shell='' cert=''

die() {
	echo "guest.sh: $*" >&2
	exit 125
}

usage() {
	sed -n '/^# usage/,/^set -eu/p' "$0" | sed -e '$d' -e 's/^# \{0,1\}//'
	exit "$1"
}

again=("$0" "$@")
while [ $# -gt 0 ]; do
	case $1 in
	--kernel | --cpus | --mem | --memory | --append | --timeout | --share | --log | --accel | \
		--plugin | --secure-boot)
		[ $# -ge 2 ] || die "$1 needs an argument"
		case $1 in
		--kernel) kernel=$2 ;;
		--cpus) cpus=$2 ;;
		--mem) mem=$2 ;;
		--memory) memory=$2 ;;
		--append) append=$2 ;;
		--timeout) limit=$2 ;;
		--share) shared=$(mkdir -p "$2" && cd "$2" && pwd -P) ;;
		--log) log=$2 ;;
		--accel) accel=$2 ;;
		--plugin) plugin=$2 ;;
		--secure-boot) cert=$2 ;;
		esac
		shift 2
		;;
	--icount) icount=1 && shift ;;
	--icount=*) icount=${1#*=} && shift ;;
	--shell) shell=1 && shift ;;
	--help | -h) usage 0 ;;
	--) shift && break ;;
	-*) die "no option $1; see --help" ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || [ -n "$shell" ] || usage 2

kernel_at=$("$here/../../scripts/guest-kernel.sh" "$kernel") || exit 125
eval "$kernel_at"
. "$here/machine.sh"
emulator=$(machine_emulator) || exit 125
rootdir=$(machine_root) || exit 125
transport=$(machine_transport)

dir=$(mktemp -d /tmp/kflame-guest.XXXXXX)
qemu=
cleanup() {
	# a stopped emulator dies of SIGKILL all the same
	[ -z "$qemu" ] || kill -KILL "$qemu" 2>/dev/null || :
	machine_end
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# make_initrd: busybox, the modules that reach the host's files, and the job
make_initrd() {
	local root=$dir/initrd list='' depends='' how path name v
	mkdir -p "$root"/{bin,modules,run}
	cp "$(machine_busybox)" "$root/bin/busybox"
	cp "$here/init" "$root/init"
	chmod 755 "$root/init"
	# no directory of modules: a kernel that has all it needs built in
	[ -z "$modules" ] || depends=$(for m in virtio_pci virtio_console $(machine_modules) overlay; do
		modprobe -d "$modules" -S "$release" --show-depends "$m"
	done) || die "modules for $kernel are not in $modules"
	while read -r how path _; do
		[ "$how" = insmod ] || continue
		name=${path##*/}
		case $name in
		*.xz) name=${name%.xz} && xz -dc "$path" >"$root/modules/$name" ;;
		*.zst) name=${name%.zst} && zstd -qdc "$path" >"$root/modules/$name" ;;
		*) cp "$path" "$root/modules/" ;;
		esac
		case " $list " in
		*" $name "*) ;;
		*) list="$list $name" ;;
		esac
	done <<<"$depends"
	for v in release modules shell transport mounts; do
		printf '%s=%q\n' "$v" "${!v}"
	done >"$root/run/guest.conf"
	printf 'workdir=%q\ninsmods=%q\n' "$(pwd -P)" "$list" >>"$root/run/guest.conf"
	[ $# -eq 0 ] || printf '%q ' "$@" >"$root/run/command"
	touch "$root/run/command"
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$dir/initrd.cpio"
}

# without_oom_stacks FILE: the console without the stacks that the OOM killer shows. It shows the task
# that asked for memory, and a test may provoke it. Other complaints in between stay.
without_oom_stacks() {
	awk '/ invoked oom-killer: / { oom = 1 }
		/[Oo]ut of memory: Killed|oom_reaper: / { oom = 0 }
		!(oom && /Call Trace|RIP: 00/)' "$1"
}

# show_splats FILE: print what looks like a kernel complaint; status 0 if any.
# "hrtimer: interrupt took" is the core's word for a slow machine. That the stack goes in the wrong
# direction in return_to_handler() the unwinder of 7.3 says to everybody, once, who interrupts that at
# one of its last instructions: `perf record -g` under function_graph gets it, without kflame.
show_splats() {
	local known='hrtimer: interrupt took'
	known+='|WARNING: stack going in the wrong direction\? at return_to_handler\+'

	local pattern='WARNING: |BUG: |Oops|KASAN|KCSAN|UBSAN|Kernel panic|RIP: |INFO: task'
	pattern+='|INFO: rcu|possible (recursive|circular)|inconsistent lock state|suspicious RCU'
	pattern+='|scheduling while atomic|sleeping function called|Call Trace|general protection'
	pattern+='|ODEBUG|unreferenced object|stack-protector|list_(add|del) corruption'
	without_oom_stacks "$1" | grep -a -v -E "$known" | grep -a -q -E "$pattern" || return 1
	echo "guest.sh: the guest's kernel complained:" >&2
	grep -a -n -E -B 2 -A 40 "$pattern" "$1" | head -n 150 | tr -d '\r' >&2
}

# A guest that does not end: its kernel prints on the console what every task waits for, and panics.
# Asked for by an NMI, because only that still works in a kernel that hangs.
show_tasks() {
	[ "$arch" = x86_64 ] || return 0
	# opened both ways, because that does not wait for an emulator that has just gone
	echo nmi 1<>"$dir/monitor.in"
	timeout 20 tail --pid="$qemu" -f /dev/null || :
}

# show_hung FILE: the console's last lines before the NMI; from then on the CPU it stopped, and the
# tasks that ran, waited without an end, or were in the module
show_hung() {
	tr -d '\r' <"$1" | awk '
	function flush() {
		if (part ~ /panic|state:[RD]|kf_|kflame/)
			printf "%s", part
		part = ""
	}
	/NMI received|Kernel panic/ && !hung { hung = 1; for (i = NR > 20 ? NR - 20 : 1; i < NR; i++) print line[i] }
	!hung { line[NR] = $0 }
	/ task:/ { flush() }
	hung { part = part $0 "\n" }
	END { flush(); if (!hung) for (i = NR > 20 ? NR - 20 : 1; i <= NR; i++) print line[i] }' | sed -n '1,300p'
}

# What the guest sees of this machine; beside the root, only what is not below it
machine_share "$rootdir" hostroot
mounts=
if [ "$rootdir" != / ]; then
	machine_share "$(cd "$here/../.." && pwd -P)" tree
	mounts="tree:$(cd "$here/../.." && pwd -P):ro"
	[ -z "$modules" ] || machine_share "$modules" modules
	[ -z "$modules" ] || mounts+=" modules:$modules:ro"
fi
[ -z "$shared" ] || machine_share "$shared" shared
[ -z "$shared" ] || mounts+=" shared:$shared:rw"

make_initrd "$@"
mkfifo "$dir"/{host,output,monitor}.{in,out}
console=$dir/console
: >"$console"

args=(-nodefaults -no-user-config -no-reboot -m "$mem" "${machine[@]}"
	-chardev "pipe,id=host,path=$dir/host"
	-chardev "pipe,id=output,path=$dir/output"
	-chardev "pipe,id=monitor,path=$dir/monitor"
	-display none)
if [ -n "$modules" ]; then
	channels=(-device virtio-serial-pci
		-device "virtserialport,chardev=host,name=kflame.host"
		-device "virtserialport,chardev=output,name=kflame.output")
else # a small kernel has no such ports; and some have no interrupts with the old chipset
	args+=(-M q35)
	channels=(-serial chardev:host -serial chardev:output)
fi
if [ -n "$icount" ]; then
	args+=(-accel tcg,thread=single -icount "shift=$icount,sleep=off" -smp 1)
elif [ "$accel" = tcg ]; then
	args+=(-accel tcg,thread=multi -smp "$cpus")
else
	args+=(-accel "$accel" -smp "$cpus")
fi
[ -z "$memory" ] || args+=(-object "memory-backend-file,id=memory,mem-path=$memory,size=$mem,share=on"
	-machine memory-backend=memory)
[ -z "$plugin" ] || args+=(-plugin "$plugin")
# An emulated CPU whose machine is busy elsewhere is not stuck after 20 s
words="console=$(machine_console) panic=-1 loglevel=5 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"
words+=" unknown_nmi_panic=1 panic_print=1"
# On a busy machine no tick comes while an old kernel looks for one: "IO-APIC + timer doesn't work!"
[ "$arch" != x86_64 ] || words+=" no_timer_check"
words+=" $append"
boot=(-kernel "$vmlinuz" -initrd "$dir/initrd.cpio" -append "$words")
[ -z "$cert" ] || {
	. "$here/secure_boot.sh"
	secure_boot "$words"
}
args+=("${boot[@]}")

if [ -n "$shell" ]; then
	"$emulator" "${args[@]}" -chardev "stdio,id=terminal,mux=on,signal=off${log:+,logfile=$log}" \
		-serial chardev:terminal -mon terminal "${channels[@]}"
	exit 0
fi

# The emulator inherits a writing end of both pipes, and nobody else has one:
# their readers see the end exactly when it is gone, however early it died.
exec 3<>"$dir/host.out" 4<>"$dir/output.out" 5<"$dir/host.out" 6<"$dir/output.out"
"$emulator" "${args[@]}" -serial "file:$console" -mon monitor "${channels[@]}" \
	</dev/null 2>"$dir/stderr" 5<&- 6<&- &
qemu=$!
exec 3<&- 4<&-
cat <&6 5<&- &
printer=$!

status='' timed_out='' tainted='' started=''
deadline=$((SECONDS + limit))
while :; do
	left=$((deadline - SECONDS))
	got=0
	[ "$left" -gt 0 ] && read -r -t "$left" request rest <&5 || got=$?
	if [ "$left" -le 0 ] || [ "$got" -gt 128 ]; then
		timed_out=1
		show_tasks
		kill -KILL "$qemu" 2>/dev/null || :
		break
	fi
	[ "$got" -eq 0 ] || break
	case $request in
	exit) status=$rest ;;
	say) echo "$rest" ;;
	begin) deadline=$((SECONDS + limit)) ;;
	fail) echo "guest.sh: $rest" >&2 ;;
	tainted) tainted=$rest ;;
	started) started=1 ;;
	stop)
		kill -STOP "$qemu"
		sleep "$rest"
		kill -CONT "$qemu"
		;;
	*) echo "guest.sh: the guest asked for '$request', which is not known" >&2 ;;
	esac
done
wait "$qemu" 2>/dev/null || :
qemu=
wait "$printer" || :
[ -z "$log" ] || cp "$console" "$log"

# A kernel that complained of itself, or died, before the command was begun tells nothing
# of us: the debug kernel complains in one boot of ten, and emulated CPUs trip over code
# that is patched while they run it in one of some hundred.
if [ -n "$tainted" ] || [ -z "$started$timed_out" ]; then
	tries=${KFLAME_GUEST_TRIES:-3} said=died
	[ -z "$tainted" ] || said="was tainted ($tainted)"
	echo "guest.sh: the guest $said before the command" >&2
	if [ "$tries" -gt 1 ]; then
		cleanup
		KFLAME_GUEST_TRIES=$((tries - 1)) exec "${again[@]}"
	fi
	tail -n 30 "$console" >&2
	die "that often: the kernel, or the emulator, is broken"
fi
if [ -n "$timed_out" ]; then
	echo "guest.sh: no end after $limit s. Of the guest's console, what its CPUs and tasks did:" >&2
	show_hung "$console" >&2
	exit 125
elif show_splats "$console"; then
	exit 125
elif [ -z "$status" ]; then
	echo "guest.sh: the guest died; the console's last lines:" >&2
	tail -n 30 "$console" >&2
	cat "$dir/stderr" >&2
	exit 125
fi
exit "$status"
