/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - the version of this tool
 */
#ifndef KFLAME_BASE_VERSION_H
#define KFLAME_BASE_VERSION_H

/* "0.2.0-412-g5b74f6a", from scripts/version.sh --commit; less than 32 bytes, as the module's version */
extern const char kflame_version[];

#endif
