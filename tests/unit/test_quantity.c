/* SPDX-License-Identifier: MIT */
/* test_quantity.c: figures as people read them, everywhere alike. */
#include "base/quantity.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN                                                                                      \
	{                                                                                          \
		0, 0                                                                               \
	}
#define TIME                                                                                       \
	{                                                                                          \
		1, 0                                                                               \
	}
#define SIZE                                                                                       \
	{                                                                                          \
		0, 1                                                                               \
	}

static const struct {
	double value;
	struct ppi_dimension dimension;
	const char *text;
} quantities[] = {
	{0, TIME, "0 s"},
	{90, TIME, "90.0 s"},
	{1.5, TIME, "1.50 s"},
	{0.9996, TIME, "1.00 s"},
	{0.9994, TIME, "999 ms"},
	{0.0056, TIME, "5.60 ms"},
	{-0.0056, TIME, "-5.60 ms"},
	{123e-6, TIME, "123 µs"},
	{45.67e-9, TIME, "45.7 ns"},
	{2.5e-7, TIME, "250 ns"},
	{3e-10, TIME, "0.30 ns"},
	{7200, TIME, "7200 s"},
	{1023, SIZE, "1023 B"},
	{1536, SIZE, "1.50 KiB"},
	{64 * 0x1p20, SIZE, "64.0 MiB"},
	{3 * 0x1p50, SIZE, "3072 TiB"},
	{12, PLAIN, "12"},
	{12345, PLAIN, "12345"},
	{123456789, PLAIN, "123456789"},
	{2.5, PLAIN, "2.50"},
	{0.25, PLAIN, "0.250"},
	{1e-5, PLAIN, "1e-05"},
	{1e16, PLAIN, "1e+16"},
	{4e-6, {2, 0}, "4e-06 s^2"},
	{3, {2, 0}, "3 s^2"},
	{100, {-1, 1}, "100 B/s"},
	{3 * 0x1p20, {-1, 1}, "3.00 MiB/s"},
	{12, {-1, 0}, "12 /s"},
	{7, {1, 2}, "7 B^2 s"},
	{NAN, TIME, "unknown"},
	{-INFINITY, PLAIN, "-inf"},
	{INFINITY, TIME, "inf s"},
};

START_TEST (quantities_have_three_digits_and_a_unit_that_suits_them)
{
	for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
		char text[PPI_QUANTITY_BYTES];

		ppi_quantity_format (quantities[i].value, quantities[i].dimension, text,
				     sizeof text);
		ck_assert_msg (strcmp (text, quantities[i].text) == 0, "row %zu: %s, not %s", i,
			       text, quantities[i].text);
	}
}
END_TEST

START_TEST (huge_figures_are_short)
{
	static const double values[] = {1e60, 1e200, 1.7e308, -1.7e308, 5e-324};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		for (int unit = 0; unit < PPI_UNIT_COUNT; unit++)
			for (int power = 0; power <= 2; power++) {
				char text[PPI_QUANTITY_BYTES];

				ppi_quantity_format (values[i],
						     ppi_dimension_of ((enum ppi_unit) unit, power),
						     text, sizeof text);
				ck_assert_msg (strlen (text) <= 16, "%s", text);
			}
}
END_TEST

static void measured_is (double value, int power, double resolution, const char *expected)
{
	char text[PPI_QUANTITY_BYTES];

	ck_assert_str_eq (ppi_quantity_measured (value, ppi_dimension_of (PPI_UNIT_SECONDS, power),
						 resolution, text, sizeof text),
			  expected);
}

START_TEST (what_can_not_be_told_from_nothing_is_said_to_be)
{
	measured_is (0.39e-9, 1, 9.7e-9, "< 10 ns");
	measured_is (0, 1, 10e-9, "< 10 ns");
	measured_is (10e-9, 1, 10e-9, "10.0 ns");
	measured_is (2e-6, 1, 4e-6, "< 4.00 µs");
	measured_is (NAN, 1, 10e-9, "unknown");
	measured_is (-1e-9, 1, 10e-9, "-1.00 ns");
	measured_is (1e-18, 2, 10e-9, "1e-18 s^2"); /* a variance */
	measured_is (0.39e-9, 1, 0, "0.39 ns");     /* nobody knows */
}
END_TEST

static void pair_is (double a, double b, struct ppi_dimension dimension, const char *first,
		     const char *second)
{
	char one[PPI_QUANTITY_BYTES], other[PPI_QUANTITY_BYTES];

	ppi_quantity_pair (a, b, dimension, one, other, sizeof one);
	ck_assert_str_eq (one, first);
	ck_assert_str_eq (other, second);
}

/* "400 ms is more than 400 ms" would mislead */
START_TEST (two_that_differ_look_different)
{
	struct ppi_dimension time = TIME, plain = PLAIN;

	pair_is (6.10908e-07, 5.99204e-07, time, "611 ns", "599 ns");
	pair_is (0.4003, 0.4, time, "400.3 ms", "400.0 ms");
	pair_is (0.4, 0.4, time, "400 ms", "400 ms");
	pair_is (12.345, 12.346, plain, "12.345", "12.346");
	pair_is (1, nextafter (1, 2), plain, "1", "1.0000000000000002");
	pair_is (NAN, 3, plain, "unknown", "3");
}
END_TEST

START_TEST (shares_are_percentages)
{
	char text[PPI_QUANTITY_BYTES];

	ck_assert_str_eq (ppi_share_format (0.0853, text, sizeof text), "8.53 %");
	ck_assert_str_eq (ppi_share_format (1, text, sizeof text), "100 %");
	ck_assert_str_eq (ppi_share_format (12, text, sizeof text), "1200 %");
	ck_assert_str_eq (ppi_share_format (NAN, text, sizeof text), "unknown");
}
END_TEST

START_TEST (a_value_of_a_knob_is_its_word_or_the_number)
{
	char text[64];

	ck_assert_str_eq (ppi_knob_format ("box, linear", 1, text, sizeof text), "linear");
	ck_assert_str_eq (ppi_knob_format ("box, linear", 7, text, sizeof text), "7");
	ck_assert_str_eq (ppi_knob_format (NULL, 0.1, text, sizeof text), "0.1");
	ck_assert_str_eq (ppi_knob_format ("box", -1e300, text, sizeof text), "-1e+300");
}
END_TEST

static void becomes (const char *text, const char *expected)
{
	char copy[64];

	strcpy (copy, text);
	ppi_text_for_locale (copy);
	ck_assert_str_eq (copy, expected);
}

START_TEST (text_is_that_of_the_users_locale_whatever_the_program_set)
{
	setenv ("LC_ALL", "C", 1);
	ppi_locale_look ();
	ck_assert (!ppi_locale_is_utf8 ());
	becomes ("4 → 3, 12 µs ± 3 µs", "4 -> 3, 12 us +- 3 us");
	becomes ("/home/m\xc3\xbcller: 3 µs", "/home/m\xc3\xbcller: 3 us");
	setenv ("LC_ALL", "", 1);
	setenv ("LC_CTYPE", "de_DE.utf8@euro", 1);
	ppi_locale_look ();
	ck_assert (ppi_locale_is_utf8 ());
	becomes ("4 → 3", "4 → 3");
	unsetenv ("LC_CTYPE");
	setenv ("LANG", "de_DE", 1);
	ppi_locale_look ();
	ck_assert (!ppi_locale_is_utf8 ());
	setenv ("LANG", "en_GB.UTF-8", 1);
	ppi_locale_look ();
	ck_assert (ppi_locale_is_utf8 ());
}
END_TEST

static Suite *quantities_suite (void)
{
	Suite *suite = suite_create ("quantity");
	TCase *tests = tcase_create ("quantity");

	tcase_add_test (tests, quantities_have_three_digits_and_a_unit_that_suits_them);
	tcase_add_test (tests, huge_figures_are_short);
	tcase_add_test (tests, what_can_not_be_told_from_nothing_is_said_to_be);
	tcase_add_test (tests, two_that_differ_look_different);
	tcase_add_test (tests, shares_are_percentages);
	tcase_add_test (tests, a_value_of_a_knob_is_its_word_or_the_number);
	tcase_add_test (tests, text_is_that_of_the_users_locale_whatever_the_program_set);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {quantities_suite};

	return ppcheck_main (suites, 1);
}
