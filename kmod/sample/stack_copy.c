// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack_copy.c - a sample with a copy of its user stack, see sample/stack_copy.h
 *
 * The record is filled right in the ring, which user space may write. So the kernel never reads
 * back what it wrote there.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "sample/cpu.h"
#include "sample/stack_copy.h"
#include "ustack/read_word.h"
#include "ustack/return_probes.h"

/* The largest record must fit into the smallest ring twice. */
static_assert(sizeof(struct kflame_rec_ustack) + KFLAME_DUMP_MAX +
	      8 * (KF_MAX_DEPTH + KF_MAX_UDEPTH + KF_NR_USER_REGS) <= KFLAME_RING_MIN / 2);

/*
 * Bytes that are worth copying. The kernel knows where a main thread's stack began. Reading beyond
 * its end would cost a page fault. If a process falsifies that address, less is copied, or the
 * fault happens. @sp is checked before it is used, because a non-canonical address makes the fault
 * fixup warn.
 */
static u32 worth_copying(unsigned long sp, u32 most)
{
	unsigned long begin = READ_ONCE(current->mm->start_stack);

	if (sp < KF_USER_LOWEST || sp >= TASK_SIZE_MAX)
		return 0;
	if (sp < begin)
		most = min_t(unsigned long, most, begin - sp);
	return min_t(unsigned long, most, TASK_SIZE_MAX - sp) & ~7U;
}

/*
 * One access window for the whole copy. copy_from_user_nofault() and __copy_from_user() are not
 * usable: they check the kernel object and take vmap_area_lock, which the interrupted code may
 * hold.
 */
static u32 copy_stack(void *to, unsigned long sp, u32 bytes)
{
	unsigned long left;

	if (!bytes)
		return 0;
	pagefault_disable();
	left = raw_copy_from_user(to, (const void __user *)sp, bytes);
	pagefault_enable();
	return (bytes - left) & ~7U;
}

/*
 * Undo in a copy of the stack from @sp what probes of returns have changed: ustack/return_probes.h. Below an
 * unaligned stack pointer a return address is not one word of the copy, and stays as it is.
 */
static void restore_returns(u64 *data, unsigned long sp, u32 bytes)
{
	const struct kf_returns *r = kf_returns_of_current(sp);
	u32 i;

	for (i = 0; r && i < r->nr; i++)
		if (r->at[i] - sp < bytes && IS_ALIGNED(r->at[i] - sp, sizeof(*data)))
			data[(r->at[i] - sp) / sizeof(*data)] = r->to[i];
}

/* Write all frames but a candidate, because the record cannot mark a candidate. */
static u64 *put_frames(u64 *to, const struct kf_frames *f, u32 *nr)
{
	u32 i;

	for (i = 0; i < f->is.nr; i++)
		if (i != f->is.candidate)
			to[(*nr)++] = f->ip[i];
	return to + *nr;
}

static u64 *put_regs(u64 *to, struct pt_regs *user)
{
	u32 i;

	for (i = 0; i < KF_NR_USER_REGS - 1; i++)
		to[i] = kf_user_reg(user, i);
	to[i] = instruction_pointer(user);
	return to + KF_NR_USER_REGS;
}

/* In a session with KFLAME_CF_TIMELINE, the same time as in the table's list of sample times. */
static u64 time_of(const struct kf_cpu *c, u32 event, u64 weight_ns)
{
	return c->sampling->config.flags & KFLAME_CF_TIMELINE ? kf_sample_time(c, event, weight_ns) :
							       ktime_get_mono_fast_ns();
}

/**
 * kf_dump() - write a sample to this CPU's ring
 * @c:		this CPU's; @c->kframes and @c->uframes are written, too, empty or not
 * @key:	of the sample; its stacks are ignored
 * @user:	the user side's registers, of 64-bit code
 * @top:	what is at @user's stack pointer; 0: what the memory says
 * @weight_ns:	time that the sample stands for
 * @late_ns:	the part of it that came late
 * @flags:	KFLAME_COPY_COUNTED or 0
 *
 * current has an mm, whose page tables are loaded.
 * Return: false if there is no room.
 */
bool kf_dump(struct kf_cpu *c, const struct kf_key *key, struct pt_regs *user, unsigned long top,
	     u64 weight_ns, u64 late_ns, u32 flags)
{
	const u32 asked = c->sampling->config.dump_bytes;
	struct kflame_rec_ustack rec = {
		.rec.type = KFLAME_REC_USTACK,
		.aspace = key->aspace, .time_ns = time_of(c, kf_key_event(key), weight_ns),
		.weight_ns = weight_ns, .late_ns = late_ns,
		.cpu = key->cpu, .context = kf_key_only_context(key), .event = kf_key_event(key),
		.tgid = key->tgid, .tid = key->tid,
		.kend = c->kframes.is.end, .uend = c->uframes.is.end,
		.nr_regs = KF_NR_USER_REGS, .flags = flags,
	};
	/* The task may put any value there: it is checked, and masked against speculation. */
	const unsigned long user_sp = user_stack_pointer(user);
	const u32 most = worth_copying(user_sp, asked);
	const unsigned long sp = kf_user_nospec(user_sp, kf_user_span());
	u8 *to;
	u64 *data;

	to = kf_ring_reserve(&c->ring, sizeof(rec) + most +
			     8 * (c->kframes.is.nr + c->uframes.is.nr + KF_NR_USER_REGS));
	if (!to)
		return false;
	data = put_frames((u64 *)(to + sizeof(rec)), &c->kframes, &rec.nr_kernel);
	data = put_frames(data, &c->uframes, &rec.nr_user);
	data = put_regs(data, user);
	rec.copied = copy_stack(data, sp, most);
	restore_returns(data, sp, rec.copied);
	if (top && rec.copied)
		*data = top;
	rec.flags |= rec.copied == asked ? KFLAME_COPY_CUT : KFLAME_COPY_FAULT;
	rec.rec.size = (u8 *)data + rec.copied - to;
	memcpy(rec.comm, key->comm, sizeof(rec.comm));
	memcpy(to, &rec, sizeof(rec));
	kf_ring_commit(&c->ring, rec.rec.size);

	WRITE_ONCE(c->ring.copies, c->ring.copies + 1);
	WRITE_ONCE(c->ring.copy_bytes, c->ring.copy_bytes + rec.copied);
	return true;
}
