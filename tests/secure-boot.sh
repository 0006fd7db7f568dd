#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# secure-boot.sh - docs/signing.md, tried on a machine with Secure Boot; prints TAP
#
# usage: tests/secure-boot.sh
#
# Makes the keys and signs as a user does (make sign-key, make sign), and starts a guest
# whose firmware, shim and kernel check.  What is tried there: tests/e2e/test_secure_boot.py
set -eu -o pipefail
cd "$(dirname "$0")/.."

kernel=debian-6.1 kdir=''
module=$PWD/build/modules/$kernel/kmod/kflame.ko
work=$PWD/build/secure-boot
log=build/check/secure-boot.log
mkdir -p build/check

# key NAME: a pair of its own
key() {
	XDG_CONFIG_HOME=$work/$1 scripts/sign.sh --new-key
}

# sign NAME: a copy of the module, signed by that pair
sign() {
	cp "$module" "$work/$1.ko" &&
		KDIR=$kdir XDG_CONFIG_HOME=$work/$1 scripts/sign.sh "$work/$1.ko"
}

# set -e says nothing in here, where a failure is looked for
prepare() {
	scripts/setup.sh firmware &&
		scripts/build-user.sh x86_64 &&
		scripts/build-module.sh "$kernel" &&
		at=$(scripts/guest-kernel.sh "$kernel") &&
		eval "$at" &&
		rm -rf "$work" &&
		mkdir -p "$work" &&
		key enrolled && sign enrolled &&
		key unknown && sign unknown
}

prepare >"$log" 2>&1 || {
	sed 's/^/# /' "$log"
	echo "Bail out! no signed module"
	exit 1
}
exec tests/vm/guest.sh --kernel "$kernel" --log build/check/secure-boot.console --timeout 600 \
	--secure-boot "$work/enrolled/kflame/mok.der" -- \
	env KFLAME_BUILD="$PWD/build" KFLAME_MODULE="$module" KFLAME_KEYS="$work" \
	tests/e2e/run.py secure_boot
