/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KF_VERSION_H
#define KF_VERSION_H

#define KF_VERSION	"0.1.0"

#endif
