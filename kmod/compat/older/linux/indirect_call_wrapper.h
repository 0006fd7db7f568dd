/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/features.h"

/* Since 5.0 ("indirect call wrappers: helpers to speed-up indirect calls of builtin") */
#ifdef KF_HAVE_LINUX_INDIRECT_CALL_WRAPPER
#include_next <linux/indirect_call_wrapper.h>
#elif !defined(INDIRECT_CALL_1)
#define INDIRECT_CALL_1(f, f1, ...)	(likely((f) == (f1)) ? f1(__VA_ARGS__) : (f)(__VA_ARGS__))
#endif
