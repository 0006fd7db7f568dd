// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_flame_text.c - names and labels in a flame graph
 */
#include "base/text.h"
#include "drawn_flame.h"
#include "views/brief.h"

/* Labels are whole names, or at least four letters and "..", and never too long */
static void labels_fit(void **state)
{
	struct flame_options o = plain;
	struct tree *t = new_tree();
	struct flame_result r;
	struct drawn *d;
	size_t nr, cut = 0, whole = 0;

	(void)state;
	for (uint32_t i = 1; i < 200; i++) {
		struct frame f[2] = { { "comm", NULL, FRAME_COMM }, { "", NULL, FRAME_USER } };
		char name[64];

		snprintf(name, sizeof(name), "%03u_\xe6\xbc\xa2\xe5\xad\x97_\xc3\xa9_name", i);
		f[1].name = name;
		assert_int_equal(tree_add(t, f, 2, i, 0), 0);
	}
	o.width = 20000;
	d = draw_frames(t, &o, &r, &nr);
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
	struct tree *t = new_tree();

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_fit),
		cmocka_unit_test(template_arguments),
		cmocka_unit_test(names_cannot_break_out),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
	};

	return cmocka_run_group_tests_name("flame_text", tests, NULL, NULL);
}
