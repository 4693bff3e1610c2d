/* SPDX-License-Identifier: MIT */
/* query.c: goes through records and fills the groups; see query.h. */
#include "profiler/analysis/query_int.h"

#include "base/types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a record is at one of the dimensions, while it is open. */
struct place {
	uint32_t value, row; /* PPI_NO_ROW: the condition does not hold */
	double of_value;     /* own times of that value, when it began */
};

struct run {
	struct ppi_query *query;
	struct ppi_query_level **level;
	unsigned n;
	uint32_t slot[PPI_QUERY_DIMS]; /* of a dimension that is one, UINT32_MAX of others */
	struct place *place;           /* n for each place of the nest */
	double *all; /* own times of all records, when the record at the place began */
	uint32_t room;
	double all_own;
};

static bool make_room (struct run *run, uint32_t place)
{
	uint32_t more = run->room ? 2 * run->room : 64;
	struct place *wide;
	double *all;

	if (place < run->room)
		return true;
	while (more <= place)
		more *= 2;
	wide = reallocarray (run->place, (size_t) more * (run->n + 1), sizeof *wide);
	if (!wide)
		return false;
	run->place = wide;
	all = reallocarray (run->all, more, sizeof *all);
	if (!all)
		return false;
	run->all = all;
	run->room = more;
	return true;
}

static struct ppi_value value_of (const struct run *run, const struct ppi_nest *nest,
				  uint32_t place, unsigned i)
{
	return __builtin_expect (run->slot[i] != UINT32_MAX, 1)
		       ? nest->slot[(size_t) place * nest->n_slots + run->slot[i]]
		       : ppi_terms_value (run->query->terms, run->query->list.dim[i].term, nest,
					  place);
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct run *run = arg;
	struct ppi_query *query = run->query;
	uint32_t parent = 0;
	bool chosen;

	if (__builtin_expect (!make_room (run, place), 0))
		return false;
	run->all[place] = run->all_own;
	chosen = !query->list.has_where ||
		 ppi_value_is_true (ppi_terms_value (query->terms, query->list.where, nest, place));
	query->chosen += chosen;
	for (unsigned i = 0; i < run->n; i++) {
		struct ppi_query_level *level = run->level[i];
		struct place *at = &run->place[place * run->n + i];

		at->value = ppi_level_value (level, value_of (run, nest, place, i));
		if (at->value == UINT32_MAX)
			return false;
		at->of_value = level->own[at->value];
		at->row = PPI_NO_ROW;
		if (!chosen)
			continue;
		at->row = parent = ppi_level_row (level, parent, at->value);
		if (parent == UINT32_MAX)
			return false;
		level->row[parent].active++;
	}
	return true;
}

/* The statistic's value of a record. What has a value counts, whatever it is. */
static double term_of (const struct run *run, const struct ppi_query_stat *stat,
		       const struct ppi_nest *nest, uint32_t place)
{
	struct ppi_value value = ppi_terms_value (run->query->terms, stat->term, nest, place);

	if (stat->statistic == PP_STAT_COUNT)
		return value.type == PP_ABI_VALUE_NONE ? (double) NAN : 1;
	return ppi_value_number (value);
}

static void add_stats (struct run *run, const struct ppi_nest *nest, uint32_t place, unsigned i,
		       uint32_t row, double own_ns)
{
	struct ppi_query *query = run->query;

	for (unsigned k = 0; k < query->n_stats; k++) {
		const struct ppi_query_stat *stat = &query->stat[k];
		double x = stat->of == PPI_STAT_TIME   ? nest->frame[place].time_ns
			   : stat->of == PPI_STAT_SELF ? own_ns
						       : term_of (run, stat, nest, place);

		ppi_cell_add (&run->level[i]->cell[(size_t) row * query->n_stats + k],
			      stat->statistic, x);
	}
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct run *run = arg;

	/* nothing is inside a span, and a span is inside nothing: no sum of what is open grows */
	run->all_own += place ? own_ns : 0;
	for (unsigned i = 0; i < run->n; i++) {
		struct ppi_query_level *level = run->level[i];
		const struct place *at = &run->place[place * run->n + i];
		struct ppi_query_row *row;

		level->own[at->value] += place ? own_ns : 0;
		if (at->row == PPI_NO_ROW)
			continue;
		row = &level->row[at->row];
		row->count++;
		row->self_ns += own_ns;
		if (!--row->active)
			row->desc_ns += run->all_own - run->all[place] -
					(level->own[at->value] - at->of_value);
		if (run->query->n_stats)
			add_stats (run, nest, place, i, at->row, own_ns);
	}
	return true;
}

static bool make_levels (struct ppi_query *query)
{
	for (unsigned i = 0; i < query->list.n; i++) {
		query->level[i] = ppi_level_create (
			query->n_stats, query->groups ? query->groups : PPI_QUERY_GROUPS);
		if (!query->level[i])
			return false;
	}
	return true;
}

/* Sums of many differ from what they are in the last digits: a thousandth of a ns is none. */
static double without_noise (double ns)
{
	return rint (ns * 1e3) / 1e3 + 0.0;
}

static void finish_level (struct ppi_query *query, struct ppi_query_level *level)
{
	query->has_rest |= level->has_rest;
	for (uint32_t i = 0; i < level->rows.n; i++) {
		struct ppi_query_row *row = &level->row[i];

		row->self_ns = without_noise (row->self_ns);
		row->desc_ns = without_noise (row->desc_ns > 0 ? row->desc_ns : 0);
	}
}

bool ppi_query_run (struct ppi_query *query, const struct ppi_query_source *source, char *why,
		    size_t room)
{
	struct run run = {.query = query, .level = query->level, .n = query->list.n};
	struct ppi_walker walker = {begins, ends, &run};
	bool ok;

	query->source = *source;
	for (unsigned i = 0; i < run.n; i++)
		run.slot[i] = ppi_terms_slot (query->terms, query->list.dim[i].term);
	if (!make_levels (query)) {
		snprintf (why, room, "no memory");
		return false;
	}
	ok = ppi_walk_late (source, query->terms, why, room) &&
	     ppi_walk (source, query->terms, &walker, &query->sums, why, room) &&
	     (!query->sums.records || ppi_terms_all_seen (query->terms, why, room));
	ppi_records_info (source->records, &query->info);
	/* where nothing else was new, a recording's newest values are older than its records */
	if (query->source.total_ns < query->sums.last_ns - source->since_ns)
		query->source.total_ns = query->sums.last_ns - source->since_ns;
	for (unsigned i = 0; i < run.n; i++)
		finish_level (query, query->level[i]);
	free (run.place);
	free (run.all);
	return ok;
}

void ppi_query_clear (struct ppi_query *query)
{
	for (unsigned i = 0; i < PPI_QUERY_DIMS; i++)
		ppi_level_destroy (query->level[i]);
	for (unsigned i = 0; i < query->n_stats; i++)
		free (query->stat[i].label);
	ppi_query_list_clear (&query->list);
	ppi_terms_destroy (query->terms);
	*query = (struct ppi_query){.n_stats = 0};
}

/* ---- what can be asked for ------------------------------------------------------------------- */

void ppi_query_none_of (const char *text, const char *const *names, char *why, size_t room)
{
	/* of a letter all words of one are as near */
	const char *nearest = strlen (text) > 1 ? ppi_nearest (text, names) : NULL;
	int used = snprintf (why, room, "there is no '%s'", text);
	size_t at = used > 0 && (size_t) used < room ? (size_t) used : room - 1;

	used = nearest ? snprintf (why + at, room - at, "; did you mean '%s'? There are ", nearest)
		       : snprintf (why + at, room - at, "; there are ");
	for (size_t i = 0; names[i] && used > 0 && (size_t) used < room - at; i++) {
		at += (size_t) used;
		used = snprintf (why + at, room - at, "%s%s", i ? ", " : "", names[i]);
	}
}

/* ---- columns --------------------------------------------------------------------------------- */

#define STATISTICS_HERE "count, sum, avg, min, max, variance, stddev, p50, p90, p95, p99 or p999"

static bool is_kept (int statistic)
{
	switch (statistic) {
	case PP_STAT_COUNT:
	case PP_STAT_SUM:
	case PP_STAT_AVG:
	case PP_STAT_MIN:
	case PP_STAT_MAX:
	case PP_STAT_VARIANCE:
	case PP_STAT_STDDEV:
	case PP_STAT_P50:
	case PP_STAT_P90:
	case PP_STAT_P95:
	case PP_STAT_P99:
	case PP_STAT_P999:
		return true;
	default:
		return false;
	}
}

/* What stands between the parentheses of "p99(bytes)"; NULL: they don't match. */
static char *between (const char *text)
{
	size_t n = strlen (text);

	return n >= 2 && text[n - 1] == ')' ? strndup (text + 1, n - 2) : NULL;
}

static bool of_what (struct ppi_query *query, struct ppi_query_stat *stat, const char *text,
		     char *why, size_t room)
{
	char *inside;
	bool ok = true;

	if (!*text)
		return true;
	inside = between (text);
	if (!inside) {
		snprintf (why, room, "'%s': the closing ')' is missing", stat->label);
		return false;
	}
	if (strcmp (inside, "self") == 0)
		stat->of = PPI_STAT_SELF;
	else if (strcmp (inside, "time") != 0) {
		stat->of = PPI_STAT_TERM;
		ok = ppi_terms_expression (query->terms, inside, &stat->term, why, room);
	}
	free (inside);
	return ok;
}

bool ppi_query_stat (struct ppi_query *query, const char *text, char *why, size_t room)
{
	size_t n = strcspn (text, "(");
	struct ppi_query_stat *stat = &query->stat[query->n_stats];
	char name[24];
	int statistic;

	snprintf (name, sizeof name, "%.*s", (int) (n < sizeof name ? n : sizeof name - 1), text);
	statistic = ppi_statistic_parse (name);
	if (statistic < 0 || !is_kept (statistic)) {
		snprintf (why, room, "'%s' is no statistic of a column: " STATISTICS_HERE, name);
		return false;
	}
	if (query->n_stats == PPI_QUERY_STATS) {
		snprintf (why, room, "these are more than %d columns", PPI_QUERY_STATS);
		return false;
	}
	*stat = (struct ppi_query_stat){.label = strdup (text),
					.statistic = (enum pp_statistic) statistic};
	if (!stat->label) {
		snprintf (why, room, "no memory");
		return false;
	}
	query->n_stats++;
	return of_what (query, stat, text + n, why, room);
}
