// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_flame_colors.c - which frames have which colour, and who can tell colours apart
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "views/color.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static void colors_are_families(void **state)
{
	const struct frame k = { "vfs_read", NULL, FRAME_KERNEL };
	const struct frame u = { "vfs_read", "libfoo", FRAME_USER };
	const struct frame i = { "vfs_read", "libfoo", FRAME_INLINED };
	uint32_t kernel = color_of(&k, PALETTE_LOOK), user = color_of(&u, PALETTE_LOOK);
	uint32_t inlined = color_of(&i, PALETTE_LOOK);

	(void)state;
	assert_int_equal(kernel, color_of(&k, PALETTE_LOOK));
	assert_true(kernel != user);
	assert_true(inlined != user);
	assert_true((inlined >> 8 & 0xff) > (user >> 8 & 0xff));	/* more yellow */
	assert_true((kernel & 0xff) > (kernel >> 16));	/* blue over red */
	assert_true((user & 0xff) < (user >> 16));	/* red over blue */
}

static double times(const double row[3], const double v[3])
{
	return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
}

/* sRGB of 0xRRGGBB, linear, as an eye with one kind of cone missing has it, in CIE L*a*b* */
static void seen_as(uint32_t rgb, const double m[9], double lab[3])
{
	static const double white[3] = { 0.9505, 1, 1.089 };
	static const double xyz[9] = { .4124, .3576, .1805, .2126, .7152, .0722,
				       .0193, .1192, .9505 };
	double lin[3], eye[3], f[3];

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 0xff) / 255.;

		lin[i] = c <= .04045 ? c / 12.92 : pow((c + .055) / 1.055, 2.4);
	}
	for (int i = 0; i < 3; i++)
		eye[i] = fmin(1, fmax(0, times(m + 3 * i, lin)));
	for (int i = 0; i < 3; i++) {
		double t = times(xyz + 3 * i, eye) / white[i];

		f[i] = t > .008856 ? cbrt(t) : 7.787 * t + 16 / 116.;
	}
	lab[0] = 116 * f[1] - 16;
	lab[1] = 500 * (f[0] - f[1]);
	lab[2] = 200 * (f[1] - f[2]);
}

/*
 * Everybody can distinguish the colours of families.  The matrices are those of Machado, Oliveira and
 * Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009;
 * two colours that are 10 apart in CIE L*a*b* differ at a glance.
 */
static void families_differ_for_all_eyes(void **state)
{
	static const double eyes[][9] = {
		{ 1, 0, 0, 0, 1, 0, 0, 0, 1 },
		{ .152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998 },
		{ .367322, .860646, -.227968, .280085, .672501, .047413, -.01182, .04294, .968881 },
		{ 1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .3039 },
	};

	(void)state;
	for (size_t e = 0; e < 2 * NR(eyes); e++)
		for (enum look a = 0; a < LOOK_NR; a++)
			for (enum look b = 0; b < a; b++) {
				const enum palette by = e < NR(eyes) ? PALETTE_LOOK : PALETTE_WAIT;
				double x[3], y[3], d;

				seen_as(color_of_look(a, by), eyes[e % NR(eyes)], x);
				seen_as(color_of_look(b, by), eyes[e % NR(eyes)], y);
				d = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
				if (d < 10)
					fail_msg("looks %d and %d are %.1f apart", a, b, d);
			}
}

/* WCAG's relative luminance of 0xRRGGBB, @alpha of it on @paper, and 0.05 */
static double luminance(uint32_t rgb, uint32_t paper, double alpha)
{
	static const double weight[] = { .2126, .7152, .0722 };
	double sum = .05;

	for (int i = 0; i < 3; i++) {
		int shift = 16 - 8 * i;
		double c = ((rgb >> shift & 0xff) * alpha + (paper >> shift & 0xff) * (1 - alpha)) / 255;

		sum += weight[i] * (c <= .04045 ? c / 12.92 : pow((c + .055) / 1.055, 2.4));
	}
	return sum;
}

/* Labels have a contrast of 4.5 on each shade, with the letters and opacities of flame.css */
static void labels_are_legible(void **state)
{
	static const enum palette palettes[] = {
		PALETTE_LOOK, PALETTE_WAIT, PALETTE_FILE, PALETTE_HOT, PALETTE_GREY,
	};
	char name[16];

	(void)state;
	for (size_t i = 0; i < NR(palettes) * 7 * 1000; i++) {
		const struct frame f = { name, i % 3 ? name : NULL, (enum frame_kind)(i / 1000 % 7) };
		const struct frame lost = { "[gap]", NULL, FRAME_NOTE };
		uint32_t rgb;

		snprintf(name, sizeof(name), "f%zu", i);
		rgb = color_of(f.kind == FRAME_NOTE && i % 2 ? &lost : &f, palettes[i / 7000]);
		assert_true(luminance(rgb, 0, 1) / luminance(0x1c2024, 0, 1) >= 4.5);
		assert_true(luminance(rgb, 0x14171b, .88) / luminance(0x0c0e11, 0, 1) >= 4.5);
		assert_true(luminance(rgb, 0xffffff, .4) / luminance(0x3c434a, 0, 1) >= 4.5);
		assert_true(luminance(rgb, 0xffffff, .5) / luminance(0x3c434a, 0, 1) >= 4.5);
		assert_true(luminance(0xf4f6f8, 0, 1) / luminance(rgb, 0x14171b, .32) >= 4.5);
	}
}

static void looks_are_told_apart(void **state)
{
	static const struct {
		struct frame frame;
		enum look look;
	} frames[] = {
		{ { "sh", NULL, FRAME_COMM }, LOOK_THREAD },
		{ { "f", "a.out", FRAME_USER }, LOOK_USER }, { { "f", NULL, FRAME_USER }, LOOK_USER },
		{ { "f", "JIT", FRAME_USER }, LOOK_JIT }, { { "f", "JIT", FRAME_KERNEL }, LOOK_KERNEL },
		{ { "f", NULL, FRAME_SOFTIRQ }, LOOK_INTERRUPT },
		{ { "[gap]", NULL, FRAME_NOTE }, LOOK_LOST },
		{ { "[no frame pointer: libc.so.6]", NULL, FRAME_NOTE }, LOOK_LOST },
		{ { "[truncated: depth]", NULL, FRAME_USER }, LOOK_USER },
		{ { "[unmapped]", NULL, FRAME_NOTE }, LOOK_NOTE },
		{ { "[stripped: a.out+0x10]", NULL, FRAME_NOTE }, LOOK_USER },
		{ { "[gone: a.out+0x10]", "a.out", FRAME_NOTE }, LOOK_USER },
		{ { "/", NULL, FRAME_ROOT }, LOOK_GROUP },
		{ { "[runnable]", NULL, FRAME_NOTE }, LOOK_READY },
		{ { "[preempted]", NULL, FRAME_NOTE }, LOOK_READY },
		{ { "[still waiting]", NULL, FRAME_NOTE }, LOOK_NOTE },
		{ { "runnable", NULL, FRAME_ROOT }, LOOK_GROUP },
	};

	(void)state;
	for (size_t i = 0; i < NR(frames); i++)
		assert_int_equal(look_of(&frames[i].frame), frames[i].look);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colors_are_families),
		cmocka_unit_test(families_differ_for_all_eyes),
		cmocka_unit_test(labels_are_legible),
		cmocka_unit_test(looks_are_told_apart),
	};

	return cmocka_run_group_tests_name("flame_colors", tests, NULL, NULL);
}
