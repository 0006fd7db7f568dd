// SPDX-License-Identifier: GPL-2.0-only
/* panic_notifier_list is in a header of its own: 5.14, f39650de687e */
#include <linux/notifier.h>
#include <linux/panic_notifier.h>

void feature(void);
void feature(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, NULL);
}
