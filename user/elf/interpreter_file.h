/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interpreter_file.h - what the searches for interpreters need of an ELF file. Runs in a sandbox or in a test
 */
#ifndef KFLAME_ELF_INTERPRETER_FILE_H
#define KFLAME_ELF_INTERPRETER_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_symbols.h"
#include "uapi/kflame.h"

/** struct interpreter_file - a file that may have an interpreter */
struct interpreter_file {
	Elf *elf;
	struct elf_symbols code;	/* only its segments */
	GElf_Half machine;		/* EM_* of a 64-bit file; EM_NONE of another one */
	bool is_glibc;			/* it needs the GNU C library */
};

/** interpreter_file_open() - Return: 0; -ENOENT if it is no ELF file; -ENOMEM. interpreter_file_close() in any case */
int interpreter_file_open(int fd, struct interpreter_file *f);
void interpreter_file_close(struct interpreter_file *f);

/** interpreter_symbols() - find @nr symbols by name. @out: zeros for a symbol that the file lacks */
void interpreter_symbols(const struct interpreter_file *f, const char *const *names, GElf_Sym *out, size_t nr);

/** interpreter_read() - read stored bytes at an address of the file. Return: whether they are there */
bool interpreter_read(const struct interpreter_file *f, uint64_t address, void *to, size_t len);

/**
 * interpreter_place() - convert the address of data
 * @loop:	the interpreter's loop
 *
 * Return: for kflame_interpreter.state
 */
uint64_t interpreter_place(const struct interpreter_file *f, const GElf_Sym *loop, uint64_t address);

/**
 * interpreter_loop() - fill in kflame_interpreter.loop: a function and the parts that the compiler split off
 *
 * Return: 0; -ENOENT if it is no function of this file; -ENOMEM.
 */
int interpreter_loop(const struct interpreter_file *f, const GElf_Sym *loop, struct kflame_interpreter *out);

#endif
