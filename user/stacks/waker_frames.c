// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waker_frames.c - see waker_frames.h
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "stacks/frame_place.h"
#include "stacks/waker_frames.h"

/* x86 has an entry for each of the kernel's own vectors: asm_sysvec_apic_timer_interrupt and so on. */
static const char own_vectors[] = "asm_sysvec_";

static const char *const interrupts[] = {
	"asm_common_interrupt", "common_interrupt", "asm_fred_entrypoint_kernel", "asm_fred_entrypoint_user",
	"apic_timer_interrupt", "ret_from_intr",
	"el1h_64_irq", "el1h_64_fiq", "el1_irq", "el0t_64_irq", "el0t_64_fiq", "el0t_32_irq", "el0_irq",
	NULL
};

static const char *const softirqs[] = {
	"__do_softirq", "__softirqentry_text_start", "handle_softirqs", NULL
};

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

static bool is_entry(const char *name, uint32_t context)
{
	if (context == KFLAME_CTX_SOFTIRQ && is_one_of(name, softirqs))
		return true;
	return !strncmp(name, own_vectors, sizeof(own_vectors) - 1) || is_one_of(name, interrupts);
}

uint32_t waker_frames(const struct profile *p, const struct profile_stack *s, uint32_t context)
{
	const struct profile_symbol *symbol;

	if (context != KFLAME_CTX_IRQ && context != KFLAME_CTX_SOFTIRQ)
		return s->nr;
	for (uint32_t i = 0; i < s->nr; i++) {
		symbol = frame_code_kernel(p, profile_stack_ip(s, i), i > 0).symbol;
		if (symbol && is_entry(symbol->name, context))
			return i + 1;
	}
	return s->nr;
}
