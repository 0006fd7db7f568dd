/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool_name.h - the names of profiles in a spool directory
 *
 * A name is START-HOST-DIGITS.kflame, with .zst behind it if the profile is compressed.  START is in UTC, such as
 * 20261130T084500Z, and DIGITS are 12 hexadecimal ones.  The name without its ending is the id of the profile.
 */
#ifndef KFLAME_BASE_SPOOL_NAME_H
#define KFLAME_BASE_SPOOL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_ENDING	".kflame"
#define SPOOL_PACKED	".kflame.zst"
#define SPOOL_NAME	320	/* bytes that any name fits in */
#define SPOOL_DIGITS	12

/**
 * struct spool_name - the parts of a name
 * @host:	not terminated
 * @id_len:	the id is so much of the name
 * @start:	seconds since 1970; in ns, it fits in 64 bits
 */
struct spool_name {
	const char *host;
	size_t host_len, id_len;
	uint64_t start;
};

/** spool_name_parse() - is this the name of a profile?  @parts: out */
bool spool_name_parse(const char *name, struct spool_name *parts);

#endif
