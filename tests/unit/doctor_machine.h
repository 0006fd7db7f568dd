/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor_machine.h - a machine made up of files, and what kflame doctor says of it
 *
 * Each test of machine_test() begins with a machine on which all is well.
 */
#ifndef KFLAME_TESTS_DOCTOR_MACHINE_H
#define KFLAME_TESTS_DOCTOR_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doctor/doctor.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

#define RELEASE	"6.1.0-9-amd64"
#define LIB	"/lib/modules/" RELEASE
#define KO	LIB "/extra/kflame.ko"
#define DEP	LIB "/modules.dep"
#define HEADERS	"/usr/src/linux-headers-" RELEASE
#define CLOCK	"/sys/devices/system/clocksource/clocksource0/"
#define EFIVAR	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define LOADED	"/sys/module/kflame/version"
#define ENFORCE	"/sys/module/module/parameters/sig_enforce"
#define LOCK	"/sys/kernel/security/lockdown"
#define CONFIG	"/proc/config.gz"
#define ARCH	"/proc/sys/kernel/arch"
#define SYMBOLS	"/proc/kallsyms"

/* The directory of all; the root in it; the tool's version; and what run_doctor() printed */
extern char dir[], root[64], version[32], printed[65536];

/* Made once, with the compiler: libraries that stand for a libc, and the module */
extern char framed[64], frameless[64], module[64];

/* Each path is one below the root */
const char *whole(const char *path);
void put(const char *path, const char *text);
void put_bytes(const char *path, const void *data, size_t len);
void take_away(const char *path);
void copy(const char *from, const char *path);
void link_to(const char *target, const char *path);

/** put_config() - a kernel configuration with which all is well, and @more */
void put_config(const char *more);

/** unload() - the module is not loaded, and is installed where modprobe finds it */
void unload(void);

/** compile_module() - @magic: the kernel it is for; @more: code */
void compile_module(const char *magic, const char *its_version, const char *more);

/** topic_of() - what is said of a topic of any machine; without a text if nothing is */
struct finding topic_of(const struct doctor *d, const char *topic);

/** look() - the same of the made-up machine */
struct finding look(const char *topic);

/** run_doctor() - runs the command.  Return: its exit status */
int run_doctor(void);

/**
 * struct step - the machine changes, then doctor says something of it
 * @path:	the file that changes, OPTIONS for put_config() or UNLOADED for unload(); NULL: nothing changes
 * @content:	what is in it; NULL: it is removed
 * @topic:	what is looked at, or EXIT_STATUS for that of the command; NULL: nothing
 * @wanted:	one of these, or an exit status
 * @text:	part of what is said
 * @fix:	part of the fix; NULL: there must be none
 */
struct step {
	const char *path, *content, *topic;
	enum { NOTHING = -1, WORKS = VERDICT_WORKS, LIMIT = VERDICT_LIMIT, FAILS = VERDICT_FAILS,
	       UNKNOWN = VERDICT_UNKNOWN } wanted;
	const char *text, *fix;
};

#define OPTIONS		"options"
#define UNLOADED	"unloaded"
#define EXIT_STATUS	"exit status"

/* Steps of which a part is missing */
#define CHANGE(path_, content_)			{ .path = path_, .content = content_ }
#define EXPECT(topic_, verdict_, text_, fix_)	{ NULL, NULL, topic_, verdict_, text_, fix_ }
#define NOTHING_OF(topic_)			{ .topic = topic_, .wanted = NOTHING }
#define EXITS(status_)				{ .topic = EXIT_STATUS, .wanted = status_ }

/** take_steps() - all, in order */
void take_steps(const struct step *steps, size_t nr);

#define STEPS(...) \
	take_steps((const struct step[]){ __VA_ARGS__ }, NR(((const struct step[]){ __VA_ARGS__ })))

/* For cmocka: the directory, and in it the machine of each test */
int machine_setup(void **state);
int machine_teardown(void **state);
int healthy(void **state);
int gone(void **state);

#define machine_test(f)	cmocka_unit_test_setup_teardown(f, healthy, gone)

#endif
