// SPDX-License-Identifier: GPL-2.0-or-later
#include "color.h"

struct family {
	unsigned char from[3];
	unsigned char to[3];
};

static const struct family families[] = {
	[FRAME_COMM]	= { { 0xc2, 0xc9, 0xd2 }, { 0xd0, 0xd6, 0xde } },
	[FRAME_USER]	= { { 0xf6, 0xb2, 0x4e }, { 0xff, 0xdc, 0x86 } },
	[FRAME_INLINED]	= { { 0xe4, 0xdc, 0x7a }, { 0xf3, 0xef, 0xae } },
	[FRAME_KERNEL]	= { { 0x62, 0x9c, 0xd6 }, { 0x8f, 0xbd, 0xe8 } },
	[FRAME_SOFTIRQ]	= { { 0xc4, 0x7c, 0xb4 }, { 0xda, 0xa0, 0xc8 } },
	[FRAME_NOTE]	= { { 0xe6, 0xe6, 0xe2 }, { 0xf0, 0xf0, 0xec } },
	[FRAME_ROOT]	= { { 0x9f, 0xb8, 0xa6 }, { 0xb4, 0xca, 0xba } },
};

static const struct family *family_of(enum frame_kind kind)
{
	unsigned int i = (unsigned int)kind;

	return &families[i < sizeof(families) / sizeof(families[0]) ? i : FRAME_NOTE];
}

/* The shade that is @at (0 to 255) of the way through a family */
static uint32_t shade(const struct family *f, uint32_t at)
{
	uint32_t rgb = 0;

	for (int i = 0; i < 3; i++)
		rgb = rgb << 8 | (f->from[i] * (255 - at) + f->to[i] * at) / 255;
	return rgb;
}

uint32_t color_of(const struct frame *f)
{
	uint32_t h = 2166136261u;

	for (const char *p = f->name; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	return shade(family_of(f->kind), (h ^ h >> 15) & 0xff);
}

uint32_t color_of_kind(enum frame_kind kind)
{
	return shade(family_of(kind), 128);
}
