/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library.h - loads a shared library when it is needed
 *
 * A library that only some commands use need not be installed where the others run.
 */
#ifndef KFLAME_BASE_LIBRARY_H
#define KFLAME_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/** struct library_call - a function of a library; @at: where its pointer is in the caller's struct */
struct library_call {
	const char *name;
	size_t at;
};

/**
 * library_load() - loads a library, which stays loaded, and finds its functions
 * @names:	file names to try in this order, then NULL
 * @calls:	functions to find
 * @nr:		number of @calls
 * @to:		gets the pointers
 * @advice:	what to install, for the message; NULL: no message
 *
 * Return: whether all functions were found; if not, a message was printed.
 */
bool library_load(const char *const *names, const struct library_call *calls, size_t nr, void *to, const char *advice);

#endif
