/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fields.h - values of well-known tracepoints, by name
 *
 * The kernel describes the fields of a tracepoint only to its own tracer. A probe gets the raw arguments,
 * which differ between kernels. So each field here has a function that computes it from them.
 */
#ifndef KF_FIELDS_H
#define KF_FIELDS_H

#include <linux/types.h>

/**
 * struct kf_field - a field of a tracepoint
 * @point:	the tracepoint's name, without its system
 * @name:	the field's
 * @unit:	KFLAME_UNIT_*
 * @read:	computes it from the tracepoint's raw arguments, in any context but an NMI
 */
struct kf_field {
	const char *point;
	const char *name;
	u32 unit;
	u64 (*read)(const unsigned long *args);
};

const struct kf_field *kf_find_field(const char *name, const char *field);

#endif
