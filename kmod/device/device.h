/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - /dev/kflame: one open file, one session
 */
#ifndef KF_DEVICE_H
#define KF_DEVICE_H

int kf_device_init(void);
void kf_device_exit(void);

#endif
