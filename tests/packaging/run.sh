#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - dkms, the Debian packages and signing, tried for real; prints TAP
#
# usage: tests/packaging/run.sh [SUITE [TEST...]]
#
# SUITE is a release of Debian, default bookworm; TEST names some of the tests,
# each of which may need those before it.
#
# Root only.  The packages are installed, upgraded and removed in a chroot with the
# headers of two kernels; it is made once and kept in KFLAME_CACHE, and each run
# works on an overlay over it.  All mounts are in a mount namespace of this run,
# and its processes in a PID namespace: both end with it.
# shellcheck disable=SC1091,SC2015,SC2016,SC2317 # the tests are called by name
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/sbin:/sbin

suite=${1:-bookworm}
wanted=("${@:2}")
cache=${KFLAME_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: set KFLAME_CACHE}/.cache}/kflame}
. scripts/suite.sh
base=$cache/chroot-$suite-dkms
arch=$(dpkg --print-architecture)
packages=dkms,openssl,gcc,make,libdw1,libelf1,libjson-c5,libncursesw6,libseccomp2,linux-headers-$arch,linux-headers-cloud-$arch

skip_all() {
	echo "1..0 # skip $*"
	exit 0
}

if [ -z "${KFLAME_NAMESPACE:-}" ]; then
	[ "$(id -u)" -eq 0 ] || skip_all "only root can make a chroot"
	propagation=$(suite_propagation)
	unshare --mount --propagation "$propagation" --pid --fork true 2>/dev/null ||
		skip_all "no namespaces here"
	scripts/setup.sh packaging >&2 || exit 1
	KFLAME_NAMESPACE=1 exec unshare --mount --propagation "$propagation" --pid --fork \
		--kill-child --mount-proc "$0" "$@"
fi

work=$PWD/build/packaging
root=$work/root
log=$work/log
rm -rf "$work"
mkdir -p "$work" "$root" "$cache"

# --- the chroot

# The machine's own mirrors, for another release
sources() {
	local host uri release
	host=$(. /etc/os-release && echo "$VERSION_CODENAME")
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | sort -u |
	while read -r uri release; do
		case $release in
		"$host" | "$host"-updates | "$host"-security)
			echo "deb $uri $suite${release#"$host"} main" ;;
		esac
	done
}

make_base() {
	echo "# making the chroot $base" >&2
	rm -rf "$base.part"
	sources >"$work/sources"
	[ -s "$work/sources" ] || { echo "apt knows no mirror of this release" >&2; return 1; }
	mmdebstrap --mode=root --variant=apt --include="$packages" "$suite" "$base.part" - \
		<"$work/sources" >"$work/mmdebstrap" 2>&1 || {
		tail -n 20 "$work/mmdebstrap" >&2
		rm -rf "$base.part"
		return 1
	}
	mv "$base.part" "$base"
}

(
	! command -v flock >/dev/null || flock 9
	[ -d "$base" ] || make_base
) 9>"$base.lock" || { echo "1..1"; echo "not ok 1 - make the chroot"; exit 1; }

mount -t tmpfs -o mode=755 kflame "$root" || exit 1
trap 'umount -R "$work/root"' EXIT
mkdir "$root/upper" "$root/work" "$root/chroot"
if ! mount -t overlay -o "lowerdir=$base,upperdir=$root/upper,workdir=$root/work" kflame "$root/chroot"; then
	cp -a "$base/." "$root/chroot/"
fi
root=$root/chroot
mount -t proc proc "$root/proc"

inside() {
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@"
}

# --- what the tests share

number=0
failed=0
tests=(packages_lintian source_package dkms_by_hand uninstall_without_headers apt_install device_has_a_group tool_version apt_upgrade
	old_module_and_key_are_said
	unsupported_kernels_are_skipped failed_build_is_said_and_passed_over
	header_hook_passes_over header_hook_builds apt_remove signing clang_kernel)

check() {
	local name=$1 out status=0 begin=$SECONDS
	shift
	number=$((number + 1))
	out=$("$@" 2>&1) || status=$?
	case $status in
	0) echo "ok $number - ${name//_/ } ($((SECONDS - begin)) s)" ;;
	77) echo "ok $number - ${name//_/ } # skip $out" ;;
	*)
		printf '%s\n' "$out" | tail -n 60 | sed 's/^/# /'
		echo "not ok $number - ${name//_/ }"
		failed=1
		;;
	esac
}

fail() {
	echo "$*"
	return 1
}

# the real kernels of the chroot
kernels() {
	(cd "$base/lib/modules" && echo *)
}

# module VERSION KERNEL: that version is there, built for that kernel
module() {
	local ko
	ko=$(find "$root/lib/modules/$2" -name 'kflame.ko*')
	[ -n "$ko" ] || fail "no module for $2" || return
	[ "$(modinfo -F version "$ko")" = "$1$commit" ] || fail "$ko: version $(modinfo -F version "$ko")" || return
	[ "$(modinfo -F vermagic "$ko" | cut -d' ' -f1)" = "$2" ] || fail "$ko: wrong vermagic"
}

no_module() {
	[ -z "$(find "$root/lib/modules/$1" -name 'kflame.ko*')" ] || fail "a module for $1"
}

nothing_left() {
	local left
	left=$(find "$root"/lib/modules "$root"/usr/src "$root"/var/lib/dkms -name '*kflame*')
	[ -z "$left" ] || fail "left behind: $left"
}

# run COMMAND...: in the chroot; what it printed is in $log
run() {
	local status=0
	inside "$@" >"$log" 2>&1 || status=$?
	[ "$status" -eq 0 ] || { cat "$log"; fail "exit status $status: $*"; }
}

said() {
	grep -q -- "$1" "$log" || { cat "$log"; fail "nobody said '$1'"; }
}

# dpkg holds nothing that is not fully installed
apt_is_whole() {
	[ -z "$(inside dpkg --audit)" ] || { inside dpkg --audit; return 1; }
}

version=$(scripts/version.sh)
newer=$version.1
# what follows either in the module and the tool: the commit
commit=$(scripts/version.sh --commit | sed 's/^[^-]*//')

# --- the tests

packages_lintian() {
	local copy=$work/newer
	scripts/make-deb.sh || return
	cp out/deb/*.deb "$root/root/"
	lintian --allow-root --fail-on error --tag-display-limit 0 out/deb/*.deb || return
	# the same with another version, which is written in one place
	mkdir "$copy"
	cp -r CHANGELOG.md README.md docs include kmod man scripts user dkms "$copy/"
	echo "$commit" >"$copy/kmod/commit"
	sed -i "s/\"$version\"/\"$newer\"/" "$copy/kmod/base/version.h"
	"$copy/scripts/make-deb.sh" -A || return
	cp "$copy"/out/deb/*.deb "$root/root/"
}

# The package builds from its source package, and names the repository
source_package() {
	local control
	KFLAME_VCS=https://git.example.org/kflame.git scripts/make-deb.sh -S >"$log" || return
	said "kflame_${version}.dsc" || return
	mkdir "$work/source"
	cp out/deb/kflame_"$version".dsc out/deb/kflame_"$version".tar.* "$work/source/"
	(cd "$work/source" && dpkg-source -x kflame_"$version".dsc tree && cd tree &&
		dpkg-buildpackage -us -uc -A) >"$log" 2>&1 || { cat "$log"; return 1; }
	control=$(dpkg-deb -f "$work/source/kflame-dkms_${version}_all.deb" Homepage) || return
	[ -n "$control" ] || fail "no Homepage" || return
	dpkg-deb -x "$work/source/kflame-dkms_${version}_all.deb" "$work/source/content" || return
	[ -e "$work/source/content/usr/src/kflame-$version/kmod/commit" ] || fail "the commit is missing" || return
	zcat "$work/source/content/usr/share/doc/kflame-dkms/changelog.gz" | cmp - CHANGELOG.md
}

dkms_by_hand() {
	mkdir "$root/root/kflame"
	cp -r Makefile kmod include dkms scripts "$root/root/kflame/"
	echo "$commit" >"$root/root/kflame/kmod/commit"
	run make -C /root/kflame dkms-install "KERNELS=$(kernels)" || return
	for kernel in $(kernels); do
		said "$version, $kernel, .*: installed" && module "$version" "$kernel" || return
	done
	run make -C /root/kflame dkms-uninstall && nothing_left
}

# Also without headers, of every kernel; and not what dkms installed
uninstall_without_headers() {
	local dest=$work/uninstall copy=$work/uninstall.src release
	mkdir "$copy"
	cp -r Makefile docs kmod include man scripts user "$copy/"
	for release in 6.1.0-1-a 6.1.0-2-b 6.1.0-3-dkms; do
		mkdir -p "$dest/lib/modules/$release/extra"
		echo module >"$dest/lib/modules/$release/extra/kflame.ko"
	done
	mkdir -p "$dest/var/lib/dkms/kflame/$version/6.1.0-3-dkms/x86_64/module" "$dest/usr/local/bin"
	echo module >"$dest/var/lib/dkms/kflame/$version/6.1.0-3-dkms/x86_64/module/kflame.ko"
	echo tool >"$dest/usr/local/bin/kflame"
	make -s -C "$copy" uninstall KDIR=/nonexistent DESTDIR="$dest" >"$log" 2>&1 || { cat "$log"; return 1; }
	said 'removed .*6.1.0-1-a' && said 'removed .*6.1.0-2-b' && said '6.1.0-3-dkms.* stays' || return
	[ "$(find "$dest" -path '*/extra/kflame.ko')" = "$dest/lib/modules/6.1.0-3-dkms/extra/kflame.ko" ] ||
		fail "left: $(find "$dest" -name 'kflame*')" || return
	[ ! -e "$dest/usr/local/bin/kflame" ] || fail "the tool is left"
}

apt_install() {
	run apt-get install -y --no-install-recommends "/root/kflame-dkms_${version}_all.deb" || return
	run dkms status kflame || return
	for kernel in $(kernels); do
		said "kflame/$version, $kernel, .*: installed" && module "$version" "$kernel" || return
		# dkms signs by itself
		modinfo -F signer "$(find "$root/lib/modules/$kernel" -name 'kflame.ko*')" | grep -q . ||
			fail "not signed: the module of $kernel" || return
	done
}

device_has_a_group() {
	run getent group kflame || return
	run cat /lib/udev/rules.d/60-kflame-dkms.rules && said 'GROUP="kflame", MODE="0660"' || return
	run cat /usr/lib/modules-load.d/kflame.conf && said '^kflame$'
}

tool_version() {
	[ "$suite" = bookworm ] || { echo "the tool is built for Debian 12"; return 77; }
	run apt-get install -y --no-install-recommends "/root/kflame_${version}_$arch.deb" || return
	run kflame --version && said "kflame $version$commit"
}

# imitate NAME: the headers of another kernel, made of those of the first one
imitate() {
	local real
	real=$(kernels)
	real=$(readlink -f "$root/lib/modules/${real%% *}/build")
	real=/${real##"$root"/}
	mkdir -p "$root/lib/modules/$1"
	cp -a "$root$real" "$root/usr/src/linux-headers-$1"
	ln -s "/usr/src/linux-headers-$1" "$root/lib/modules/$1/build"
}

apt_upgrade() {
	# too old
	imitate 4.19.0-1-old
	# lacks what the module cannot do without
	imitate 6.1.0-1-noirqwork
	sed -i '/^CONFIG_IRQ_WORK=/d' "$root/usr/src/linux-headers-6.1.0-1-noirqwork/.config" \
		"$root/usr/src/linux-headers-6.1.0-1-noirqwork/include/config/auto.conf"
	# lost a function that the module calls, as new kernels do
	imitate 6.1.0-2-broken
	echo '#define irq_work_sync irq_work_gone' \
		>>"$root/usr/src/linux-headers-6.1.0-2-broken/include/generated/autoconf.h"
	# an old module is loaded, and the key that signs is unknown: /sys is of the test here, and so is mokutil
	mkdir -p "$root/sys/module/kflame"
	echo "$version" >"$root/sys/module/kflame/version"
	printf '#!/bin/sh\n[ "$1" = --sb-state ] && echo SecureBoot enabled || echo "$2 is not enrolled"\n' \
		>"$root/usr/bin/mokutil"
	chmod 755 "$root/usr/bin/mokutil"
	run apt-get install -y --no-install-recommends "/root/kflame-dkms_${newer}_all.deb" || return
	cp "$log" "$work/upgrade"
	apt_is_whole || return
	for kernel in $(kernels); do
		module "$newer" "$kernel" || return
	done
	[ ! -e "$root/usr/src/kflame-$version" ] || fail "the old source is left" || return
	[ ! -e "$root/var/lib/dkms/kflame/$version" ] || fail "dkms keeps the old version"
}

old_module_and_key_are_said() {
	cp "$work/upgrade" "$log" || return
	said "the old module, version $version, is still loaded" && said 'mokutil --import /var/lib/dkms/mok.pub'
}

unsupported_kernels_are_skipped() {
	cp "$work/upgrade" "$log" || return
	for kernel in 4.19.0-1-old 6.1.0-1-noirqwork; do
		said "kernel $kernel is not supported, skipped" && no_module "$kernel" || return
	done
}

failed_build_is_said_and_passed_over() {
	cp "$work/upgrade" "$log" || return
	said 'irq_work_gone' && said 'no module for kernel 6.1.0-2-broken' && no_module 6.1.0-2-broken
}

# as the postinst of a package of headers calls it
header_hook() {
	run run-parts --exit-on-error --arg="$1" /etc/kernel/header_postinst.d
}

header_hook_passes_over() {
	header_hook 4.19.0-1-old && said 'not supported' && no_module 4.19.0-1-old || return
	header_hook 6.1.0-1-noirqwork && no_module 6.1.0-1-noirqwork || return
	header_hook 6.1.0-2-broken && said 'does not build for kernel 6.1.0-2-broken' &&
		no_module 6.1.0-2-broken
}

header_hook_builds() {
	local kernel
	kernel=$(kernels)
	kernel=${kernel##* }
	run dkms remove kflame/"$newer" -k "$kernel" && no_module "$kernel" || return
	header_hook "$kernel" && module "$newer" "$kernel"
}

apt_remove() {
	run apt-get purge -y kflame-dkms && nothing_left || return
	inside test ! -e /etc/dkms/kflame.conf && apt_is_whole
}

# headers of the machine itself, from here on
host_headers() {
	local tree
	for tree in /usr/src/linux-headers-*-"$arch"; do
		[ ! -e "$tree/Makefile" ] || { echo "$tree"; return; }
	done
	return 1
}

# signature_holds MODULE CERT: what the kernel checks at load.  At the end are the
# signature, 12 bytes whose last four are its length, and a line of 28 bytes.
signature_holds() {
	local size length
	size=$(stat -c %s "$1")
	length=$((16#$(tail -c 32 "$1" | head -c 4 | od -An -tx1 | tr -d ' ')))
	tail -c $((length + 40)) "$1" | head -c "$length" >"$work/signature"
	head -c $((size - length - 40)) "$1" >"$work/signed"
	openssl x509 -inform DER -in "$2" -out "$work/cert.pem" || return
	openssl cms -verify -binary -inform DER -in "$work/signature" -content "$work/signed" \
		-certfile "$work/cert.pem" -nointern -noverify -out /dev/null
}

signing() {
	local kdir copy=$work/signing key=$work/mok.key cert=$work/mok.der
	kdir=$(host_headers) || { echo "no headers here"; return 77; }
	mkdir "$copy"
	cp -r Makefile docs kmod include man scripts user "$copy/"
	make -s -C "$copy/kmod" KDIR="$kdir" clean >/dev/null
	! make -s -C "$copy" sign KDIR="$kdir" KEY="$key" CERT="$cert" >"$log" 2>&1 || fail "signed without a key" || return
	said "cannot read the key $key" || return
	make -s -C "$copy" sign-key KEY="$key" CERT="$cert" || return
	[ "$(stat -c %a "$key")" = 600 ] || fail "others can read the key" || return
	! make -s -C "$copy" sign-key KEY="$key" CERT="$cert" || fail "overwrote a key" || return
	# twice: signed again, not signed on top
	for _ in 1 2; do
		make -s -C "$copy" sign KDIR="$kdir" KEY="$key" CERT="$cert" || return
	done
	[ "$(grep -o -a '~Module signature appended~' "$copy/kmod/kflame.ko" | wc -l)" = 1 ] ||
		fail "not one signature" || return
	modinfo -F signer "$copy/kmod/kflame.ko" | grep 'kflame module signing key' || return
	signature_holds "$copy/kmod/kflame.ko" "$cert" || return
	# make install keeps it
	make -s -j"$(nproc)" -C "$copy" install KDIR="$kdir" DESTDIR="$work/dest" || return
	[ -x "$work/dest/usr/local/bin/kflame" ] || fail "no tool was installed" || return
	signature_holds "$(find "$work/dest" -name kflame.ko)" "$cert" || return
	# and says so when the module was changed afterwards
	sed 's/memory_cap/memory_cup/' "$copy/kmod/kflame.ko" >"$work/changed.ko"
	! signature_holds "$work/changed.ko" "$cert" || fail "a changed module passes"
}

# A kernel that says clang built it: Debian has none, so gcc's marks are taken out
# of the configuration of one, as far as clang would refuse them.
clang_kernel() {
	local kdir tree=$work/clang copy=$work/clang.src version
	command -v clang >/dev/null && command -v ld.lld >/dev/null || { echo "no clang and lld here"; return 77; }
	kdir=$(host_headers) || { echo "no headers here"; return 77; }
	version=$(clang -dumpversion | sed 's/\..*//')
	cp -a "$kdir" "$tree"
	for link in scripts tools; do
		ln -sfn "$(readlink -f "$kdir/$link")" "$tree/$link"
	done
	sed -i '/^CC = /d' "$tree/.kernelvariables"
	sed -i -E -e 's/-Wimplicit-fallthrough=5/-Wimplicit-fallthrough/' \
		-e 's/^(#define )?CONFIG_CC_IS_GCC([= ])(y|1)/\1CONFIG_CC_IS_CLANG\2\3/' \
		-e 's/^(#define )?CONFIG_LD_IS_BFD([= ])(y|1)/\1CONFIG_LD_IS_LLD\2\3/' \
		-e "s/^(#define )?CONFIG_CLANG_VERSION([= ]).*/\1CONFIG_CLANG_VERSION\2${version}0000/" \
		-e 's/^(#define )?CONFIG_GCC_VERSION([= ]).*/\1CONFIG_GCC_VERSION\20/' \
		-e 's/^(#define )?CONFIG_FTRACE_MCOUNT_USE_CC([= ])/\1CONFIG_FTRACE_MCOUNT_USE_OBJTOOL\2/' \
		-e '/^(#define )?CONFIG_(RETHUNK|CC_HAS_RETURN_THUNK|INIT_STACK_ALL_ZERO|CPU_SRSO|CPU_UNRET_ENTRY|SLS)[= ]/d' \
		"$tree/.config" "$tree/include/config/auto.conf" "$tree/include/generated/autoconf.h"
	mkdir "$copy"
	cp -r kmod include "$copy/"
	make -C "$copy/kmod" KDIR="$tree" clean >/dev/null 2>&1
	make -C "$copy/kmod" KDIR="$tree" >"$log" 2>&1 || { cat "$log"; return 1; }
	readelf -p .comment "$copy/kmod/kflame.ko" | grep clang
}

[ ${#wanted[@]} -eq 0 ] || tests=("${wanted[@]}")
echo "1..${#tests[@]}"
for test in "${tests[@]}"; do
	check "$test" "$test"
done
exit $failed
