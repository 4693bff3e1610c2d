/* SPDX-License-Identifier: MIT */
/*
 * query.c: dimensions and conditions that anybody wrote: lines before the last define dimensions,
 * the last one is a query, answered of a few records, as tables and as a graph. In place of a
 * recording's records these are made here, nested as a program's.
 */
#include "profiler/analysis/query.h"
#include "profiler/analysis/shell_complete.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 40, TEXT_MOST = 4096 };

static const char *const texts[] = {"?",  "eval",   "name",  "cached", "n",     "x",
				    "at", "iszero", "value", "true",   "false", "time"};
enum { TEXTS = sizeof texts / sizeof *texts, NAME = 2, CACHED, N, X, AT };

struct ppi_records {
	int unused;
};

struct ppi_records *ppi_records_open (const struct ppi_recording *recording, char *why, size_t room)
{
	(void) recording, (void) why, (void) room;
	return NULL;
}

void ppi_records_close (struct ppi_records *records)
{
	(void) records;
}

void ppi_records_begin_behind (struct ppi_records *records, uint32_t number)
{
	(void) records, (void) number;
}

const char *ppi_records_text (const struct ppi_records *records, uint32_t id)
{
	(void) records;
	return id < TEXTS ? texts[id] : "";
}

uint32_t ppi_records_id (const struct ppi_records *records, const char *text)
{
	(void) records;
	for (uint32_t i = 0; i < TEXTS; i++)
		if (strcmp (texts[i], text) == 0)
			return i;
	return UINT32_MAX;
}

size_t ppi_records_keys (const struct ppi_records *records, uint32_t *key, size_t room)
{
	size_t n = 0;

	(void) records;
	for (uint32_t i = NAME; i <= AT && n < room; i++)
		key[n++] = i;
	return n;
}

bool ppi_records_each (struct ppi_records *records,
		       bool (*fn) (const struct ppi_record *record, void *arg), void *arg,
		       char *why, size_t room)
{
	static const double reals[] = {0, -0.0, 1e308, -INFINITY, NAN, 0.5};

	(void) records;
	if (room)
		*why = '\0';
	for (unsigned i = 0; i < RECORDS; i++) {
		const struct ppi_record_dim dim[] = {
			{NAME, PP_ABI_VALUE_STRING, {.text = 7 + i % 2}},
			{CACHED, PP_ABI_VALUE_STRING, {.text = i % 5 ? 9 + i % 3 % 2 : UINT32_MAX}},
			{N, PP_ABI_VALUE_INT, {.integer = i % 7 ? (int64_t) i - 9 : INT64_MIN}},
			{X, PP_ABI_VALUE_DOUBLE, {.real = reals[i % 6]}},
			{AT, PP_ABI_VALUE_POINTER, {.pointer = i % 4 ? i : UINT64_MAX}},
		};
		const struct ppi_record record = {.number = i % 20 + 1,
						  .event = 1 + i % 30 / 29,
						  .site = i % 3,
						  .thread = 1 + i / 20,
						  .depth = i % 20 % 6,
						  .is_point = i % 11 == 10,
						  .is_span = i % 20 == 19,
						  .begin_ns = 1000 - i,
						  .time_ns = i % 13 ? 10 + i : (double) NAN,
						  .n_dims = 1 + i % 5,
						  .dim = dim};

		if (!fn (&record, arg))
			break;
	}
	return true;
}

void ppi_records_info (const struct ppi_records *records, struct ppi_records_info *out)
{
	(void) records;
	*out = (struct ppi_records_info){
		.records = RECORDS, .cost_inside_ns = 2, .cost_around_ns = 1};
}

static const char *site_name (uint32_t site, void *arg)
{
	(void) arg;
	return site == 1 ? "a.c:f/eval" : "?";
}

/* ---- the target ------------------------------------------------------------------------------ */

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	fuzz_be_quiet ();
	return 0;
}

/* A sentence says what is wrong. */
static bool is_told (bool ok, const char *why)
{
	if (!ok && !*why)
		abort ();
	return ok;
}

static void ask (const struct ppi_query_source *source, char *text, bool as_graph)
{
	struct ppi_query query = {.terms = ppi_terms_create (source)};
	char why[512] = "", *line;
	bool ok = query.terms != NULL;

	if (!ok)
		abort ();
	while (ok && (line = strchr (text, '\n'))) {
		*line = '\0';
		ok = is_told (ppi_terms_define (query.terms, text, why, sizeof why), why);
		*line = '\n';
		text = line + 1;
	}
	ok = ok &&
	     is_told (ppi_terms_list (query.terms, text, &query.list, why, sizeof why), why) &&
	     query.list.n;
	if (ok && as_graph)
		is_told (ppi_query_dot (&query, source, stdout, why, sizeof why), why);
	else if (ok && is_told (ppi_query_run (&query, source, why, sizeof why), why) &&
		 (!ppi_query_print_text (&query, PPI_UNIT_NS, stdout) ||
		  !ppi_query_print_csv (&query, stdout)))
		abort ();
	ppi_query_clear (&query);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	static const char *const none[] = {NULL};
	static struct ppi_records records;
	const struct ppi_query_source source = {
		.records = &records, .total_ns = 1e6, .site_name = site_name};
	struct ppi_completions words;
	char text[TEXT_MOST + 1];

	if (bytes > TEXT_MOST)
		bytes = TEXT_MOST;
	memcpy (text, data, bytes);
	text[bytes] = '\0';
	ask (&source, text, false);
	ask (&source, text, true);
	if (!ppi_shell_complete (&records, text, strlen (text), none, none, &words))
		abort ();
	if (ppi_completions_common (&words) < words.typed)
		abort ();
	ppi_completions_clear (&words);
	return 0;
}
