// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - what .eh_frame says, in the notation of readelf -wF.  Complete.
 *
 * usage: rows FILE		all entries
 *	  rows FILE ADDRESS...	the rows for these addresses; "-" reads addresses from standard input
 */
#include "eh.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[NR_RULES] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
					     "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra" };

static void print_entry(const struct fde *fde, void *data)
{
	const struct cie *cie = &fde->cie;

	(void)data;
	printf("0x%" PRIx64 "..0x%" PRIx64 " code factor %" PRIu64 ", data factor %" PRId64
	       ", return address in register %" PRIu64 "\n",
	       fde->begin, fde->begin + fde->size, cie->code_factor, cie->data_factor, cie->return_register);
}

static void print_row(const struct file *file, uint64_t address)
{
	struct row row;
	struct fde fde;

	printf("0x%" PRIx64, address);
	if (!file_find(file, address, &fde)) {
		puts(" no entry");
		return;
	}
	memset(&row, 0, sizeof(row));
	if (!cfi_row(&fde, address, &row)) {
		puts(" unsupported");
		return;
	}
	printf(" CFA=%s%+" PRId64, row.cfa_register < NR_RULES ? names[row.cfa_register] : "?", row.cfa_offset);
	for (int i = 0; i < NR_RULES; i++) {
		const struct rule *rule = &row.rules[i];

		if (rule->how == SAME)
			printf(" %s=s", names[i]);
		else if (rule->how == AT_CFA)
			printf(" %s=c%+" PRId64, names[i], rule->offset);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct file file;
	char line[64];

	if (argc < 2) {
		fprintf(stderr, "usage: rows FILE [ADDRESS...]\n");
		return 2;
	}
	if (!file_open(&file, argv[1])) {
		fprintf(stderr, "rows: %s: no ELF file of x86-64 with .eh_frame\n", argv[1]);
		return 1;
	}
	if (argc == 2)
		file_each(&file, print_entry, NULL);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "-")) {
			print_row(&file, strtoull(argv[i], NULL, 16));
			continue;
		}
		while (fgets(line, sizeof(line), stdin))
			print_row(&file, strtoull(line, NULL, 16));
	}
	return 0;
}
