/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_features.h - compare the features of the module with those that this tool knows
 */
#ifndef KFLAME_DEVICE_MODULE_FEATURES_H
#define KFLAME_DEVICE_MODULE_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#define FEATURES_TEXT	1024	/* bytes that any text of features_missing() fits in */

/**
 * features_missing() - list what this tool can do but an older module cannot
 * @features:	KFLAME_FEAT_* of the module
 * @text:	FEATURES_TEXT bytes; gets "unwind tables (-g auto, dwarf), --timeline"
 *
 * Features that depend on the kernel, and not on the module's age, are not counted.
 *
 * Return: how many features are missing.
 */
unsigned int features_missing(uint64_t features, char *text);

/** features_unknown() - Return: how many features a newer module has that this tool does not know */
unsigned int features_unknown(uint64_t features);

#endif
