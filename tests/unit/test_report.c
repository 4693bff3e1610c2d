/* SPDX-License-Identifier: MIT */
/*
 * test_report.c: how figures read in reports, and that nothing in a recording can talk to a
 * terminal.
 */
#include "recording/read.h"
#include "base/quantity.h"
#include "libmetrics/keep/shard.h"
#include "report/read.h"
#include "report/render.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The report on the region as one string, to be freed. */
static char *report (const void *region, size_t bytes)
{
	struct ppi_recording *recording;
	struct ppi_report *model;
	char why[400] = "", *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	ck_assert_ptr_nonnull (out);
	ck_assert_msg (
		ppi_recording_attach (region, bytes, "sample", &recording, why, sizeof why) == 0,
		"%s", why);
	model = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	ck_assert_ptr_nonnull (model);
	ppi_report_text (out, model, NULL);
	ppi_report_free (model);
	fclose (out);
	ppi_recording_close (recording);
	return text;
}

START_TEST (names_in_a_recording_can_not_talk_to_the_terminal)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	size_t used = sample_region_make (region);
	static const char *const names[] = {"render.yaml", "trace_pixel",     "pixel_time",
					    "antialias",   "/usr/bin/render", "elapsed"};
	char *text;

	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
		for (char *at = region;
		     (at = memmem (at, (size_t) (region + used - at), names[n], strlen (names[n])));
		     at++)
			at[1] = '\033';
	text = report (region, used);
	ck_assert_ptr_null (strchr (text, '\033'));
	ck_assert_ptr_nonnull (strstr (text, "a?tialias"));
	free (text);
}
END_TEST

/* Terminals take those of control above 0x7f too, by themselves or in UTF-8 */
START_TEST (what_is_no_character_is_a_question_mark)
{
	static const struct {
		const char *bytes, *shown;
	} cases[] = {{"\x9b", "a?tialias"},           {"\xc2\x9b", "a?ialias"},
		     {"\xc0\xaf", "a??ialias"},       {"\xed\xa0\x80", "a???alias"},
		     {"\xe2\x82", "a??ialias"},       {"\xf4\x90\x80\x80", "a????lias"},
		     {"\xc3\xa4", "a\xc3\xa4ialias"}, {"\xf0\x9f\x98\x80", "a\xf0\x9f\x98\x80lias"},
		     {"\xc2\xa0", "a\xc2\xa0ialias"}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		static _Alignas(64) char region[SAMPLE_REGION_BYTES];
		size_t used = sample_region_make (region);
		char *text, *at = region;

		while ((at = memmem (at, (size_t) (region + used - at), "antialias", 9)))
			memcpy (at + 1, cases[i].bytes, strlen (cases[i].bytes));
		text = report (region, used);
		ck_assert_msg (strstr (text, cases[i].shown), "%s", cases[i].shown);
		free (text);
	}
}
END_TEST

START_TEST (an_empty_region_has_a_report_without_empty_sections)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) region;
	char *text;

	(void) sample_region_make (region);
	memset (header->drops, 0, sizeof header->drops);
	header->used = header->header_bytes;
	text = report (region, header->used);
	ck_assert_ptr_nonnull (strstr (text, "recording  complete"));
	ck_assert_ptr_null (strstr (text, "metrics"));
	ck_assert_ptr_null (strstr (text, "assertions"));
	ck_assert_ptr_null (strstr (text, "history"));
	ck_assert_ptr_null (strstr (text, "not measured"));
	free (text);
}
END_TEST

/* Every {KEY} of TEXT is a column of COLUMNS */
static unsigned check_keys (const struct ppi_columns *columns, const char *text)
{
	unsigned n = 0;

	for (; text && (text = strchr (text, '{')); n++) {
		const char *key = text + 1 + (text[1] == '#');
		size_t length = strcspn (key, ":}");
		const struct ppi_column *c = columns->first;

		while (c && (strlen (c->key) != length || strncmp (c->key, key, length) != 0))
			c = c->next;
		ck_assert_msg (c != NULL, "%.*s is no column", (int) length, key);
		text = key;
	}
	return n;
}

static unsigned check_table (const struct ppi_table *table)
{
	unsigned n = check_keys (table->columns, table->columns->form);

	for (const struct ppi_row *row = table->rows; row; row = row->next) {
		n += check_keys (table->columns, row->sentence);
		for (const struct ppi_cell *c = row->cells; c; c = c->next)
			if (c->column->kind == PPI_CELL_TABLE)
				n += check_table (c->table);
	}
	return n;
}

START_TEST (sentences_name_cells_that_there_are)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	size_t bytes = sample_region_make (region);
	struct ppi_recording *recording;
	struct ppi_report *model;
	char why[400] = "";
	unsigned n = 0;

	ck_assert_int_eq (
		ppi_recording_attach (region, bytes, "sample", &recording, why, sizeof why), 0);
	model = ppi_report_build (recording, PPI_EXTENT_WHOLE);
	ck_assert_ptr_nonnull (model);
	for (const struct ppi_table *table = model->tables; table; table = table->next)
		n += check_table (table);
	ck_assert_uint_gt (n, 50);
	ppi_report_free (model);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (a_locale_without_utf_8_gets_ascii)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	size_t bytes = sample_region_make (region);
	char *text;

	setenv ("LC_ALL", "C", 1);
	ppi_locale_look ();
	text = report (region, bytes);
	for (const char *c = text; *c; c++)
		ck_assert_msg ((unsigned char) *c < 0x80, "%s", c);
	ck_assert_ptr_nonnull (strstr (text, "400 us"));
	free (text);
	setenv ("LC_ALL", "C.UTF-8", 1);
	ppi_locale_look ();
	text = report (region, bytes);
	ck_assert_ptr_nonnull (strstr (text, "400 µs"));
	free (text);
}
END_TEST

START_TEST (shares_of_nothing_are_unknown)
{
	struct ppi_assertion_chunk assertion = {.checks = 5, .unknowns = 5};

	ck_assert (isnan (ppi_violation_share (NULL, &assertion)));
	assertion.passes = 3;
	assertion.violations = 1;
	ck_assert_double_eq (ppi_violation_share (NULL, &assertion), 0.25);
}
END_TEST

/* In place of the metric, a figure of a group, a time */
static void capture_figure (struct ppi_assertion_chunk *a, const char *figure)
{
	struct ppi_capture_entry *entry = (void *) ((char *) a + a->capture);

	entry->metric = 0;
	entry->text = sizeof *entry;
	entry->seconds = 1;
	strcpy ((char *) (entry + 1), figure);
}

/*
 * The line of the capture in the report, where the assertion's captured metric, or FIGURE, was like
 * CONTRAST
 */
static char *line_of (const struct ppi_contrast *contrast, uint64_t held, const char *figure)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) region;
	size_t bytes = sample_region_make (region);
	char *text, *line;

	for (char *at = region + header->header_bytes; at < region + bytes;
	     at += ((struct ppi_chunk *) at)->bytes) {
		struct ppi_assertion_chunk *a = (void *) at;

		if (a->chunk.type != PPI_CHUNK_ASSERTION)
			continue;
		((struct ppi_capture_entry *) (at + a->capture))->contrast = *contrast;
		a->passes = held;
		if (figure)
			capture_figure (a, figure);
	}
	text = report (region, bytes);
	line = strstr (text, "what else was high then\n");
	ck_assert_ptr_nonnull (line);
	line = strdup (line + strlen ("what else was high then\n"));
	*strchr (line, '\n') = '\0';
	free (text);
	return line;
}

static void says (const struct ppi_contrast *contrast, uint64_t held, const char *expected)
{
	char *line = line_of (contrast, held, NULL);

	ck_assert_str_eq (line, expected);
	free (line);
}

/* Every tenth of N violates */
static struct ppi_contrast every_tenth (int n, double violating, double other, double late)
{
	struct ppi_contrast c = {.near_n = 0};

	for (int i = 0; i < n; i++)
		ppi_contrast_add (&c, i % 10 == 9,
				  (i % 10 == 9 ? violating : other) + (i >= n / 2 ? late : 0), 1);
	return c;
}

START_TEST (a_captured_figure_of_a_group_is_told_as_it_was_written_and_in_its_unit)
{
	struct ppi_contrast c = every_tenth (400, 0.024, 0.010, 0.002);
	char *line = line_of (&c, 360, "latency{command=\"GET\"}.p99");

	ck_assert_str_eq (line,
			  "      latency{command=\"GET\"}.p99  25.0 ms at 40 violations, 12.4 "
			  "ms at 400 checks: 2.02 times (95 % 1.99 to 2.04)");
	free (line);
}
END_TEST

START_TEST (captures_are_told_with_both_numbers_and_an_interval_or_without_a_claim)
{
	struct ppi_contrast c = every_tenth (400, 24, 10, 2);

	says (&c, 360,
	      "      shadow_rays  25 at 40 violations, 12.4 at 400 checks: 2.02 times (95 % 1.99 "
	      "to 2.04)");
	ppi_contrast_add (&c, true, NAN, 1);
	ppi_contrast_add (&c, false, NAN, 1);
	says (&c, 361,
	      "      shadow_rays  25 at 40 violations, 12.4 at 400 checks: 2.02 times (95 % 1.99 "
	      "to 2.04); unknown at 1 violation; unknown at 1 check that held");
	c = every_tenth (400, 10, 10, 0);
	says (&c, 360,
	      "      shadow_rays  10 at 40 violations, 10 at 400 checks: no difference seen (95 % "
	      "1.00 to 1.00 times)");
	says (&c, 3600,
	      "      shadow_rays  10 at 40 violations, 10 at 3640 checks (400 looked at): no "
	      "difference seen (95 % 1.00 to 1.00 times)");
	c = every_tenth (40, 20, 10, 0);
	says (&c, 36,
	      "      shadow_rays  20 at 4 violations, 11 at 40 checks: too few violations to "
	      "compare");
	memset (&c, 0, sizeof c);
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i > 200 && i % 20 == 19, i < 200 ? 0 : 10, 1);
	says (&c, 390,
	      "      shadow_rays  10 at 10 violations, 5.00 at 400 checks: no difference from the "
	      "checks just before (2.00 times all checks: it changed over time)");
	memset (&c, 0, sizeof c);
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i >= 390, i < 390 ? 10 : 20, 1);
	says (&c, 390,
	      "      shadow_rays  20 at 10 violations, 10.2 at 400 checks: 1.95 times (95 % 1.95 "
	      "to 1.95), seen in 1 stretch of time only");
}
END_TEST

/* A region with what a budget made of two bindings. */
START_TEST (what_a_budget_did_is_told_with_the_bindings_by_name)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES + 1024];
	struct ppi_region_header *header = (void *) region;
	struct ppi_overhead_chunk *o = (void *) (region + sample_region_make (region));
	struct ppi_binding_chunk *b = NULL;
	char *text;

	*o = (struct ppi_overhead_chunk){
		.chunk = {.bytes = (sizeof *o + 63) / 64 * 64, .type = PPI_CHUNK_OVERHEAD, .id = 1},
		.budget = 0.01,
		.share = 0.0072,
		.most = 1.2,
		.looks = 12,
		.raised = 3,
		.taken = 1,
		.threads = 18,
		.thread = {{0.0072, 4711, 0}, {0.0005, 4712, 0}}};
	header->used += o->chunk.bytes;
	for (char *at = region + header->header_bytes; at < (char *) o;
	     at += ((struct ppi_chunk *) at)->bytes) {
		if (((struct ppi_chunk *) at)->type != PPI_CHUNK_BINDING)
			continue;
		b = (void *) at;
		b->asked = 1;
		b->bound = !b->kept_off;
		b->every = 64;
		b->kept_off = b->metric == SAMPLE_METRIC_RAYS;
	}
	ck_assert_ptr_nonnull (b);
	text = report (region, header->used);
	ck_assert_msg (strstr (text, "\noverhead\n  budget 1 % of a thread's time; the markers "
				     "took 0.72 % lately, 120 % at "
				     "most\n    by thread: 4711 0.72 %, 4712 0.05 %") != NULL,
		       "%s", text);
	ck_assert_ptr_nonnull (
		strstr (text, ", and 2 that paid less\n    bindings sampled more seldom 3 times\n"
			      "    bindings unbound 1 time\n"));
	ck_assert_ptr_nonnull (strstr (text, ": one execution in 64\n"));
	ck_assert_ptr_nonnull (strstr (text, ": unbound\n"));
	free (text);
}
END_TEST

START_TEST (times_below_the_clocks_resolution_are_said_to_be)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) region;
	size_t bytes = sample_region_make (region);
	char *text;

	/* of the ticks' clock: 3 to 10 ns there, on average 5.6 */
	header->seconds_per_tick = 1e-12;
	header->resolution_ticks = 5000;
	for (char *at = region + header->header_bytes; at < region + bytes;
	     at += ((struct ppi_chunk *) at)->bytes)
		if (((struct ppi_chunk *) at)->type == PPI_CHUNK_METRIC &&
		    ((struct ppi_chunk *) at)->id == SAMPLE_METRIC_TIME)
			((struct ppi_metric_chunk *) at)->scale = 0;
	text = report (region, bytes);
	ck_assert_msg (strstr (text, "5.60 ns   < 5 ns  10.0 ns  < 5 ns  31.0 ns  6.00 ns") != NULL,
		       "%s", text);
	free (text);
}
END_TEST

START_TEST (a_time_without_samples_is_not_below_the_clocks_resolution)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) region;
	size_t bytes = sample_region_make (region);
	char *text, *line;

	header->seconds_per_tick = 1e-12;
	header->resolution_ticks = 5000;
	for (char *at = region + header->header_bytes; at < region + bytes;
	     at += ((struct ppi_chunk *) at)->bytes) {
		struct ppi_metric_chunk *metric = (void *) at;
		struct ppi_shard *shard = (void *) at;

		if (metric->chunk.type == PPI_CHUNK_METRIC &&
		    metric->chunk.id == SAMPLE_METRIC_FAULTS) {
			metric->scale = 0;
			metric->unit = PPI_UNIT_SECONDS;
		}
		/* nothing was measured yet, of any metric */
		if (shard->chunk.type == PPI_CHUNK_SHARD)
			shard->all = (struct ppi_moments){.n = 0};
	}
	text = report (region, bytes);
	line = strstr (text, "faults: stats");
	ck_assert_ptr_nonnull (line);
	line = strchr (line, '\n') + 1;
	*strchrnul (line, '\n') = '\0';
	ck_assert_msg (strstr (line, "frame") && !strchr (line, '<'), "%s", line);
	free (text);
}
END_TEST

static Suite *reports (void)
{
	Suite *suite = suite_create ("report");
	TCase *tests = tcase_create ("report");

	tcase_add_test (tests, names_in_a_recording_can_not_talk_to_the_terminal);
	tcase_add_test (tests, what_is_no_character_is_a_question_mark);
	tcase_add_test (tests, an_empty_region_has_a_report_without_empty_sections);
	tcase_add_test (tests, sentences_name_cells_that_there_are);
	tcase_add_test (tests, a_locale_without_utf_8_gets_ascii);
	tcase_add_test (tests, shares_of_nothing_are_unknown);
	tcase_add_test (tests,
			captures_are_told_with_both_numbers_and_an_interval_or_without_a_claim);
	tcase_add_test (tests,
			a_captured_figure_of_a_group_is_told_as_it_was_written_and_in_its_unit);
	tcase_add_test (tests, times_below_the_clocks_resolution_are_said_to_be);
	tcase_add_test (tests, a_time_without_samples_is_not_below_the_clocks_resolution);
	tcase_add_test (tests, what_a_budget_did_is_told_with_the_bindings_by_name);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {reports};

	return ppcheck_main (suites, 1);
}
