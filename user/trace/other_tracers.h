/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * other_tracers.h - who else uses the kernel's tracer
 */
#ifndef KFLAME_TRACE_OTHER_TRACERS_H
#define KFLAME_TRACE_OTHER_TRACERS_H

/**
 * other_tracers() - finds processes that have a file of tracefs open
 * @dir:	where tracefs is
 *
 * Return: text such as " trace-cmd (process 1234) has trace_pipe open.", to be freed; "" if no process has one, and if it
 * cannot be known; NULL if memory runs out.
 */
char *other_tracers(const char *dir);

#endif
