// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seqlock.h>

seqcount_t *probe(seqlock_t *lock);
seqcount_t *probe(seqlock_t *lock)
{
	return &lock->seqcount.seqcount;
}
