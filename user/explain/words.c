// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * words.c - rules, registers and ends of walks, in words
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "explain/words.h"

const char *explain_register(uint16_t machine, uint64_t number)
{
	static const char *const x86[KFLAME_REGS_X86_64] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip",
	};
	static const char *const arm64[KFLAME_REGS_ARM64] = {
		"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
		"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc",
	};

	if (machine == EM_AARCH64)
		return number < KFLAME_REGS_ARM64 ? arm64[number] : "?";
	return number < KFLAME_REGS_X86_64 ? x86[number] : "?";
}

const char *explain_sp(uint16_t machine)
{
	return explain_register(machine, machine == EM_AARCH64 ? 31 : 7);
}

const char *explain_fp(uint16_t machine)
{
	return explain_register(machine, machine == EM_AARCH64 ? 29 : 6);
}

const char *explain_base(uint16_t machine)
{
	return explain_register(machine, machine == EM_AARCH64 ? 19 : 3);
}

/* Where a value of the caller is */
static void put_where(char *to, size_t size, uint16_t machine, uint8_t in, int32_t offset, uint8_t reg)
{
	switch (in) {
	case KFLAME_IN_CFA:
		snprintf(to, size, "[CFA%+" PRId32 "]", offset);
		break;
	case KFLAME_IN_SP:
		snprintf(to, size, "[%s%+" PRId32 "]", explain_sp(machine), offset);
		break;
	case KFLAME_IN_FP:
		snprintf(to, size, "[%s%+" PRId32 "]", explain_fp(machine), offset);
		break;
	case KFLAME_IN_REG:
		snprintf(to, size, "%s", explain_register(machine, reg));
		break;
	case KFLAME_IN_LOST:
		snprintf(to, size, "lost");
		break;
	default:
		snprintf(to, size, "unchanged");
	}
}

static void put_cfa(char *to, size_t size, uint16_t machine, const struct kflame_rule *r)
{
	switch (r->cfa) {
	case KFLAME_CFA_SP:
	case KFLAME_CFA_CLONE:
		snprintf(to, size, "CFA=%s%+" PRId32, explain_sp(machine), r->cfa_offset);
		break;
	case KFLAME_CFA_FP:
	case KFLAME_CFA_FP_ELSEWHERE:
		snprintf(to, size, "CFA=%s%+" PRId32, explain_fp(machine), r->cfa_offset);
		break;
	case KFLAME_CFA_REG:
		snprintf(to, size, "CFA=%s%+" PRId32, explain_register(machine, r->reg), r->cfa_offset);
		break;
	case KFLAME_CFA_AT_SP:
		snprintf(to, size, "CFA=[%s%+" PRId32 "]%+" PRId32, explain_sp(machine), r->cfa_offset, r->cfa_add);
		break;
	case KFLAME_CFA_AT_FP:
		snprintf(to, size, "CFA=[%s%+" PRId32 "]%+" PRId32, explain_fp(machine), r->cfa_offset, r->cfa_add);
		break;
	case KFLAME_CFA_PLT:
		snprintf(to, size, "CFA=rsp+8, or rsp+16 from byte %" PRId32 " of the stub on", r->cfa_offset);
		break;
	case KFLAME_CFA_SIGNAL:
		snprintf(to, size, "a signal frame: the caller's registers are in the struct sigcontext at %s%+" PRId32,
			 explain_sp(machine), r->cfa_offset);
		break;
	default:
		snprintf(to, size, "no rule");
	}
}

const char *explain_rule(char *text, uint16_t machine, const struct kflame_rule *rule)
{
	char cfa[96], fp[24], ra[24];

	put_cfa(cfa, sizeof(cfa), machine, rule);
	put_where(fp, sizeof(fp), machine, rule->fp, rule->fp_offset, rule->reg);
	put_where(ra, sizeof(ra), machine, rule->ra, rule->ra_offset, rule->reg);
	if (machine == EM_AARCH64 && rule->ra == KFLAME_IN_SAME)
		snprintf(ra, sizeof(ra), "x30");
	if (rule->cfa == KFLAME_CFA_SIGNAL || rule->cfa == KFLAME_CFA_NONE)
		snprintf(text, RULE_TEXT, "%s", cfa);
	else
		snprintf(text, RULE_TEXT, "%s, return address=%s, %s=%s", cfa, ra, explain_fp(machine), fp);
	return text;
}

static const struct {
	const char *name, *text;
} ends[] = {
	[KFLAME_END_COMPLETE] = { "complete", "the outermost frame was reached" },
	[KFLAME_END_FAULT] = { "fault", "a page of the stack was absent, and the interrupt must not wait for it" },
	[KFLAME_END_BAD_FP] = { "bad-frame-pointer", "the frame pointer leads nowhere: this code does not keep one" },
	[KFLAME_END_DEPTH] = { "depth", "there are more frames than a walk takes" },
	[KFLAME_END_COMPAT] = { "32-bit", "it is a 32-bit program: only the program counter is taken" },
	[KFLAME_END_EXEC] = { "exec", "the process was in the middle of exec" },
	[KFLAME_END_IO_WORKER] = { "io-worker", "it is a worker whose registers mean nothing" },
	[KFLAME_END_NO_MM] = { "no-mm", "the process was exiting: its memory is gone" },
	[KFLAME_END_FOREIGN_MM] = { "foreign-mm", "other page tables were loaded" },
	[KFLAME_END_NO_REGS] = { "no-registers", "there are no user-mode registers" },
	[KFLAME_END_UNWIND] = { "unwinder", "the kernel's unwinder gave up" },
	[KFLAME_END_NOT_FOUND] = { "not-found", "the interrupted address is not in the kernel's trace" },
	[KFLAME_END_PENDING] = { "table-pending", "the unwind table of the file was not loaded yet" },
	[KFLAME_END_NO_RULE] = { "no-rule", "the file's unwind information does not describe this code" },
	[KFLAME_END_NO_MAP] = { "no-mapping", "the return address is in no executable mapping" },
	[KFLAME_END_BAD_CFA] = { "bad-cfa", "the rule leads nowhere, or not outwards" },
	[KFLAME_END_CUT] = { "cut", "the copy of the stack is not long enough" },
	[KFLAME_END_UNWINDER] = { "not-unwound", "the copy could not be unwound" },
};

#define NR_ENDS	(sizeof(ends) / sizeof(ends[0]))

const char *explain_end(uint32_t end)
{
	end &= KFLAME_END_MASK;
	return end < NR_ENDS ? ends[end].text : "for a reason that this version does not know";
}

const char *explain_end_name(uint32_t end)
{
	end &= KFLAME_END_MASK;
	return end < NR_ENDS ? ends[end].name : "unknown";
}

const char *explain_kwalk(uint32_t kwalk)
{
	switch (kwalk) {
	case KFLAME_KWALK_CACHED:
		return "by steps that the module cached, or by frame records";
	case KFLAME_KWALK_KERNEL:
		return "by the kernel's own unwinder";
	}
	return "none: user mode was interrupted";
}

const char *explain_context(uint32_t context)
{
	switch (context & ~KFLAME_CTX_STILL) {
	case KFLAME_CTX_TASK:
		return "task";
	case KFLAME_CTX_SOFTIRQ:
		return "softirq";
	case KFLAME_CTX_GUEST:
		return "guest";
	}
	return "other";
}
