// SPDX-License-Identifier: GPL-2.0-or-later
/* leb.c - task 2: numbers of variable length */
#include "eh.h"

uint64_t read_uleb(struct bytes *bytes)
{
	/* TODO: 7 bits of each byte are part of the number, lowest first; bit 7 says that another byte follows */
	(void)bytes;
	return 0;
}

int64_t read_sleb(struct bytes *bytes)
{
	/* TODO: as above; bit 6 of the last byte is the sign */
	(void)bytes;
	return 0;
}
