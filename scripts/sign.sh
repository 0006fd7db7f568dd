#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sign.sh - sign the module for Secure Boot, see docs/signing.md
#
# usage: scripts/sign.sh [MODULE]	(default kmod/kflame.ko)
#	 scripts/sign.sh --new-key	make a pair of key and certificate
#
# KEY, CERT	private key, and certificate in DER (default: the first pair there
#		is of --new-key's, dkms's, Ubuntu's and akmods')
# KDIR		build tree of the kernel, which has the program that signs
set -eu
cd "$(dirname "$0")/.."

own=${XDG_CONFIG_HOME:-${HOME:-/root}/.config}/kflame
kdir=${KDIR:-/lib/modules/$(uname -r)/build}

die() {
	echo "sign.sh: $*" >&2
	exit 1
}

need() {
	command -v "$1" >/dev/null || die "no $1 here: install $2"
}

# how to make the firmware trust the certificate
say_enroll() {
	if command -v mokutil >/dev/null && mokutil --test-key "$1" 2>/dev/null | grep -q 'already enrolled'; then
		echo "Its certificate is enrolled: Secure Boot takes it."
		return
	fi
	cat <<-END
	With Secure Boot, enroll the certificate once (it asks for a password to make up):
	    sudo mokutil --import $1
	then reboot, and in the blue screen choose Enroll MOK and give the password again.
	END
}

new_key() {
	key=${KEY:-$own/mok.key}
	cert=${CERT:-$own/mok.der}
	need openssl openssl
	for file in "$key" "$cert"; do
		[ ! -e "$file" ] || die "$file is there already, and is not overwritten"
	done
	mkdir -p "$(dirname "$key")" "$(dirname "$cert")"
	config=$(mktemp)
	trap 'rm -f "$config"' EXIT
	# 1.3.6.1.4.1.2312.16.1.2: for modules only; shim boots nothing that it signed
	cat >"$config" <<-END
	[req]
	distinguished_name = name
	x509_extensions = extensions
	prompt = no
	[name]
	CN = kflame module signing key ($(uname -n))
	[extensions]
	basicConstraints = critical, CA:FALSE
	keyUsage = digitalSignature
	extendedKeyUsage = codeSigning, 1.3.6.1.4.1.2312.16.1.2
	subjectKeyIdentifier = hash
	END
	(umask 077 && openssl req -new -x509 -config "$config" -newkey rsa:2048 -nodes -days 36500 \
		-keyout "$key" -outform DER -out "$cert" 2>"$config.log") || {
		cat "$config.log" >&2
		die "openssl made no key"
	}
	rm -f "$config.log"
	chmod 644 "$cert"
	echo "key $key (keep it secret), certificate $cert"
	say_enroll "$cert"
}

# find_pair: sets key and cert
find_pair() {
	if [ -n "${KEY:-}${CERT:-}" ]; then
		if [ -z "${KEY:-}" ] || [ -z "${CERT:-}" ]; then
			die "KEY and CERT belong together: say both"
		fi
		key=$KEY cert=$CERT
		return
	fi
	hidden=
	while read -r key cert; do
		[ -e "$cert" ] || continue
		[ ! -r "$key" ] || return 0
		hidden=$key
	done <<-END
	$own/mok.key $own/mok.der
	/var/lib/dkms/mok.key /var/lib/dkms/mok.pub
	/var/lib/shim-signed/mok/MOK.priv /var/lib/shim-signed/mok/MOK.der
	/etc/pki/akmods/private/private_key.priv /etc/pki/akmods/certs/public_key.der
	END
	[ -z "$hidden" ] || die "$hidden is not readable for you: sudo make sign"
	die "no key to sign with: make one (make sign-key), or say KEY=... CERT=..."
}

is_signed() {
	tail -c 28 "$1" | grep -q '^~Module signature appended~'
}

sign() {
	module=$1
	[ -e "$module" ] || die "no $module: build it first (make modules)"
	[ -w "$module" ] || die "$module is not writable for you: sudo make sign"
	find_pair
	case $key in
	pkcs11:*) ;;
	*) [ -r "$key" ] || die "cannot read the key $key" ;;
	esac
	[ -r "$cert" ] || die "cannot read the certificate $cert"

	signer=$kdir/scripts/sign-file
	[ -x "$signer" ] || signer=$(command -v kmodsign) ||
		die "no $kdir/scripts/sign-file: install that kernel's headers, or say KDIR="
	hash=$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\{0,1\}\([a-z0-9-]*\).*/\1/p' \
		"$kdir/include/config/auto.conf" "$kdir/.config" 2>/dev/null | head -n 1)

	# what is stripped afterwards loses its signature; this drops an old one, too
	need strip binutils
	strip --strip-debug "$module"
	"$signer" "${hash:-sha512}" "$key" "$cert" "$module" || die "$signer could not sign $module with $key"
	is_signed "$module" || die "$signer left no signature on $module"
	echo "$module: signed with $key (${hash:-sha512})"
	say_enroll "$cert"
}

case ${1:-} in
--new-key) new_key ;;
-*) sed -n '/^# usage/,/^set -eu/p' "$0" | sed -e '$d' -e 's/^# \{0,1\}//' >&2; exit 2 ;;
*) sign "${1:-kmod/kflame.ko}" ;;
esac
