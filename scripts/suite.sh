# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# suite.sh - packages and tools of a Debian suite, whatever this machine runs
#
# To be sourced, by bash, with $cache set.  Nothing is installed on the machine: package
# lists and downloads are in $cache/apt/SUITE, the tools in a chroot $cache/chroot/SUITE.
# The mirrors are those that the machine itself is set up with.

# suite_base SUITE: trixie-backports is an addition to trixie
suite_base() { echo "${1%-backports}"; }

# suite_sources SUITE: lines of a sources.list
suite_sources() {
	local base mirror security keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	base=$(suite_base "$1")
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' |
		awk '$2 == "Debian" && $3 == "Debian" && NF == 3 { print $1; exit }')
	security=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' |
		awk '$2 == "Debian-Security" { print $1; exit }')
	[ -n "$mirror" ] || {
		echo "suite.sh: this machine's apt knows no Debian mirror: sudo apt-get update" >&2
		return 1
	}
	echo "deb [signed-by=$keyring] $mirror $base main"
	[ "$base" = "$1" ] || echo "deb [signed-by=$keyring] $mirror $1 main"
	# the newest suite gets its fixes directly
	[ -z "$security" ] || [ "$base" = sid ] || echo "deb [signed-by=$keyring] $security $base-security main"
}

# suite_apt SUITE COMMAND...: run apt-get, apt-cache with that suite's lists
suite_apt() {
	local suite=$1 dir=$cache/apt/$1
	shift
	if ! [ -e "$dir/updated" ]; then
		mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
		suite_sources "$suite" >"$dir/sources.list" || return 1
		cat >"$dir/conf" <<-END
		Dir::Etc::SourceList "$dir/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State::Lists "$dir/lists";
		Dir::State::Status "/dev/null";
		Dir::Cache "$dir/cache";
		APT::Architectures { "amd64"; "arm64"; };
		APT::Sandbox::User "";
		END
		APT_CONFIG=$dir/conf apt-get -q update >"$dir/log" 2>&1 &&
			! grep -q '^[WE]: ' "$dir/log" || {
			cat "$dir/log" >&2
			return 1
		}
		touch "$dir/updated"
	fi
	APT_CONFIG=$dir/conf "$@"
}

# suite_unpack SUITE DIR PACKAGE...: download, and unpack into DIR
suite_unpack() {
	local suite=$1 to=$2 package deb dir
	shift 2
	mkdir -p "$to" "$cache/apt/$suite/debs"
	for package; do
		dir=$(mktemp -d "$cache/apt/$suite/debs/XXXXXX")
		(cd "$dir" && suite_apt "$suite" apt-get -q download "$package" >log 2>&1) || {
			cat "$dir/log" >&2
			echo "suite.sh: cannot download $package of $suite" >&2
			# its lists may be too old: new ones the next time
			rm -rf "$dir" "$cache/apt/$suite/updated"
			return 1
		}
		deb=$(echo "$dir"/*.deb)
		# a directory lib/ of a package must not take the place of a link there
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$to" --keep-directory-symlink || return
		rm -r "$dir"
	done
}

# suite_root SUITE: print the directory of a chroot with what builds modules
suite_root() {
	local base root gcc
	base=$(suite_base "$1")
	root=$cache/chroot/$base
	if ! [ -e "$root/made" ]; then
		[ "$(id -u)" -eq 0 ] || {
			echo "suite.sh: making a chroot of $base needs root" >&2
			return 1
		}
		case $base in
		bullseye) gcc=gcc-10 ;;
		bookworm) gcc=gcc-12 ;;
		*) gcc=gcc-14,pahole ;;
		esac
		echo "suite: making a chroot of Debian $base, to build its modules in" >&2
		rm -rf --one-file-system "$root"
		mkdir -p "$cache/chroot"
		suite_sources "$base" | mmdebstrap --quiet --mode=root --variant=apt \
			--include="gcc,$gcc,make,perl,libc6-dev,libelf-dev,kmod" \
			"$base" "$root" >&2 || return 1
		touch "$root/made"
	fi
	echo "$root"
}

# suite_cross ROOT: that chroot's compiler for arm64, if it is not there
suite_cross() {
	[ -e "$1/usr/bin/aarch64-linux-gnu-gcc" ] && return
	chroot "$1" apt-get -q update &&
		chroot "$1" apt-get -q -y install --no-install-recommends gcc-aarch64-linux-gnu
}

# suite_tools ROOT PACKAGE...: more packages in that chroot, unless each is there
suite_tools() {
	local root=$1
	shift
	chroot "$root" dpkg-query -W "$@" >/dev/null 2>&1 && return
	chroot "$root" apt-get -q update &&
		chroot "$root" apt-get -q -y install --no-install-recommends "$@"
}

# suite_propagation: for unshare --mount. Where / is no mount point, as in a chroot, mounts cannot be made
# private; whoever mounts then unmounts, too.
suite_propagation() {
	if unshare --mount true 2>/dev/null; then echo private; else echo unchanged; fi
}

# suite_run ROOT COMMAND...: run in a chroot, with /proc (objtool needs it); nothing stays
suite_run() {
	local root=$1
	shift
	unshare --mount --propagation "$(suite_propagation)" --pid --fork sh -eu -c '
		trap "umount \"$1/dev\" \"$1/proc\" 2>/dev/null || :" EXIT
		mount -t proc proc "$1/proc"
		mount --bind /dev "$1/dev"
		chroot "$@"' - "$root" "$@"
}
