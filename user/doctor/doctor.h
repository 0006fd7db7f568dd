/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - what works on a machine, and what does not
 *
 * First the facts are gathered, from files and from the module; then each check
 * looks at them and finds something, or nothing.  A check changes nothing, so
 * a machine can be made up: files below a directory, and facts set by hand.
 */
#ifndef KFLAME_DOCTOR_DOCTOR_H
#define KFLAME_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"
#include "uapi/kflame.h"

enum verdict {
	VERDICT_WORKS,
	VERDICT_LIMIT,		/* works with a limit, which is said */
	VERDICT_FAILS,		/* stops every recording */
	VERDICT_UNKNOWN,	/* unknown, and why */
};

#define FINDING_TEXT	512

/** struct finding - what a check says */
struct finding {
	enum verdict verdict;
	char text[FINDING_TEXT];	/* a line; "" for nothing to say */
	char fix[FINDING_TEXT];		/* what to do about it; "" for nothing */
};

/** find() - sets the verdict and the line */
void find(struct finding *f, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fix() - sets what to do about it */
void fix(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum presence {
	PRESENCE_UNKNOWN,
	PRESENCE_NO,
	PRESENCE_YES,
};

enum lockdown {
	LOCKDOWN_UNKNOWN,
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/**
 * struct doctor_file - the module's file for this kernel
 * @path:	below the root; "" where there is none
 * @listed:	in modules.dep, so that modprobe finds it
 * @error:	why it could not be read; 0
 * @vermagic:	of its .modinfo; "" where it has none
 * @version:	of its .modinfo; "" where it has none
 * @is_signed:	something that looks like a signature is at its end
 * @uses:	symbols that it takes from the kernel, @nr_uses of them
 * @exported:	for each: the kernel exports it; NULL while that is not known
 * @exports:	how many symbols the kernel exports; 0 where that is not known
 */
struct doctor_file {
	char path[256];
	bool listed;
	int error;
	char vermagic[128];
	char version[32];
	bool is_signed;
	char **uses;
	size_t nr_uses;
	bool *exported;
	size_t exports;
};

/**
 * struct doctor_device - what the device of this machine answered
 * @asked:	false below a directory, whose device is not ours to open
 * @opened:	it opened
 * @error:	negative errno of opening it, or of asking; 0: @info is there
 * @memory:	bytes of a recording with the defaults; 0 where it did not say
 */
struct doctor_device {
	bool asked;
	bool opened;
	int error;
	struct kflame_info info;
	uint64_t memory;
};

/**
 * struct doctor - all that is known
 * @root:	directory that stands for /, "" for this machine
 * @release:	of the kernel; "" where it is not known
 * @machine:	as uname -m; "" where it is not known
 * @config:	text of the kernel's configuration; NULL where there is none
 * @config_path: where it is from
 * @config_error: why there is none: negative errno of the last place looked at
 * @loaded:	the module
 * @lockdown:	of the kernel
 * @file:	the module's file
 * @device:	the module's answers
 * @resolution_ns: of timers now; 0 where it is not known
 */
struct doctor {
	const char *root;
	char release[65];
	char machine[65];
	char *config;
	char config_path[160];
	int config_error;
	enum presence loaded;
	enum lockdown lockdown;
	struct doctor_file file;
	struct doctor_device device;
	uint64_t resolution_ns;
};

/**
 * doctor_look() - gathers the facts
 * @root:	a directory, or "" or "/" for this machine; must outlive @d
 *
 * What cannot be read is unknown.
 *
 * Return: 0, or -ENOMEM; doctor_exit() is due in both cases.
 */
int doctor_look(struct doctor *d, const char *root);

/** doctor_exit() - frees what doctor_look() took */
void doctor_exit(struct doctor *d);

/** doctor_file_look() - finds and reads the module's file.  Return: 0 or -ENOMEM. */
int doctor_file_look(struct doctor *d);

/** doctor_exports_look() - what of the file's symbols the kernel exports.  Return: 0 or -ENOMEM. */
int doctor_exports_look(struct doctor *d);

/** doctor_libc_machine() - the architecture, from the C library below the root */
void doctor_libc_machine(struct doctor *d);

/** doctor_config() - Return: 'y', 'm' or 'n' of an option without CONFIG_; 0: not known */
char doctor_config(const struct doctor *d, const char *option);

/**
 * doctor_each() - runs every check, in the order they are to be read
 * @tell:	is called for each that has something to say
 */
void doctor_each(const struct doctor *d,
		 void (*tell)(void *ctx, const char *topic, const struct finding *f), void *ctx);

/* The checks.  @f is zeroed; a check that has nothing to say leaves it so. */

/* doctor_kernel.c */
void check_machine(const struct doctor *d, struct finding *f);
void check_kernel(const struct doctor *d, struct finding *f);
void check_config(const struct doctor *d, struct finding *f);
void check_realtime(const struct doctor *d, struct finding *f);
void check_kernel_stacks(const struct doctor *d, struct finding *f);
void check_kernel_names(const struct doctor *d, struct finding *f);
void check_timers(const struct doctor *d, struct finding *f);
void check_clocksource(const struct doctor *d, struct finding *f);

/* doctor_module.c */
void check_modules(const struct doctor *d, struct finding *f);
void check_module(const struct doctor *d, struct finding *f);
void check_module_file(const struct doctor *d, struct finding *f);
void check_headers(const struct doctor *d, struct finding *f);
void check_compiler(const struct doctor *d, struct finding *f);

/* doctor_exports.c */
void check_exports(const struct doctor *d, struct finding *f);

/* doctor_trust.c */
void check_secure_boot(const struct doctor *d, struct finding *f);
void check_lockdown(const struct doctor *d, struct finding *f);
void check_signature(const struct doctor *d, struct finding *f);
void check_permission(const struct doctor *d, struct finding *f);

/* doctor_memory.c */
void check_memory(const struct doctor *d, struct finding *f);

/** doctor_work - for sandbox_main() */
extern const struct sandbox_work doctor_work;

/* doctor_user.c */
void check_libc(const struct doctor *d, struct finding *f);
void check_table_cache(const struct doctor *d, struct finding *f);
void check_sandbox(const struct doctor *d, struct finding *f);

/**
 * keeps_frame() - does a function set up a frame pointer at its beginning?
 * @machine:	EM_X86_64 or EM_AARCH64
 * @code:	its first bytes
 */
bool keeps_frame(unsigned int machine, const uint8_t *code, size_t len);

#endif
