// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_system.c - any bytes as files of the kernel, and as names that users give to control groups
 *
 * The first byte says which file.
 */
#include "elf/build_id.h"
#include "fuzz.h"
#include "stacks/container.h"
#include "symbols/kallsyms.h"
#include "symbols/kcore.h"

static void kallsyms(const uint8_t *data, size_t size)
{
	FILE *in = fmemopen((void *)data, size, "r");
	struct kernel_symbols *k;
	uint64_t start, end, at;

	if (!in)
		return;
	MUST(!kernel_symbols_parse(in, -1, &k));
	fclose(in);
	kernel_symbols_stext(k);
	for (size_t i = 0; i + sizeof(at) <= size && i < 512; i++) {
		const char *name;

		memcpy(&at, data + i, sizeof(at));
		name = kernel_symbols_find(k, at, &start, &end);
		MUST(!name || (name[0] && start <= at && at < end));
	}
	kernel_symbols_destroy(k);
}

static void kcore(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);

	kcore_stext_of(fd);
	close(fd);
}

static void notes(const uint8_t *data, size_t size)
{
	/* Not aligned, and nothing may be read behind the end */
	uint8_t *copy = malloc(size + 1);
	const unsigned char *id;
	size_t len;

	MUST(copy);
	memcpy(copy + 1, data, size);
	for (uint64_t align = 4; align <= 8; align += 4) {
		id = build_id_in_notes(copy + 1, size, align, &len);
		MUST(!id || (len && id > copy && id + len <= copy + 1 + size));
	}
	MUST(kernel_id_of_notes(copy + 1, size).len <= KFLAME_BUILD_ID_MAX);
	free(copy);
}

static void names(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *name;
	struct kernel_id id;

	MUST(text);
	name = container_name(text);
	MUST(name && strlen(name) <= strlen(text));
	free(name);
	id = kernel_id_parse(text);
	MUST(id.len <= KFLAME_BUILD_ID_MAX && strlen(kernel_id_show(&id).hex) == 2 * id.len);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const files[])(const uint8_t *, size_t) = { kallsyms, kcore, notes, names };

	if (size > 1)
		files[data[0] % 4](data + 1, size - 1);
	return 0;
}
