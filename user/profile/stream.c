// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - splits a stream of bytes into records
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

#define MAX_HEADER	4096u	/* a later version may have a longer header, up to this size */

static int refuse(struct profile *p, enum profile_state state, const char *why)
{
	p->reader->refused = true;
	p->state = state;
	snprintf(p->why, sizeof(p->why), "%s", why);
	return -EILSEQ;
}

static int take_header(struct profile *p, struct profile_framing *f,
		       const struct kflame_file_header *h)
{
	if (memcmp(h->magic, KFLAME_FILE_MAGIC, sizeof(h->magic)))
		return refuse(p, PROFILE_NOT, "it does not begin as a profile does");
	if (h->endian == __builtin_bswap32(KFLAME_FILE_ENDIAN))
		return refuse(p, PROFILE_FOREIGN,
			      "it was recorded on a machine of the other byte order: "
			      "read it on one of that order");
	if (h->endian != KFLAME_FILE_ENDIAN)
		return refuse(p, PROFILE_NOT, "its header is damaged");
	if (h->version != KFLAME_FILE_VERSION || h->required) {
		refuse(p, PROFILE_FOREIGN, "");
		snprintf(p->why, sizeof(p->why),
			 "it is of format %u (features %#llx), this kflame reads format %u: "
			 "use a kflame as new as the one that wrote it",
			 h->version, (unsigned long long)h->required,
			 (unsigned int)KFLAME_FILE_VERSION);
		return -EILSEQ;
	}
	if (h->header_size < sizeof(*h) || h->header_size > MAX_HEADER || h->header_size % 8)
		return refuse(p, PROFILE_NOT, "its header is damaged");
	f->skip = h->header_size - sizeof(*h);
	f->past_header = true;
	return 0;
}

/* Keeps the beginning of a header or record that is not whole yet */
static int keep(struct profile_framing *f, const unsigned char *data, size_t len)
{
	if (f->have + len > f->cap) {
		size_t cap = f->have + len;
		unsigned char *more;

		cap = cap < 4096 ? 4096 : cap * 2;
		more = realloc(f->buf, cap);
		if (!more)
			return -ENOMEM;
		f->buf = more;
		f->cap = cap;
	}
	memcpy(f->buf + f->have, data, len);
	f->have += len;
	return 0;
}

static bool good_size(uint32_t size)
{
	return size >= sizeof(struct kflame_rec) && size % 8 == 0 && size <= KFLAME_REC_MAX;
}

/*
 * Size of the header or record at @at, of which @len bytes are there.  If its size field is not there
 * yet, the size of struct kflame_rec.  0 if the size makes no sense.
 */
static size_t wanted(const struct profile_framing *f, const unsigned char *at, size_t len)
{
	struct kflame_rec rec;

	if (!f->past_header)
		return sizeof(struct kflame_file_header);
	if (len < sizeof(rec))
		return sizeof(rec);
	memcpy(&rec, at, sizeof(rec));
	return good_size(rec.size) ? rec.size : 0;
}

/* Reads the whole header or record at @at, which is 8-byte aligned */
static int take_whole(struct profile *p, struct profile_framing *f, const unsigned char *at)
{
	if (!f->past_header)
		return take_header(p, f, (const void *)at);
	f->records++;
	return profile_take(p, (const void *)at);
}

static int stick(struct profile *p, struct profile_framing *f)
{
	f->stuck = true;
	/* The first pass over the bytes, without samples, has reported this damage. */
	if (p->reader->part == PROFILE_SAMPLES)
		return 0;
	p->damaged++;
	snprintf(p->why, sizeof(p->why),
		 "after record %llu the rest is not readable",
		 (unsigned long long)p->records);
	return 0;
}

/* Reads one header or record. Copies its bytes to the buffer until it is whole, if necessary. */
static int feed_some(struct profile *p, struct profile_framing *f, const unsigned char **data,
		     size_t *len)
{
	size_t want, more;
	int err;

	if (f->skip) {
		more = f->skip < *len ? f->skip : *len;
		f->skip -= more;
		*data += more;
		*len -= more;
		return 0;
	}
	/* Whole and aligned: no copy is needed. */
	if (!f->have && (uintptr_t)*data % 8 == 0) {
		want = wanted(f, *data, *len);
		if (want && want <= *len && (!f->past_header || want > sizeof(struct kflame_rec))) {
			err = take_whole(p, f, *data);
			*data += want;
			*len -= want;
			return err;
		}
	}
	want = wanted(f, f->buf, f->have);
	if (!want)
		return stick(p, f);
	if (f->have < want) {
		more = want - f->have < *len ? want - f->have : *len;
		err = keep(f, *data, more);
		*data += more;
		*len -= more;
		if (err)
			return err;
	}
	/* The buffer may hold only the first bytes of a record, which have its size. */
	want = wanted(f, f->buf, f->have);
	if (!want)
		return stick(p, f);
	if (f->have < want)
		return 0;
	f->have = 0;
	return take_whole(p, f, f->buf);
}

static int feed(struct profile *p, struct profile_framing *f, const unsigned char *data, size_t len)
{
	int err;

	while (len) {
		if (p->reader->refused)
			return -EILSEQ;
		if (f->stuck)
			return 0;
		err = feed_some(p, f, &data, &len);
		if (err)
			return err;
	}
	return 0;
}

int profile_feed(struct profile *p, const void *data, size_t len)
{
	p->bytes += len;
	return feed(p, &p->reader->fed, data, len);
}

int profile_feed_samples(struct profile *p, const void *data, size_t len)
{
	struct profile_reader *r = p->reader;
	const enum profile_part part = r->part;
	int err;

	r->part = PROFILE_SAMPLES;
	r->taken += len;
	err = feed(p, &r->again, data, len);
	r->part = part;
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct profile_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* Of several symbols with one start, the first is kept: the longest. */
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return strcmp(x->name, y->name);
}

void profile_sort_symbols(struct profile_symbols *syms)
{
	size_t to = 0;

	/* A stream that the tool wrote is sorted. */
	while (to + 1 < syms->nr && syms->all[to].start < syms->all[to + 1].start)
		to++;
	if (to + 1 >= syms->nr)
		return;
	to = 0;
	qsort(syms->all, syms->nr, sizeof(*syms->all), by_start);
	for (size_t i = 0; i < syms->nr; i++) {
		if (to && syms->all[to - 1].start == syms->all[i].start) {
			free((char *)syms->all[i].name);
			continue;
		}
		syms->all[to++] = syms->all[i];
	}
	syms->nr = to;
}

int profile_finish(struct profile *p)
{
	struct profile_reader *r = p->reader;
	const struct profile_framing *f = &r->fed;

	if (r->refused)
		return -EILSEQ;
	profile_sort_symbols(&p->ksyms);
	for (size_t i = 0; i < p->nr_files; i++)
		profile_sort_symbols(&p->files[i].syms);
	for (size_t i = 0; i < p->nr_aspaces; i++)
		profile_sort_symbols(&p->aspaces[i].syms);
	if (!p->bytes) {
		refuse(p, PROFILE_EMPTY, "it is empty");
		return -EILSEQ;
	}
	if (!f->past_header) {
		size_t len = f->have < 8 ? f->have : 8;

		if (memcmp(f->buf, KFLAME_FILE_MAGIC, len))
			return refuse(p, PROFILE_NOT, "it does not begin as a profile does");
		return refuse(p, PROFILE_TRUNCATED, "it ends within its header");
	}
	if (profile_add_timer(p))
		return -ENOMEM;
	p->state = PROFILE_WHOLE;
	if (f->stuck || f->have || f->skip) {
		p->state = PROFILE_TRUNCATED;
		if (!f->stuck)
			snprintf(p->why, sizeof(p->why), "it ends within record %llu",
				 (unsigned long long)p->records + 1);
	} else if (!r->ended) {
		p->state = PROFILE_NO_END;
		snprintf(p->why, sizeof(p->why), "it has no end record after record %llu",
			 (unsigned long long)p->records);
	}
	return 0;
}
