/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_tables.h - unwind tables of programs made here, and of files that are found here
 */
#ifndef KFLAME_TESTS_MADE_TABLES_H
#define KFLAME_TESTS_MADE_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "libdw_frames.h"
#include "programs.h"

/* The compiler of made_table(); @dir is its current directory */
#ifndef TABLES_CC
#define TABLES_CC	TEST_CC
#endif

/* Of 10,000 places of a file that was found here, so many may have no rule though libdw knows one;
 * of programs made here it is known which */
#define MOST_NONE	10
#define ANY_NONE	10000

static inline int tables_set_up(void **state)
{
	(void)state;
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	programs_make_dir();
	return 0;
}

/* What the module checks */
static inline void check_form(const struct unwind_table *t)
{
	assert_false(t->flags & ~UNWIND_TABLE_FLAGS);
	assert_true(t->nr_pages <= KFLAME_TABLE_PAGES && t->nr_rows <= KFLAME_TABLE_ROWS &&
		    t->nr_rules <= KFLAME_TABLE_RULES);
	assert_int_equal(t->pages[0], 0);
	assert_int_equal(t->pages[t->nr_pages], t->nr_rows);
	for (uint32_t page = 0; page < t->nr_pages; page++)
		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			assert_true(KFLAME_ROW_RULE(t->rows[i]) < t->nr_rules);
			if (i == t->pages[page])
				continue;
			assert_true(KFLAME_ROW_OFFSET(t->rows[i - 1]) <
				    KFLAME_ROW_OFFSET(t->rows[i]));
			assert_int_not_equal(KFLAME_ROW_RULE(t->rows[i - 1]),
					     KFLAME_ROW_RULE(t->rows[i]));
		}
}

static inline void print_lost(const uint64_t *lost)
{
	for (int i = UNWIND_KEPT + 1; i < UNWIND_LOSSES; i++)
		if (lost[i])
			print_message("#   %llu rows: %s\n", (unsigned long long)lost[i],
				      unwind_loss_name(i));
}

/* @most: of 10,000 places, so many may have no rule */
static inline void compare(Elf *elf, const char *name, const struct unwind_table *t,
		    const uint64_t *lost, unsigned long most)
{
	struct both b = { .elf = elf, .table = t, .name = name };

	check_form(t);
	compare_elf(&b);
	print_message("# %s: %u rows, %u rules, %zu bytes%s; %lu places compared, %lu differ, "
		      "%lu without a rule, %lu where it begins, %lu where threads do, %lu by code\n", name, t->nr_rows, t->nr_rules,
		      unwind_table_bytes(t), t->flags & KFLAME_TABLE_FP ? ", by fp" : "",
		      b.compared, b.differ, b.none, b.begins, b.clones, b.by_code);
	print_lost(lost);
	assert_int_equal(b.differ, 0);
	assert_true(b.none * 10000 <= b.compared * most);
	assert_true(b.compared >= (most == ANY_NONE ? 5 : 1000));
}

static inline void compare_path(const char *path, unsigned long most)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_equal(elf_table_read(fd, &t, lost), 0);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	compare(elf, path, &t, lost, most);
	unwind_table_exit(&t);
	elf_end(elf);
	close(fd);
}

/* Of a file in @dir; compared with libdw, too, if @also_libdw */
static inline void read_table(const char *name, struct unwind_table *t, bool also_libdw)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (also_libdw)
		compare_path(path, ANY_NONE);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elf_table_read(fd, t, NULL), 0);
	check_form(t);
	close(fd);
}

/* STEM.so is made of assembler */
static inline void made_table(const char *stem, const char *text, struct unwind_table *t, bool also_libdw)
{
	char name[32], command[256];

	snprintf(name, sizeof(name), "%s.s", stem);
	write_file(name, text);
	/* ld complains of what is damaged */
	snprintf(command, sizeof(command), "true %%s; " TABLES_CC " -shared -nostdlib -o %s.so %s.s 2>errors || "
		 "{ cat errors; false; }", stem, stem);
	run(command);
	snprintf(name, sizeof(name), "%s.so", stem);
	read_table(name, t, also_libdw);
}

/* The rule at a label and @more bytes */
static inline void expect(const char *name, const struct unwind_table *t, const char *symbol,
		   uint64_t more, struct kflame_rule rule)
{
	const struct kflame_rule *u = unwind_table_find(t, symbol_offset(name, symbol) + more);

	if (memcmp(u, &rule, sizeof(rule)))
		print_message("# %s+%llu: cfa %d fp %d ra %d reg %d, offsets %d %d %d %d\n", symbol,
			      (unsigned long long)more, u->cfa, u->fp, u->ra, u->reg,
			      u->cfa_offset, u->cfa_add, u->fp_offset, u->ra_offset);
	assert_memory_equal(u, &rule, sizeof(rule));
}

/* The same rule from @from on, up to @to bytes behind the label */
static inline void expect_each(const char *name, const struct unwind_table *t, const char *symbol,
			       int from, int to, struct kflame_rule rule)
{
	for (; from < to; from++)
		expect(name, t, symbol, (uint64_t)from, rule);
}

struct rule_at {
	const char *symbol;
	uint64_t more;
	struct kflame_rule rule;
};

/* Up to one without a symbol */
static inline void expect_rules(const char *name, const struct unwind_table *t, const struct rule_at *rules)
{
	for (; rules->symbol; rules++)
		expect(name, t, rules->symbol, rules->more, rules->rule);
}

#define RULE(...)	((struct kflame_rule){ __VA_ARGS__ })
#define NONE		RULE(.cfa = KFLAME_CFA_NONE)
#define EXPECT_RULES(name, t, ...) \
	expect_rules(name, t, (const struct rule_at[]){ __VA_ARGS__, { .symbol = NULL } })

/* A rule with the return address below the CFA, as after a call on x86-64 */
#define SIMPLE(kind, offset, ...) \
	RULE(.cfa = KFLAME_CFA_##kind, .cfa_offset = (offset), .ra = KFLAME_IN_CFA, \
	     .ra_offset = -8, __VA_ARGS__)

/* Any rule of the table for which @what is true of "rule" */
#define ANY_RULE(t, what) \
	({ \
		bool found_ = false; \
		for (uint32_t i_ = 0; i_ < (t)->nr_rules; i_++) { \
			const struct kflame_rule *rule = &(t)->rules[i_]; \
			found_ |= what; \
		} \
		found_; \
	})

#endif
