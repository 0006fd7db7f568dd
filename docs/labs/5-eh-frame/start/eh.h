// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eh.h - what the files of this lab share
 *
 * file.c is complete.  You write leb.c, cfi.c and step.c.
 */
#ifndef EH_H
#define EH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The 16 general registers in the numbering of DWARF for x86-64, and the return address as number 16 */
enum { RBX = 3, RBP = 6, RSP = 7, RETURN_ADDRESS = 16, NR_RULES = 17 };

/* Bytes that are being decoded: at moves towards end, and never beyond it */
struct bytes {
	const uint8_t *at;
	const uint8_t *end;
};

/* A common information entry: what many functions share */
struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	struct bytes instructions;
};

/* A frame description entry: one function */
struct fde {
	struct cie cie;
	uint64_t begin; /* the first address */
	uint64_t size;
	struct bytes instructions;
};

/* Where the caller's value of one register is */
enum how {
	UNDEFINED, /* nowhere, or no instruction names the register: printed as u */
	SAME,	   /* still in the register: printed as s */
	AT_CFA,	   /* in memory, at the CFA + offset: printed as c-16 */
};

struct rule {
	enum how how;
	int64_t offset; /* of AT_CFA */
};

/* All rules that hold at one address */
struct row {
	uint64_t cfa_register;
	int64_t cfa_offset; /* CFA = value of cfa_register + cfa_offset */
	struct rule rules[NR_RULES];
};

/* file.c: a mapped ELF file */
struct file {
	const uint8_t *map;
	size_t size;
	struct bytes eh_frame;
	uint64_t eh_frame_address; /* in the file's own addresses */
};

bool file_open(struct file *file, const char *path);
/* Find the entry that covers an address */
bool file_find(const struct file *file, uint64_t address, struct fde *fde);
/* Call a function for each entry */
void file_each(const struct file *file, void (*call)(const struct fde *fde, void *data), void *data);
/* The name of the function at an address, or "?" */
const char *file_name(const struct file *file, uint64_t address);

/* leb.c: numbers of variable length.  At the end of the bytes, stop and return what there is. */
uint64_t read_uleb(struct bytes *bytes);
int64_t read_sleb(struct bytes *bytes);

/*
 * cfi.c: run the instructions of an entry, to find the row for an address
 *
 * Return: true, or false if an instruction is none of those that the lab asks for
 */
bool cfi_row(const struct fde *fde, uint64_t address, struct row *row);

/* step.c: a stopped process: registers, and a copy of its stack */
struct stack {
	uint64_t begin; /* the address of words[0] */
	size_t nr;
	const uint64_t *words;
};

struct frame {
	uint64_t ip;
	uint64_t sp;
	uint64_t bp;
	bool interrupted; /* ip is where the process was stopped, and no return address */
};

bool stack_read(const struct stack *stack, uint64_t address, uint64_t *word);
/* From a frame to the frame of its caller.  Return: false at the end of the stack. */
bool step(const struct file *file, const struct stack *stack, struct frame *frame);

#endif
