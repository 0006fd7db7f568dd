/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waker_frames.h - the frames of a kernel stack that belong to a waker
 */
#ifndef KFLAME_STACKS_WAKER_FRAMES_H
#define KFLAME_STACKS_WAKER_FRAMES_H

#include "profile/profile.h"

/**
 * waker_frames() - how many frames of a kernel stack belong to the waker, counted from the innermost one
 * @context:	KFLAME_CTX_* of the waker
 *
 * Below an interrupt's frames are those of the code that it interrupted.  That code has no part in the
 * wake-up.  The name of the kernel's entry for interrupts shows where they begin.
 *
 * Return: .nr of the stack, if it has no such entry.
 */
uint32_t waker_frames(const struct profile *p, const struct profile_stack *s, uint32_t context);

#endif
