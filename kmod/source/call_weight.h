/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call_weight.h - what a call or a return weighs
 */
#ifndef KF_CALL_WEIGHT_H
#define KF_CALL_WEIGHT_H

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/*
 * With KFLAME_WEIGHT_LATENCY. The clocks of two CPUs may differ a little, and a coarse clock may not have
 * moved. So the weight is at least 1.
 */
static inline u64 kf_weight_of_latency(u64 began_ns, u64 ended_ns)
{
	return max_t(s64, ended_ns - began_ns, 1);
}

/*
 * With KFLAME_WEIGHT_VALUE, of a function. Error codes are those of an int: the upper half of the register is
 * zero. See include/uapi/kflame.h.
 */
static inline u64 kf_weight_of_value(unsigned long value)
{
	if ((long)value <= 0 || (value <= U32_MAX && value >= (u32)-MAX_ERRNO))
		return 0;
	return value;
}

#endif
