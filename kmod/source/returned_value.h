/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * returned_value.h - what a return weighs, with KFLAME_WEIGHT_VALUE
 */
#ifndef KF_RETURNED_VALUE_H
#define KF_RETURNED_VALUE_H

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/types.h>

/* Error codes as an int has them: the upper half of the register is zero. See include/uapi/kflame.h. */
static inline u64 kf_weight_of_value(unsigned long value)
{
	if ((long)value <= 0 || (value <= U32_MAX && value >= (u32)-MAX_ERRNO))
		return 0;
	return value;
}

#endif
