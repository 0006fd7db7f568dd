// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_list.c - the kernel functions that an event such as "kprobe:vfs_*" or "kretprobe:vfs_*" means
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/near_names.h"
#include "base/text.h"
#include "catalog/kernel_symbols.h"
#include "record/function_list.h"

#define SHOWN	64	/* bytes of names that a message shows */

/* Returns are of the functions that can be probed, and the catalog has these as "kprobe:FUNC". */
static const char *pattern_of(const char *event)
{
	return strchr(event, ':') + 1;
}

static const char *name_of(const struct catalog_entry *e)
{
	return strchr(e->word, ':') + 1;
}

/*
 * Write the first names to @text: "a, b, ...".  @errors: NULL for all functions; else only those with the
 * error @wanted.  Return: how many there are
 */
static size_t write_names(const struct catalog *c, const int32_t *errors, int32_t wanted, char *text, size_t size)
{
	size_t nr = 0, len = 0;
	bool is_full = false;

	text[0] = 0;
	for (size_t i = 0; i < c->nr; i++) {
		const char *name = name_of(&c->all[i]);

		if (errors && errors[i] != wanted)
			continue;
		is_full |= nr && len + strlen(name) > SHOWN;
		if (!is_full && len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s", nr ? ", " : "", name);
		nr++;
	}
	if (is_full && len < size)
		snprintf(text + len, size - len, ", ...");
	return nr;
}

static void tell_unread(const char *event, int err)
{
	if (err == -ENOMEM)
		complain("%s: there is not enough memory to list the functions", event);
	else if (err == -ENODATA)
		complain("%s: /proc/kallsyms names no function. The kernel needs CONFIG_KALLSYMS", event);
	else
		complain("%s: cannot read /proc/kallsyms to find the functions: %s. Run the command as root, or name one function",
			 event, strerror(-err));
}

/* The pattern without its special characters is compared with all names. */
static void tell_none(const char *root, struct kernel_symbols *k, const char *event)
{
	char wanted[KFLAME_EVENT_NAME], near[NEAR_NAMES_TEXT];
	struct near_names n = { .nr = 0 };
	struct catalog all = { 0 };
	size_t len = 0;

	for (const char *p = pattern_of(event); *p && len < sizeof(wanted) - 1; p++)
		if (!strchr("*?[]", *p))
			wanted[len++] = *p;
	wanted[len] = 0;
	if (!catalog_functions(root, k, NULL, &all))
		for (size_t i = 0; i < all.nr; i++)
			near_names_offer(&n, wanted, name_of(&all.all[i]));
	if (n.nr)
		complain("%s: no function that can be probed matches. Similar ones: %s. 'kflame list kprobe:' lists all", event,
			 near_names_text(&n, near, sizeof(near)));
	else
		complain("%s: no function that can be probed matches. 'kflame list kprobe:' lists all", event);
	catalog_exit(&all);
}

static void tell_found(const char *event, const struct catalog *c)
{
	char text[SHOWN + KFLAME_EVENT_NAME + 8], number[TEXT_NUMBER];
	const size_t nr = write_names(c, NULL, 0, text, sizeof(text));

	complain("%s: %s function%s: %s ('kflame list 'kprobe:%s'' lists all)", event, text_count(number, nr),
		 nr == 1 ? "" : "s", text, pattern_of(event));
}

static int check_number(const char *root, struct kernel_symbols *k, const char *event, const struct catalog *c)
{
	char number[TEXT_NUMBER], most[TEXT_NUMBER];

	if (!c->nr) {
		tell_none(root, k, event);
		return -1;
	}
	if (c->nr <= KFLAME_MAX_FUNCTIONS)
		return 0;
	complain("%s: %s functions match, and an event has at most %s: choose fewer, as kprobe:vfs_* does. 'kflame list 'kprobe:%s'' lists all",
		 event, text_count(number, c->nr), text_count(most, KFLAME_MAX_FUNCTIONS), pattern_of(event));
	return -1;
}

/* Return: 0 or -ENOMEM */
static int fill(struct function_list *list, struct kflame_event *to)
{
	const struct catalog *c = &list->all;
	size_t len = 0;

	for (size_t i = 0; i < c->nr; i++)
		len += strlen(name_of(&c->all[i])) + 1;
	list->names = malloc(len);
	list->addresses = calloc(c->nr, sizeof(*list->addresses));
	list->errors = calloc(c->nr, sizeof(*list->errors));
	if (!list->names || !list->addresses || !list->errors)
		return -ENOMEM;
	len = 0;
	for (size_t i = 0; i < c->nr; i++) {
		strcpy(list->names + len, name_of(&c->all[i]));
		len += strlen(list->names + len) + 1;
		list->addresses[i] = c->all[i].address;
	}
	to->functions = (uintptr_t)list->names;
	to->functions_len = (uint32_t)len;
	to->nr_functions = (uint32_t)c->nr;
	to->addresses = (uintptr_t)list->addresses;
	to->errors = (uintptr_t)list->errors;
	return 0;
}

int function_list_open(const char *root, const char *event, struct function_list *list, struct kflame_event *to)
{
	struct kernel_symbols k = { 0 };
	int err = catalog_functions(root, &k, pattern_of(event), &list->all);
	const bool is_wrong = !err && check_number(root, &k, event, &list->all);

	kernel_symbols_exit(&k);
	if (is_wrong)
		return -1;
	if (!err)
		err = fill(list, to);
	if (err) {
		tell_unread(event, err);
		return -1;
	}
	tell_found(event, &list->all);
	return 0;
}

static const char *reason(int32_t err)
{
	switch (err) {
	case -EINVAL:
		return "the kernel forbids it";
	case -ENOENT:
		return "their module was unloaded meanwhile";
	case -EEXIST:
		return "other names of functions that are probed";
	default:
		return strerror(-err);
	}
}

/* One message for each error, at its first function */
void function_list_tell_left(const struct function_list *list, const char *event)
{
	char text[SHOWN + KFLAME_EVENT_NAME + 8];

	for (size_t i = 0; list->errors && i < list->all.nr; i++) {
		const int32_t err = list->errors[i];
		size_t before = 0, nr;

		while (before < i && list->errors[before] != err)
			before++;
		if (!err || before < i)
			continue;
		nr = write_names(&list->all, list->errors, err, text, sizeof(text));
		complain("%s: %zu function%s left out (%s): %s", event, nr, nr == 1 ? "" : "s", reason(err), text);
	}
}

void function_list_close(struct function_list *list)
{
	catalog_exit(&list->all);
	free(list->names);
	free(list->addresses);
	free(list->errors);
}
