// SPDX-License-Identifier: GPL-2.0-or-later
/* chains_plugin.c - the library that chains loads while it is sampled */
#include "chains.h"

uint64_t plugin_enter(uint64_t (*back)(uint64_t x), uint64_t x);
uint64_t plugin_leaf(uint64_t x);

OWN uint64_t plugin_leaf(uint64_t x)
{
	return spin(x, 300);
}

//> plugin_enter -> plugin_leaf
//> plugin_enter -> plugin_back
//> plugin_enter uses
OWN uint64_t plugin_enter(uint64_t (*back)(uint64_t x), uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += plugin_leaf(x + i);
	return back(x) + 1;
}
