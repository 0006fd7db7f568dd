// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_entries.c - find the entries of an unwind table: .eh_frame or .debug_frame
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/cfi_entries.h"

/* "zPLRSBG" is the longest known augmentation.  A CIE with a longer one than this is refused */
#define MAX_AUGMENTATION	15

/* An entry: a CIE or an FDE */
struct entry {
	bool is_cie;
	uint64_t cie;		/* of an FDE: position of its CIE */
	struct bytes body;	/* bytes after the CIE id or CIE pointer */
};

uint64_t frame_pointer(const struct frame_table *t, struct bytes *b, uint8_t encoding)
{
	uint64_t here = t->address + (uint64_t)(b->at - t->data), value = 0;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		value = bytes_uint(b, t->word);
		break;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = bytes_uint(b, 8);
		break;
	case DW_EH_PE_udata4:
		value = bytes_uint(b, 4);
		break;
	case DW_EH_PE_sdata4:
		value = bytes_sint(b, 4);
		break;
	case DW_EH_PE_udata2:
		value = bytes_uint(b, 2);
		break;
	case DW_EH_PE_sdata2:
		value = bytes_sint(b, 2);
		break;
	case DW_EH_PE_uleb128:
		value = bytes_uleb(b);
		break;
	case DW_EH_PE_sleb128:
		value = bytes_sleb(b);
		break;
	default:
		b->bad = true;
	}
	/* The files use no other bases, and no indirect pointers */
	if ((encoding & 0xf0) == DW_EH_PE_pcrel)
		value += here;
	else if (encoding & 0xf0)
		b->bad = true;
	return t->word == 4 ? (uint32_t)value : value;
}

/*
 * Read the common header of an entry, and move *@at to the next entry.
 * Return: false at the end of the table, or if the rest cannot be read.
 */
static bool next_entry(const struct frame_table *t, size_t *at, struct entry *e)
{
	struct bytes b = { t->data + *at, t->data + t->len, false };
	uint64_t length = bytes_uint(&b, 4), id, id_at;
	bool wide = length == UINT32_MAX;
	const unsigned char *body;

	if (wide)
		length = bytes_uint(&b, 8);
	id_at = (uint64_t)(b.at - t->data);
	body = bytes_take(&b, length);
	if (!length || !body)
		return false;
	*at = (size_t)(b.at - t->data);
	e->body = (struct bytes){ body, b.at, false };
	id = bytes_uint(&e->body, wide ? 8 : 4);
	e->is_cie = t->eh ? !id : id == (wide ? UINT64_MAX : UINT32_MAX);
	/* .eh_frame stores the distance back from this field to the CIE, .debug_frame stores its position */
	e->cie = t->eh ? id_at - id : id;
	return true;
}

/* Read the augmentation data that the letters of the augmentation announce */
static void read_augmentation(const struct frame_table *t, const char *letters,
			      struct bytes *b, struct frame_entry *f)
{
	uint64_t len = bytes_uleb(b);
	const unsigned char *at = bytes_take(b, len);
	struct bytes data = { at, at ? at + len : NULL, !at };
	uint8_t encoding;

	f->augmented = true;
	for (letters++; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R':
			f->encoding = (uint8_t)bytes_uint(&data, 1);
			break;
		case 'L':
			bytes_uint(&data, 1);
			break;
		case 'P':
			encoding = (uint8_t)bytes_uint(&data, 1);
			if (encoding != DW_EH_PE_omit)
				frame_pointer(t, &data, encoding & 0x0f);
			break;
		case 'S':
			f->signal = true;
			break;
		case 'B':	/* arm64: the B key signs return addresses */
		case 'G':	/* arm64: the stack has memory tags */
			break;
		default:
			data.bad = true;
		}
	}
	b->bad = b->bad || data.bad;
}

static bool read_cie(const struct frame_table *t, uint64_t where, struct frame_entry *f)
{
	size_t at = (size_t)where, room;
	struct entry e;
	const char *letters;
	unsigned int version;

	if (where >= t->len || !next_entry(t, &at, &e) || !e.is_cie)
		return false;
	version = (unsigned int)bytes_uint(&e.body, 1);
	letters = (const char *)e.body.at;
	room = (size_t)(e.body.end - e.body.at);
	bytes_take(&e.body, strnlen(letters, room < MAX_AUGMENTATION ? room : MAX_AUGMENTATION));
	if ((version != 1 && version != 3 && version != 4) || bytes_uint(&e.body, 1) ||
	    e.body.bad || (letters[0] && letters[0] != 'z'))
		return false;
	/* Version 4 stores the size of an address and of a segment selector (0) */
	if (version == 4 && bytes_uint(&e.body, 2) != t->word)
		return false;
	f->code_align = bytes_uleb(&e.body);
	f->data_align = bytes_sleb(&e.body);
	f->ra = version == 1 ? bytes_uint(&e.body, 1) : bytes_uleb(&e.body);
	f->encoding = DW_EH_PE_absptr;
	if (letters[0])
		read_augmentation(t, letters, &e.body, f);
	f->initial = e.body;
	return !e.body.bad;
}

/* Read the FDE in @e.  Return: whether @e is an FDE that can be used. */
static bool read_fde(const struct frame_table *t, struct entry *e, struct frame_entry *f)
{
	uint64_t len;

	memset(f, 0, sizeof(*f));
	if (e->is_cie || !read_cie(t, e->cie, f))
		return false;
	f->start = frame_pointer(t, &e->body, f->encoding);
	len = frame_pointer(t, &e->body, f->encoding & 0x0f);
	f->end = f->start + len;
	if (f->augmented)
		bytes_take(&e->body, bytes_uleb(&e->body));
	f->program = e->body;
	return !e->body.bad && f->end > f->start;
}

static int by_start(const void *a, const void *b)
{
	const struct frame_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int frame_table_load(struct frame_table *t)
{
	struct frame_entry f;
	struct entry e;
	int err = 0;

	for (size_t at = 0, next = 0; !err && next_entry(t, &next, &e); at = next) {
		if (!read_fde(t, &e, &f))
			continue;
		if (t->nr == t->most) {
			t->left_out++;
			continue;
		}
		err = grow(&t->all, t->nr, &t->cap, sizeof(*t->all));
		if (!err)
			t->all[t->nr++] = (struct frame_range){ f.start, f.end, at };
	}
	if (!err && t->nr)
		qsort(t->all, t->nr, sizeof(*t->all), by_start);
	return err;
}

void frame_table_exit(struct frame_table *t)
{
	free(t->all);
	memset(t, 0, sizeof(*t));
}

bool frame_table_entry(const struct frame_table *t, const struct frame_range *range,
		       struct frame_entry *f)
{
	size_t at = range->at;
	struct entry e;

	return next_entry(t, &at, &e) && read_fde(t, &e, f);
}

size_t frame_table_after(const struct frame_table *t, uint64_t address)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->all[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct frame_range *frame_table_range(const struct frame_table *t, uint64_t address)
{
	const size_t after = frame_table_after(t, address);

	return after && address < t->all[after - 1].end ? &t->all[after - 1] : NULL;
}

bool frame_table_find(const struct frame_table *t, uint64_t address, struct frame_entry *f)
{
	const struct frame_range *range = frame_table_range(t, address);

	return range && frame_table_entry(t, range, f);
}
