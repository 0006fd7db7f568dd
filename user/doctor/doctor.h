/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h - checks what works on a machine, and what does not
 *
 * doctor_look() first gathers facts from files and from the module. Then each check looks at the facts, and
 * may report a finding. A check changes nothing. So a test can invent a machine: it places files in a
 * directory, and sets facts by hand.
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
	VERDICT_LIMIT,		/* works, with a limit that the text names */
	VERDICT_FAILS,		/* stops every recording */
	VERDICT_UNKNOWN,	/* cannot be known; the text says why */
};

#define FINDING_TEXT	512

/** struct finding - the result of one check */
struct finding {
	enum verdict verdict;
	char text[FINDING_TEXT];	/* one line; "" if there is nothing to report */
	char fix[FINDING_TEXT];		/* what to do about it; "" for nothing */
};

/** find() - sets the verdict and the text */
void find(struct finding *f, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** fix() - sets what to do about the finding */
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
 * struct doctor_file - the module file for this kernel
 * @path:	relative to the root; "" if there is no file
 * @listed:	modules.dep has it, so that modprobe finds it
 * @error:	why it could not be read; 0 for no error
 * @vermagic:	from its .modinfo; "" if there is none
 * @version:	from its .modinfo; "" if there is none
 * @is_signed:	its end looks like a signature
 * @uses:	the kernel symbols that it needs, @nr_uses of them
 * @exported:	for each symbol: whether the kernel exports it; NULL if unknown
 * @exports:	how many symbols the kernel exports; 0 if unknown
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
 * @asked:	false with a root directory other than /, because its device is not this machine's
 * @opened:	the device could be opened
 * @error:	negative errno of opening or querying it; 0: @info is valid
 * @memory:	bytes that a default recording needs; 0 if unknown
 */
struct doctor_device {
	bool asked;
	bool opened;
	int error;
	struct kflame_info info;
	uint64_t memory;
};

/**
 * struct doctor - all facts
 * @root:	directory that replaces /; "" for this machine
 * @release:	release of the kernel; "" if unknown
 * @machine:	as uname -m prints it; "" if unknown
 * @config:	text of the kernel configuration; NULL if there is none
 * @config_path: where @config was found
 * @config_error: why there is none: negative errno of the last location that was tried
 * @loaded:	the loaded module
 * @lockdown:	lockdown state of the kernel
 * @file:	the module file
 * @device:	the answers of the module
 * @resolution_ns: present resolution of timers; 0 if unknown
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
 * @root:	a directory; or "" or "/" for this machine; must outlive @d
 *
 * A fact that cannot be read stays unknown.
 *
 * Return: 0 or -ENOMEM; call doctor_exit() in both cases.
 */
int doctor_look(struct doctor *d, const char *root);

/** doctor_exit() - frees the memory of doctor_look() */
void doctor_exit(struct doctor *d);

/** doctor_file_look() - finds and reads the module file.  Return: 0 or -ENOMEM. */
int doctor_file_look(struct doctor *d);

#define DOCTOR_MAX_MODULE	(64u << 20)	/* bytes; larger files are not read */
#define DOCTOR_MAX_USES	1000u		/* limit of needed kernel symbols; the module needs about 150 */
#define DOCTOR_SIGNATURE	"~Module signature appended~\n"

/** doctor_file_read() - reads the module file at d->file.path.  Return: 0, even if it cannot be read; -ENOMEM. */
int doctor_file_read(struct doctor *d);

/** doctor_file_modinfo() - parses a section .modinfo: "key=value" texts, each NUL terminated */
void doctor_file_modinfo(struct doctor_file *f, const char *text, size_t len);

/**
 * doctor_exports_look() - finds which symbols of the module file the kernel exports.
 *
 * Return: 0 or -ENOMEM.
 */
int doctor_exports_look(struct doctor *d);

/** doctor_libc_machine() - finds the architecture by the C library below the root */
void doctor_libc_machine(struct doctor *d);

/** doctor_config() - Return: 'y', 'm' or 'n' for an option, named without CONFIG_; 0: unknown */
char doctor_config(const struct doctor *d, const char *option);

/**
 * doctor_each() - runs every check, in display order
 * @tell:	called for each check with a finding
 */
void doctor_each(const struct doctor *d,
		 void (*tell)(void *ctx, const char *topic, const struct finding *f), void *ctx);

/* The checks.  @f is zeroed before the call; a check without a finding leaves it so. */

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

/* doctor_events.c */
void check_events(const struct doctor *d, struct finding *f);

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
