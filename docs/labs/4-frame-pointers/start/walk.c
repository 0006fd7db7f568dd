// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - print the stack of a dump. Complete.
 *
 * usage: walk DUMP
 *
 * A line for each frame: the address, and the function. "lost" marks a caller that frame pointers alone would not have.
 */
#include "walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 64 };

bool read_word(const struct dump *dump, uint64_t address, uint64_t *word)
{
	if (address < dump->stack_begin || address % 8 || (address - dump->stack_begin) / 8 >= dump->nr_words)
		return false;
	*word = dump->words[(address - dump->stack_begin) / 8];
	return true;
}

bool read_code(const struct dump *dump, uint64_t address, uint8_t *byte)
{
	if (address < dump->code_begin || address - dump->code_begin >= dump->code_size)
		return false;
	*byte = dump->code[address - dump->code_begin];
	return true;
}

const struct function *function_at(const struct dump *dump, uint64_t address)
{
	for (size_t i = 0; i < dump->nr_functions; i++)
		if (address - dump->functions[i].begin < dump->functions[i].size)
			return &dump->functions[i];
	return NULL;
}

static void read_bytes(struct dump *dump, const char *text)
{
	unsigned int byte;

	while (dump->code_size < sizeof(dump->code) && sscanf(text, "%2x", &byte) == 1) {
		dump->code[dump->code_size++] = byte;
		text += 2;
	}
}

static void read_line(struct dump *dump, const char *line)
{
	struct function *function = &dump->functions[dump->nr_functions];
	uint64_t address, word;
	int at = 0;

	if (sscanf(line, "rip %" SCNx64, &word) == 1)
		dump->ip = word;
	else if (sscanf(line, "rsp %" SCNx64, &word) == 1)
		dump->sp = word;
	else if (sscanf(line, "rbp %" SCNx64, &word) == 1)
		dump->bp = word;
	else if (dump->nr_functions < 64 && sscanf(line, "function %" SCNx64 " %" SCNu64 " %31s", &function->begin,
						   &function->size, function->name) == 3)
		dump->nr_functions++;
	else if (sscanf(line, "code %" SCNx64 " %n", &dump->code_begin, &at) == 1 && at)
		read_bytes(dump, line + at);
	else if (dump->nr_words < 512 && sscanf(line, "word %" SCNx64 " %" SCNx64, &address, &word) == 2) {
		if (!dump->nr_words)
			dump->stack_begin = address;
		dump->words[dump->nr_words++] = word;
	}
}

static void print(const struct dump *dump, uint64_t ip, bool interrupted, const char *mark)
{
	/* A return address is behind the call, which may be the last instruction of its function */
	const struct function *function = function_at(dump, ip - !interrupted);

	printf("0x%" PRIx64 " %s%s\n", ip, function ? function->name : "?", mark);
}

int main(int argc, char **argv)
{
	static char line[16384];
	static struct dump dump;
	struct frame frame;
	uint64_t lost;
	FILE *file;

	file = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!file) {
		fprintf(stderr, "usage: walk DUMP\n");
		return 2;
	}
	while (fgets(line, sizeof(line), file))
		read_line(&dump, line);
	fclose(file);
	print(&dump, dump.ip, true, "");
	if (lost_caller(&dump, &lost))
		print(&dump, lost, false, " lost");
	frame = (struct frame){ dump.ip, dump.bp, dump.sp };
	for (int i = 0; i < MAX_FRAMES && next_frame(&dump, &frame); i++)
		print(&dump, frame.ip, false, "");
	return 0;
}
