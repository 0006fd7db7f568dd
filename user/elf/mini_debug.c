// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mini_debug.c - MiniDebugInfo: a compressed symbol table inside a stripped file
 */
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>

#include "elf/libelf_section.h"
#include "elf/mini_debug.h"

#define MAX_IMAGE	(64u << 20)
#define MAX_DECODER	(128u << 20)	/* bytes of memory for a decoder's dictionary */

/* Decompress into a buffer that grows.  Return: length; 0 if the data is damaged or memory runs out. */
static size_t unpack(lzma_stream *s, void **image)
{
	size_t room = s->avail_in * 4 + 4096;
	lzma_ret ret = LZMA_OK;
	char *all = NULL;

	while (ret == LZMA_OK) {
		char *more;

		if (room > MAX_IMAGE)
			room = MAX_IMAGE;
		if (room <= s->total_out)
			break;
		more = realloc(all, room);
		if (!more)
			break;
		all = more;
		s->next_out = (uint8_t *)all + s->total_out;
		s->avail_out = room - s->total_out;
		ret = lzma_code(s, LZMA_FINISH);
		room *= 2;
	}
	if (ret == LZMA_STREAM_END) {
		*image = all;
		return s->total_out;
	}
	free(all);
	return 0;
}

Elf *mini_debug_open(Elf *elf, void **image)
{
	lzma_stream s = LZMA_STREAM_INIT;
	Elf_Data *data = section_data(elf, ".gnu_debugdata");
	size_t len = 0;
	Elf *mini;

	*image = NULL;
	if (!data || !data->d_size || lzma_stream_decoder(&s, MAX_DECODER, 0) != LZMA_OK)
		return NULL;
	s.next_in = data->d_buf;
	s.avail_in = data->d_size;
	len = unpack(&s, image);
	lzma_end(&s);
	mini = len ? elf_memory(*image, len) : NULL;
	if (mini && elf_kind(mini) == ELF_K_ELF)
		return mini;
	if (mini)
		elf_end(mini);
	free(*image);
	*image = NULL;
	return NULL;
}
