/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * learn.h - the module parameters learn and learn_check
 *
 * learn=1 (the default): samples use what earlier samples found out, as cached steps of the
 * kernel's unwinder and stacks that are in the table already. learn_check=1 walks each stack twice,
 * with and without these shortcuts, and counts where the two differ. It is for tests of the module.
 */
#ifndef KF_LEARN_H
#define KF_LEARN_H

#include <linux/types.h>

void kf_learn_init(bool learn, bool check);
bool kf_learns(void);
bool kf_learn_checks(void);

#endif
