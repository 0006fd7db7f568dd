/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - what sandboxes answer in a fuzz target
 */
#ifndef KFLAME_FUZZ_SANDBOX_H
#define KFLAME_FUZZ_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/** fuzz_sandboxes_answer() - let all sandboxes answer with these bytes; NULL: none can be started */
void fuzz_sandboxes_answer(const uint8_t *data, size_t size);

#endif
