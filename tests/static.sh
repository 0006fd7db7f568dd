#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# static.sh - checks that need not run anything; prints KTAP
#
# usage: tests/static.sh	(KFLAME_KERNEL: a kernel of scripts/kernels/)
set -u
cd "$(dirname "$0")/.." || exit 1

number=0
failed=0
tests=(conventions layers parsers layout_64 layout_32 module_warnings kernel_doc checkpatch conditionals python suites idioms lengths checker_of_stacks licences)

# check NAME COMMAND...: a test that passes when the command does, in silence; 77 skips it, as the last line says
check() {
	local name=$1 out status=0
	shift
	number=$((number + 1))
	out=$("$@" 2>&1) || status=$?
	if [ "$status" -eq 0 ]; then
		echo "ok $number - $name"
	elif [ "$status" -eq 77 ]; then
		echo "ok $number - $name # SKIP $(tail -n 1 <<<"$out")"
	else
		printf '%s\n' "$out" | tail -n 40 | sed 's/^/# /'
		echo "not ok $number - $name"
		failed=1
	fi
}

# The variables and commands of kbuild, Buildroot and Yocto
conventions() {
	tests/conventions.sh
}

# Folders depend one way only.  Modules of debian-6.1 are built right here, so their object files are here.
layers() {
	make -s -j"$(nproc)" -C user O="$PWD/build/user" && tests/layers.py user build/user &&
		scripts/build-module.sh debian-6.1 &&
		tests/layers.py kmod build/modules/debian-6.1/kmod kstack/by_frame_records.c kstack/frameless.c
}

# libelf and libdw parse files of any user in sandboxes only.  Who opens an ELF file with them is on a list, with the
# reason.
parsers() {
	diff <(grep -lrE '\b(section_open|elf_begin|elf_memory|dwelf_elf_begin|vdso_begin|dwfl_begin|dwarf_begin)\(' \
		--include='*.c' user | LC_ALL=C sort) <(sed -e '/^#/d' -e 's/:.*//' tests/parsers.txt)
}

# The same static asserts hold for a 64-bit and a 32-bit caller; and no name of the interface is a
# macro of some kernels, as nr_cpu_ids is where there is one CPU
layout() {
	gcc "$1" -Dnr_cpu_ids=1U -std=gnu11 -Wall -Wextra -Werror -Wpadded -fsyntax-only \
		-isystem "/usr/include/$(gcc -print-multiarch)" -Iinclude tests/device/layout.c
}
layout_64() { layout -m64; }
layout_32() { layout -m32; }

# The module builds with every warning of W=1 and of sparse, and has none.
# In a copy: the objects of the tree are those under test.
module_warnings() {
	local copy log
	eval "$(scripts/guest-kernel.sh "${KFLAME_KERNEL:-debian-6.1}")" || return 1
	copy=$PWD/build/static
	log=$copy/log
	rm -rf "$copy"
	mkdir -p "$copy"
	cp -r kmod include "$copy/"
	make -C "$copy/kmod" KDIR="$kdir" clean >/dev/null 2>&1
	if ! make -j"$(nproc)" -C "$copy/kmod" KDIR="$kdir" W=1 C=1 >"$log" 2>&1; then
		cat "$log"
		return 1
	fi
	# the headers of the kernel itself have their own
	! grep -E '(warning|error):' "$log" | grep -v -E '^(\./)?(include|arch)/|^/usr/src/'
}

# A kernel-doc comment describes every parameter, member and return value
kernel_doc() {
	local said
	eval "$(scripts/guest-kernel.sh "${KFLAME_KERNEL:-debian-6.1}")" || return 1
	said=$("$kdir/scripts/kernel-doc" -v -none kmod/*.c kmod/*/*.[ch] include/uapi/*.h 2>&1) || return 1
	! grep -E '(warning|error):' <<<"$said"
}

# The module is written as the kernel is
checkpatch() {
	tests/checkpatch.sh
}

# Version conditionals live in kmod/compat/ only
conditionals() {
	! grep -rn --include='*.[ch]' -E 'LINUX_VERSION_CODE|KERNEL_VERSION\(|RHEL_RELEASE' kmod |
		grep -v '^kmod/compat/'
}

# No test ends by a name that nobody has: that would only show where it runs
python() {
	local files
	mapfile -t files < <(find tests scripts -name '*.py' &&
		grep -rlE --exclude='*.*' '^#!.*python' tests scripts)
	pyflakes3 "${files[@]}"
}

# What judges the stacks of programs finds wrong ones; their sources say what they call
checker_of_stacks() {
	make -s -j"$(nproc)" -C tests/workload/unwind && tests/e2e/check_chains.py build/tests/unwind
}

# No end-to-end test is forgotten: each file is in a suite
suites() {
	python3 - <<-'END'
		import glob, os, sys
		sys.dont_write_bytecode = True
		sys.path.insert(0, "tests")
		from suites import GUEST
		named = {test for _, tests, _ in GUEST.values() for test in tests}
		files = {os.path.basename(path)[len("test_"):-len(".py")] for path in glob.glob("tests/e2e/test_*.py")}
		special = {"secure_boot"}  # tests/secure-boot.sh runs it
		wrong = sorted(files - named - special) + sorted(named - files)
		if wrong:
		    sys.exit("files without a suite in tests/suites.py, or names without a file: " + " ".join(wrong))
	END
}

# Words that hide what is meant may not come back
idioms() {
	tests/idioms.py
}

# Documents stay short enough to be read: at most so many words. The list of decisions grows with them
lengths() {
	local file words most bad=0
	while read -r most file; do
		words=$(wc -w < "$file")
		[ "$words" -le "$most" ] && continue
		echo "$file: $words words, at most $most"
		bad=1
	done < <(
		printf '%s\n' "900 README.md" "900 CONTRIBUTING.md" "1500 docs/guide.md" "1800 docs/architecture.md" \
			"700 docs/testing.md" "800 docs/record-format.md" "800 docs/performance.md"
		printf "400 %s\n" docs/design/[!R]*.md
	)
	return $bad
}

# Every source file says its licence in its first two lines
licences() {
	local file bad=0
	while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' && continue
		echo "no SPDX line: $file"
		bad=1
	done < <(find include kmod user tests scripts dkms .ci -type f \
		\( -name '*.[chS]' -o -name '*.sh' -o -name '*.py' -o -name '*.cc' -o -name '*.rs' -o -name 'Makefile' -o -name Kbuild \
		-o -name '*.js' -o -name '*.css' -o -name run -o -name init -o -name rules -o -name dkms.conf \) ! -name '*.mod.c' ! -name features.h)
	return $bad
}

echo "KTAP version 1"
echo "1..${#tests[@]}"
for test in "${tests[@]}"; do
	check "${test//_/ }" "$test"
done
exit $failed
