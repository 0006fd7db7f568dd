/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chrome_chart.h - Chrome's trace events of a profile that has the time of each sample
 */
#ifndef KFLAME_CONVERT_CHROME_CHART_H
#define KFLAME_CONVERT_CHROME_CHART_H

#include <stdio.h>

#include "convert/source.h"

/**
 * chrome_chart_write() - writes what each thread ran when, as 'kflame flame --chart' draws it
 * @s:		one with source_has_times()
 *
 * The caller checks @out for errors.
 *
 * Return: 0, or a negative errno, after an error message.
 */
int chrome_chart_write(FILE *out, struct source *s);

#endif
