// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains - every kind of frame that an unwinder of C meets
 *
 * usage: chains SECONDS	(of CPU time; at least one round)
 */
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "chains_parts.h"

static volatile uint64_t sink;

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
