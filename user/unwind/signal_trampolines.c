// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal_trampolines.c - finds the code that signal handlers return to
 */
#include <string.h>

#include "unwind/signal_trampolines.h"

/* mov $15,%rax; syscall */
static const unsigned char code_x86_64[] = {
	0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05,
};

/* mov x8, #139; svc #0 */
static const unsigned char code_aarch64[] = {
	0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4,
};

/* Is an arm64 instruction a hint: nop, or bti, which older processors treat as a nop? */
static bool is_hint(const unsigned char *at)
{
	return (at[0] & 0x1f) == 0x1f && (at[1] & 0xf0) == 0x20 && at[2] == 0x03 && at[3] == 0xd5;
}

int trampolines_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		     uint32_t rule, struct row_list *out, struct row_list *behind)
{
	bool arm = machine == EM_AARCH64;
	const unsigned char *code = arm ? code_aarch64 : code_x86_64, *start, *at, *end, *done;
	size_t len = arm ? sizeof(code_aarch64) : sizeof(code_x86_64);
	Elf_Data *data = NULL;
	int err = 0;

	if (bytes >= len && bytes <= TRAMPOLINES_MAX_CODE)
		data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)bytes, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return 0;
	start = data->d_buf;
	end = start + data->d_size;
	for (at = done = start; !err && (at = memmem(at, (size_t)(end - at), code, len)); at += len) {
		const unsigned char *from = at;

		if (arm && (at - start) % 4)
			continue;
		if (arm && at - start >= 4 && is_hint(at - 4))
			from -= 4;
		/* Include the byte before, unless it belongs to another trampoline. */
		from -= from > done;
		done = at + len;
		err = row_list_put(out, offset + (uint64_t)(from - start), rule);
		if (!err)
			err = row_list_put(out, offset + (uint64_t)(done - start), UNWIND_GAP);
		if (!err)
			err = row_list_put(behind, offset + (uint64_t)(done - start), rule);
		if (!err)
			err = row_list_put(behind, offset + (uint64_t)(done - start) + 1,
					   UNWIND_GAP);
	}
	return err;
}
