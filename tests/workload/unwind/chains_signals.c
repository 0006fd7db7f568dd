// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains_signals.c - signals at any place, and threads
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include "chains_parts.h"

#define ALTERNATE (64 << 10)

volatile uint64_t ticks;
static volatile uint64_t sink;

__attribute__((noreturn, no_instrument_function)) static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- signals: in a leaf, on the alternate stack, out of a library; at any place */

static sigjmp_buf escape_back;

/* The frame it comes in has no frame, and goes on after the instruction */
OWN uint64_t trap_leaf(uint64_t x)
{
	x = spin(x, 50);
#if defined(__x86_64__)
	__asm__ volatile("int3" : "+r"(x));
#else
	__asm__ volatile("brk #0" : "+r"(x));
#endif
	return spin(x, 50);
}

//> trap_user -> trap_leaf
OWN uint64_t trap_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		x += trap_leaf(x);
	return x;
}

OWN uint64_t trap_work(uint64_t x)
{
	return spin(x, 2000);
}

//> trap_leaf ->trap on_trap
//> on_trap -> trap_work
OWN void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)info;
#if defined(__aarch64__)
	((ucontext_t *)context)->uc_mcontext.pc += 4;
#else
	(void)context;
#endif
	sink = trap_work((uint64_t)signal) + 1;
}

/* The instruction is the function's first one: one byte less is another function */
OWN void ill_leaf(void)
{
#if defined(__x86_64__)
	__asm__ volatile("ud2");
#else
	__asm__ volatile("udf #0");
#endif
}

//> ill_user -> ill_leaf
OWN uint64_t ill_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		ill_leaf();
	return x + 1;
}

OWN uint64_t ill_work(uint64_t x)
{
	return spin(x, 2000);
}

/* On the alternate stack */
//> ill_leaf ->trap on_ill
//> on_ill -> ill_work
OWN void on_ill(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	(void)info;

#if defined(__x86_64__)
	c->uc_mcontext.gregs[REG_RIP] += 2;
#else
	c->uc_mcontext.pc += 4;
#endif
	sink = ill_work((uint64_t)signal) + 1;
}

OWN uint64_t escape_work(uint64_t x)
{
	return spin(x, 2000);
}

//> escape_user ->raise on_escape
//> on_escape -> escape_work
//> on_escape uses
OWN void on_escape(int signal)
{
	sink = escape_work((uint64_t)signal);
	siglongjmp(escape_back, 1);
}

//> escape_user uses
OWN uint64_t escape_user(uint64_t x)
{
	const unsigned int mark = record_mark();
	volatile uint64_t kept = x;

	if (!sigsetjmp(escape_back, 1))
		raise(SIGUSR1);
	record_reset(mark);
	return spin(kept, 50);
}

OWN uint64_t tick_work(uint64_t x)
{
	return spin(x, 3000);
}

//> * ->tick on_tick
//> on_tick -> tick_work
OWN void on_tick(int signal)
{
	ticks = ticks + tick_work((uint64_t)signal) % 2;
}

PART void alternate_stack(void *at)
{
	const stack_t alternate = { .ss_sp = at, .ss_size = ALTERNATE };

	if (sigaltstack(&alternate, NULL))
		fail("sigaltstack");
}

//> prepare -> lazy_find
//> prepare uses
OWN void prepare(void)
{
	struct sigaction trap = { .sa_flags = SA_SIGINFO };
	struct sigaction ill = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction escape = { .sa_flags = 0 };
	struct sigaction tick = { .sa_flags = SA_RESTART };
	const struct itimerval often = { { 0, 10000 }, { 0, 10000 } };
	void *stack;

	lazy_find();
	/* a mapping of its own, as who means it has one: nothing of the other stack is near */
	stack = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		fail("mmap");
	alternate_stack(stack);
	trap.sa_sigaction = on_trap;
	ill.sa_sigaction = on_ill;
	escape.sa_handler = on_escape;
	tick.sa_handler = on_tick;
	if (sigaction(SIGTRAP, &trap, NULL) || sigaction(SIGILL, &ill, NULL) ||
	    sigaction(SIGUSR1, &escape, NULL) || sigaction(SIGPROF, &tick, NULL) ||
	    setitimer(ITIMER_PROF, &often, NULL))
		fail("signals");
}

/* ---- threads */

OWN uint64_t thread_leaf(uint64_t x)
{
	return spin(x, 3000);
}

//> thread_frame -> thread_leaf
OWN uint64_t thread_frame(uint64_t x)
{
	volatile uint64_t block[100];
	unsigned int i;

	for (i = 0; i < 8; i++)
		block[i] = x += thread_leaf(x);
	return x + block[5];
}

//> thread_ill -> ill_leaf
//> thread_ill uses
OWN uint64_t thread_ill(uint64_t x)
{
	static _Thread_local char stack[ALTERNATE];
	static const stack_t none = { .ss_flags = SS_DISABLE };

	alternate_stack(stack);
	ill_leaf();
	if (sigaltstack(&none, NULL))
		fail("sigaltstack");
	return x + 1;
}

//> @ -> thread_main
//> thread_main -> thread_frame
//> thread_main -> thread_ill
OWN void *thread_main(void *argument)
{
	uint64_t x = (uintptr_t)argument;

	x += thread_frame(x);
	x += thread_ill(x);
	sink = x;
	return NULL;
}

//> thread_user uses
OWN uint64_t thread_user(uint64_t x)
{
	pthread_t threads[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		errno = pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)x);
		if (errno)
			fail("pthread_create");
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return x + sink;
}
