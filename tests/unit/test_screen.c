/* SPDX-License-Identifier: MIT */
/* test_screen.c: the first screen fits, whatever there is; short names are unambiguous. */
#include "recording/layout.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/render.h"
#include "report/screen.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 60 };

/*
 * The sample's region with so many more of its chunk of TYPE; NAME, of its bytes, is written with a
 * number. Returns its bytes.
 */
static size_t grow (char *region, enum ppi_chunk_type type, const char *name, unsigned times)
{
	struct ppi_region_header *header = (void *) region;
	char *end = region + header->used, *found = NULL;

	for (char *at = region + header->header_bytes; at < end;
	     at += ((struct ppi_chunk *) at)->bytes)
		if (((struct ppi_chunk *) at)->type == type && !found)
			found = at;
	ck_assert_ptr_nonnull (found);
	for (unsigned i = 0; i < times; i++) {
		struct ppi_chunk *copy = (void *) (region + header->used);
		char number[8], *at;

		memcpy (copy, found, ((struct ppi_chunk *) found)->bytes);
		at = memmem (copy, copy->bytes, name, strlen (name));
		ck_assert_ptr_nonnull (at);
		snprintf (number, sizeof number, "%03u", i);
		memcpy (at, number, 3);
		if (type == PPI_CHUNK_SITE || type == PPI_CHUNK_METRIC)
			copy->id = 1000 + i;
		header->used += copy->bytes;
	}
	return header->used;
}

static struct ppi_recording *open_region (const char *region, size_t bytes)
{
	struct ppi_recording *recording;
	char why[400] = "";

	ck_assert_msg (
		ppi_recording_attach (region, bytes, "sample", &recording, why, sizeof why) == 0,
		"%s", why);
	return recording;
}

/* The first screen of REPORT as a string, to be freed. */
static char *screen (const struct ppi_report *report, int columns)
{
	const struct ppi_screen how = {.columns = columns, .path = "a.pprec"};
	struct ppi_report *first = ppi_screen_first (report, &how);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	ck_assert_ptr_nonnull (first);
	ppi_report_text (out, first, &(struct ppi_look){columns, false});
	fclose (out);
	ppi_report_free (first);
	return text;
}

static int width_of (const char *line)
{
	int n = 0;

	for (; *line && *line != '\n'; line++)
		n += ((unsigned char) *line & 0xc0) != 0x80;
	return n;
}

static void fits (const char *text, int columns)
{
	int lines = 0;

	for (const char *line = text; *line; line = strchr (line, '\n') + 1, lines++)
		ck_assert_msg (width_of (line) <= columns, "%d columns: %s", columns, text);
	ck_assert_msg (lines <= 23, "%d lines: %s", lines, text);
}

START_TEST (however_much_there_is_it_fits)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES + 4 * MANY * 1024];
	struct ppi_recording *recording;
	struct ppi_report *report;
	char *text;

	(void) sample_region_make (region);
	((struct ppi_region_header *) (void *) region)->limit = sizeof region;
	((struct ppi_region_header *) (void *) region)->state = PPI_RECORDING_LEFT;
	(void) grow (region, PPI_CHUNK_ASSERTION, "slow_pixel", MANY);
	(void) grow (region, PPI_CHUNK_KNOB, "antialias", MANY);
	recording = open_region (region, grow (region, PPI_CHUNK_METRIC, "pixel_time", MANY));
	report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	for (int columns = 80; columns <= 200; columns += 20) {
		text = screen (report, columns);
		fits (text, columns);
		ck_assert_ptr_nonnull (strstr (text, " of 61"));
		ck_assert_ptr_nonnull (strstr (text, "knob, 2 of 62"));
		ck_assert_ptr_nonnull (strstr (text, "left by a process that died"));
		free (text);
	}
	ppi_report_free (report);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (a_name_that_is_too_long_is_cut_and_no_figure_is_lost)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES + 4096];
	struct ppi_recording *recording;
	struct ppi_report *report;
	char *text, *name;

	recording = open_region (region, sample_region_make (region));
	report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	name = malloc (200);
	memset (name, 'x', 199);
	name[199] = '\0';
	((struct ppi_cell *) (uintptr_t) ppi_find_cell (ppi_find_table (report, "assertions")->rows,
							"name"))
		->text = name;
	text = screen (report, 80);
	fits (text, 80);
	ck_assert_ptr_nonnull (strstr (text, "xxx…"));
	ck_assert_ptr_nonnull (strstr (text, "firing"));
	ck_assert_ptr_nonnull (strstr (text, "24.2 %"));
	free (text);
	ppi_report_free (report);
	ppi_recording_close (recording);
	free (name);
}
END_TEST

START_TEST (what_an_empty_recording_lacks_is_not_there)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) region;
	struct ppi_recording *recording;
	struct ppi_report *report;
	char *text;

	(void) sample_region_make (region);
	memset (header->drops, 0, sizeof header->drops);
	header->used = header->header_bytes;
	recording = open_region (region, header->used);
	report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	text = screen (report, 80);
	ck_assert_ptr_nonnull (strstr (text, "nothing was expected: there were no assertions\n"));
	ck_assert_ptr_null (strstr (text, "\nmetric "));
	ck_assert_ptr_null (strstr (text, "\nknob"));
	free (text);
	ppi_report_free (report);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (texts_that_became_other_were_measured_but_are_not_exact)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	size_t bytes = sample_region_make (region);
	struct ppi_region_header *header = (void *) region;
	struct ppi_recording *recording;
	struct ppi_report *report;
	char *text;

	header->drops[PP_DROP_STRINGS] = 1000;
	header->drops[PP_DROP_TORN] = 2;
	recording = open_region (region, bytes);
	report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	text = screen (report, 80);
	ck_assert_ptr_nonnull (strstr (text, "\nnot measured: 7 (longjmp 7)\n"));
	ck_assert_ptr_nonnull (
		strstr (text, "\nnot exact: texts found no room 1000 times (strings)"));
	free (text);
	ppi_report_free (report);
	ppi_recording_close (recording);
}
END_TEST

static void short_is (struct ppi_report *report, const char *site, unsigned least,
		      const char *expected)
{
	ck_assert_str_eq (ppi_report_short_name (report, site, least), expected);
}

START_TEST (short_names_are_the_shortest_that_are_no_other_sites_end)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES + 4096];
	struct ppi_recording *recording;
	struct ppi_report *report;

	(void) sample_region_make (region);
	/* 000der!trace.c:trace_pixel/i1 and 001der!... beside render!... */
	recording = open_region (region, grow (region, PPI_CHUNK_SITE, "render", 1));
	report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	short_is (report, "render!frame.c:render_frame/frame", 1, "frame");
	short_is (report, "render!frame.c:render_frame/frame", 2, "render_frame/frame");
	short_is (report, "render!frame.c:render_frame/frame", 3, "frame.c:render_frame/frame");
	short_is (report, "render!frame.c:render_frame/frame", 9,
		  "render!frame.c:render_frame/frame");
	short_is (report, "render!trace.c:trace_pixel/i1", 1, "render!trace.c:trace_pixel/i1");
	short_is (report, "000der!trace.c:trace_pixel/i1", 2, "000der!trace.c:trace_pixel/i1");
	short_is (report, "of no site", 1, "of no site");
	short_is (report, "", 1, "");
	ppi_report_free (report);
	ppi_recording_close (recording);
}
END_TEST

static Suite *screens (void)
{
	Suite *suite = suite_create ("screen");
	TCase *tests = tcase_create ("screen");

	tcase_add_test (tests, however_much_there_is_it_fits);
	tcase_add_test (tests, a_name_that_is_too_long_is_cut_and_no_figure_is_lost);
	tcase_add_test (tests, what_an_empty_recording_lacks_is_not_there);
	tcase_add_test (tests, texts_that_became_other_were_measured_but_are_not_exact);
	tcase_add_test (tests, short_names_are_the_shortest_that_are_no_other_sites_end);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {screens};

	return ppcheck_main (suites, 1);
}
