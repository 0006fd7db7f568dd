// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains_cc - what C++ adds: exceptions that are thrown, caught and thrown on, destructors that
 * they run, virtual functions, a thunk, a template, a thread
 *
 * What is left by a jump is not on the stack: __cxa_end_catch() ends so in others.
 *
 * usage: chains_cc SECONDS	(of CPU time; at least one round)
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <stdexcept>

#include "chains.h"

static volatile uint64_t sink;

extern "C" {
uint64_t throw_below(uint64_t x);
uint64_t throw_between(uint64_t x);
uint64_t throw_again(uint64_t x);
uint64_t throw_user(uint64_t x);
uint64_t throw_many(uint64_t x);
uint64_t caught_inside(uint64_t x);
uint64_t caught_outside(uint64_t x);
void guard_work(uint64_t x);
uint64_t first_leaf(uint64_t x);
uint64_t second_leaf(uint64_t x);
uint64_t virtual_user(uint64_t x);
uint64_t template_leaf(uint64_t x);
uint64_t template_user(uint64_t x);
void *thread_main(void *argument);
uint64_t thread_throw(uint64_t x);
uint64_t thread_catch(uint64_t x);
uint64_t thread_user(uint64_t x);
uint64_t one_round(uint64_t x);
int enough(double seconds);
double seconds_of(int argc, char **argv);
}

OWN void guard_work(uint64_t x)
{
	sink = spin(x, 5000);
}

struct guard {
	uint64_t x;
	~guard();
};

//> _ZN5guardD1Ev -> guard_work
OWN guard::~guard()
{
	guard_work(x);
	sink = sink + 1;
}

//> throw_below uses __cxa_allocate_exception _ZNSt13runtime_errorC1EPKc __cxa_throw
OWN uint64_t throw_below(uint64_t x)
{
	x = spin(x, 300);
	if (x != 1)
		throw std::runtime_error("thrown");
	return x;
}

//> throw_between -> throw_below
//> throw_between -> _ZN5guardD1Ev
//> throw_between uses _Unwind_Resume
OWN uint64_t throw_between(uint64_t x)
{
	guard g = { x };
	volatile uint64_t block[50];

	block[x % 50] = x;
	return throw_below(x) + block[x % 50];
}

OWN uint64_t caught_inside(uint64_t x)
{
	return spin(x, 500000);
}

OWN uint64_t caught_outside(uint64_t x)
{
	return spin(x, 500000);
}

//> throw_again -> throw_between
//> throw_again -> caught_inside
//> throw_again uses __cxa_begin_catch __cxa_rethrow __cxa_end_catch _Unwind_Resume
OWN uint64_t throw_again(uint64_t x)
{
	try {
		return throw_between(x) + 1;
	} catch (const std::runtime_error &) {
		sink = caught_inside(x);
		throw;
	}
}

//> throw_user -> throw_again
//> throw_user -> caught_outside
//> throw_user uses __cxa_begin_catch __cxa_end_catch _ZNKSt13runtime_error4whatEv
//> throw_user uses _ZNKSt11logic_error4whatEv
//> throw_user uses __cxa_free_exception _Unwind_DeleteException free cfree
OWN uint64_t throw_user(uint64_t x)
{
	try {
		return throw_again(x) + 1;
	} catch (const std::exception &e) {
		return caught_outside(x) + static_cast<uint64_t>(e.what()[0]);
	}
}

//> throw_many -> throw_user
OWN uint64_t throw_many(uint64_t x)
{
	for (unsigned int i = 0; i < 2; i++)
		x += throw_user(x + i);
	return x;
}

OWN uint64_t first_leaf(uint64_t x)
{
	return spin(x, 50);
}

OWN uint64_t second_leaf(uint64_t x)
{
	return spin(x, 50);
}

struct first {
	virtual uint64_t one(uint64_t x) = 0;
	uint64_t a = 1;
};

struct second {
	virtual uint64_t two(uint64_t x) = 0;
	uint64_t b = 2;
};

struct both : first, second {
	uint64_t one(uint64_t x) override;
	uint64_t two(uint64_t x) override;
};

//> _ZN4both3oneEm -> first_leaf
OWN uint64_t both::one(uint64_t x)
{
	return first_leaf(x + a) + 1;
}

//> _ZN4both3twoEm -> second_leaf
OWN uint64_t both::two(uint64_t x)
{
	return second_leaf(x + b) + 1;
}

// The thunk moves this and jumps to the function: it is no caller, and tells nothing
//> virtual_user -> _ZN4both3oneEm
//> virtual_user -> _ZN4both3twoEm
//> virtual_user ->silent _ZThn16_N4both3twoEm
OWN uint64_t virtual_user(uint64_t x)
{
	both object;
	first *volatile one = &object;
	second *volatile two = &object;

	for (unsigned int i = 0; i < 500; i++)
		x += one->one(x) + two->two(x);
	return x;
}

OWN uint64_t template_leaf(uint64_t x)
{
	return spin(x, 50);
}

template <typename F> OWN uint64_t template_calls(F f, uint64_t x)
{
	volatile uint64_t block[sizeof(F)] = { x };

	return f(x) + block[0];
}

//> template_user -> _Z14template_callsIPFmmEEmT_m
//> _Z14template_callsIPFmmEEmT_m -> template_leaf
OWN uint64_t template_user(uint64_t x)
{
	for (unsigned int i = 0; i < 500; i++)
		x += template_calls(template_leaf, x);
	return x;
}

//> thread_throw uses __cxa_allocate_exception __cxa_throw
OWN uint64_t thread_throw(uint64_t x)
{
	x = spin(x, 300);
	if (x != 1)
		throw x;
	return x;
}

//> thread_catch -> thread_throw
//> thread_catch uses __cxa_begin_catch __cxa_end_catch
//> thread_catch uses __cxa_free_exception _Unwind_DeleteException free cfree
OWN uint64_t thread_catch(uint64_t x)
{
	try {
		return thread_throw(x) + 1;
	} catch (uint64_t y) {
		return spin(y, 100000);
	}
}

//> @ -> thread_main
//> thread_main -> thread_catch
OWN void *thread_main(void *argument)
{
	uint64_t x = reinterpret_cast<uintptr_t>(argument);

	for (unsigned int i = 0; i < 5; i++)
		x += thread_catch(x);
	sink = x;
	return nullptr;
}

//> thread_user uses
OWN uint64_t thread_user(uint64_t x)
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, thread_main, reinterpret_cast<void *>(x)))
		abort();
	pthread_join(thread, nullptr);
	return x + 1;
}

//> one_round -> throw_many
//> one_round -> virtual_user
//> one_round -> template_user
//> one_round -> thread_user
OWN uint64_t one_round(uint64_t x)
{
	x += throw_many(x);
	x += virtual_user(x);
	x += template_user(x);
	x += thread_user(x);
	return x;
}

//> enough uses
OWN int enough(double seconds)
{
	return static_cast<double>(clock()) / CLOCKS_PER_SEC >= seconds;
}

//> seconds_of uses
OWN double seconds_of(int argc, char **argv)
{
	/* Not as its last act: that would be a jump, and main() its caller */
	volatile double seconds = argc == 2 ? atof(argv[1]) : 0;

	return seconds;
}

//> @ -> main
//> main -> seconds_of
//> main -> one_round
//> main -> enough
int main(int argc, char **argv)
{
	double seconds = seconds_of(argc, argv);
	uint64_t x = static_cast<uint64_t>(argc);

	do
		x = one_round(x);
	while (!enough(seconds));
	sink = x;
	record_print();
	return 0;
}
