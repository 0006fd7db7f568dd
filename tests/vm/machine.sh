# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# machine.sh - what differs from one emulated machine to the other
#
# To be sourced by guest.sh, with $here and what scripts/guest-kernel.sh prints set.
# machine[] collects arguments for the emulator.

machine=()
helpers=()

case $arch in
x86_64) machine+=(-cpu max) ;;
# emulating the standard's way of signing pointers takes ten times as long
arm64) machine+=(-M virt,gic-version=3 -cpu "max,pauth-impdef=on") ;;
esac

machine_emulator() {
	local name=qemu-system-x86_64 group=guest
	[ "$arch" = x86_64 ] || name=qemu-system-aarch64 group=arm64
	command -v "$name" || {
		echo "guest.sh: no $name: scripts/setup.sh $group" >&2
		return 1
	}
}

machine_console() {
	case $arch in
	x86_64) echo ttyS0 ;;
	arm64) echo ttyAMA0 ;;
	esac
}

# The directory that is to be the guest's root
machine_root() {
	[ "$arch" = x86_64 ] && echo / || "$here/../../scripts/guest-root.sh" "$arch"
}

machine_busybox() {
	[ "$arch" = x86_64 ] && command -v busybox || echo "$rootdir/bin/busybox"
}

# Kernels for clouds have no 9p
machine_transport() {
	[ -z "$modules" ] || [ -n "$(find "$modules/" -name '9pnet_virtio.ko*')" ] &&
		echo 9p || echo virtiofs
}

# Modules that reach what is shared
machine_modules() {
	[ "$transport" = 9p ] && echo 9pnet_virtio 9p || echo virtiofs
}

# share PATH TAG: the guest can mount PATH of this machine
machine_share() {
	[ "$transport" = 9p ] || {
		share_by_daemon "$@"
		return
	}
	local how=readonly=on,
	[ "$2" != shared ] || how=
	machine+=(-fsdev "local,id=$2,path=$1,security_model=none,${how}multidevs=remap"
		-device "virtio-9p-pci,fsdev=$2,mount_tag=$2")
}

# A daemon reads and writes files for the guest, in memory that both see
share_by_daemon() {
	local daemon socket=$dir/$2.socket
	for daemon in /usr/lib/qemu/virtiofsd /usr/libexec/virtiofsd; do
		[ ! -x "$daemon" ] || break
	done
	[ -x "$daemon" ] || die "no virtiofsd, which a kernel without 9p needs: apt-get install virtiofsd"
	[ ${#helpers[@]} -gt 0 ] || machine+=(-numa node,memdev=memory
		-object "memory-backend-memfd,id=memory,size=$mem,share=on")
	"$daemon" --socket-path="$socket" -o "source=$1" -o cache=auto -o sandbox=chroot \
		>"$dir/$2.log" 2>&1 </dev/null &
	helpers+=($!)
	while ! [ -S "$socket" ]; do
		kill -0 "${helpers[-1]}" 2>/dev/null || die "virtiofsd: $(tail -n 3 "$dir/$2.log")"
		sleep 0.05
	done
	machine+=(-chardev "socket,id=$2,path=$socket"
		-device "vhost-user-fs-pci,chardev=$2,tag=$2")
}

machine_end() {
	[ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null || :
}
