/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobe_file.h - the file and the offset that an event such as "uprobe:FILE:SYMBOL+4" means
 */
#ifndef KFLAME_RECORD_UPROBE_FILE_H
#define KFLAME_RECORD_UPROBE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct uprobe_name - FILE:SYMBOL[+OFFSET] or FILE:ADDRESS
 * @file:	to be freed; without a slash: a program that is in PATH
 * @symbol:	part of @file's memory; NULL: an address
 * @by:		OFFSET, or the address
 */
struct uprobe_name {
	char *file;
	const char *symbol;
	uint64_t by;
};

/** struct uprobe_file - an open file with a probe */
struct uprobe_file {
	int fd;			/* -1: none */
	uint64_t offset;	/* of the probed instruction */
	void *page;		/* the instruction's page, mapped; NULL: none */
	size_t page_bytes;
};

/**
 * uprobe_parse() - splits what follows "uprobe:"
 * @out:	the caller frees @out->file after 0
 *
 * The last colon ends FILE.  SYMBOL does not begin with a digit.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int uprobe_parse(const char *text, struct uprobe_name *out);

/**
 * uprobe_event_name() - makes the name of the event in the stream
 * @kind:	"uprobe" or "uretprobe"
 * @text:	what follows, and a colon
 * @name:	gets the name, at most @size bytes with its NUL
 *
 * Of a long FILE only the last parts are kept, as ".../lib/libc.so.6".  Bytes that names must not have become "_".
 *
 * Return: 0; -ENAMETOOLONG if the last part alone is too long.
 */
int uprobe_event_name(const char *kind, const char *text, char *name, size_t size);

/**
 * uprobe_file_open() - opens the file, and finds the offset of the instruction
 * @event:	the event's name, for messages
 * @text:	what follows "uprobe:"
 * @out:	for uprobe_file_close()
 *
 * The page with the instruction is mapped, so that the kernel checks the instruction at once.  If Capstone is
 * installed, an OFFSET inside an instruction is refused.
 *
 * Return: 0; -1 after a message.
 */
int uprobe_file_open(const char *event, const char *text, struct uprobe_file *out);

/** uprobe_file_close() - closes it, and unmaps the page */
void uprobe_file_close(struct uprobe_file *u);

#endif
