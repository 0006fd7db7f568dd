/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * function_list.h - kflame_event.functions, between user memory and the module
 */
#ifndef KF_FUNCTION_LIST_H
#define KF_FUNCTION_LIST_H

struct kf_event_asked;

int kf_function_list_copy_in(struct kf_event_asked *asked);
int kf_function_list_copy_errors(const struct kf_event_asked *asked);

#endif
