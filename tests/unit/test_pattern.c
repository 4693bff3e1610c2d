/* SPDX-License-Identifier: MIT */
/* test_pattern.c: globs over site names, as tables. */
#include "base/glob.h"
#include "libmetrics/registry/pattern.h"
#include "ppcheck.h"

#include <string.h>

struct row {
	const char *glob, *text;
	bool whole, suffix;
};

static const struct row plain[] = {
	{"i1", "i1", true, true},
	{"i1", "i2", false, false},
	{"i1", "a!b.c:f/i1", false, true},
	{"f/i1", "a!b.c:f/i1", false, true},
	{"b.c:f/i1", "a!b.c:f/i1", false, true},
	{"a!b.c:f/i1", "a!b.c:f/i1", true, true},
	{"1", "a!b.c:f/i1", false, false},
	{"c:f/i1", "a!b.c:f/i1", false, false},
	{"f", "a!b.c:f/i1", false, false},
	{"c.c:f/i1", "a!b/c.c:f/i1", false, true},
	{"f/i1", "a!b.cc:ns::f/i1", false, true},
	{"ns::f/i1", "a!b.cc:ns::f/i1", false, true},
	{"", "", true, true},
	{"", "a", false, false},
};

static const struct row stars[] = {
	{"*", "abc", true, true},
	{"*", "", true, true},
	{"*", "a/b", false, true},
	{"**", "a/b/c", true, true},
	{"a*c", "abbbc", true, true},
	{"a*c", "ab/bc", false, false},
	{"a**c", "ab/bc", true, true},
	{"*b*b*b", "abababab", true, true},
	{"*b*b*c", "abababab", false, false},
	{"**/x*y", "a/b/xx/xzy", true, true},
	{"a**b*c", "a/b/b1/c/b2c", true, true},
	{"trace_*/i?", "m!f.c:trace_pixel/i1", false, true},
	{"trace_*/i?", "m!f.c:trace_pixel/i12", false, false},
	{"*/i1", "m!dir/f.c:g/i1", false, true},
	{"dir/**i1", "m!dir/f.c:g/i1", false, true},
	{"?", "/", false, false},
	{"***", "a/b", true, true},
};

static const struct row escapes[] = {
	{"a\\*b", "a*b", true, true},
	{"a\\*b", "axb", false, false},
	{"a\\?b", "a?b", true, true},
	{"a\\\\b", "a\\b", true, true},
	{"operator\\*", "m!f.cc:C::operator*", false, true},
	{"\\a", "a", true, true},
};

static void check_rows (const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg (ppi_glob_whole (rows[i].glob, rows[i].text) == rows[i].whole,
			       "whole \"%s\" against \"%s\"", rows[i].glob, rows[i].text);
		ck_assert_msg (ppi_glob_suffix (rows[i].glob, rows[i].text) == rows[i].suffix,
			       "suffix \"%s\" against \"%s\"", rows[i].glob, rows[i].text);
	}
}

#define N(a) (sizeof (a) / sizeof (a[0]))

START_TEST (names_match_suffixes_at_component_borders_only)
{
	check_rows (plain, N (plain));
}
END_TEST

START_TEST (one_star_stops_at_slashes_and_two_do_not)
{
	check_rows (stars, N (stars));
}
END_TEST

START_TEST (backslash_takes_the_next_character_literally)
{
	check_rows (escapes, N (escapes));
}
END_TEST

START_TEST (many_stars_against_a_long_text_take_no_exponential_time)
{
	char text[4001], glob[201];

	memset (text, 'a', sizeof (text) - 1);
	text[sizeof (text) - 1] = '\0';
	for (size_t i = 0; i + 1 < sizeof (glob); i += 2)
		memcpy (glob + i, "*a", 2);
	glob[sizeof (glob) - 1] = '\0';
	ck_assert (ppi_glob_whole (glob, text));
	glob[sizeof (glob) - 2] = 'b';
	ck_assert (!ppi_glob_whole (glob, text));
}
END_TEST

START_TEST (patterns_that_cannot_mean_a_site_are_refused_with_a_reason)
{
	static const char *const bad[] = {"", "f/", "m!", "f.c:", "a\\"};
	static const char *const good[] = {"i1",          "f/*",         "group:io",
					   "file:src/**", "fn:handle_*", "module:lib*.so",
					   "a\\\\",       "a\\*"};
	char why[256];

	for (size_t i = 0; i < N (bad); i++) {
		why[0] = '\0';
		ck_assert_msg (!ppi_pattern_valid (bad[i], why, sizeof (why)), "\"%s\"", bad[i]);
		ck_assert_msg (why[0], "\"%s\" has no reason", bad[i]);
	}
	for (size_t i = 0; i < N (good); i++)
		ck_assert_msg (ppi_pattern_valid (good[i], why, sizeof (why)), "\"%s\": %s",
			       good[i], why);
}
END_TEST

START_TEST (plain_names_are_told_from_patterns_of_many_sites)
{
	static const char *const many[] = {"*", "f/i?", "group:io", "file:a.c", "fn:f", "module:m"};
	static const char *const one[] = {
		"i1", "f/i1", "a.c:f/i1", "m!a.c:f/i1", "C::operator\\*/i1", "group::f/i1"};

	for (size_t i = 0; i < N (many); i++)
		ck_assert_msg (!ppi_pattern_is_plain (many[i]), "\"%s\"", many[i]);
	for (size_t i = 0; i < N (one); i++)
		ck_assert_msg (ppi_pattern_is_plain (one[i]), "\"%s\"", one[i]);
}
END_TEST

static Suite *pattern (void)
{
	Suite *suite = suite_create ("pattern");
	TCase *tests = tcase_create ("pattern");

	tcase_add_test (tests, names_match_suffixes_at_component_borders_only);
	tcase_add_test (tests, one_star_stops_at_slashes_and_two_do_not);
	tcase_add_test (tests, backslash_takes_the_next_character_literally);
	tcase_add_test (tests, many_stars_against_a_long_text_take_no_exponential_time);
	tcase_add_test (tests, patterns_that_cannot_mean_a_site_are_refused_with_a_reason);
	tcase_add_test (tests, plain_names_are_told_from_patterns_of_many_sites);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {pattern};

	return ppcheck_main (suites, 1);
}
