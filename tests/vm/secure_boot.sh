# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034,SC2054
#
# secure_boot.sh - a guest that starts as machines with Secure Boot do
#
# To be sourced by guest.sh, with $here, $dir, $vmlinuz and $cert set.  Firmware with
# Microsoft's keys starts shim, shim GRUB, GRUB the kernel, each as Debian signed it.
# What a user does in shim's blue screen is done to the firmware's variables before:
# $cert is in MokList.  None of it is installed: shim's package would set up this machine.

cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
# shellcheck source=scripts/suite.sh
. "$here/../../scripts/suite.sh"

# secure_boot_root: the directory of what is unpacked; made once
secure_boot_root() {
	local root=$cache/secure-boot
	mkdir -p "$root"
	(
		flock 9
		[ -e "$root/made" ] || {
			suite_unpack trixie-backports "$root" ovmf shim-signed grub-efi-amd64-signed \
				python3-virt-firmware && touch "$root/made"
		}
	) 9>"$root/lock" || return 1
	echo "$root"
}

# secure_boot_disk ROOT WORDS: $dir/esp, from which the firmware starts
secure_boot_disk() {
	truncate -s 200M "$dir/esp"
	printf '%s\n' "linux /vmlinuz $2" 'initrd /initrd.cpio' boot >"$dir/grub.cfg"
	mformat -i "$dir/esp" -F ::
	mmd -i "$dir/esp" ::/EFI ::/EFI/BOOT ::/EFI/debian
	mcopy -i "$dir/esp" "$1/usr/lib/shim/shimx64.efi.signed" ::/EFI/BOOT/BOOTX64.EFI
	mcopy -i "$dir/esp" "$1/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" \
		::/EFI/BOOT/grubx64.efi
	mcopy -i "$dir/esp" "$dir/grub.cfg" ::/EFI/debian/grub.cfg
	mcopy -i "$dir/esp" "$vmlinuz" ::/vmlinuz
	mcopy -i "$dir/esp" "$dir/initrd.cpio" ::/initrd.cpio
}

# secure_boot WORDS: sets boot[], arguments of the emulator
secure_boot() {
	local root firmware
	root=$(secure_boot_root) || die "nothing to start with Secure Boot"
	firmware=$root/usr/share/OVMF
	# 605dab50-...: the owner of all that shim keeps
	PYTHONPATH=$root/usr/lib/python3/dist-packages "$root/usr/bin/virt-fw-vars" \
		--input "$firmware/OVMF_VARS_4M.ms.fd" --output "$dir/vars.fd" \
		--add-mok 605dab50-e046-4300-abb6-3dd810dd8b23 "$cert" 2>"$dir/stderr" || {
		cat "$dir/stderr" >&2
		die "$cert was not enrolled"
	}
	secure_boot_disk "$root" "$1"
	boot=(-M "q35,smm=on" -global driver=cfi.pflash01,property=secure,value=on
		-drive "if=pflash,unit=0,format=raw,readonly=on,file=$firmware/OVMF_CODE_4M.secboot.fd"
		-drive "if=pflash,unit=1,format=raw,file=$dir/vars.fd"
		-drive "if=none,id=esp,format=raw,file=$dir/esp" -device ide-hd,drive=esp,bus=ide.0)
}
