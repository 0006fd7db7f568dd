// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_finder.c - find the function at a file offset; runs in a sandbox
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi_leaf.h"
#include "elf/elf_symbols.h"
#include "elf/function_finder.h"
#include "elf/libelf_section.h"
#include "elf/mini_debug.h"
#include "uapi/kflame.h"

#define PADDING	16u	/* compilers align functions to this */

struct finder {
	struct {
		Elf *elf, *debug, *mini;
		void *image;		/* memory of .mini */
	} file;
	char *base;			/* file name */
	char *made;			/* the last name that was made for a function without a symbol */
	struct elf_symbols symbols;
	struct cfi *cfi;
	bool cfi_tried;
};

int finder_load(int fd, int debug, const char *base, struct finder **out)
{
	struct finder *f = calloc(1, sizeof(*f));
	struct elf_more more;
	int err = -ENOMEM;

	*out = f;
	if (!f)
		return -ENOMEM;
	f->symbols.state = KFLAME_NAMED_DAMAGED;
	f->base = strdup(base);
	f->file.elf = section_open(fd);
	f->file.debug = section_open(debug);
	if (f->base)
		err = 0;
	if (!err && f->file.elf) {
		f->file.mini = mini_debug_open(f->file.elf, &f->file.image);
		more = (struct elf_more){ f->file.debug, f->file.mini };
		err = elf_symbols_load(f->file.elf, &more, &f->symbols);
	}
	if (!err)
		return 0;
	finder_destroy(f);
	*out = NULL;
	return err;
}

void finder_destroy(struct finder *f)
{
	if (!f)
		return;
	cfi_destroy(f->cfi);
	elf_symbols_exit(&f->symbols);
	if (f->file.debug)
		elf_end(f->file.debug);
	if (f->file.mini)
		elf_end(f->file.mini);
	if (f->file.elf)
		elf_end(f->file.elf);
	free(f->file.image);
	free(f->base);
	free(f->made);
	free(f);
}

uint32_t finder_state(const struct finder *f)
{
	return f->symbols.state;
}

bool finder_packed(const struct finder *f)
{
	return (f->file.elf && section_debug_is_packed(f->file.elf)) ||
	       (f->file.debug && section_debug_is_packed(f->file.debug));
}

bool finder_partial(const struct finder *f, const struct name_place *places, size_t nr)
{
	uint64_t address;

	for (size_t i = 0; i < nr; i++) {
		const struct elf_function *found = elf_symbols_find(&f->symbols, places[i].at);

		if (found ? found->guessed : elf_symbols_address(&f->symbols, places[i].at, &address))
			return true;
	}
	return false;
}

/* Return: the unwind information, which is read at the first call; NULL if there is none */
static const struct cfi *cfi_of(struct finder *f)
{
	if (!f->cfi_tried)
		f->cfi = cfi_create(f->file.elf);
	f->cfi_tried = true;
	return f->cfi;
}

/* Find the function around @offset that has no symbol, without the parts that other functions cover */
static const char *function_without_symbol(struct finder *f, uint64_t offset, uint64_t *start,
					   uint64_t *end)
{
	uint64_t address, first, last;

	if (!f->file.elf || !elf_symbols_address(&f->symbols, offset, &address) ||
	    !cfi_function(cfi_of(f), address, &first, &last) ||
	    !elf_symbols_gap(&f->symbols, offset, start, end))
		return NULL;
	if (address - first < offset - *start)
		*start = offset - (address - first);
	if (last - address < *end - offset)
		*end = offset + (last - address);
	free(f->made);
	if (asprintf(&f->made, FINDER_NAMELESS "%s+%#llx]", f->base, (unsigned long long)*start) < 0)
		f->made = NULL;
	return f->made;
}

static const char *function_at(struct finder *f, uint64_t offset, uint64_t *start, uint64_t *end)
{
	const struct elf_function *found = elf_symbols_find(&f->symbols, offset);

	if (!found)
		return function_without_symbol(f, offset, start, end);
	*start = found->start;
	*end = found->end;
	return found->name;
}

/* Return: how many bytes up to and with @offset belong to no function whose end is known; PADDING: or more */
static unsigned int unclaimed(struct finder *f, uint64_t offset)
{
	uint64_t start, end, address;
	unsigned int bytes = PADDING;

	if (elf_symbols_gap(&f->symbols, offset, &start, &end) && offset + 1 - start < bytes)
		bytes = (unsigned int)(offset + 1 - start);
	if (!elf_symbols_address(&f->symbols, offset, &address))
		return bytes;
	for (unsigned int i = 1; i < bytes && i <= address; i++)
		if (cfi_function(cfi_of(f), address - i, &start, &end))
			return i;
	return bytes;
}

/* Return: bytes of the file, as they are; NULL if it has none there */
static const unsigned char *bytes_at(const struct finder *f, uint64_t offset, size_t nr)
{
	Elf_Data *data = elf_getdata_rawchunk(f->file.elf, (int64_t)offset, nr, ELF_T_BYTE);

	return data ? data->d_buf : NULL;
}

/* No function begins with zeros: a copy without code has them */
static bool is_without_code(const struct finder *f, uint64_t function)
{
	static const unsigned char zeros[4];
	const unsigned char *first = bytes_at(f, function, sizeof(zeros));

	return first && !memcmp(first, zeros, sizeof(zeros));
}

/*
 * x86-64: int3, and nops end with 0x90 or 0; calls (0xe8, or 0xff 0x15) end with 0, too.  arm64: nop, brk, udf.
 * @room: bytes that a call may have, because no other function has them
 */
static bool ends_like_padding(const struct finder *f, uint64_t offset, unsigned int room)
{
	const unsigned char *b = bytes_at(f, offset - 5, 6);
	GElf_Ehdr eh;

	if (!b || !gelf_getehdr(f->file.elf, &eh))
		return false;
	if (eh.e_machine == EM_AARCH64)
		return !b[5] || b[5] == 0xd5 || b[5] == 0xd4;
	if (b[5] == 0xcc)
		return true;
	return (!b[5] || b[5] == 0x90) && (room < 5 || b[1] != 0xe8) &&
	       (room < 6 || b[0] != 0xff || b[1] != 0x15);
}

/*
 * Return: whether the byte at @offset is padding.  It is not if a function without symbol and unwind
 * information may end there, so less than PADDING bytes after a known end are taken for padding unseen.
 */
static bool is_padding(struct finder *f, uint64_t offset)
{
	unsigned int room = unclaimed(f, offset);

	return is_without_code(f, offset + 1) ? room < PADDING : ends_like_padding(f, offset, room);
}

const char *finder_find(struct finder *f, uint64_t offset, uint64_t *start, uint64_t *end)
{
	const char *name = function_at(f, offset, start, end);
	uint64_t first, last;

	if (name)
		return name;
	/*
	 * Callers are looked up by their return address less one.  A function that is entered by a return has
	 * its first address as return address, so the byte before it belongs to no function.  See
	 * end_in_padding() of unwind/rows.c.
	 */
	name = offset % PADDING == PADDING - 1 ? function_at(f, offset + 1, &first, &last) : NULL;
	if (!name || first != offset + 1 || !is_padding(f, offset))
		return NULL;
	*start = offset;
	*end = offset + 1;
	return name;
}

bool finder_leaf(struct finder *f, uint64_t offset)
{
	uint64_t address;

	return f->file.elf && elf_symbols_address(&f->symbols, offset, &address) &&
	       (cfi_leaf(cfi_of(f), address) || go_table_leaf(&f->symbols.go, address));
}
