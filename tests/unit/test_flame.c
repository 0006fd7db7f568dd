// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "golden.h"
#include "views/brief.h"
#include "views/color.h"
#include "views/flame.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* A frame as it stands in the SVG */
struct drawn {
	uint64_t x, w;
	double px, px_width;
	unsigned int y;
	char label[256];
};

static const struct flame_options plain = {
	.title = "a title", .subtitle = "a subtitle", .unit = TREE_SAMPLES, .width = 1200,
	.row = FLAME_ROW,
};

static char *draw(struct tree *t, const struct flame_options *o, struct flame_result *r)
{
	size_t size;
	char *svg;
	FILE *out = open_memstream(&svg, &size);

	assert_non_null(out);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(flame_write(out, t, o, r), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(svg), size);
	return svg;
}

static double number_after(const char *at, const char *name)
{
	const char *p = strstr(at, name);

	assert_non_null(p);
	return strtod(p + strlen(name), NULL);
}

/* The frames of an SVG, in its order */
static struct drawn *parse(const char *svg, size_t *nr)
{
	struct drawn *all = NULL;

	*nr = 0;
	while ((svg = strstr(svg, "data-x=\""))) {
		const char *end = strstr(svg, "</g>"), *text;
		/* sscanf() looks for the end of what it is given, each time */
		char *frame = strndup(svg, (size_t)(end - svg)), *rect;
		struct drawn *d;

		all = reallocarray(all, ++*nr, sizeof(*all));
		assert_true(all && frame);
		d = &all[*nr - 1];
		memset(d, 0, sizeof(*d));
		assert_int_equal(sscanf(frame, "data-x=\"%lu\" data-w=\"%lu\"", &d->x, &d->w), 2);
		rect = strstr(frame, "<rect");
		d->px = number_after(rect, " x=\"");
		d->px_width = number_after(rect, " width=\"");
		d->y = (unsigned int)number_after(rect, " y=\"");
		text = strstr(rect, "<text");
		if (text)
			assert_int_equal(sscanf(strchr(text, '>'), ">%255[^<]", d->label), 1);
		free(frame);
		svg = end;
	}
	return all;
}

/* A tree of random stacks; the same seed, the same tree */
static struct tree *random_tree(uint32_t seed, uint32_t stacks, uint64_t *sum)
{
	struct tree *t = tree_create();

	assert_non_null(t);
	*sum = 0;
	for (uint32_t i = 0; i < stacks; i++) {
		char names[12][8];
		struct frame f[12];
		size_t nr;

		seed = seed * 1664525 + 1013904223;
		nr = 1 + (seed >> 16) % 12;
		for (size_t k = 0; k < nr; k++) {
			seed = seed * 1664525 + 1013904223;
			snprintf(names[k], sizeof(names[k]), "f%u", (seed >> 16) % 5);
			f[k] = (struct frame){ names[k], NULL,
				(enum frame_kind)((seed >> 20) % (FRAME_NOTE + 1)) };
		}
		assert_int_equal(tree_add(t, f, nr, (seed >> 12) % 1000, i), 0);
		*sum += (seed >> 12) % 1000;
	}
	return t;
}

/* Width of all callees of frame @i, which follow it */
static uint64_t callees(const struct drawn *d, size_t nr, size_t i)
{
	uint64_t sum = 0;

	for (size_t k = i + 1; k < nr && d[k].y < d[i].y; k++)
		if (d[k].y == d[i].y - 18)
			sum += d[k].w;
	return sum;
}

/*
 * What is drawn is what was sampled: each frame lies within its caller, callees
 * lie side by side, and the parts no callee covers add up to all samples.
 */
static void sums_are_exact(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 10; seed++) {
		uint64_t sum, self = 0, end[64] = { 0 }, next[64] = { 0 };
		struct flame_result r;
		struct tree *t = random_tree(seed, 400, &sum);
		char *svg = draw(t, &plain, &r);
		unsigned int base;
		struct drawn *d;
		size_t nr;

		d = parse(svg, &nr);
		assert_int_equal(nr, r.drawn);
		assert_int_equal(r.too_narrow, 0);
		assert_int_equal(d[0].x, 0);
		assert_int_equal(d[0].w, sum);
		base = d[0].y;
		for (size_t i = 0; i < nr; i++) {
			unsigned int depth = (base - d[i].y) / 18;

			assert_true(depth < 63);
			/* The first callee begins with its caller, others side by side */
			assert_int_equal(d[i].x, next[depth]);
			next[depth] = d[i].x + d[i].w;
			next[depth + 1] = d[i].x;
			end[depth] = d[i].x + d[i].w;
			if (depth)
				assert_true(end[depth] <= end[depth - 1]);
		}
		for (size_t i = 0; i < nr; i++)
			self += d[i].w - callees(d, nr, i);
		assert_int_equal(self, sum);
		free(d);
		free(svg);
		tree_destroy(t);
	}
}

static void narrow_frames_are_counted(void **state)
{
	struct flame_options o = plain;
	uint64_t sum, weighing = 0;
	struct tree *t = random_tree(7, 2000, &sum);
	struct flame_result all, some;
	struct drawn *d;
	char *svg, note[80], count[TEXT_NUMBER];
	size_t nr;

	(void)state;
	free(draw(t, &o, &all));
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		weighing += t->nodes[i].total.samples != 0;
	assert_int_equal(all.drawn, weighing);
	o.min_width = 250;
	svg = draw(t, &o, &some);
	assert_true(some.drawn < all.drawn);
	assert_int_equal(some.drawn + some.too_narrow, weighing);
	snprintf(note, sizeof(note), ">%s frames narrower than 2.5 px are not drawn",
		 text_count(count, some.too_narrow));
	assert_non_null(strstr(svg, note));
	d = parse(svg, &nr);
	assert_int_equal(nr, some.drawn);
	assert_int_equal(d[0].w, sum);
	for (size_t i = 0; i < nr; i++)
		assert_true((double)d[i].w * 1168 / (double)sum >= 2.49);
	free(d);
	free(svg);
	tree_destroy(t);
}

/* No more than a browser opens at once, and the widest of them */
static void frames_have_a_budget(void **state)
{
	struct flame_options o = plain;
	uint64_t sum;
	struct tree *t = random_tree(7, 2000, &sum);
	struct flame_result all, some;

	(void)state;
	free(draw(t, &o, &all));
	for (o.frames = 1; o.frames < all.drawn; o.frames = o.frames * 3 / 2 + 1) {
		char *svg = draw(t, &o, &some);

		assert_true(some.drawn <= o.frames + 1);	/* and the root */
		assert_int_equal(some.drawn + some.too_narrow, all.drawn);
		assert_non_null(strstr(svg, "px are not drawn (the limit is "));
		free(svg);
	}
	o.frames = (unsigned int)all.drawn;
	free(draw(t, &o, &some));
	assert_int_equal(some.drawn, all.drawn);
	tree_destroy(t);
}

/* Of frames that are equally wide, the outer ones are drawn: a picture never ends at the first row */
static void outer_frames_come_first(void **state)
{
	static const char name[] = "abcdefghij";
	struct flame_options o = plain;
	struct tree *t = tree_create();
	struct flame_result r;
	char *svg;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < 10; i++) {
		const char comm[] = { name[i], 0 };
		struct frame f[100] = { { comm, NULL, FRAME_COMM } };

		for (size_t k = 1; k < NR(f); k++)
			f[k] = (struct frame){ "f", NULL, FRAME_USER };
		assert_int_equal(tree_add(t, f, NR(f), 1, 1), 0);
	}
	o.frames = 255;
	svg = draw(t, &o, &r);
	assert_int_equal(r.drawn, 251);
	assert_int_equal(r.too_narrow, 750);
	assert_non_null(strstr(svg, ">750 frames narrower than 116.81 px are not drawn "
			       "(the limit is 255 frames; --min-width draws more)<"));
	free(svg);
	tree_destroy(t);
}

/* The legend has the shares of stacks by their innermost frames, also if pruning removes these */
static void legends_have_shares(void **state)
{
	static const struct frame stack[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", NULL, FRAME_USER }, { "read", NULL, FRAME_KERNEL },
	};
	struct flame_options o = plain;
	struct tree *t = tree_create();
	struct flame_result r;
	char *svg;

	(void)state;
	assert_non_null(t);
	assert_int_equal(tree_add(t, stack, 2, 874, 0), 0);
	assert_int_equal(tree_add(t, stack, 3, 126, 0), 0);
	o.min_width = 20000;
	assert_int_equal(flame_weigh(t, &o), 0);
	assert_int_equal(flame_prune(t, &o), 0);
	svg = draw(t, &o, &r);
	assert_int_equal(r.too_narrow, 1);
	assert_non_null(strstr(svg, ">user 87.4%<"));
	assert_non_null(strstr(svg, ">thread<"));
	free(svg);
	tree_destroy(t);
}

/* Labels are whole names, or at least four letters and "..", and never too long */
static void labels_fit(void **state)
{
	struct flame_options o = plain;
	struct tree *t = tree_create();
	struct flame_result r;
	struct drawn *d;
	size_t nr, cut = 0, whole = 0;
	char *svg;

	(void)state;
	assert_non_null(t);
	for (uint32_t i = 1; i < 200; i++) {
		struct frame f[2] = { { "comm", NULL, FRAME_COMM }, { "", NULL, FRAME_USER } };
		char name[64];

		snprintf(name, sizeof(name), "%03u_\xe6\xbc\xa2\xe5\xad\x97_\xc3\xa9_name", i);
		f[1].name = name;
		assert_int_equal(tree_add(t, f, 2, i, 0), 0);
	}
	o.width = 20000;
	svg = draw(t, &o, &r);
	d = parse(svg, &nr);
	for (size_t i = 2; i < nr; i++) {
		size_t cells = text_width(d[i].label);

		assert_true((double)cells * 7.25 <= d[i].px_width - 8 || !cells);
		if (!cells) {
			assert_true(d[i].px_width < 8 + 6 * 7.25);
		} else if (strstr(d[i].label, "..")) {
			cut++;
			assert_true(cells >= 5);	/* "123_.." without half of a wide letter */
			/* One more letter, the widest is two cells, would not fit */
			assert_true((double)(cells + 2) * 7.25 > d[i].px_width - 8);
		} else {
			whole++;
		}
	}
	assert_true(cut > 10);
	assert_true(whole > 10);
	free(d);
	free(svg);
	tree_destroy(t);
}

static void template_arguments(void **state)
{
	static const char *const names[][2] = {
		{ "std::map<int, std::string>::find(int)", "std::map<...>::find(int)" },
		{ "std::__detail::_Map_base<int, std::pair<int const, A<B<C> > >, true>::operator[](int&&)",
		  "std::__detail::_Map_base<...>::operator[](int&&)" },
		{ "void f<decltype (a->b)>(std::vector<int, std::allocator<int> >)",
		  "void f<...>(std::vector<...>)" },
		{ "f<abcd>", "f<...>" },
		{ "f<\xc3\xa9\xc3\xa9\xc3\xa9>(int)", NULL },
		{ "f<int>", NULL },
		{ "A::operator<(A const&)", NULL },
		{ "A::operator<<(A const&, B > c)", NULL },
		{ "A::operator-><abcd>()", NULL },
		{ "<alloc::vec::Vec<abcd> as core::ops::Drop>::drop", "<alloc::vec::Vec<...> as core::ops::Drop>::drop" },
		{ "no<end", NULL },
		{ "no<end<at all>", NULL },
		{ "<", NULL }, { ">", NULL }, { "a<", NULL }, { "a>b", NULL }, { "", NULL },
		{ "</text><script>alert(1)</script>", NULL },
	};

	(void)state;
	for (size_t i = 0; i < NR(names); i++) {
		char *brief = brief_name(names[i][0]);

		if (names[i][1])
			assert_non_null(brief);
		if (brief)
			assert_string_equal(brief, names[i][1] ? names[i][1] : names[i][0]);
		free(brief);
	}
}

static struct tree *hostile_tree(void)
{
	static const char *const names[] = {
		"</text><script>alert(1)</script>", "\"' onload=\"alert(1)", "a & b &amp; c",
		"]]>", "<![CDATA[", "\xff\xfe broken \xc3", "\x01\x1b[31m\n\ttab", "\xe2\x80\xaeright",
		"\xed\xa0\x80 surrogate", "\xc0\xaf overlong", "\xf5\x80\x80\x80", "\xef\xbf\xbf",
		"std::vector<int, std::allocator<int> >::push_back(int&&)",
		"\xe5\x87\xbd\xe6\x95\xb0", "\xc3\xa9t\xc3\xa9",
	};
	struct tree *t = tree_create();

	assert_non_null(t);
	for (size_t i = 0; i < NR(names); i++) {
		struct frame f[] = {
			{ names[i], NULL, FRAME_COMM }, { names[i], names[i], FRAME_USER },
			{ names[i], NULL, FRAME_NOTE },
		};

		assert_int_equal(tree_add(t, f, NR(f), 10, 10), 0);
	}
	return t;
}

/* Every byte of the SVG is XML 1.0 in UTF-8, and only we wrote markup */
static void names_cannot_break_out(void **state)
{
	struct flame_options o = plain;
	struct tree *t = hostile_tree();
	struct flame_result r;
	const char *s;
	char *svg;

	(void)state;
	o.title = "</title><script>alert(2)</script>]]>";
	o.subtitle = "\"&<>'\x02";
	svg = draw(t, &o, &r);
	cut_assets(svg);
	assert_null(strstr(svg, "<script>alert"));
	assert_null(strstr(svg, "]]>"));
	assert_null(strstr(svg, "\"' onload"));
	assert_null(strstr(svg, "& "));
	assert_null(strstr(svg, "\xe2\x80\xae"));
	for (s = svg; *s;) {
		const char *at = s;

		if (*s == '\n')
			s++;
		else if (text_next(&s) == 0xfffd)
			assert_int_equal(strncmp(at, "\xef\xbf\xbd", 3), 0);
	}
	free(svg);
	tree_destroy(t);
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf", 
		"\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xed\xa0\x80", "\xc3", "\xe2\x82",
		"\xf0\x9f\x92",
		"\x01", "\x7f", "\xc2\x85", "\xe2\x80\xae", "\xef\xbf\xbe", "\xff",
	};
	const char *good = "\xc3\xa9\xe5\x87\xbd\xf0\x9f\x98\x80z";

	(void)state;
	for (size_t i = 0; i < NR(bad); i++) {
		const char *s = bad[i];

		/* As many times as it takes, never beyond the end */
		while (*s)
			assert_int_equal(text_next(&s), 0xfffd);
		assert_ptr_equal(s, bad[i] + strlen(bad[i]));
	}
	assert_int_equal(text_next(&good), 0xe9);
	assert_int_equal(text_next(&good), 0x51fd);
	assert_int_equal(text_next(&good), 0x1f600);
	assert_int_equal(text_next(&good), 'z');
	assert_int_equal(*good, 0);
}

static void pictures_are_as_they_were(void **state)
{
	static const struct frame stack[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
		{ "std::sort<int*>(int*, int*)", "libstdc++.so.6", FRAME_USER },
		{ "entry_SYSCALL_64_after_hwframe", NULL, FRAME_KERNEL },
		{ "ext4_file_read_iter", "ext4", FRAME_KERNEL },
		{ "[late: irqs off or stolen]", NULL, FRAME_NOTE },
	};
	static const struct frame softirq[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
		{ "net_rx_action", NULL, FRAME_SOFTIRQ },
	};
	static const struct frame gap[] = { { "[gap]", NULL, FRAME_NOTE } };
	struct flame_options o = plain;
	struct tree *t = tree_create();
	struct flame_result r;
	char *svg;

	(void)state;
	assert_non_null(t);
	assert_int_equal(tree_add(t, stack, 2, 100, 100300000), 0);
	assert_int_equal(tree_add(t, stack, 3, 700, 702100000), 0);
	assert_int_equal(tree_add(t, stack, 4, 1, 1003009), 0);
	assert_int_equal(tree_add(t, stack, 5, 199, 199600000), 0);
	assert_int_equal(tree_add(t, stack, 6, 0, 12000000), 0);
	assert_int_equal(tree_add(t, softirq, NR(softirq), 33, 33100000), 0);
	assert_int_equal(tree_add(t, gap, NR(gap), 1, 2000000000), 0);
	svg = draw(t, &o, &r);
	cut_assets(svg);
	golden_check("flame-samples.svg", svg);
	free(svg);
	o.unit = TREE_NS;
	o.width = 800;
	o.min_width = 100;
	svg = draw(t, &o, &r);
	cut_assets(svg);
	golden_check("flame-time.svg", svg);
	free(svg);
	tree_destroy(t);
}

/* The same stacks in another order: the same bytes */
static void input_order_does_not_matter(void **state)
{
	struct tree *forth = tree_create(), *back = tree_create();
	struct flame_result r;
	char *x, *y;

	(void)state;
	assert_non_null(forth);
	assert_non_null(back);
	for (int i = 0; i < 500; i++) {
		for (int way = 0; way < 2; way++) {
			int k = way ? 499 - i : i;
			char a[16], b[16];
			struct frame f[] = { { a, NULL, FRAME_COMM }, { b, NULL, FRAME_USER } };

			snprintf(a, sizeof(a), "t%d", k % 7);
			snprintf(b, sizeof(b), "f%d", k);
			assert_int_equal(tree_add(way ? back : forth, f, NR(f), 1, 1), 0);
		}
	}
	x = draw(forth, &plain, &r);
	y = draw(back, &plain, &r);
	assert_string_equal(x, y);
	free(x);
	free(y);
	tree_destroy(forth);
	tree_destroy(back);
}

static void extremes_are_drawn(void **state)
{
	const struct frame huge[] = { { "huge", NULL, FRAME_COMM }, { "f", NULL, FRAME_USER } };
	const struct frame one[] = { { "one", NULL, FRAME_COMM } };
	struct frame deep[TREE_MAX_DEPTH];
	struct tree *t = tree_create();
	struct flame_result r;
	struct drawn *d;
	size_t nr;
	char *svg;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < NR(deep); i++)
		deep[i] = (struct frame){ "deep", NULL, FRAME_USER };
	assert_int_equal(tree_add(t, huge, NR(huge), UINT64_MAX / 2, 0), 0);
	assert_int_equal(tree_add(t, deep, NR(deep), UINT64_MAX / 2, 0), 0);
	assert_int_equal(tree_add(t, one, NR(one), 1, 0), 0);
	svg = draw(t, &plain, &r);
	d = parse(svg, &nr);
	assert_int_equal(nr, TREE_MAX_DEPTH + 4);
	assert_int_equal(d[0].w, UINT64_MAX);
	for (size_t i = 0; i < nr; i++) {
		assert_true(d[i].px >= 16);
		assert_true(d[i].px + d[i].px_width <= 1184.01);
	}
	free(d);
	free(svg);
	tree_destroy(t);
}

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

/* The same frames, each row at the mirrored place */
static void icicles_hang_down(void **state)
{
	struct flame_options o = plain;
	struct flame_result r;
	uint64_t sum;
	struct tree *t = random_tree(3, 200, &sum);
	struct drawn *up, *down;
	size_t nr, same;
	char *svg = draw(t, &o, &r);

	(void)state;
	up = parse(svg, &nr);
	free(svg);
	o.icicle = true;
	svg = draw(t, &o, &r);
	down = parse(svg, &same);
	free(svg);
	assert_int_equal(nr, same);
	assert_true(nr > 100);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(up[0].y - up[i].y, down[i].y - down[0].y);
		assert_int_equal(up[i].x, down[i].x);
		assert_int_equal(up[i].w, down[i].w);
	}
	free(up);
	free(down);
	tree_destroy(t);
}

/* What is taken out of the tree before is what would not have been drawn */
static void pruned_pictures_are_complete(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct flame_options o = plain, before = plain;
		struct flame_result all, some;
		uint64_t sum;
		struct tree *t = random_tree(seed, 2000, &sum);
		struct tree *pruned = random_tree(seed, 2000, &sum);

		o.min_width = before.min_width = 80 * seed;
		free(draw(t, &o, &all));
		assert_int_equal(flame_prune(pruned, &before), 0);
		free(draw(pruned, &before, &some));
		assert_int_equal(some.drawn, all.drawn);
		assert_int_equal(some.drawn, pruned->nr_nodes);
		assert_int_equal(some.too_narrow, all.too_narrow);
		tree_destroy(t);
		tree_destroy(pruned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(narrow_frames_are_counted),
		cmocka_unit_test(frames_have_a_budget),
		cmocka_unit_test(outer_frames_come_first),
		cmocka_unit_test(legends_have_shares),
		cmocka_unit_test(labels_fit),
		cmocka_unit_test(template_arguments),
		cmocka_unit_test(names_cannot_break_out),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
		cmocka_unit_test(pictures_are_as_they_were),
		cmocka_unit_test(input_order_does_not_matter),
		cmocka_unit_test(extremes_are_drawn),
		cmocka_unit_test(colors_are_families),
		cmocka_unit_test(families_differ_for_all_eyes),
		cmocka_unit_test(labels_are_legible),
		cmocka_unit_test(looks_are_told_apart),
		cmocka_unit_test(icicles_hang_down),
		cmocka_unit_test(pruned_pictures_are_complete),
	};

	return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
