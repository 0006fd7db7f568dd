/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings.h - what is unusual in a recording: each with a number, and the command that shows more
 *
 * Each find_*() looks at one matter, and adds nothing if all is as usual.
 */
#ifndef KFLAME_PAGE_FINDINGS_H
#define KFLAME_PAGE_FINDINGS_H

#include "stacks/tree.h"
#include "views/path_id.h"

/** enum finding_kind - in this order if several weigh the same */
enum finding_kind {
	FINDING_INCOMPLETE,	/* the profile is cut off or damaged */
	FINDING_LOST,		/* samples */
	FINDING_NO_NAMES,
	FINDING_OWN,		/* time of kflame itself */
	FINDING_GAP,
	FINDING_LATE,
	FINDING_INTERRUPTS,
	FINDING_INVERSION,	/* of priorities */
	FINDING_LOCK,
	FINDING_SPIN,
	FINDING_SWAP,
	FINDING_RECLAIM,
	FINDING_COMPACTION,
	FINDING_IO_WAIT,
	FINDING_D_STATE,
	FINDING_STOPPED,
	FINDING_RUN_QUEUE,
	FINDING_PROCESSES,	/* many, and short-lived */
	FINDING_FORK,		/* time in the making and the end of processes */
	FINDING_PAGE_FAULTS,
	FINDING_SYSTEM_CALL,
	FINDING_OTHER_CPUS,	/* waits until they answer */
	FINDING_CONSOLE,
	FINDING_SWITCHES,
	FINDING_GUEST,
	FINDING_BUSY,		/* a process that never lets go of a CPU */
	NR_FINDINGS,
};

#define FINDING_WORDS	4	/* of a command, behind "kflame" */

/**
 * struct finding - something unusual
 * @share:	of what the text says, in millionths; FINDING_NO_SHARE: it is no share
 * @ns:		time; 0 if it is not about time
 * @count:	how often; 0 if it was not counted
 * @weight:	for the order: how much of the machine's time it is, in millionths
 * @text:	one line
 * @command:	words behind "kflame", up to NULL.  In a shell, only regular expressions need quotes
 * @id:		of the path where most of it is; empty: no path
 * @number:	storage of one word of @command
 */
struct finding {
	enum finding_kind kind;
	uint64_t share;
	uint64_t ns;
	uint64_t count;
	uint64_t weight;
	char *text;
	const char *command[FINDING_WORDS + 1];
	char id[PATH_ID];
	char number[16];
};

#define FINDING_NO_SHARE	UINT64_MAX
#define MILLION			1000000u

/** struct findings - all of a page; all zero is none */
struct findings {
	struct finding *all;
	size_t nr, cap;
};

/** findings_add() - adds a finding, with its text.  Names in the text are cut and cleaned.  Return: 0 or -ENOMEM */
int findings_add(struct findings *f, const struct finding *found, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** findings_sort() - the weightiest first */
void findings_sort(struct findings *f);

/** findings_exit() - frees them */
void findings_exit(struct findings *f);

/** finding_key() - Return: a kind as a word for programs */
const char *finding_key(enum finding_kind kind);

/** finding_word() - Return: word @i of the command; NULL: there are no more.  "@" stands for the id, "#" for the number */
const char *finding_word(const struct finding *f, size_t i);

struct page;
struct page_event;

/** finding_set_path() - sets the id of a path of the event, which ends at @node.  Return: 0 or -ENOMEM */
int finding_set_path(struct finding *f, const struct page_event *e, const struct tree *t, uint32_t node);

int find_trust(struct page *page);
int find_cpus(struct page *page);
int find_kernel_work(struct page *page);
int find_waits(struct page *page);
int find_locks(struct page *page);
int find_processes(struct page *page);
int find_faults(struct page *page);

#endif
