#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# trimmed.sh - say which symbols a trimmed kernel lacks, when the module did not link
#
# usage: compat/trimmed.sh KDIR LIST
#
# A kernel with CONFIG_TRIM_UNUSED_KSYMS exports only what its own modules use.  LIST becomes the file
# that its CONFIG_UNUSED_KSYMS_WHITELIST may name: what the module uses.
set -eu
grep -qsx 'CONFIG_TRIM_UNUSED_KSYMS=y' "$1/include/config/auto.conf" || exit 0
[ -e kflame.o ] || exit 0
"${NM:-nm}" -u kflame.o | sed 's/^ *U //' | sort >"$2"
missing=$(cut -f 2 "$1/Module.symvers" | sort | comm -13 - "$2" | wc -l)
cat >&2 <<END

This kernel was built with CONFIG_TRIM_UNUSED_KSYMS, and does not export $missing of the symbols that the module uses.
Build the kernel without that option, or with CONFIG_UNUSED_KSYMS_WHITELIST="$PWD/$2".
END
