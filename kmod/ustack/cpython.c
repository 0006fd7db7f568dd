// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython.c - walks the frames of a Python program, see struct kf_walker
 *
 * A thread's state leads to the innermost frame. Frames are a list up to the outermost one. How frames say
 * that the interpreter's loop was entered with them depends on the version:
 *  - 3.9, 3.10: each frame has its own loop
 *  - 3.11: a call from Python to Python needs no further loop. A frame has a flag
 *  - from 3.12 on: the loop puts a frame of its own into the list, which is no function
 */
#include "ustack/cpython.h"
#include "ustack/interpreter_read.h"

#define TAG_BITS	7UL	/* of a reference to an object */
#define OWNED_BY_LOOP	3U	/* _PyInterpreterFrame.owner: from this on, a frame is no function */
#define STEPS_MOST	(2 * KF_INTERPRETER_FRAMES) /* each function may have a frame of a loop */
#define CHARACTER_MOST	24U
#define UNIT_MOST	2U

/*
 * What the functions below share. They are inlined into one access window, make no calls, and go on at the
 * label fault if memory cannot be read.
 */
struct walk {
	const struct kf_interpreter *i;
	struct kf_icpu *c;
	unsigned long span;
	bool any; /* KFLAME_INTERPRETER_CPYTHON: of any version. A constant */
	u32 nr;
};

/* The state of this thread; 0 if it has none */
static __always_inline unsigned long thread_state(const struct walk *w, unsigned long thread)
{
	const u32 *at = w->i->is.at;
	const unsigned long span = w->span;
	const struct kf_key_layout layout = {
		.values = at[KFLAME_PY_KEYS],
		.blocks = at[KFLAME_PY_KEY_BLOCKS],
		.value = at[KFLAME_PY_KEY_VALUE],
	};
	unsigned long state, id;
	u32 key;

	FETCH(u32, w->c->base + w->i->is.state + at[KFLAME_PY_KEY], key);
	state = kf_key_value(thread, key, layout, span);
	if (!state)
		return 0;
	/* Is it the state of this thread? The key may be another one's before the interpreter has begun. */
	FETCH(unsigned long, state + at[KFLAME_PY_THREAD], id);
	return id == thread ? state : 0;
fault:
	return 0;
}

/* Where in its code object a frame is. Return: false if it cannot be read */
static __always_inline bool position(const struct walk *w, unsigned long frame, unsigned long code, u32 *out)
{
	const u32 *at = w->i->is.at;
	const unsigned long span = w->span;
	unsigned long instruction, copies, begin;
	u32 number;

	if (w->any && at[KFLAME_PY_UNIT]) {
		FETCH(u32, frame + at[KFLAME_PY_INSTRUCTION], number);
		*out = (s32)number < 0 ? KF_CPYTHON_BEGINS : number * at[KFLAME_PY_UNIT];
		return true;
	}
	FETCH(unsigned long, frame + at[KFLAME_PY_INSTRUCTION], instruction);
	*out = instruction - code;
	if (!w->any || !at[KFLAME_PY_COPY])
		return true;
	FETCH(u32, frame + at[KFLAME_PY_COPY], number);
	if (!number)
		return true;
	/* This thread runs a copy of the code. */
	FETCH(unsigned long, code + at[KFLAME_PY_COPIES], copies);
	FETCH(unsigned long, copies + (1UL + number) * sizeof(long), begin);
	*out = instruction - begin + at[KFLAME_PY_FIRST];
	return true;
fault:
	return false;
}

/* Is it a frame of the loop and no function? For a function: @is_entry. Return: false if it cannot be read */
static __always_inline bool kind_of(const struct walk *w, unsigned long frame, bool *is_loop, bool *is_entry)
{
	const u32 *at = w->i->is.at;
	const unsigned long span = w->span;
	u8 value;

	*is_loop = false;
	*is_entry = true;
	if (!w->any) {
		FETCH(u8, frame + at[KFLAME_PY_ENTRY], value);
		*is_entry = value;
	} else if (at[KFLAME_PY_OWNER]) {
		FETCH(u8, frame + at[KFLAME_PY_OWNER], value);
		*is_loop = value >= OWNED_BY_LOOP;
		*is_entry = false;
	}
	return true;
fault:
	return false;
}

/* Return: false if a function's object cannot be read */
static __always_inline bool put_function(struct walk *w, unsigned long frame, bool is_entry)
{
	const u32 *at = w->i->is.at;
	const unsigned long span = w->span;
	struct kf_iframe *to = &w->c->frame[w->nr];
	unsigned long code, name, lines;
	u32 line;

	FETCH(unsigned long, frame + at[KFLAME_PY_CODE], code);
	code &= ~TAG_BITS;
	if (!position(w, frame, code, &to->at))
		return false;
	FETCH(u32, code + at[KFLAME_PY_FIRST_LINE], line);
	FETCH(unsigned long, code + at[KFLAME_PY_NAME], name);
	FETCH(unsigned long, code + at[KFLAME_PY_LINES], lines);
	to->function = code;
	to->check = (line ^ name >> 4 ^ lines >> 4) * 0x9e3779b1U + (name >> 32 ^ lines >> 32);
	to->is_entry = is_entry;
	w->nr++;
	return true;
fault:
	return false;
}

static __always_inline void collect(struct walk *w, unsigned long thread)
{
	const u32 *at = w->i->is.at;
	const unsigned long span = w->span;
	unsigned long state = thread_state(w, thread), frame;
	bool is_loop, is_entry;
	u32 steps;

	if (!state)
		return;
	if (!w->any || at[KFLAME_PY_CFRAME])
		FETCH(unsigned long, state + at[KFLAME_PY_CFRAME], state);
	FETCH(unsigned long, state + at[KFLAME_PY_CURRENT], frame);
	for (steps = 0; frame && w->nr < KF_INTERPRETER_FRAMES && steps < STEPS_MOST; steps++) {
		if (!kind_of(w, frame, &is_loop, &is_entry))
			return;
		if (is_loop) {
			if (w->nr)
				w->c->frame[w->nr - 1].is_entry = true;
		} else if (!put_function(w, frame, is_entry)) {
			return;
		}
		FETCH(unsigned long, frame + at[KFLAME_PY_PREVIOUS], frame);
	}
	w->c->complete = !frame;
fault:
	return;
}

static __always_inline void walk_version(const struct kf_interpreter *i, struct kf_icpu *c, const bool any)
{
	const unsigned long thread = kf_user_thread_pointer();
	struct walk w = { .i = i, .c = c, .span = kf_user_span(), .any = any };

	if (!user_access_begin((void __user *)0, TASK_SIZE_MAX))
		return;
	collect(&w, thread);
	user_access_end();
	c->nr = w.nr;
}

static void walk_3_11(const struct kf_interpreter *i, struct kf_icpu *c)
{
	walk_version(i, c, false);
}

static void walk_any(const struct kf_interpreter *i, struct kf_icpu *c)
{
	walk_version(i, c, true);
}

static bool any_is_sane(const struct kflame_interpreter *is)
{
	return is->at[KFLAME_PY_CHARACTER] <= CHARACTER_MOST && is->at[KFLAME_PY_UNIT] <= UNIT_MOST &&
	       is->at[KFLAME_PY_LINES_ARE] <= KFLAME_PY_LINES_3_9;
}

const struct kf_walker kf_cpython_3_11 = {
	.kind = KFLAME_INTERPRETER_CPYTHON_3_11,
	.nr_at = KFLAME_PY_NR,
	.walk = walk_3_11,
	.read = kf_cpython_read,
};

const struct kf_walker kf_cpython = {
	.kind = KFLAME_INTERPRETER_CPYTHON,
	.nr_at = KFLAME_PY_NR_ANY,
	.walk = walk_any,
	.read = kf_cpython_read,
	.is_sane = any_is_sane,
};
