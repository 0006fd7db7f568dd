// SPDX-License-Identifier: GPL-2.0-only
/*
 * version.c - the version of this module, with the commit it was built from
 *
 * Kbuild defines KF_COMMIT for this file alone: a new commit compiles nothing else again.
 */
#include <linux/module.h>

#include "base/version.h"

#ifndef KF_COMMIT
#define KF_COMMIT	""
#endif

const char kf_version[] = KF_VERSION KF_COMMIT;

MODULE_VERSION(KF_VERSION KF_COMMIT);
