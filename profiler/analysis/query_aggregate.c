/* SPDX-License-Identifier: MIT */
/*
 * query_aggregate.c: tables of executions that were put into groups while the program ran
 * (recording/groups.h). They are those of a query of records: only that nobody can ask for what was
 * not counted. Where dimensions are the aggregate's first ones what ran inside is known, too.
 */
#include "profiler/analysis/query_int.h"

#include "libmetrics/keep/summary.h"
#include "recording/groups.h"
#include "recording/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which one, and what of it --------------------------------------------------------------- */

static const char *skip (const char *text)
{
	return text + strspn (text, " \t\n,");
}

/* How long the word at TEXT is, and where it begins without its backquotes. */
static size_t word_at (const char *text, const char **word)
{
	bool is_quoted = *text == '`';

	*word = text + is_quoted;
	return strcspn (*word, is_quoted ? "`" : " \t\n,");
}

static bool has_records (const struct ppi_recording *recording)
{
	char why[256];
	struct ppi_records *records = ppi_records_open (recording, why, sizeof why);

	ppi_records_close (records);
	return records != NULL;
}

/* The words of TEXT become the list. */
static bool read_words (struct ppi_query_list *list, const struct ppi_recording *recording,
			const char *text, char *why, size_t room)
{
	for (text = skip (text); *text; text = skip (text)) {
		const char *word;
		size_t n = word_at (text, &word);

		if (n == 5 && strncmp (text, "where", 5) == 0) {
			snprintf (why, room,
				  "a condition needs records: these executions were counted in "
				  "groups; %s%s",
				  has_records (recording)
					  ? "the recording has records, too: leave "
					    "--aggregate out, and in the shell 'groups'"
					  : "'events: {records: ...}' records them",
				  list->n ? "" : " (a dimension called 'where' is in backquotes)");
			return false;
		}
		if (list->n == PPI_GROUP_DIMS) {
			snprintf (why, room, "an aggregate has %u dimensions at most",
				  PPI_GROUP_DIMS);
			return false;
		}
		list->dim[list->n].label = strndup (word, n);
		if (!list->dim[list->n].label) {
			snprintf (why, room, "no memory");
			return false;
		}
		list->n++;
		text = word + n + (word > text && word[n]);
	}
	return true;
}

static bool take_all (struct ppi_query_list *list, const struct ppi_aggregate_chunk *a)
{
	for (unsigned i = 0; i < a->dims; i++) {
		list->dim[i].label = strdup (ppi_aggregate_key (a, i));
		if (!list->dim[i].label)
			return false;
		list->n++;
	}
	return true;
}

/* How well LIST fits A: 0 not at all, 2 what ran inside is known, too. */
static int fit (const struct ppi_query_list *list, const struct ppi_aggregate_chunk *a,
		unsigned *dim)
{
	int fits = 2;

	for (unsigned i = 0; i < list->n; i++) {
		int at = ppi_aggregate_find (a, list->dim[i].label);

		if (at < 0)
			return 0;
		dim[i] = (unsigned) at;
		fits = dim[i] == i ? fits : 1;
	}
	return fits;
}

/* "command, status; event" */
static void list_all (const struct ppi_recording *recording, char *out, size_t room)
{
	const struct ppi_aggregate_chunk *a = NULL;
	size_t n = 0;

	*out = '\0';
	while ((a = ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, a)))
		for (unsigned i = 0; i < a->dims && n < room; i++)
			n += (size_t) snprintf (out + n, room - n, "%s%s",
						i   ? " "
						: n ? "; "
						    : "",
						ppi_aggregate_key (a, i));
}

static bool has_stats (const struct ppi_query *query, const struct ppi_aggregate_chunk *a)
{
	for (unsigned i = 0; i < query->n_stats; i++)
		if (query->stat[i].of == PPI_STAT_TIME &&
		    !ppi_statistic_exists (a->accumulator, query->stat[i].statistic))
			return false;
	return true;
}

/*
 * QUERY's aggregate: of those that have its dimensions one with the statistics that it asks for,
 * before one that knows what ran inside, before the newest, which a reload made. IS_ALL: no other
 * dimensions. The rest are QUERY's others.
 */
static void choose_best (struct ppi_query *query, const struct ppi_recording *recording,
			 bool is_all)
{
	const struct ppi_aggregate_chunk *a = NULL, *worse;
	unsigned dim[PPI_GROUP_DIMS];
	int best_rank = 0;

	while ((a = ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, a))) {
		int fits = is_all && a->dims != query->list.n ? 0 : fit (&query->list, a, dim);
		int rank = fits + 2 * has_stats (query, a);
		bool is_best = !query->aggregate || rank > best_rank ||
			       (rank == best_rank && a->chunk.id > query->aggregate->chunk.id);

		if (!fits)
			continue;
		worse = is_best ? query->aggregate : a;
		if (worse && query->n_others < PPI_QUERY_OTHERS)
			query->other[query->n_others++] = worse;
		if (is_best) {
			query->aggregate = a;
			best_rank = rank;
		}
	}
}

/* The first aggregate's dimensions are the list where that is empty. */
static bool choose (struct ppi_query *query, const struct ppi_recording *recording, char *why,
		    size_t room)
{
	const struct ppi_aggregate_chunk *first =
		ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, NULL);
	bool is_all = !query->list.n;
	char all[256];

	if (!first) {
		snprintf (why, room,
			  "it has no executions in groups: a policy's 'events: {aggregate: ...}' "
			  "asks for them");
		return false;
	}
	if (is_all && !take_all (&query->list, first)) {
		snprintf (why, room, "no memory");
		return false;
	}
	choose_best (query, recording, is_all);
	if (!query->aggregate) {
		list_all (recording, all, sizeof all);
		snprintf (why, room,
			  "no aggregate is by these dimensions: executions were counted by %s",
			  all);
	}
	return query->aggregate != NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct ppi_value value_of (struct ppi_terms *terms, const struct ppi_group_row *row,
				  unsigned i)
{
	const struct ppi_group_value *is = &row->value[i];

	if (row->is_rest)
		return (struct ppi_value){.type = PPI_VALUE_REST};
	if (is->type == PP_ABI_VALUE_STRING)
		return (struct ppi_value){.type = is->type,
					  .bits = ppi_terms_intern (terms, is->text)};
	return ppi_value_recorded (is->type, is->bits);
}

/* The number of the row of LEVEL that GROUP is; PPI_NO_ROW: that of the rest; UINT32_MAX */
static uint32_t place_of (struct ppi_query *query, const struct ppi_group_row *group,
			  unsigned level)
{
	uint32_t row = 0;

	if (group->is_rest && level)
		return PPI_NO_ROW;
	for (unsigned i = 0; i <= level; i++) {
		uint32_t value =
			ppi_level_find_value (query->level[i], value_of (query->terms, group, i));

		row = value == UINT32_MAX ? value
					  : ppi_level_find_row (query->level[i], row, value);
		if (row == UINT32_MAX)
			return row;
	}
	return row;
}

static double figure_of (const struct ppi_query_stat *stat, const struct ppi_group_row *group,
			 double ns)
{
	return stat->of == PPI_STAT_TIME ? ppi_summary_get (&group->times, stat->statistic, ns)
					 : (double) NAN;
}

static bool put_figures (const struct ppi_query *query, struct ppi_query_level *level, uint32_t row,
			 const struct ppi_group_row *group, double ns)
{
	double *wide =
		reallocarray (level->figure, (size_t) level->rows.n * query->n_stats, sizeof *wide);

	if (!wide)
		return false;
	level->figure = wide;
	for (unsigned i = 0; i < query->n_stats; i++)
		wide[(size_t) row * query->n_stats + i] = figure_of (&query->stat[i], group, ns);
	return true;
}

static bool put_row (struct ppi_query *query, unsigned level, const struct ppi_group_row *group,
		     double ns)
{
	uint32_t number = group->times.all.n ? place_of (query, group, level) : PPI_NO_ROW;
	struct ppi_query_row *row;

	if (number == UINT32_MAX)
		return false;
	if (number == PPI_NO_ROW)
		return true;
	row = &query->level[level]->row[number];
	row->count = group->times.all.n;
	row->self_ns = (double) group->self_ticks * ns;
	row->desc_ns = group->is_clear ? (double) group->desc_ticks * ns : (double) NAN;
	if (!level) {
		query->sums.records += row->count;
		query->sums.profiled_ns += row->self_ns;
	}
	return !query->n_stats || put_figures (query, query->level[level], number, group, ns);
}

static bool put_level (struct ppi_query *query, const struct ppi_recording *recording,
		       const unsigned *dim, unsigned level)
{
	double ns = ppi_recording_header (recording)->seconds_per_tick * 1e9;
	struct ppi_group_rows rows;
	bool ok = ppi_group_rows_read (recording, query->aggregate, dim, level + 1, &rows);

	for (size_t i = 0; ok && i < rows.n; i++)
		ok = put_row (query, level, &rows.row[i], ns);
	query->has_rest |= rows.has_rest;
	ppi_group_rows_clear (&rows);
	return ok;
}

/* ---- what is not there ----------------------------------------------------------------------- */

/* Of the whole program, but for the entries of streams, which groups have none of. */
static void count_losses (struct ppi_query *query, const struct ppi_recording *recording)
{
	ppi_records_count_losses (recording, &query->info);
	query->info.dropped -= query->info.lost[PP_DROP_STREAM];
	query->info.lost[PP_DROP_STREAM] = 0;
}

/* There is a rest: was max_groups reached, or is it of strings without a number alone? */
static bool find_limit (struct ppi_query *query, const struct ppi_recording *recording)
{
	static const unsigned all[PPI_GROUP_DIMS] = {0, 1, 2, 3};
	struct ppi_group_rows rows;
	uint32_t groups = 0;
	bool ok;

	if (!query->has_rest || !query->info.others)
		return true;
	ok = ppi_group_rows_read (recording, query->aggregate, all, query->aggregate->dims, &rows);
	for (size_t i = 0; ok && i < rows.n; i++)
		groups += !rows.row[i].is_rest;
	query->rest_of_strings = groups < query->aggregate->max_groups;
	ppi_group_rows_clear (&rows);
	return ok;
}

static bool stats_are_there (const struct ppi_query *query, char *why, size_t room)
{
	for (unsigned i = 0; i < query->n_stats; i++) {
		const struct ppi_query_stat *stat = &query->stat[i];

		if (stat->of == PPI_STAT_TIME &&
		    ppi_statistic_exists (query->aggregate->accumulator, stat->statistic))
			continue;
		snprintf (why, room, "--stat %s: %s", stat->label,
			  stat->of == PPI_STAT_TIME
				  ? "quantiles need 'keep: histogram' in the aggregate"
				  : "an aggregate has statistics of whole times only");
		return false;
	}
	return true;
}

bool ppi_query_run_aggregate (struct ppi_query *query, const struct ppi_query_source *source,
			      const struct ppi_recording *recording, const char *text, char *why,
			      size_t room)
{
	unsigned dim[PPI_GROUP_DIMS] = {0};
	bool ok;

	query->source = *source;
	query->sums.cost_ns = (double) NAN;
	if (!query->terms)
		query->terms = ppi_terms_create (source);
	if (!query->terms) {
		snprintf (why, room, "no memory");
		return false;
	}
	if (!read_words (&query->list, recording, text, why, room))
		return false;
	if (!choose (query, recording, why, room) || !stats_are_there (query, why, room))
		return false;
	ok = fit (&query->list, query->aggregate, dim) > 0;
	for (unsigned i = 0; ok && i < query->list.n; i++) {
		query->level[i] = ppi_level_create (query->n_stats, PPI_QUERY_GROUPS);
		ok = query->level[i] != NULL;
	}
	for (unsigned i = 0; ok && i < query->list.n; i++)
		ok = put_level (query, recording, dim, i);
	count_losses (query, recording);
	ok = ok && find_limit (query, recording);
	if (!ok)
		snprintf (why, room, "no memory");
	return ok;
}
