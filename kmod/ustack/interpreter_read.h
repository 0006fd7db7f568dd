/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interpreter_read.h - what walkers of interpreters share: reads in an access window, and text in UTF-8
 *
 * All are inlined, because no call is allowed while user access is open.
 */
#ifndef KF_INTERPRETER_READ_H
#define KF_INTERPRETER_READ_H

#include <linux/uaccess.h>

#include "ustack/interpreters.h"
#include "ustack/read_word.h"

/* An address to read from: masked, or where no page is if it is no user address */
static __always_inline unsigned long kf_checked(unsigned long address, unsigned long span)
{
	return likely(kf_is_user(address, span)) ? kf_user_nospec(address, span) : 0;
}

/* Read a value of a type at a user address, or go to the label fault. User access is open */
#define FETCH(type, address, to)							\
do {											\
	type __value;									\
											\
	kf_unsafe_get_user(__value, (type __user *)kf_checked(address, span), fault);	\
	(to) = __value;									\
} while (0)

#define KF_KEYS_IN_A_BLOCK	32U
#define KF_KEYS_MOST		1024U	/* PTHREAD_KEYS_MAX of glibc */
#define KF_KEY_BYTES		16U

/**
 * struct kf_key_layout - where the C library keeps the thread specific data
 * @values:	thread pointer: value of key 0
 * @blocks:	thread pointer: array of pointers to blocks of keys
 * @value:	such a block: value of its first key
 */
struct kf_key_layout {
	u32 values;
	u32 blocks;
	u32 value;
};

/*
 * Read the value of a key. User access is open.
 * Return: 0 if there is none, or it cannot be read
 */
static __always_inline unsigned long kf_key_value(unsigned long thread, u32 key, struct kf_key_layout at,
						  const unsigned long span)
{
	unsigned long value;

	if (key >= KF_KEYS_MOST)
		return 0;
	if (key < KF_KEYS_IN_A_BLOCK) {
		FETCH(unsigned long, thread + at.values + key * KF_KEY_BYTES, value);
		return value;
	}
	FETCH(unsigned long, thread + at.blocks + key / KF_KEYS_IN_A_BLOCK * sizeof(long), value);
	FETCH(unsigned long, value + at.value + key % KF_KEYS_IN_A_BLOCK * KF_KEY_BYTES, value);
	return value;
fault:
	return 0;
}

/* Append a character in UTF-8, or '?' if it is none to print. Return: false if there is no room */
static inline bool kf_put_char(char *to, u32 *len, u32 c)
{
	if (c < ' ' || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	if (*len + 4 > KF_LABEL_LEN)
		return false;
	if (c < 0x80) {
		to[(*len)++] = c;
	} else if (c < 0x800) {
		to[(*len)++] = 0xc0 | c >> 6;
		to[(*len)++] = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		to[(*len)++] = 0xe0 | c >> 12;
		to[(*len)++] = 0x80 | (c >> 6 & 0x3f);
		to[(*len)++] = 0x80 | (c & 0x3f);
	} else {
		to[(*len)++] = 0xf0 | c >> 18;
		to[(*len)++] = 0x80 | (c >> 12 & 0x3f);
		to[(*len)++] = 0x80 | (c >> 6 & 0x3f);
		to[(*len)++] = 0x80 | (c & 0x3f);
	}
	return true;
}

#endif
