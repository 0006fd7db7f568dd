#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# demo.sh - kflame's main job, from nothing to the picture
#
# usage: scripts/demo.sh [--kernel NAME | --native]
#
# Builds module and tool, boots a guest (--native: uses this machine), records a
# mixed workload there, and leaves the flame graph and what it was drawn from in
# out/demo/ (KFLAME_DEMO_OUT: in another directory).
set -eu

cd "$(dirname "$0")/.."
kernel=debian-6.1
native=
made="kflame.data flame.folded flame.svg report.txt"
case ${1:-} in
--native) native=1 ;;
--kernel) kernel=${2:?--kernel needs a name} ;;
'') ;;
*) echo "usage: scripts/demo.sh [--kernel NAME | --native]" >&2 && exit 2 ;;
esac

step() {
	printf '== %s\n' "$*"
}

# Say what failed, and show the log of a step that is otherwise quiet
quietly() {
	if ! "$@" >build/demo.log 2>&1; then
		cat build/demo.log >&2
		echo "demo: '$*' failed, see above" >&2
		exit 1
	fi
}

out=${KFLAME_DEMO_OUT:-$PWD/out/demo}
mkdir -p build "$out"
trap scripts/give-back.sh EXIT
# dash leaves out EXIT's where a signal ends it
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
for file in $made; do
	rm -f "$out/$file"
done

if [ -n "$native" ]; then
	[ "$(id -u)" -eq 0 ] || {
		echo "demo: loading a module takes root: sudo make demo NATIVE=1" >&2
		exit 1
	}
	kdir=/lib/modules/$(uname -r)/build
	step "This loads kmod/kflame.ko into the running kernel ($(uname -r)) and removes it again"
	scripts/setup.sh build
else
	step "Set-up: what is needed to build and to run a guest"
	scripts/setup.sh guest
	at=$(scripts/guest-kernel.sh "$kernel")
	eval "$at"
fi

step "Building the tool, the module and the workload"
quietly make user
quietly make modules KDIR="$kdir"
quietly make workloads

if [ -n "$native" ]; then
	[ ! -e /sys/module/kflame ] || {
		echo "demo: a kflame module is loaded already: sudo rmmod kflame" >&2
		exit 1
	}
	step "Recording a mixed workload at 997 Hz"
	scripts/demo-record.sh "$out"
else
	step "Booting a guest with Linux $release, and recording a mixed workload in it at 997 Hz"
	tests/vm/guest.sh --kernel "$kernel" --timeout 240 --share "$out" \
		-- scripts/demo-record.sh "$out"
fi

for file in $made; do
	[ -s "$out/$file" ] || {
		echo "demo: $file was not made" >&2
		exit 1
	}
done
echo
cat "$out/report.txt"
echo
step "Done.  The flame graph, for any browser: $out/flame.svg"
echo "   as folded stacks: $out/flame.folded"
echo "   the profile, for kflame report, fold, flame, info: $out/kflame.data"
