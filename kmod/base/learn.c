// SPDX-License-Identifier: GPL-2.0-only
/*
 * learn.c - the module parameters learn and learn_check, see base/learn.h
 */
#include <linux/cache.h>
#include <linux/init.h>

#include "base/learn.h"

static bool learns __ro_after_init, checks __ro_after_init;

/* Called once, at load */
void __init kf_learn_init(bool learn, bool check)
{
	learns = learn;
	checks = learn && check;
}

/* May samples use what earlier samples found out? */
bool kf_learns(void)
{
	return learns;
}

/* Is each stack walked with and without what earlier samples found out? */
bool kf_learn_checks(void)
{
	return checks;
}
