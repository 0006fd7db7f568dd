#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# labs-key.sh - pack the labs: for students without the key, and the key for the instructor
#
# usage: scripts/labs-key.sh OUT
#
# Makes OUT/kflame-labs-student.tar.gz, which has docs/labs and no solution, and OUT/kflame-labs-key.tar.gz, which
# has the solutions and the planted wrong answers of tests/labs. Both unpack over a clone of kflame.
set -eu -o pipefail

out=${1:?usage: scripts/labs-key.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."

# pack FILE PATH...: what git knows of the paths, with the same bytes each time
pack() {
	local file=$1
	shift
	git ls-files -z "$@" |
		tar -c --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --transform='s,^,kflame/,' |
		gzip -n >"$file.part"
	mv "$file.part" "$file"
	echo "$file"
}

pack "$out/kflame-labs-student.tar.gz" docs/labs scripts/lab.sh LICENSE LICENSES
pack "$out/kflame-labs-key.tar.gz" tests/labs LICENSE LICENSES
