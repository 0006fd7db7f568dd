// SPDX-License-Identifier: GPL-2.0-or-later
/* leb.c - task 2: numbers of variable length */
#include "eh.h"

uint64_t read_uleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (bytes->at < bytes->end) {
		uint8_t byte = *bytes->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

int64_t read_sleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (bytes->at < bytes->end) {
		uint8_t byte = *bytes->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= ~0ULL << shift;
		break;
	}
	return (int64_t)value;
}
