// SPDX-License-Identifier: GPL-2.0-or-later
/* chains_library.c - the library that chains is linked with; it calls itself by its own stubs */
#include "chains.h"

uint64_t shared_leaf(uint64_t x);

/* So short that the stub takes as long */
OWN uint64_t shared_add(uint64_t x)
{
	return x + 3;
}

OWN uint64_t shared_lazy(uint64_t x)
{
	return spin(x, 20);
}

OWN uint64_t shared_leaf(uint64_t x)
{
	return spin(x, 300);
}

//> shared_outer -> shared_leaf
//> shared_outer uses
OWN uint64_t shared_outer(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += shared_leaf(x + i);
	return x;
}
