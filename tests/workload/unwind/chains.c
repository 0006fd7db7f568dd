// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains - every kind of frame that an unwinder of C meets
 *
 * usage: chains SECONDS	(of CPU time; at least one round)
 */
#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "chains.h"

#define ALTERNATE (64 << 10)

typedef uint64_t (*function_t)(uint64_t x);
typedef uint64_t (*plugin_t)(function_t back, uint64_t x);

static volatile uint64_t sink;
static volatile uint64_t ticks;

__attribute__((noreturn, no_instrument_function)) static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- leaves without a frame, and short functions that save all registers */

uint64_t plain_leaf(uint64_t x);
uint64_t plain_middle(uint64_t x);
uint64_t plain_user(uint64_t x);
uint64_t short_leaf(uint64_t x);
uint64_t short_saves(uint64_t a);
uint64_t short_user(uint64_t x);

OWN uint64_t plain_leaf(uint64_t x)
{
	return spin(x, 2000);
}

//> plain_middle -> plain_leaf
OWN uint64_t plain_middle(uint64_t x)
{
	return plain_leaf(x + 1) + 1;
}

//> plain_user -> plain_middle
OWN uint64_t plain_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += plain_middle(x + i);
	return x;
}

OWN uint64_t short_leaf(uint64_t x)
{
	return x * 3 + 1;
}

//> short_saves -> short_leaf
OWN uint64_t short_saves(uint64_t a)
{
	uint64_t b = a * 3, c = a ^ 5, d = a + 7, e = a - 9, f = a >> 11;

	__asm__("" : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	return short_leaf(a) + a + (b ^ c ^ d ^ e ^ f);
}

//> short_user -> short_saves
OWN uint64_t short_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 1500; i++)
		x = short_saves(x);
	return x;
}

/* ---- frames of which the size is known at run time only */

uint64_t alloca_leaf(volatile uint64_t *p, size_t n);
uint64_t alloca_frame(uint64_t x, size_t n);
uint64_t alloca_user(uint64_t x);
uint64_t vla_leaf(volatile uint64_t *p, size_t n);
uint64_t vla_frame(uint64_t x, size_t most);
uint64_t vla_user(uint64_t x);

OWN uint64_t alloca_leaf(volatile uint64_t *p, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		p[i] = p[i - 1] * 3 + i;
	return p[n - 1];
}

//> alloca_frame -> alloca_leaf
OWN uint64_t alloca_frame(uint64_t x, size_t n)
{
	volatile uint64_t *p = alloca(n * sizeof(*p));

	p[0] = x;
	return alloca_leaf(p, n) + p[n / 2];
}

//> alloca_user -> alloca_frame
OWN uint64_t alloca_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		x += alloca_frame(x, 8 + 40 * (size_t)i);
	return x;
}

OWN uint64_t vla_leaf(volatile uint64_t *p, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		p[i] = p[i - 1] * 5 + i;
	return p[n - 1];
}

//> vla_frame -> vla_leaf
OWN uint64_t vla_frame(uint64_t x, size_t most)
{
	size_t n;

	for (n = 2; n < most; n += 30) {
		volatile uint64_t block[n];

		block[0] = x;
		x += vla_leaf(block, n);
	}
	return x;
}

//> vla_user -> vla_frame
OWN uint64_t vla_user(uint64_t x)
{
	return vla_frame(x, 500) + vla_frame(x + 1, 300);
}

/* ---- locals that are aligned more than the stack is, with arguments on the stack */

uint64_t aligned_leaf(volatile uint64_t *p, uint64_t x);
uint64_t aligned_frame(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		       uint64_t g, uint64_t h);
uint64_t aligned_alloca(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			uint64_t g, uint64_t h);
uint64_t aligned_user(uint64_t x);

OWN uint64_t aligned_leaf(volatile uint64_t *p, uint64_t x)
{
	unsigned int i;

	if ((uintptr_t)p % 64)
		abort();
	for (i = 1; i < 200; i++)
		p[i % 8] = x += p[(i - 1) % 8] * 3;
	return x;
}

//> aligned_frame -> aligned_leaf
OWN uint64_t aligned_frame(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			   uint64_t g, uint64_t h)
{
	_Alignas(64) volatile uint64_t block[8];

	block[0] = a + b + c;
	return aligned_leaf(block, d + e + f) + g * h + block[1];
}

//> aligned_alloca -> aligned_leaf
OWN uint64_t aligned_alloca(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			    uint64_t f, uint64_t g, uint64_t h)
{
	_Alignas(64) volatile uint64_t block[8];
	volatile uint64_t *more = alloca((h % 30 + 2) * sizeof(*more));

	block[0] = a + b + c;
	more[1] = g;
	return aligned_leaf(block, d + e + f) + more[1] * h + block[1];
}

//> aligned_user -> aligned_frame
//> aligned_user -> aligned_alloca
OWN uint64_t aligned_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 30; i++) {
		x += aligned_frame(x, 1, 2, 3, 4, 5, 6, i);
		x += aligned_alloca(x, 1, 2, 3, 4, 5, 6, i);
	}
	return x;
}

/* ---- longjmp */

static jmp_buf jump_back;

uint64_t jump_deeper(uint64_t x);
uint64_t jump_below(uint64_t x);
uint64_t jump_after(uint64_t x);
uint64_t jump_once(uint64_t x);
uint64_t jump_user(uint64_t x);

//> jump_deeper uses
OWN uint64_t jump_deeper(uint64_t x)
{
	sink = spin(x, 500);
	longjmp(jump_back, 1);
}

//> jump_below -> jump_deeper
OWN uint64_t jump_below(uint64_t x)
{
	return jump_deeper(x + 1) + 1;
}

OWN uint64_t jump_after(uint64_t x)
{
	return spin(x, 500);
}

//> jump_once -> jump_below
//> jump_once -> jump_after
//> jump_once uses
OWN uint64_t jump_once(uint64_t x)
{
	const unsigned int mark = record_mark();

	if (!setjmp(jump_back))
		jump_below(x);
	record_reset(mark);
	return jump_after(x) + 1;
}

//> jump_user -> jump_once
OWN uint64_t jump_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += jump_once(x);
	return x;
}

/* ---- tail calls: who jumps is not on the stack of what it jumped to */

uint64_t tail_help(uint64_t x);
uint64_t tail_first(uint64_t x);
uint64_t tail_second(uint64_t x);
uint64_t tail_third(uint64_t x);
uint64_t tail_user(uint64_t x);

OWN uint64_t tail_third(uint64_t x)
{
	return spin(x, 300);
}

OWN uint64_t tail_second(uint64_t x)
{
	x = spin(x, 300);
	return TAIL(tail_third(x));
}

OWN uint64_t tail_help(uint64_t x)
{
	return spin(x, 300);
}

//> tail_first -> tail_help
OWN uint64_t tail_first(uint64_t x)
{
	x = tail_help(x) + x;
	return TAIL(tail_second(x));
}

//> tail_user -> tail_first
//> tail_user -> tail_second
//> tail_user -> tail_third
OWN uint64_t tail_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 15; i++)
		x += tail_first(x + i);
	return x;
}

/* ---- stubs of the PLT, and the dynamic linker behind them */

static struct {
	uint64_t *slot, value;
} lazy;

void lazy_find(void);
void lazy_again(void);
uint64_t stub_user(uint64_t x);
uint64_t lazy_user(uint64_t x);

/* What shared_lazy's slot holds before the first call */
//> lazy_find uses
OWN void lazy_find(void)
{
	const ElfW(Dyn) *d;
	const ElfW(Rela) *rela = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	size_t bytes = 0, i;

	for (d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_JMPREL)
			rela = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_PLTRELSZ)
			bytes = d->d_un.d_val;
		else if (d->d_tag == DT_SYMTAB)
			symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)d->d_un.d_ptr;
	}
	for (i = 0; rela && symbols && strings && i < bytes / sizeof(*rela); i++)
		if (!strcmp(strings + symbols[ELF64_R_SYM(rela[i].r_info)].st_name, "shared_lazy"))
			lazy.slot = (uint64_t *)(_r_debug.r_map->l_addr + rela[i].r_offset);
	if (!lazy.slot) {
		fputs("chains: no slot of shared_lazy\n", stderr);
		exit(1);
	}
	lazy.value = *lazy.slot;
}

OWN void lazy_again(void)
{
	*(volatile uint64_t *)lazy.slot = lazy.value;
}

//> stub_user -> shared_add
//> stub_user -> shared_outer
//> stub_user uses
OWN uint64_t stub_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		x = shared_add(x) * 5;
	return shared_outer(x) + 1;
}

//> lazy_user -> lazy_again
//> lazy_user -> shared_lazy
//> lazy_user uses
OWN uint64_t lazy_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		lazy_again();
		x = shared_lazy(x) + 1;
	}
	return x;
}

/* ---- through the C library, and through pointers */

uint64_t sort_leaf(uint64_t x);
int sort_compare(const void *a, const void *b);
uint64_t sort_user(uint64_t x);
int find_compare(const void *a, const void *b);
uint64_t find_user(uint64_t x);
int phdr_seen(struct dl_phdr_info *info, size_t size, void *data);
uint64_t phdr_user(uint64_t x);
uint64_t pointer_one(uint64_t x);
uint64_t pointer_two(uint64_t x);
uint64_t pointer_user(uint64_t x);

OWN uint64_t sort_leaf(uint64_t x)
{
	return spin(x, 10);
}

//> sort_compare -> sort_leaf
OWN int sort_compare(const void *a, const void *b)
{
	uint64_t x = sort_leaf(*(const uint64_t *)a), y = sort_leaf(*(const uint64_t *)b);

	return (x > y) - (x < y);
}

//> sort_user ->library sort_compare
//> sort_user uses
OWN uint64_t sort_user(uint64_t x)
{
	uint64_t all[100];
	unsigned int i;

	for (i = 0; i < 100; i++)
		all[i] = x = spin(x, 1);
	qsort(all, 100, sizeof(all[0]), sort_compare);
	return all[x % 100];
}

OWN int find_compare(const void *a, const void *b)
{
	return spin(*(const uint64_t *)a, 5) != spin(*(const uint64_t *)b, 5);
}

//> find_user ->library find_compare
//> find_user uses
OWN uint64_t find_user(uint64_t x)
{
	uint64_t all[300], key = x;
	size_t nr = 300, i;

	for (i = 0; i < 300; i++)
		all[i] = x += 3;
	return lfind(&key, all, &nr, sizeof(all[0]), find_compare) ? 1 : x;
}

OWN int phdr_seen(struct dl_phdr_info *info, size_t size, void *data)
{
	*(uint64_t *)data += spin(info->dlpi_phnum + size, 300);
	return 0;
}

//> phdr_user ->library phdr_seen
//> phdr_user uses
OWN uint64_t phdr_user(uint64_t x)
{
	dl_iterate_phdr(phdr_seen, &x);
	return x + 1;
}

OWN uint64_t pointer_one(uint64_t x)
{
	return spin(x, 100);
}

OWN uint64_t pointer_two(uint64_t x)
{
	volatile uint64_t block[40];

	block[x % 40] = x;
	return spin(x, 100) + block[x % 40];
}

//> pointer_user -> pointer_one
//> pointer_user -> pointer_two
OWN uint64_t pointer_user(uint64_t x)
{
	static const function_t functions[] = { pointer_one, pointer_two };
	const function_t *volatile all = functions;
	unsigned int i;

	for (i = 0; i < 30; i++)
		x += all[i % 2](x);
	return x;
}

/* ---- a library that is loaded while this is sampled, and calls back */

uint64_t plugin_back_leaf(uint64_t x);
uint64_t plugin_back(uint64_t x);
plugin_t plugin_load(void);
uint64_t plugin_user(uint64_t x);

OWN uint64_t plugin_back_leaf(uint64_t x)
{
	return spin(x, 300);
}

//> plugin_back -> plugin_back_leaf
OWN uint64_t plugin_back(uint64_t x)
{
	return plugin_back_leaf(x) + 1;
}

//> plugin_load uses
OWN plugin_t plugin_load(void)
{
	void *library = dlopen("chains_plugin.so", RTLD_LAZY | RTLD_GLOBAL);
	void *found = library ? dlsym(library, "plugin_enter") : NULL;

	if (!found) {
		fprintf(stderr, "chains: %s\n", dlerror());
		exit(1);
	}
	return (plugin_t)found;
}

//> plugin_user -> plugin_load
//> plugin_user -> plugin_enter
OWN uint64_t plugin_user(uint64_t x)
{
	static plugin_t enter;

	if (!enter)
		enter = plugin_load();
	return enter(plugin_back, x) + 1;
}

/* ---- signals: in a leaf, on the alternate stack, out of a library; at any place */

static sigjmp_buf escape_back;

uint64_t trap_leaf(uint64_t x);
uint64_t trap_user(uint64_t x);
uint64_t trap_work(uint64_t x);
void on_trap(int signal, siginfo_t *info, void *context);
void ill_leaf(void);
uint64_t ill_user(uint64_t x);
uint64_t ill_work(uint64_t x);
void on_ill(int signal, siginfo_t *info, void *context);
uint64_t escape_work(uint64_t x);
void on_escape(int signal);
uint64_t escape_user(uint64_t x);
uint64_t tick_work(uint64_t x);
void on_tick(int signal);
void prepare(void);

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

uint64_t thread_leaf(uint64_t x);
uint64_t thread_frame(uint64_t x);
uint64_t thread_ill(uint64_t x);
void *thread_main(void *argument);
uint64_t thread_user(uint64_t x);

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

/* ---- all of it, again and again */

uint64_t one_round(uint64_t x);
int enough(double seconds);
double seconds_of(int argc, char **argv);
void finish(void);

//> one_round -> plain_user
//> one_round -> short_user
//> one_round -> alloca_user
//> one_round -> vla_user
//> one_round -> aligned_user
//> one_round -> jump_user
//> one_round -> tail_user
//> one_round -> stub_user
//> one_round -> lazy_user
//> one_round -> sort_user
//> one_round -> find_user
//> one_round -> phdr_user
//> one_round -> pointer_user
//> one_round -> plugin_user
//> one_round -> trap_user
//> one_round -> ill_user
//> one_round -> escape_user
//> one_round -> thread_user
OWN uint64_t one_round(uint64_t x)
{
	x += plain_user(x);
	x += short_user(x);
	x += alloca_user(x);
	x += vla_user(x);
	x += aligned_user(x);
	x += jump_user(x);
	x += tail_user(x);
	x += stub_user(x);
	x += lazy_user(x);
	x += sort_user(x);
	x += find_user(x);
	x += phdr_user(x);
	x += pointer_user(x);
	x += plugin_user(x);
	x += trap_user(x);
	x += ill_user(x);
	x += escape_user(x);
	x += thread_user(x);
	return x;
}

//> enough uses
OWN int enough(double seconds)
{
	return (double)clock() / CLOCKS_PER_SEC >= seconds;
}

//> seconds_of uses
OWN double seconds_of(int argc, char **argv)
{
	/* Not as its last act: that would be a jump, and main() its caller */
	volatile double seconds = argc == 2 ? atof(argv[1]) : 0;

	return seconds;
}

//> finish uses
OWN void finish(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_PROF, &never, NULL);
}

//> @ -> main
//> main -> seconds_of
//> main -> prepare
//> main -> one_round
//> main -> enough
//> main -> finish
int main(int argc, char **argv)
{
	double seconds = seconds_of(argc, argv);
	uint64_t x = (uint64_t)argc;

	prepare();
	do
		x = one_round(x);
#ifdef RECORD
	while (!enough(seconds) || !ticks);
#else
	while (!enough(seconds));
#endif
	finish();
	sink = x;
	record_print();
	return 0;
}
