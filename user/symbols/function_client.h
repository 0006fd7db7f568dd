/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_client.h - ask a sandbox for the functions of a file
 *
 *	function_client.c (tool)  -- offsets -->  elf/function_worker.c (sandbox) --> elf/function_finder.c
 *	                     <-- names ----
 */
#ifndef KFLAME_SYMBOLS_FUNCTION_CLIENT_H
#define KFLAME_SYMBOLS_FUNCTION_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/function_finder.h"
#include "sandbox/sandbox.h"
#include "symbols/mapped_file.h"

/** struct name_taker - takes the answers, in the order of the places */
struct name_taker {
	/* The function at one or more of the places; file offsets; no two functions overlap */
	void (*function)(void *ctx, uint64_t start, uint64_t end, const char *name);
	/* The answer for a place with .leaf */
	void (*leaf)(void *ctx, uint64_t at, bool keep);
	void *ctx;
};

/** struct file_names - what else the sandbox found out */
struct file_names {
	uint32_t state;		/* KFLAME_NAMED_* */
	bool packed;		/* the installed libelf cannot unpack its debug data */
	uint64_t cut;		/* names that were too long together: the end of each is its file offset */
};

/**
 * file_names_ask() - name the functions at places of a file
 * @places:	by offset
 * @time_ns:	how long it may take; what it took is subtracted
 * @out:	set whatever is returned
 *
 * Return: 0, also if the file is not there; -ETIMEDOUT, -EIO or another negative errno if there may be more.
 */
int file_names_ask(struct binary *b, const struct name_place *places, size_t nr, uint64_t *time_ns,
		   const struct name_taker *taker, struct file_names *out);

#endif
