/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_features.h - what a module of another age than this tool lacks, or has
 */
#ifndef KFLAME_DEVICE_MODULE_FEATURES_H
#define KFLAME_DEVICE_MODULE_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#define FEATURES_TEXT	512	/* bytes that any answer of features_missing() fits in */

/**
 * features_missing() - names what this tool can do and the module cannot, as it is older
 * @features:	KFLAME_FEAT_* of the module
 * @text:	FEATURES_TEXT bytes; gets "unwind tables (-g auto, dwarf), --timeline"
 *
 * What depends on the kernel and not on the module's age is not counted.
 *
 * Return: how many there are.
 */
unsigned int features_missing(uint64_t features, char *text);

/** features_unknown() - Return: how many the module has that this tool does not know, as it is older */
unsigned int features_unknown(uint64_t features);

#endif
