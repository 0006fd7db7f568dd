/* SPDX-License-Identifier: GPL-2.0-only */
/* compiler.h - what the module's headers that only calculate take from the kernel's, for a unit test */
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;

#define unlikely(condition)	(condition)

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
