/* SPDX-License-Identifier: MIT */
/* test_terms.c: expressions over dimensions: what they are, and what is said of those that are none. */
#include "profiler/analysis/terms.h"
#include "tests/unit/array_records.h"

#include "ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *site_name (uint32_t site, void *arg)
{
	(void) site, (void) arg;
	return "site";
}

/* A record with one of each, and its parent. */
struct world {
	struct ppi_records *records;
	struct ppi_query_source source;
	struct ppi_terms *terms;
};

static void make (struct world *w)
{
	w->records = array_records ();
	array_begin (w->records, "AttrEval");
	array_text (w->records, "name", "lookup");
	array_text (w->records, "cached", "false");
	array_int (w->records, "bytes", 5000);
	array_int (w->records, "negative", -7);
	array_real (w->records, "ratio", 2.5);
	array_bits (w->records, "yes", PP_ABI_VALUE_BOOL, 1);
	array_bits (w->records, "no", PP_ABI_VALUE_BOOL, 0);
	array_bits (w->records, "small", PP_ABI_VALUE_UNSIGNED, 12);
	array_bits (w->records, "large", PP_ABI_VALUE_UNSIGNED, UINT64_MAX);
	array_end (w->records, 1500);
	w->source = (struct ppi_query_source){
		.records = w->records, .total_ns = (double) NAN, .site_name = site_name};
	w->terms = ppi_terms_create (&w->source);
	ck_assert_ptr_nonnull (w->terms);
}

static void drop (struct world *w)
{
	ppi_terms_destroy (w->terms);
	ppi_records_close (w->records);
}

static struct ppi_value slot_value (const struct ppi_record *record, uint32_t key)
{
	for (unsigned i = 0; i < record->n_dims; i++)
		if (record->dim[i].key == key)
			return ppi_value_recorded (record->dim[i].type,
						   record->dim[i].type == PP_ABI_VALUE_STRING
							   ? record->dim[i].is.text
							   : record->dim[i].is.pointer);
	return (struct ppi_value){.type = PP_ABI_VALUE_NONE};
}

/* What EXPRESSION is of that record, as text; or what is wrong with it. The caller's to free. */
static char *value_of (const char *expression)
{
	const struct ppi_record *record;
	struct ppi_record_frame frame[2] = {{.depth = 0}};
	struct ppi_value slot[64];
	struct ppi_nest nest = {.frame = frame, .slot = slot};
	char why[512], text[64], *is;
	const uint32_t *key;
	struct world w;
	unsigned term;

	make (&w);
	record = array_last (w.records);
	if (ppi_terms_expression (w.terms, expression, &term, why, sizeof why)) {
		key = ppi_terms_slots (w.terms, &nest.n_slots);
		for (uint32_t i = 0; i < nest.n_slots; i++)
			slot[nest.n_slots + i] = slot_value (record, key[i]);
		frame[1] = (struct ppi_record_frame){
			.event = record->event, .thread = 1, .time_ns = record->time_ns};
		is = strdup (ppi_value_text (w.terms, ppi_terms_value (w.terms, term, &nest, 1),
					     text, sizeof text));
	} else {
		is = strdup (why);
	}
	drop (&w);
	return is;
}

static void expect (const char *expression, const char *value)
{
	char *is = value_of (expression);

	ck_assert_msg (strcmp (is, value) == 0, "%s is %s, not %s", expression, is, value);
	free (is);
}

START_TEST (booleans_are_true_and_false)
{
	expect ("yes", "true");
	expect ("no", "false");
	expect ("yes = true and yes = 1 and no = 0 and no != true", "true");
	expect ("yes and not no", "true");
	expect ("yes + yes", "2");
	expect ("yes = 'true'", "false");
	expect ("not yes", "false");
}
END_TEST

START_TEST (numbers_without_a_sign_have_none)
{
	expect ("small", "12");
	expect ("small - 13", "-1");
	expect ("large", "18446744073709551615");
	expect ("large = 18446744073709551615", "true");
	expect ("large = 18446744073709551614", "false");
	expect ("large > 18446744073709551614 and large > small and large > negative", "true");
	expect ("large > 9223372036854775807", "true");
	expect ("large < 0", "false");
	expect ("large = negative", "false");
	expect ("large + 1", "1.8446744073709552e+19");
	expect ("18446744073709551616", "1.8446744073709552e+19");
}
END_TEST

START_TEST (numbers_are_reckoned_with)
{
	expect ("1 + 2 * 3 - 4", "3");
	expect ("(1 + 2) * -3", "-9");
	expect ("7 / 2", "3.5");
	expect ("8 / 2", "4");
	expect ("bytes % 1000 + bytes", "5000");
	expect ("negative % 5", "3");
	expect ("1 / 0", "(none)");
	expect ("9223372036854775807 + 1", "9.223372036854776e+18");
	expect ("0x10", "0x10");
	expect ("1ms", "1000000");
	expect ("2KiB", "2048");
	expect ("1.5us", "1500");
	expect ("999999999999s", "9.99999999999e+20");
	expect ("bytes + name", "(none)");
}
END_TEST

START_TEST (functions_make_classes)
{
	expect ("log2(bytes)", "12");
	expect ("log2(0)", "(none)");
	expect ("log2(ratio)", "1");
	expect ("log10(bytes)", "3");
	expect ("floor(ratio)", "2");
	expect ("round(-ratio)", "-3");
	expect ("abs(negative)", "7");
	expect ("min(bytes, negative)", "-7");
	expect ("max(bytes, ratio)", "5000");
	expect ("length(name)", "6");
	expect ("hash(name) = hash('lookup')", "true");
	expect ("hash(name) = hash(cached)", "false");
	/* longer than what it begins with is no two letters in each other's place */
	expect ("minxy", "column 1 of 'minxy': no record has a dimension 'minxy'; a text stands in "
			 "quotes: 'minxy'");
	expect ("has(missing_one)", "column 5 of 'has(missing_one)': no record has a dimension "
				    "'missing_one'; a text stands in quotes: 'missing_one'");
}
END_TEST

START_TEST (conditions_have_three_values)
{
	expect ("name = \"lookup\" and bytes > 3", "true");
	expect ("name = 'x' or bytes >= 5000 and bytes < 5001", "true");
	expect ("not name ~ 'look*'", "false");
	expect ("time = 1.5us", "true");
	expect ("name < 'm'", "true");
	expect ("name < 3", "(none)");
	expect ("name = 3", "false");
	expect ("parent.name = 'x'", "(none)");
	expect ("not parent.name = 'x'", "(none)");
	expect ("parent.name = 'x' and false", "false");
	expect ("parent.name = 'x' or true", "true");
	expect ("has(parent.name)", "false");
	expect ("root.name", "lookup");
	expect ("event", "AttrEval");
	expect ("location", "root");
	expect ("`name`", "lookup");
	expect ("'it''s'", "it's");
}
END_TEST

START_TEST (what_is_wrong_is_told_with_its_place)
{
	expect ("nmae",
		"column 1 of 'nmae': no record has a dimension 'nmae'; did you mean 'name'?");
	expect ("1 + evnt", "column 5 of '1 + evnt': no record has a dimension 'evnt'; did you "
			    "mean 'event'?");
	expect ("1 +", "column 4 of '1 +': a value is missing at the end");
	expect ("1 < 2 < 3", "column 7 of '1 < 2 < 3': comparisons don't chain: write 'a < b and b "
			     "< c'");
	expect ("(1", "column 1 of '(1': this '(' is not closed");
	expect ("\"a", "column 1 of '\"a': the closing \" is missing");
	expect ("1 2", "column 3 of '1 2': '2' is too much");
	expect ("3 parsec", "column 3 of '3 parsec': 'parsec' is too much");
	expect ("3parsec", "column 2 of '3parsec': there is no unit 'parsec'");
	expect ("min(1)", "column 6 of 'min(1)': min takes two values: ',' is missing");
	expect ("depends-on(depends-on)", "column 12 of 'depends-on(depends-on)': depends-on can't "
					  "stand inside another such");
}
END_TEST

START_TEST (nesting_is_bounded)
{
	char deep[1000];
	char *is;

	memset (deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	is = value_of (deep);
	ck_assert_ptr_nonnull (strstr (is, "column "));
	free (is);
	memset (deep, '-', sizeof deep - 1);
	is = value_of (deep);
	ck_assert_ptr_nonnull (strstr (is, "nested too deeply"));
	free (is);
}
END_TEST

START_TEST (a_list_has_dimensions_of_ones_own_and_a_condition)
{
	struct ppi_query_list list;
	struct world w;
	char why[512];

	make (&w);
	ck_assert (ppi_terms_define (w.terms, "large = bytes > 4KiB", why, sizeof why));
	ck_assert_msg (ppi_terms_list (w.terms,
				       "name, class = log2(bytes) large parent.name hash(name) "
				       "where large and class > 3",
				       &list, why, sizeof why),
		       "%s", why);
	ck_assert_uint_eq (list.n, 5);
	ck_assert_str_eq (list.dim[1].label, "class");
	ck_assert_str_eq (list.dim[2].label, "large");
	ck_assert_str_eq (list.dim[3].label, "parent.name");
	ck_assert_str_eq (list.dim[4].label, "hash(name)");
	ck_assert (list.has_where);
	ppi_query_list_clear (&list);
	ck_assert (!ppi_terms_define (w.terms, "large = 3", why, sizeof why));
	ck_assert_str_eq (why, "column 1 of 'large = 3': 'large' is there twice");
	ck_assert (!ppi_terms_define (w.terms, "depth = 3", why, sizeof why));
	ck_assert (!ppi_terms_define (w.terms, "depth", why, sizeof why));
	drop (&w);
}
END_TEST

START_TEST (a_text_that_is_a_name_makes_no_dimension_of_it)
{
	struct world w;
	char why[512];
	unsigned term;

	make (&w);
	/* a value, but nobody's key: it is still what is derived */
	array_begin (w.records, "depth");
	array_text (w.records, "name", "cachde");
	array_end (w.records, 1);
	ck_assert (ppi_terms_expression (w.terms, "depth", &term, why, sizeof why));
	ck_assert (ppi_terms_all_seen (w.terms, why, sizeof why));
	ck_assert (ppi_terms_expression (w.terms, "cachde", &term, why, sizeof why));
	ck_assert (!ppi_terms_all_seen (w.terms, why, sizeof why));
	ck_assert_str_eq (why, "no record has a dimension 'cachde'; did you mean 'cached'?");
	drop (&w);
}
END_TEST

static Suite *terms (void)
{
	Suite *suite = suite_create ("terms");
	TCase *tests = tcase_create ("terms");

	tcase_add_test (tests, booleans_are_true_and_false);
	tcase_add_test (tests, numbers_without_a_sign_have_none);
	tcase_add_test (tests, numbers_are_reckoned_with);
	tcase_add_test (tests, functions_make_classes);
	tcase_add_test (tests, conditions_have_three_values);
	tcase_add_test (tests, what_is_wrong_is_told_with_its_place);
	tcase_add_test (tests, nesting_is_bounded);
	tcase_add_test (tests, a_list_has_dimensions_of_ones_own_and_a_condition);
	tcase_add_test (tests, a_text_that_is_a_name_makes_no_dimension_of_it);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {terms};

	return ppcheck_main (suites, 1);
}
