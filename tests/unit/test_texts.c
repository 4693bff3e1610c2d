/* SPDX-License-Identifier: MIT */
/*
 * test_texts.c: the numbers of texts that were met before (libmetrics/region/texts_known.h) are
 * those that the table has, whatever lies where they lay, and nothing behind them is read.
 */
#include "base/lock.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/region/texts_known.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ppi_texts_known known;

static void prepare (void)
{
	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ck_assert_int_eq (ppi_texts_prepare (0), PP_OK);
	ppi_unlock ();
}

/* Twice: learned, and known. */
static void has_its_number (const char *text)
{
	uint32_t number = ppi_text_number_of (text);

	ck_assert_uint_eq (ppi_text_known_number (&known, text), number);
	ck_assert_uint_eq (ppi_text_known_number (&known, text), number);
}

START_TEST (another_text_at_the_same_place_has_its_own_number)
{
	char at[128];

	prepare ();
	for (unsigned from = 0; from < 8; from++)
		for (unsigned n = 0; n < 110; n++) {
			char *text = at + from;

			memset (text, 'a', n);
			text[n] = '\0';
			has_its_number (text);
			/* longer, shorter, and other in its first, its last and a middle one */
			text[n] = 'b';
			text[n + 1] = '\0';
			has_its_number (text);
			text[n / 2] = '\0';
			has_its_number (text);
			for (unsigned i = 0; i<n; i += n> 2 ? (n - 1) / 2 : 1) {
				memset (text, 'a', n);
				text[n] = '\0';
				has_its_number (text);
				text[i] = 'c';
				has_its_number (text);
			}
		}
}
END_TEST

START_TEST (nothing_behind_a_text_is_read)
{
	size_t page = (size_t) sysconf (_SC_PAGESIZE);
	char *two =
		mmap (NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	prepare ();
	ck_assert (two != MAP_FAILED);
	ck_assert_int_eq (mprotect (two + page, page, PROT_NONE), 0);
	for (unsigned n = 0; n < 110; n++) {
		char *text = two + page - n - 1;

		memset (text, 'x', n);
		has_its_number (text);
		/* a known text is longer than what lies there now, up to the end of the page */
		for (unsigned less = n; less; less--) {
			memset (text, 'x', n);
			has_its_number (text);
			text[less - 1] = '\0';
			has_its_number (text);
		}
	}
	munmap (two, 2 * page);
}
END_TEST

START_TEST (what_lies_around_a_text_changes_nothing)
{
	char at[] = "12345678abcdefgh12345678";

	prepare ();
	for (unsigned from = 0; from < 8; from++) {
		uint32_t number;

		at[from + 5] = '\0';
		number = ppi_text_known_number (&known, at + from);
		at[from + 6] ^= 1;
		if (from)
			at[from - 1] ^= 1;
		ck_assert_uint_eq (ppi_text_known_number (&known, at + from), number);
		at[from + 5] = 'z';
	}
}
END_TEST

START_TEST (what_records_are_of_has_as_many_numbers_as_strings_have)
{
	uint32_t first, before = 0, most = 0;
	char text[32];

	prepare ();
	first = ppi_shape_number ("0", 1);
	for (unsigned i = 0; i < PPI_TEXTS_USUAL; i++) {
		uint32_t number =
			ppi_shape_number (text, (size_t) snprintf (text, sizeof text, "%u", i));

		ck_assert_uint_ne (number, 0);
		ck_assert_uint_ne (number, before);
		before = number;
		most = number > most ? number : most;
	}
	ck_assert_uint_ge (most, PPI_TEXTS_USUAL);
	ck_assert_uint_eq (ppi_shape_number ("0", 1), first);
	/* what is beyond has none, which costs strings nothing */
	ck_assert_uint_eq (ppi_shape_number ("beyond", 6), 0);
	ck_assert_uint_ne (ppi_text_number ("beyond", 6), PPI_TEXT_OTHER);
}
END_TEST

START_TEST (texts_that_are_cut_off_are_cut_as_everywhere)
{
	static char text[2000];

	prepare ();
	for (unsigned n = 1015; n < 1030; n++) {
		memset (text, 'y', n);
		text[n] = '\0';
		has_its_number (text);
		/* not in the middle of a character */
		memcpy (text + 1020, "\xe2\x82\xac\xe2\x82\xac", 6);
		has_its_number (text);
	}
}
END_TEST

static Suite *texts (void)
{
	Suite *suite = suite_create ("texts");
	TCase *tcase = tcase_create ("known texts");

	tcase_add_test (tcase, another_text_at_the_same_place_has_its_own_number);
	tcase_add_test (tcase, nothing_behind_a_text_is_read);
	tcase_add_test (tcase, what_lies_around_a_text_changes_nothing);
	tcase_add_test (tcase, what_records_are_of_has_as_many_numbers_as_strings_have);
	tcase_add_test (tcase, texts_that_are_cut_off_are_cut_as_everywhere);
	suite_add_tcase (suite, tcase);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {texts};

	return ppcheck_main (suites, 1);
}
