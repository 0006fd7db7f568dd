#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# version.sh - kflame's version, from where it is written: kmod/version.h
set -eu
sed -n 's/^#define KF_VERSION[[:space:]]*"\(.*\)"$/\1/p' "$(dirname "$0")/../kmod/version.h"
