// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * color.c - chooses the colours of frames
 */
#include <string.h>

#include "views/color.h"

struct family {
	unsigned char from[3];
	unsigned char to[3];
};

static const struct family families[] = {
	[LOOK_THREAD]	 = { { 0xc2, 0xc9, 0xd2 }, { 0xd0, 0xd6, 0xde } },
	[LOOK_USER]	 = { { 0xf6, 0xb2, 0x4e }, { 0xff, 0xdc, 0x86 } },
	[LOOK_INLINED]	 = { { 0xe4, 0xdc, 0x7a }, { 0xf3, 0xef, 0xae } },
	[LOOK_JIT]	 = { { 0x2f, 0x9e, 0x6c }, { 0x52, 0xbe, 0x8e } },
	[LOOK_SCRIPT]	 = { { 0xa4, 0xee, 0x44 }, { 0xba, 0xfc, 0x58 } },
	[LOOK_KERNEL]	 = { { 0x62, 0x9c, 0xd6 }, { 0x8f, 0xbd, 0xe8 } },
	[LOOK_INTERRUPT] = { { 0xc4, 0x7c, 0xb4 }, { 0xda, 0xa0, 0xc8 } },
	[LOOK_READY]	 = { { 0x8e, 0x8e, 0xf0 }, { 0xa6, 0xa6, 0xfc } },
	[LOOK_NOTE]	 = { { 0xe6, 0xe6, 0xe2 }, { 0xf0, 0xf0, 0xec } },
	[LOOK_LOST]	 = { { 0xda, 0x6c, 0x4e }, { 0xe8, 0x7e, 0x60 } },
	[LOOK_GROUP]	 = { { 0x9a, 0xb7, 0x9a }, { 0xae, 0xc9, 0xae } },
};

static const struct family wait_families[] = {
	[LOOK_THREAD]	 = { { 0xc2, 0xc9, 0xd2 }, { 0xd0, 0xd6, 0xde } },
	[LOOK_USER]	 = { { 0x8c, 0xb8, 0xf4 }, { 0xac, 0xd0, 0xfc } },
	[LOOK_INLINED]	 = { { 0xb8, 0xf6, 0xc2 }, { 0xce, 0xfc, 0xd6 } },
	[LOOK_JIT]	 = { { 0x2f, 0x9e, 0x6c }, { 0x52, 0xbe, 0x8e } },
	[LOOK_SCRIPT]	 = { { 0x74, 0xec, 0x8c }, { 0x8a, 0xfa, 0xa0 } },
	[LOOK_KERNEL]	 = { { 0x6a, 0x90, 0xe0 }, { 0x86, 0xa8, 0xee } },
	[LOOK_INTERRUPT] = { { 0xc4, 0x7c, 0xb4 }, { 0xda, 0xa0, 0xc8 } },
	[LOOK_READY]	 = { { 0xf6, 0xa8, 0x3c }, { 0xff, 0xcc, 0x70 } },
	[LOOK_NOTE]	 = { { 0xec, 0xec, 0xe8 }, { 0xf6, 0xf6, 0xf2 } },
	[LOOK_LOST]	 = { { 0xda, 0x6c, 0x4e }, { 0xe8, 0x7e, 0x60 } },
	[LOOK_GROUP]	 = { { 0x9a, 0xb7, 0x9a }, { 0xae, 0xc9, 0xae } },
};

static const struct family hot = { { 0xea, 0x62, 0x38 }, { 0xff, 0xe0, 0x66 } };
static const struct family grey = { { 0xb4, 0xba, 0xc2 }, { 0xdc, 0xe0, 0xe6 } };

static bool begins_with(const char *name, const char *const *begins)
{
	for (; *begins; begins++)
		if (!strncmp(name, *begins, strlen(*begins)))
			return true;
	return false;
}

/* The meaning of a note; see stacks/stacks.c and stacks/names.c */
static enum look look_of_note(const char *name)
{
	/* missing frames, or missing time */
	static const char *const lost[] = {
		"[truncated", "[damaged", "[no frame pointer", "[no unwind information]",
		"[unwind table pending]", "[32-bit: no stack]", "[no user registers]",
		"[foreign page tables]", "[deeper frames", "[gap]", "[late", "[lost", NULL,
	};
	static const char *const ready[] = { "[runnable]", "[preempted]", NULL };
	/* functions without a name */
	static const char *const code[] = {
		"[stripped: ", "[not named: ", "[gone: ", "[changed: ", "[time limit: ", NULL,
	};

	if (begins_with(name, lost))
		return LOOK_LOST;
	if (begins_with(name, ready))
		return LOOK_READY;
	return begins_with(name, code) ? LOOK_USER : LOOK_NOTE;
}

enum look look_of(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_COMM:
		return LOOK_THREAD;
	case FRAME_USER:
		return f->file && !strcmp(f->file, FRAME_FILE_JIT) ? LOOK_JIT : LOOK_USER;
	case FRAME_INLINED:
		return LOOK_INLINED;
	case FRAME_KERNEL:
		return LOOK_KERNEL;
	case FRAME_SOFTIRQ:
		return LOOK_INTERRUPT;
	case FRAME_ROOT:
		return LOOK_GROUP;
	case FRAME_SCRIPT:
		return LOOK_SCRIPT;
	default:
		return look_of_note(f->name);
	}
}

static const struct family *family_of(enum look look, enum palette by)
{
	return by == PALETTE_WAIT ? &wait_families[look] : &families[look];
}

/* Return: the shade at position @at (0 to 255) of a family */
static uint32_t shade(const struct family *f, uint32_t at)
{
	uint32_t rgb = 0;

	for (int i = 0; i < 3; i++)
		rgb = rgb << 8 | (f->from[i] * (255 - at) + f->to[i] * at) / 255;
	return rgb;
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

/* One of 24 hues, light enough for dark letters */
static uint32_t hue(uint32_t h)
{
	static const unsigned char wheel[] = { 0x80, 0x98, 0xb8, 0xd8, 0xf0, 0xf0, 0xf0, 0xf0,
					       0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xd8, 0xb8, 0x98,
					       0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 };
	uint32_t at = h % sizeof(wheel);

	return (uint32_t)wheel[(at + 8) % 24] << 16 | (uint32_t)wheel[at] << 8 |
	       wheel[(at + 16) % 24];
}

uint32_t color_of(const struct frame *f, enum palette by)
{
	enum look look = look_of(f);
	uint32_t at = hash(f->name) & 0xff;

	if (by == PALETTE_HOT)
		return shade(look == LOOK_THREAD || look == LOOK_GROUP ? &grey : &hot, at);
	if (by == PALETTE_FILE && f->file)
		return hue(hash(f->file));
	if (by == PALETTE_GREY || by == PALETTE_FILE)
		return shade(&grey, at);
	return shade(family_of(look, by), at);
}

uint32_t color_of_look(enum look look, enum palette by)
{
	return shade(family_of(look, by), 128);
}
