/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kretprobe_trampoline.h - where probed functions return to, instead of to their callers
 */
#ifndef KF_KRETPROBE_TRAMPOLINE_H
#define KF_KRETPROBE_TRAMPOLINE_H

int kf_kretprobe_learn(void);

#endif
