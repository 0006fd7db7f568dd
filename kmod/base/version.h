/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the version of this module
 */
#ifndef KF_VERSION_H
#define KF_VERSION_H

/* Version of the sources. scripts/version.sh reads it here for packages, dkms and the tool. */
#define KF_VERSION	"0.2.0"

/* Version of the build, with the commit: "0.2.0-412-g5b74f6a" */
extern const char kf_version[];

#endif
