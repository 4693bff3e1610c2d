/* SPDX-License-Identifier: MIT */
/*
 * query_rates.c: what a query itself costs: "query_rates" prints a line "NAME VALUE" for each
 * figure, of 10 million records that are made up one by one as they are read.
 *
 *   query.feed        seconds of a pass that does nothing
 *   query.engine      seconds of two dimensions, without what the feed takes
 *   query.engine.mib  the most memory that the process had
 */
#include "profiler/analysis/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { RECORDS = 10000000, NAMES = 20, DEEP = 40 };

static const char *const text[] = {
	"AttrEval", "name",  "cached", "false", "true",   "decl",  "lookup", "tipe", "value",
	"iszero",   "body",  "supers", "local", "errors", "kinds", "remote", "uses", "code",
	"width",    "lines", "scope",  "chain", "next",   "first", "left"};

enum { EVENT, NAME, CACHED, FALSE, FIRST_NAME = 5 };

const char *ppi_records_text (const struct ppi_records *records, uint32_t id)
{
	(void) records;
	return id < sizeof text / sizeof *text ? text[id] : "";
}

uint32_t ppi_records_id (const struct ppi_records *records, const char *wanted)
{
	(void) records;
	for (uint32_t i = 0; i < sizeof text / sizeof *text; i++)
		if (strcmp (text[i], wanted) == 0)
			return i;
	return UINT32_MAX;
}

bool ppi_records_each (struct ppi_records *records,
		       bool (*fn) (const struct ppi_record *record, void *arg), void *arg,
		       char *why, size_t room)
{
	struct ppi_dim dim[2] = {{.key = NAME, .type = PP_ABI_VALUE_STRING},
				 {.key = CACHED, .type = PP_ABI_VALUE_STRING}};
	uint64_t random = 88172645463325252u;
	uint32_t depth = 0;

	(void) records, (void) why, (void) room;
	for (uint64_t i = 1; i <= RECORDS; i++) {
		struct ppi_record record = {.number = i,
					    .event = EVENT,
					    .thread = 1,
					    .depth = depth,
					    .time_ns = (double) (100 * (DEEP + 1 - depth)),
					    .n_dims = 2,
					    .dim = dim};

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		dim[0].is.text = FIRST_NAME + (uint32_t) (random >> 40) % NAMES;
		dim[1].is.text = FALSE + (random >> 35 & 1);
		if (!fn (&record, arg))
			return false;
		depth = random >> 60 < 9 && depth < DEEP ? depth + 1
							 : (uint32_t) (random >> 20) % (depth + 1);
	}
	return true;
}

void ppi_records_info (const struct ppi_records *records, struct ppi_records_info *out)
{
	(void) records;
	*out = (struct ppi_records_info){.records = RECORDS, .cost_ns = 20};
}

static bool nothing (const struct ppi_record *record, void *arg)
{
	*(uint64_t *) arg += record->depth;
	return true;
}

static double now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static const char *no_site (uint32_t site, void *arg)
{
	(void) site, (void) arg;
	return "";
}

int main (void)
{
	struct ppi_query_source source = {.total_ns = (double) NAN, .site_name = no_site};
	struct ppi_query query = {.n_stats = 0};
	struct rusage used;
	uint64_t sum = 0;
	char why[256];
	double start = now (), feed;

	ppi_records_each (NULL, nothing, &sum, why, sizeof why);
	feed = now () - start;
	query.terms = ppi_terms_create (&source);
	if (!query.terms ||
	    !ppi_terms_list (query.terms, "name cached", &query.list, why, sizeof why))
		return 1;
	start = now ();
	if (!ppi_query_run (&query, &source, why, sizeof why) || query.sums.records != RECORDS)
		return 1;
	printf ("query.feed %.3f\n", feed);
	printf ("query.engine %.3f\n", now () - start - feed);
	getrusage (RUSAGE_SELF, &used);
	printf ("query.engine.mib %.1f\n", (double) used.ru_maxrss / 1024);
	if (!ppi_query_print_text (&query, PPI_UNIT_MS, stderr))
		return 1;
	ppi_query_clear (&query);
	return 0;
}
