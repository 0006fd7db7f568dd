// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded_names.c - names of user functions for the folded stacks that the module writes with text=1
 *
 * A profile in memory gets each file, and a count for each place in it. So its names come as those of any profile.
 * Afterwards the text is copied with the names in it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/message.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "stacks/folded.h"
#include "stacks/folded_names.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

#define REMARK		"# file: "
#define FILE_BITS	36		/* the address of a place: number of its file, and offset below these bits */
#define TWO_FILES	UINT64_MAX

struct naming_text {
	char *text;			/* the stacks as they came */
	size_t len;
	struct intern remarks;		/* descriptions of files */
	struct intern bases;		/* names of files in frames: indices of .files */
	uint64_t *files;		/* ids in the profile; TWO_FILES: two files have this name */
	size_t nr_files, cap_files;
	struct intern frames;		/* frames to name */
	char **names;			/* of .frames; NULL: leave the frame as it is */
	struct idmap by_address;	/* address of a place: index of .frames */
	struct records records;
};

static int slurp(FILE *in, char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);
	char buffer[1 << 14];
	size_t n;
	int err = out ? 0 : -ENOMEM;

	errno = 0;
	while (!err && (n = fread(buffer, 1, sizeof(buffer), in)))
		if (fwrite(buffer, 1, n, out) != n)
			err = -ENOMEM;
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	if (out && fclose(out) && !err)
		err = -ENOMEM;
	return err;
}

/* Return: the number behind the last " @key=" before *@end, which becomes the end of what is before it; false without */
static bool take_word(const char *line, const char **end, const char *key, const char **value)
{
	const size_t len = strlen(key);

	for (const char *at = *end; at >= line + len; at--)
		if (!memcmp(at - len, key, len)) {
			*value = at;
			*end = at - len;
			return true;
		}
	return false;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_build_id(struct kflame_rec_file *f, const char *at, const char *end)
{
	for (; end - at >= 2 && f->build_id_len < KFLAME_BUILD_ID_MAX; at += 2) {
		const int high = hex_digit(at[0]), low = hex_digit(at[1]);

		if (high < 0 || low < 0)
			break;
		f->build_id[f->build_id_len++] = (uint8_t)(high * 16 + low);
	}
}

/* Adds a file to the profile, with a mapping of all of it */
static int add_file(struct naming_text *t, const struct kflame_rec_file *f, const char *path, size_t len)
{
	struct kflame_rec_mapping map = {
		.rec.type = KFLAME_REC_MAPPING, .aspace = 1, .start = f->id << FILE_BITS,
		.end = (f->id + 1) << FILE_BITS, .file = f->id,
	};
	char *copy = strndup(path, len);

	if (!copy)
		return -ENOMEM;
	records_file(&t->records, f, copy);
	records_add(&t->records, &map, sizeof(map), NULL, 0);
	free(copy);
	return t->records.failed ? -ENOMEM : 0;
}

/* Return: 0, also if it is no description of a file; -ENOMEM */
static int take_remark(struct naming_text *t, const char *line, const char *end)
{
	const char *path = line + strlen(REMARK), *id, *mtime, *bytes, *at = end, *base;
	struct kflame_rec_file f = { 0 };
	uint32_t number;
	bool added;

	if (!take_word(path, &at, " build-id=", &id) || !take_word(path, &at, " mtime_ns=", &mtime) ||
	    !take_word(path, &at, " size=", &bytes) || at == path)
		return 0;
	if (intern_bytes(&t->remarks, line, (size_t)(end - line), &added) == INDEX_NONE)
		return -ENOMEM;
	/* A file may have several ids in the module's session */
	if (!added)
		return 0;
	base = memrchr(path, '/', (size_t)(at - path));
	base = base ? base + 1 : path;
	number = intern_bytes(&t->bases, base, (size_t)(at - base), &added);
	if (number == INDEX_NONE || grow(&t->files, t->nr_files, &t->cap_files, sizeof(*t->files)))
		return -ENOMEM;
	if (!added) {
		t->files[number] = TWO_FILES;
		return 0;
	}
	f.id = number + 1;
	f.bytes = strtoull(bytes, NULL, 10);
	f.mtime_ns = strtoull(mtime, NULL, 10);
	take_build_id(&f, id, end);
	t->files[t->nr_files++] = f.id;
	return add_file(t, &f, path, (size_t)(at - path));
}

/* Finds the place of a frame "FILE+0xOFFSET".  Return: its address; 0 if it is no such frame */
static uint64_t place_of(struct naming_text *t, const char *frame, size_t len)
{
	size_t digits = len, nr = t->bases.nr;
	uint64_t offset = 0;
	uint32_t number;
	bool added;

	while (digits && hex_digit(frame[digits - 1]) >= 0)
		digits--;
	if (digits < 4 || digits == len || len - digits > FILE_BITS / 4 || memcmp(frame + digits - 3, "+0x", 3))
		return 0;
	for (size_t i = digits; i < len; i++)
		offset = offset * 16 + (uint64_t)hex_digit(frame[i]);
	number = intern_bytes(&t->bases, frame, digits - 3, &added);
	if (number >= nr || number >= t->nr_files || t->files[number] == TWO_FILES)
		return 0;
	return (t->files[number] << FILE_BITS) + offset;
}

/* Adds a count for a frame that is new, and can be named */
static int take_frame(struct naming_text *t, const char *frame, size_t len)
{
	struct kflame_rec_stack s = { .rec.type = KFLAME_REC_STACK, .kind = KFLAME_STACK_USER,
				      .candidate = KFLAME_NO_CANDIDATE, .nr = 1 };
	struct kflame_rec_count c = { .rec.type = KFLAME_REC_COUNT, .aspace = 1, .samples = 1, .comm = "text" };
	uint32_t number;
	uint64_t at;
	bool added;

	number = intern_bytes(&t->frames, frame, len, &added);
	if (number == INDEX_NONE)
		return -ENOMEM;
	at = added ? place_of(t, frame, len) : 0;
	if (!at || idmap_find(&t->by_address, at) != INDEX_NONE)
		return 0;
	s.id = c.ustack = number + 1;
	records_add(&t->records, &s, sizeof(s), &at, sizeof(at));
	records_add(&t->records, &c, sizeof(c), NULL, 0);
	return t->records.failed ? -ENOMEM : idmap_set(&t->by_address, at, number);
}

/* Where the stack of a line ends, and its count begins */
static const char *end_of_stack(const char *line, const char *end)
{
	const char *blank = memrchr(line, ' ', (size_t)(end - line));

	return blank ? blank : line;
}

typedef int (*line_fn)(struct naming_text *t, const char *line, const char *end, void *ctx);

static int each_line(struct naming_text *t, line_fn fn, void *ctx)
{
	const char *end = t->text + t->len;
	int err = 0;

	for (const char *line = t->text, *next; !err && line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next : end;
		err = fn(t, line, next, ctx);
	}
	return err;
}

static bool is_remark(const char *line, const char *end)
{
	return (size_t)(end - line) > strlen(REMARK) && !memcmp(line, REMARK, strlen(REMARK));
}

static int take_remarks(struct naming_text *t, const char *line, const char *end, void *ctx)
{
	(void)ctx;
	return is_remark(line, end) ? take_remark(t, line, end) : 0;
}

/* The first frame is the thread, which has no name to look up */
static int take_frames(struct naming_text *t, const char *line, const char *end, void *ctx)
{
	const char *stop = is_remark(line, end) ? line : end_of_stack(line, end);
	const char *at = memchr(line, ';', (size_t)(stop - line));
	int err = 0;
	(void)ctx;

	while (!err && at) {
		const char *next = memchr(at + 1, ';', (size_t)(stop - at - 1));

		err = take_frame(t, at + 1, (size_t)((next ? next : stop) - at - 1));
		at = next;
	}
	return err;
}

static int put_line(struct naming_text *t, const char *line, const char *end, void *ctx)
{
	const char *stop = end_of_stack(line, end), *at;
	FILE *out = ctx;

	if (is_remark(line, end))
		return 0;
	at = memchr(line, ';', (size_t)(stop - line));
	fwrite(line, 1, (size_t)((at ? at : stop) - line), out);
	while (at) {
		const char *next = memchr(at + 1, ';', (size_t)(stop - at - 1));
		const size_t len = (size_t)((next ? next : stop) - at - 1);
		const uint32_t number = intern_bytes(&t->frames, at + 1, len, NULL);

		putc(';', out);
		if (number != INDEX_NONE && t->names[number])
			fputs(t->names[number], out);
		else
			fwrite(at + 1, 1, len, out);
		at = next;
	}
	fwrite(stop, 1, (size_t)(end - stop), out);
	putc('\n', out);
	return ferror(out) ? -ENOMEM : 0;
}

static void begin_profile(struct records *r)
{
	struct kflame_rec_session s = { .rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI, .nr_cpus = 1, .udepth = 1 };
	struct kflame_rec_aspace a = { .rec.type = KFLAME_REC_ASPACE, .id = 1, .tgid = 1, .comm = "text" };

	records_add(r, &s, sizeof(s), NULL, 0);
	records_add(r, &a, sizeof(a), NULL, 0);
}

struct taking {
	struct naming_text *t;
	const struct profile *p;
};

static int take_count(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	const struct taking *k = ctx;
	const uint32_t stack = k->p->counts[count].ustack;
	uint32_t number;

	if (nr < 2 || stack >= k->p->nr_stacks)
		return 0;
	number = idmap_find(&k->t->by_address, k->p->stacks[stack].pc);
	if (number == INDEX_NONE || k->t->names[number])
		return 0;
	k->t->names[number] = strdup(frames[1].name);
	if (!k->t->names[number])
		return -ENOMEM;
	folded_clean(k->t->names[number]);
	return 0;
}

static int find_names(struct naming_text *t, const char *symbols)
{
	const struct naming naming = { .symbols = symbols, .inlines = SOURCE_INLINE_NO };
	struct kflame_file_header h = { .magic = KFLAME_FILE_MAGIC, .version = KFLAME_FILE_VERSION,
					.endian = KFLAME_FILE_ENDIAN, .header_size = sizeof(h) };
	struct profile *p = profile_create();
	struct taking k = { t, p };
	int err = p ? 0 : -ENOMEM;

	records_end(&t->records, 0);
	if (!err && (t->records.failed || profile_feed(p, &h, sizeof(h)) ||
		     profile_feed(p, t->records.data, t->records.len) || profile_finish(p)))
		err = -ENOMEM;
	if (!err)
		err = profile_look_up(p, &naming);
	if (!err)
		err = profile_each_count(p, take_count, &k);
	profile_destroy(p);
	return err;
}

int folded_names_add(FILE *in, const char *name, const char *symbols, char **text, size_t *len)
{
	struct naming_text t = { 0 };
	FILE *out = NULL;
	int err = slurp(in, &t.text, &t.len);

	*text = NULL;
	begin_profile(&t.records);
	if (!err)
		err = each_line(&t, take_remarks, NULL);
	if (!err && !t.nr_files) {
		complain("%s does not describe its files (# file: ...), so --symbols cannot name them: only the text of the module's text=1 does",
			 name);
		err = -ENODATA;
	}
	if (!err)
		err = each_line(&t, take_frames, NULL);
	if (!err) {
		t.names = calloc(t.frames.nr + 1, sizeof(*t.names));
		err = t.names ? find_names(&t, symbols) : -ENOMEM;
	}
	if (!err) {
		out = open_memstream(text, len);
		err = out ? each_line(&t, put_line, out) : -ENOMEM;
	}
	if (out && fclose(out) && !err)
		err = -ENOMEM;
	for (size_t i = 0; t.names && i < t.frames.nr; i++)
		free(t.names[i]);
	free(t.names);
	free(t.files);
	free(t.text);
	intern_exit(&t.remarks);
	intern_exit(&t.bases);
	intern_exit(&t.frames);
	idmap_exit(&t.by_address);
	records_exit(&t.records);
	return err;
}
