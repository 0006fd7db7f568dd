#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# replay.sh - the corpus of each fuzz target once more; prints TAP
#
# usage: tests/fuzz/replay.sh DIRECTORY TARGET...	(where replay_TARGET is)
#
# A memory limit as the fuzzer has it: what would take more is a failure.
set -u
directory=$1
shift
corpus=$(dirname "$0")/corpus
export ASAN_OPTIONS="detect_leaks=1:hard_rss_limit_mb=1024:max_allocation_size_mb=1024"
export UBSAN_OPTIONS="print_stacktrace=1"

number=0
failed=0
echo "1..$#"
for target in "$@"; do
	number=$((number + 1))
	# an empty corpus fails: replay_* wants at least one file
	if "$directory/replay_$target" "$corpus/$target" 2>&1; then
		echo "ok $number - corpus of $target"
	else
		echo "not ok $number - corpus of $target"
		failed=1
	fi
done
exit $failed
