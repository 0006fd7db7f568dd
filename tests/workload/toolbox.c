// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toolbox - what a hostile user runs while root records the machine
 *
 * usage: toolbox maps SECONDS	with ten thousand executable mappings
 *        toolbox names SECONDS	in 4,096 functions, for test_hostile.py to give them one very long name
 *        toolbox comm SECONDS	under a name that no terminal should see
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAPS	10000

static time_t until;

static int is_over(void)
{
	return time(NULL) >= until;
}

static volatile unsigned int sink;

/* LONG_NAME is 32,000 bytes long */
#define TEXT_OF(x)	#x
#define VALUE_OF(x)	TEXT_OF(x)

__attribute__((noinline)) unsigned int longest(unsigned int x) __asm__(VALUE_OF(LONG_NAME));
__attribute__((noinline)) unsigned int longest(unsigned int x)
{
	return x * 3 + sink;
}

#define ONE(n)		static __attribute__((noinline)) unsigned int f##n(unsigned int x) \
			{ \
				for (unsigned int i = 0; i < 64; i++) \
					x = x * 31 + __LINE__ + sink; \
				return x; \
			}
#define SIXTEEN(m, n)	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) \
			m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) m(n##d) m(n##e) m(n##f)
#define ROW(n)		SIXTEEN(ONE, n)
#define PLANE(n)	ROW(n##0) ROW(n##1) ROW(n##2) ROW(n##3) ROW(n##4) ROW(n##5) ROW(n##6) ROW(n##7) \
			ROW(n##8) ROW(n##9) ROW(n##a) ROW(n##b) ROW(n##c) ROW(n##d) ROW(n##e) ROW(n##f)
PLANE(0) PLANE(1) PLANE(2) PLANE(3) PLANE(4) PLANE(5) PLANE(6) PLANE(7)
PLANE(8) PLANE(9) PLANE(a) PLANE(b) PLANE(c) PLANE(d) PLANE(e) PLANE(f)

#define NAME(n)		f##n,
#define ROW_OF(n)	SIXTEEN(NAME, n)
#define PLANE_OF(n)	ROW_OF(n##0) ROW_OF(n##1) ROW_OF(n##2) ROW_OF(n##3) ROW_OF(n##4) ROW_OF(n##5) \
			ROW_OF(n##6) ROW_OF(n##7) ROW_OF(n##8) ROW_OF(n##9) ROW_OF(n##a) ROW_OF(n##b) \
			ROW_OF(n##c) ROW_OF(n##d) ROW_OF(n##e) ROW_OF(n##f)

static unsigned int (*const functions[])(unsigned int x) = {
	PLANE_OF(0) PLANE_OF(1) PLANE_OF(2) PLANE_OF(3) PLANE_OF(4) PLANE_OF(5) PLANE_OF(6) PLANE_OF(7)
	PLANE_OF(8) PLANE_OF(9) PLANE_OF(a) PLANE_OF(b) PLANE_OF(c) PLANE_OF(d) PLANE_OF(e) PLANE_OF(f)
};

static void run_all(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		sink = functions[i](sink);
	sink = longest(sink);
}

/* A page without rights between two of them keeps the kernel from joining them */
static int make_maps(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < MAPS; i++) {
		char *at = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED || mprotect(at, page, PROT_READ | PROT_EXEC))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	until = time(NULL) + atoi(argv[2]);
	if (!strcmp(argv[1], "maps") && make_maps())
		return 1;
	if (!strcmp(argv[1], "comm"))
		prctl(PR_SET_NAME, "\033[2J\007\xe2\x80\xae;1");
	while (!is_over())
		run_all();
	return 0;
}
