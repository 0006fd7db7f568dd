#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# give-back.sh - under sudo, what was built belongs to the user who called it
#
# usage: scripts/give-back.sh
set -eu
[ -n "${SUDO_UID:-}" ] && [ "$(id -u)" -eq 0 ] || exit 0
cd "$(dirname "$0")/.."
for dir in build out kmod user tests docs; do
	[ ! -d "$dir" ] || find "$dir" -user root -exec chown -h "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" {} +
done
