// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutate_profile.c - changes a profile by records, for libFuzzer
 *
 * Bytes changed anywhere mostly make a record's size wrong, after which nothing
 * is read.  So most changes stay within a record, or move whole ones about.
 */
#include "fuzz.h"
#include "uapi/kflame.h"

#define HEADER	sizeof(struct kflame_file_header)
#define MOST	4096u	/* records that can be changed one by one */

/* libFuzzer's own: in place, the new size is no more than @most */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

static uint32_t size_at(const uint8_t *data, size_t size, size_t at)
{
	struct kflame_rec rec;

	if (size - at < sizeof(rec))
		return 0;
	memcpy(&rec, data + at, sizeof(rec));
	return rec.size >= sizeof(rec) && rec.size <= size - at ? rec.size : 0;
}

/* Where records begin, and last where they end */
static size_t find_records(const uint8_t *data, size_t size, size_t *at)
{
	size_t nr = 0;

	for (at[0] = HEADER; nr < MOST - 1 && size_at(data, size, at[nr]); nr++)
		at[nr + 1] = at[nr] + size_at(data, size, at[nr]);
	return nr;
}

/* Replaces @old bytes by @len others.  Return: the new size, 0 if there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t most, size_t at, size_t old,
		      const uint8_t *by, size_t len)
{
	if (size - old + len > most)
		return 0;
	memmove(data + at + len, data + at + old, size - at - old);
	memcpy(data + at, by, len);
	return size - old + len;
}

/* What is in a record changes; its size follows */
static size_t change(uint8_t *data, size_t size, size_t most, size_t at)
{
	uint32_t len = size_at(data, size, at), fixed;
	uint8_t rec[20000 + 8] = { 0 };
	size_t n = sizeof(struct kflame_rec);

	if (len > sizeof(rec) - 128)
		return 0;
	memcpy(rec, data + at, len);
	n += LLVMFuzzerMutate(rec + n, len - n, len - n + 64);
	n = (n + 7) & ~(size_t)7;
	fixed = (uint32_t)n;
	memcpy(rec + offsetof(struct kflame_rec, size), &fixed, sizeof(fixed));
	return replace(data, size, most, at, len, rec, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	size_t at[MOST], nr = size > HEADER ? find_records(data, size, at) : 0, done = 0;
	size_t one, other;
	uint8_t *copy;

	if (!nr || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, most);
	one = seed / 8 % nr;
	other = seed / 8 / 61 % (nr + 1);
	copy = malloc(size);
	MUST(copy);
	memcpy(copy, data, size);
	switch (seed % 8) {
	case 1:		/* once more, somewhere */
		done = replace(data, size, most, at[other], 0, copy + at[one],
			       at[one + 1] - at[one]);
		break;
	case 2:		/* not there */
		done = replace(data, size, most, at[one], at[one + 1] - at[one], copy, 0);
		break;
	default:
		done = change(data, size, most, at[one]);
	}
	free(copy);
	return done ? done : LLVMFuzzerMutate(data, size, most);
}
