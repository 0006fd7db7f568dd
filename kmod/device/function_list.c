// SPDX-License-Identifier: GPL-2.0-only
/*
 * function_list.c - kflame_event.functions, between user memory and the module
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "device/function_list.h"
#include "session/session.h"
#include "source/functions.h"
#include "source/source.h"

static int copy_names(struct kf_functions *f, const struct kflame_event *event)
{
	if (copy_from_user(kf_functions_text(f), u64_to_user_ptr(event->functions), event->functions_len))
		return -EFAULT;
	return kf_functions_split(f, event->functions_len);
}

static int copy_addresses(struct kf_functions *f, const struct kflame_event *event)
{
	const u64 __user *from = u64_to_user_ptr(event->addresses);
	u64 address;
	u32 i;

	for (i = 0; event->addresses && i < f->nr; i++) {
		if (get_user(address, &from[i]))
			return -EFAULT;
		/* An address inside the function would be probed there. */
		if (kf_function_start(f->all[i].name, address) == address)
			f->all[i].address = address;
		cond_resched();
	}
	return 0;
}

/**
 * kf_function_list_copy_in() - copy in the functions of an event; may sleep
 * @asked:	its kf_event_asked.event is copied in. kf_event_asked.functions is set, also before an error
 *
 * Return: 0; -EINVAL for a list that is not as include/uapi/kflame.h says; -E2BIG; -EFAULT; -ENOMEM.
 */
int kf_function_list_copy_in(struct kf_event_asked *asked)
{
	const struct kflame_event *event = &asked->event;
	const struct kf_source *source = kf_source_of(event->kind);
	int err;

	if (!event->nr_functions)
		return event->functions || event->functions_len || event->addresses || event->errors ?
		       -EINVAL : 0;
	if (!source || !source->check_functions)
		return -EINVAL;
	if (event->nr_functions > KFLAME_MAX_FUNCTIONS ||
	    event->functions_len > KFLAME_MAX_FUNCTIONS * KFLAME_EVENT_NAME)
		return -E2BIG;
	asked->functions = kf_functions_create(event->nr_functions, event->functions_len);
	if (!asked->functions)
		return -ENOMEM;
	err = copy_names(asked->functions, event);
	return err ?: copy_addresses(asked->functions, event);
}

/**
 * kf_function_list_copy_errors() - copy out which functions of an event were left out; may sleep
 * @asked:	the event, after CONFIGURE
 *
 * Return: 0 or -EFAULT.
 */
int kf_function_list_copy_errors(const struct kf_event_asked *asked)
{
	s32 __user *to = u64_to_user_ptr(asked->event.errors);
	u32 i;

	for (i = 0; asked->functions && asked->event.errors && i < asked->functions->nr; i++)
		if (put_user(asked->functions->all[i].err, &to[i]))
			return -EFAULT;
	return 0;
}
