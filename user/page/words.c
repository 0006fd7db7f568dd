// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - names and paths, cut to fit into a line
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/words.h"
#include "views/brief.h"
#include "views/lock_functions.h"

#define BETWEEN	" > "
#define LEFT_OUT	"..."

/* Return: bytes of a character in UTF-8 */
static size_t bytes_of(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Characters without a width do not count as columns, so bytes have a limit, too.  Return: how many bytes fit */
static size_t fitting(const char *name, size_t cells, size_t *used)
{
	const size_t most = 4 * cells;
	size_t bytes = 0;
	const char *at = name, *next = name;

	for (*used = 0; *at; at = next) {
		const uint32_t c = text_next(&next);

		if (*used + text_cells(c) > cells || bytes + bytes_of(c) > most)
			break;
		*used += text_cells(c);
		bytes += bytes_of(c);
	}
	return (size_t)(at - name);
}

/* Writes at most @cells columns of @name, of which template arguments are left out first.  Return: how many */
static size_t put_cut(FILE *out, const char *full, size_t cells)
{
	size_t used, fit = fitting(full, cells, &used);
	char *brief = full[fit] ? brief_name(full) : NULL;
	const char *name = brief ? brief : full;
	bool is_long;

	fit = fitting(name, cells, &used);
	is_long = name[fit];
	if (is_long)
		fit = fitting(name, cells - strlen(LEFT_OUT), &used);
	for (const char *at = name; at < name + fit;)
		text_put_char(out, text_next(&at));
	free(brief);
	if (is_long)
		fputs(LEFT_OUT, out);
	return is_long ? used + strlen(LEFT_OUT) : used;
}

const char *word_cut(char *buf, const char *name)
{
	FILE *out = fmemopen(buf, WORD_BYTES, "w");

	buf[0] = 0;
	if (!out)
		return "?";
	put_cut(out, name, WORD_CELLS);
	putc(0, out);
	fclose(out);
	buf[WORD_BYTES - 1] = 0;
	return buf;
}

static bool is_function(const struct frame *f)
{
	return f->kind != FRAME_COMM && f->kind != FRAME_ROOT;
}

const char *words_thread(const struct tree *t, uint32_t node)
{
	const char *name = "?";

	for (; node != TREE_ROOT; node = t->nodes[node].parent) {
		const struct frame *f = &t->frames[t->nodes[node].frame];

		/* A gap has no thread */
		if (f->kind == FRAME_COMM || t->nodes[node].parent == TREE_ROOT)
			name = f->name;
	}
	return name;
}

uint32_t words_site(const struct tree *t, uint32_t node, const char **note)
{
	uint32_t site = node;

	*note = NULL;
	for (; t->nodes[site].depth > 2; site = t->nodes[site].parent) {
		const struct frame *f = &t->frames[t->nodes[site].frame];

		if (f->kind == FRAME_NOTE && !*note && site == node)
			*note = f->name;
		else if (f->kind != FRAME_NOTE && (f->kind != FRAME_KERNEL || lock_of_kernel(f) != LOCK_PART))
			return site;
	}
	return site;
}

/* How each program and each system call begins: these take the room of functions that say what happens */
static bool is_entry(const char *name)
{
	static const char *const entries[] = {
		"_start", "__libc_start_main", "__libc_start_call_main", "entry_SYSCALL_64_after_hwframe", "do_syscall_64",
		"x64_sys_call", "el0t_64_sync", "el0t_64_sync_handler", "el0_svc", "do_el0_svc", "el0_svc_common.constprop.0",
		"invoke_syscall", "asm_exc_page_fault", "exc_page_fault",
	};

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (!strcmp(entries[i], name))
			return true;
	return false;
}

/* Names of a path's functions, innermost first.  Return: how many; at most @most */
static size_t functions_of(const struct tree *t, uint32_t node, const char **names, size_t most)
{
	size_t nr = 0;

	for (; node != TREE_ROOT && nr < most; node = t->nodes[node].parent)
		if (is_function(&t->frames[t->nodes[node].frame]))
			names[nr++] = t->frames[t->nodes[node].frame].name;
	return nr;
}

char *words_inner(const struct tree *t, uint32_t node, size_t most)
{
	const char *names[8];
	char *words;
	size_t size, nr = functions_of(t, node, names, most < 8 ? most : 8);
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	for (size_t i = nr; i-- > 0;) {
		put_cut(out, names[i], WORD_CELLS);
		fputs(i ? BETWEEN : "", out);
	}
	if (!nr)
		fputs("no function", out);
	if (!fclose(out))
		return words;
	free(words);
	return NULL;
}

/* Chooses innermost callers first, then outermost ones.  @first, @last: out: callers from @first on below @last are left out */
static void choose(const char **names, size_t nr, size_t cells, size_t *first, size_t *last)
{
	size_t len = 0, width;

	/* names[0] is the innermost one */
	for (*first = 0; *first < nr; (*first)++) {
		width = text_width(names[*first]);
		len += (width < WORD_CELLS ? width : WORD_CELLS) + strlen(BETWEEN);
		if (len > cells * 2 / 3 && *first)
			break;
	}
	for (*last = nr; *last > *first; (*last)--) {
		width = text_width(names[*last - 1]);
		len += (width < WORD_CELLS ? width : WORD_CELLS) + strlen(BETWEEN);
		if (len > cells)
			break;
	}
}

/* Return: how many names are left */
static size_t without_entries(const char **names, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!is_entry(names[i]))
			names[kept++] = names[i];
	return kept;
}

void words_put_callers(FILE *out, const struct tree *t, uint32_t node, size_t cells)
{
	const char **names = calloc(TREE_MAX_DEPTH + 1, sizeof(*names));
	size_t nr, first, last;

	if (!names)
		return;
	nr = functions_of(t, t->nodes[node].parent, names, TREE_MAX_DEPTH);
	nr = without_entries(names, nr);
	choose(names, nr, cells, &first, &last);
	for (size_t i = nr; i-- > 0;) {
		if (i + 1 == last && first < last) {
			fputs(LEFT_OUT BETWEEN, out);
			i = first;
			continue;
		}
		put_cut(out, names[i], WORD_CELLS);
		fputs(i ? BETWEEN : "", out);
	}
	free(names);
}
