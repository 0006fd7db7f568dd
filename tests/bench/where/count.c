// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count - a plugin of QEMU's: how often each instruction was executed, between marks
 *
 * arguments: out=PREFIX, mark=ADDRESS
 *
 * Each time that the code at ADDRESS runs (tests/workload/mark.c), what was counted since the time before goes to
 * PREFIX.0, PREFIX.1 and so on: lines of an address and a number. One CPU. The functions are those of
 * QEMU 4.2 to 8.2 (docs/devel/tcg-plugins.rst there); Debian packages no header of them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;

enum { INLINE_ADD_U64 = 0, NO_REGISTERS = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*f)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*f)(unsigned int, void *), int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *to,
						uint64_t value);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#define EXPORT	__attribute__((visibility("default")))
#define SLOT_BITS	22
#define SLOTS	((size_t)1 << SLOT_BITS)

EXPORT int qemu_plugin_version = 1;

/* Open hash by address; translated code adds to the numbers where they are */
static struct slot {
	uint64_t address, executed;
} *slots;
static size_t used;
static uint64_t mark;
static const char *prefix;

static void fail(const char *what)
{
	fprintf(stderr, "count: %s\n", what);
	exit(1);
}

static uint64_t *number_of(uint64_t address)
{
	size_t i = address * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS);

	while (slots[i].address && slots[i].address != address)
		i = (i + 1) % SLOTS;
	if (!slots[i].address && ++used > SLOTS / 4 * 3)
		fail("more addresses than there is room for");
	slots[i].address = address;
	return &slots[i].executed;
}

static void write_and_clear(unsigned int cpu, void *unused)
{
	static unsigned int parts;
	char path[4096];
	FILE *out;

	(void)cpu;
	(void)unused;
	snprintf(path, sizeof(path), "%s.%u", prefix, parts++);
	out = fopen(path, "w");
	if (!out)
		fail("cannot write what was counted");
	for (size_t i = 0; i < SLOTS; i++) {
		if (slots[i].executed)
			fprintf(out, "%llx %llu\n", (unsigned long long)slots[i].address,
				(unsigned long long)slots[i].executed);
		slots[i].executed = 0;
	}
	if (fclose(out))
		fail("cannot write what was counted");
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (!i && address == mark)
			qemu_plugin_register_vcpu_tb_exec_cb(tb, write_and_clear, NO_REGISTERS, NULL);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD_U64, number_of(address), 1);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			prefix = argv[i] + 4;
		if (!strncmp(argv[i], "mark=", 5))
			mark = strtoull(argv[i] + 5, NULL, 0);
	}
	slots = calloc(SLOTS, sizeof(*slots));
	if (!prefix || !mark || !slots)
		fail("out= and mark= are needed, and 64 MiB");
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
