/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_finder.h - find the function at a file offset; runs in a sandbox
 *
 * This parses symbol tables, MiniDebugInfo, Go's tables and unwind information, all of which may be hostile.
 * So only sandboxes and tests call it.  The tool asks a sandbox: see symbols/function_client.h.
 */
#ifndef KFLAME_ELF_FUNCTION_FINDER_H
#define KFLAME_ELF_FUNCTION_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prefix of the name of a function without a symbol: "[stripped: FILE+0xOFFSET]" */
#define FINDER_NAMELESS	"[stripped: "

struct finder;

/** struct name_place - a location in a file, and the question about it */
struct name_place {
	uint64_t at;		/* file offset */
	uint64_t leaf;		/* 1: is a leaf without a frame there?  0: which function is there? */
};

/**
 * finder_load() - read the symbols of a file
 * @fd:		the file; must stay open
 * @debug:	its separate debug file; must stay open.  -1 if there is none
 * @base:	the file's name, for functions without a symbol
 * @out:	for finder_destroy()
 *
 * Return: 0, also if the file is damaged (finder_state()); -ENOMEM.
 */
int finder_load(int fd, int debug, const char *base, struct finder **out);

/** finder_destroy() - free it; accepts NULL */
void finder_destroy(struct finder *f);

/** finder_state() - Return: KFLAME_NAMED_*, which says where the names are from */
uint32_t finder_state(const struct finder *f);

/** finder_packed() - Return: whether the installed libelf cannot unpack the file's debug data */
bool finder_packed(const struct finder *f);

/**
 * finder_partial() - do the symbol tables lack a function at some of @nr locations?
 *
 * If so, a debug file may have it.  The tool has already looked for a debug file if the headers alone suggest
 * one (elf_summary_symbols_elsewhere()).
 *
 * Return: whether a location in the code has no symbol, or only one whose size is guessed.
 */
bool finder_partial(const struct finder *f, const struct name_place *places, size_t nr);

/**
 * finder_find() - find the function at a file offset
 * @start:	gets the file offset of its first byte
 * @end:	gets the file offset after its last byte
 *
 * A function with unwind information but no symbol is named "[stripped: FILE+0xOFFSET]", with the offset of
 * its first byte.  So all views show it as one function.  The byte before a function that begins at a
 * multiple of 16 belongs to it, if the byte is certainly padding.  Callers are looked up by their return
 * address less one.
 *
 * Return: its name, valid until the next call; NULL if there is none.  Then @start and @end are as before.
 */
const char *finder_find(struct finder *f, uint64_t offset, uint64_t *start, uint64_t *end);

/** finder_leaf() - Return: whether a function without a frame is at @offset; see cfi_leaf() */
bool finder_leaf(struct finder *f, uint64_t offset);

#endif
