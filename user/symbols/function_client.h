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

/** struct name_taker - callbacks for the answers, in the order of the places */
struct name_taker {
	/* A function that holds one or more places; file offsets; no two functions overlap */
	void (*function)(void *ctx, uint64_t start, uint64_t end, const char *name);
	/* The answer for a place with .leaf */
	void (*leaf)(void *ctx, uint64_t at, bool keep);
	void *ctx;
};

/** struct file_names - what the sandbox reports about the file */
struct file_names {
	uint32_t state;		/* KFLAME_NAMED_* */
	bool packed;		/* the installed libelf cannot unpack its debug data */
	uint64_t cut;		/* names cut to a total limit: a file offset replaces the end of each */
	bool late;		/* the time limit ended it */
};

/**
 * file_names_ask() - finds the names of the functions at places of a file
 * @places:	sorted by offset
 * @time_ns:	time limit; the time used is subtracted
 * @out:	always set, whatever the result
 *
 * Return: 0, even if the file is not there; -ETIMEDOUT, -EIO or another negative errno if names may be
 * missing.
 */
int file_names_ask(struct binary *b, const struct name_place *places, size_t nr, uint64_t *time_ns,
		   const struct name_taker *taker, struct file_names *out);

#endif
