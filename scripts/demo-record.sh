#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# demo-record.sh - load the module, record the workload, draw; then unload
#
# usage: scripts/demo-record.sh OUTDIR		(as root, in a guest or natively)
set -eu

out=$1
cd "$(dirname "$0")/.."
kflame=build/user/kflame
# The default budget of 5% is for real machines: an emulated one is so slow
# that it would stretch the period.
budget=5
[ -z "${KFLAME_GUEST:-}" ] || budget=0

insmod kmod/kflame.ko
trap 'rmmod kflame' EXIT
# dash leaves out EXIT's where a signal ends it
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
$kflame record -a -F 997 --budget "$budget" -o "$out/kflame.data" -- \
	build/tests/workload/mixed 10
$kflame fold -i "$out/kflame.data" -o "$out/flame.folded"
$kflame flame -i "$out/kflame.data" -o "$out/flame.svg"
$kflame report -i "$out/kflame.data" >"$out/report.txt"
