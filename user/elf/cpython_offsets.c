// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpython_offsets.c - where CPython's structures have which member
 *
 * Up to 3.12: Include/cpython/{pystate,code,unicodeobject}.h, Include/internal/pycore_frame.h. From 3.13 on: which word
 * of _Py_DebugOffsets (Include/internal/pycore_debug_offsets.h, before 3.14 pycore_runtime.h) has the offset.
 */
#include <string.h>

#include "elf/cpython_find.h"

#define OBJECT_MOST	4096u	/* bytes; no offset of a member is larger */

/* struct pthread of glibc for x86-64, nptl/descr.h */
static const uint32_t threads[][2] = {
	{ KFLAME_PY_KEYS, 0x318 }, { KFLAME_PY_KEY_BLOCKS, 0x510 }, { KFLAME_PY_KEY_VALUE, 8 },
};

/* PyObject has 16 bytes in release builds with the lock */
#define STR_AND_BYTES(ascii, characters)									\
	[KFLAME_PY_LENGTH] = 16, [KFLAME_PY_STATE] = 32, [KFLAME_PY_ASCII] = ascii,				\
	[KFLAME_PY_CHARACTERS] = characters, [KFLAME_PY_SIZE] = 16, [KFLAME_PY_BYTES] = 32

#define FRAME_3_9												\
	[KFLAME_PY_THREAD] = 176, [KFLAME_PY_CURRENT] = 24, [KFLAME_PY_CODE] = 32, [KFLAME_PY_PREVIOUS] = 24,	\
	[KFLAME_PY_FIRST_LINE] = 40, [KFLAME_PY_FILE] = 104, [KFLAME_PY_NAME] = 112, [KFLAME_PY_LINES] = 120,	\
	[KFLAME_PY_CHARACTER] = 2, STR_AND_BYTES(48, 72)

static const struct {
	uint32_t version;
	uint32_t at[KFLAME_PY_NR_ANY];
} tables[] = {
	{ 0x0309, { FRAME_3_9, [KFLAME_PY_INSTRUCTION] = 104, [KFLAME_PY_UNIT] = 1,
		    [KFLAME_PY_LINES_ARE] = KFLAME_PY_LINES_3_9 } },
	{ 0x030a, { FRAME_3_9, [KFLAME_PY_INSTRUCTION] = 96, [KFLAME_PY_UNIT] = 2,
		    [KFLAME_PY_LINES_ARE] = KFLAME_PY_LINES_3_10 } },
	{ 0x030b, { [KFLAME_PY_THREAD] = 152, [KFLAME_PY_CFRAME] = 56, [KFLAME_PY_CURRENT] = 8, [KFLAME_PY_CODE] = 32,
		    [KFLAME_PY_PREVIOUS] = 48, [KFLAME_PY_INSTRUCTION] = 56, [KFLAME_PY_ENTRY] = 68,
		    [KFLAME_PY_FIRST_LINE] = 72, [KFLAME_PY_FILE] = 112, [KFLAME_PY_NAME] = 128,
		    [KFLAME_PY_LINES] = 136, [KFLAME_PY_FIRST] = 184, STR_AND_BYTES(48, 72) } },
	{ 0x030c, { [KFLAME_PY_THREAD] = 136, [KFLAME_PY_CFRAME] = 56, [KFLAME_PY_CURRENT] = 0, [KFLAME_PY_CODE] = 0,
		    [KFLAME_PY_PREVIOUS] = 8, [KFLAME_PY_INSTRUCTION] = 56, [KFLAME_PY_OWNER] = 70,
		    [KFLAME_PY_FIRST_LINE] = 68, [KFLAME_PY_FILE] = 112, [KFLAME_PY_NAME] = 128,
		    [KFLAME_PY_LINES] = 136, [KFLAME_PY_FIRST] = 192, [KFLAME_PY_CHARACTER] = 2,
		    STR_AND_BYTES(40, 56) } },
};

/* struct _Py_DebugOffsets: words 0 to 2 of each version */
enum { COOKIE, HEX_VERSION, FREE_THREADED };

static const char cookie[8] = "xdebugpy";

static const struct {
	uint32_t version;
	uint32_t free_threaded_character; /* PyASCIIObject.state of builds without the lock */
	uint32_t word[KFLAME_PY_NR_ANY]; /* 0: none */
} words[] = {
	{ 0x030d, 2, { [KFLAME_PY_CURRENT] = 23, [KFLAME_PY_THREAD] = 24, [KFLAME_PY_PREVIOUS] = 29,
		       [KFLAME_PY_CODE] = 30, [KFLAME_PY_INSTRUCTION] = 31, [KFLAME_PY_OWNER] = 33,
		       [KFLAME_PY_FILE] = 35, [KFLAME_PY_NAME] = 37, [KFLAME_PY_LINES] = 38,
		       [KFLAME_PY_FIRST_LINE] = 39, [KFLAME_PY_FIRST] = 43, [KFLAME_PY_SIZE] = 65,
		       [KFLAME_PY_BYTES] = 66, [KFLAME_PY_STATE] = 68, [KFLAME_PY_LENGTH] = 69,
		       [KFLAME_PY_ASCII] = 70 } },
	{ 0x030e, 8, { [KFLAME_PY_CURRENT] = 26, [KFLAME_PY_THREAD] = 27, [KFLAME_PY_PREVIOUS] = 32,
		       [KFLAME_PY_CODE] = 33, [KFLAME_PY_INSTRUCTION] = 34, [KFLAME_PY_OWNER] = 36,
		       [KFLAME_PY_COPY] = 38, [KFLAME_PY_FILE] = 40, [KFLAME_PY_NAME] = 42, [KFLAME_PY_LINES] = 43,
		       [KFLAME_PY_FIRST_LINE] = 44, [KFLAME_PY_FIRST] = 48, [KFLAME_PY_COPIES] = 49,
		       [KFLAME_PY_SIZE] = 75, [KFLAME_PY_BYTES] = 76, [KFLAME_PY_STATE] = 78,
		       [KFLAME_PY_LENGTH] = 79, [KFLAME_PY_ASCII] = 80 } },
};

/* The file describes itself */
static bool by_debug_offsets(size_t v, const uint64_t *debug, size_t nr, uint32_t *at)
{
	if (memcmp(debug, cookie, sizeof(cookie)) || debug[HEX_VERSION] >> 16 != words[v].version ||
	    debug[FREE_THREADED] > 1)
		return false;
	for (size_t i = 0; i < KFLAME_PY_NR_ANY; i++) {
		if (!words[v].word[i])
			continue;
		if (words[v].word[i] >= nr || debug[words[v].word[i]] > OBJECT_MOST)
			return false;
		at[i] = (uint32_t)debug[words[v].word[i]];
	}
	/* PyCompactUnicodeObject: two words more */
	at[KFLAME_PY_CHARACTERS] = at[KFLAME_PY_ASCII] + 2 * sizeof(uint64_t);
	at[KFLAME_PY_CHARACTER] = debug[FREE_THREADED] ? words[v].free_threaded_character : 2;
	return at[KFLAME_PY_OWNER] && at[KFLAME_PY_CURRENT] && !at[KFLAME_PY_COPY] == !at[KFLAME_PY_COPIES];
}

bool cpython_offsets(uint32_t version, const uint64_t *debug, size_t nr, uint32_t *at)
{
	bool known = false;

	memset(at, 0, KFLAME_PY_NR_ANY * sizeof(*at));
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i].version == version) {
			memcpy(at, tables[i].at, sizeof(tables[i].at));
			known = true;
		}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].version == version)
			known = by_debug_offsets(i, debug, nr, at);
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		at[threads[i][0]] = threads[i][1];
	return known;
}
