/* SPDX-License-Identifier: MIT */
/*
 * sql_tables.c: the tables that are small: samples, sites, history, metric_values. Each says which
 * columns it has, how to go through its rows, and what a row's columns are.
 */
#include "base/types.h"
#include "profiler/analysis/broken.h"
#include "profiler/analysis/read.h"
#include "profiler/analysis/sql_int.h"
#include "recording/names.h"
#include "recording/pprec.h"
#include "recording/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
	sqlite3_vtab_cursor base;
	struct ppi_sql *sql;
	sqlite3_int64 row;
	bool is_end;
	bool has_id; /* one row of that id is wanted */
	uint32_t id;
	const void *chunk; /* of sites and history */
	pprec *values;     /* of metric_values */
	pprec_value value;
	size_t which, thread, sample; /* of samples */
};

struct description {
	const char *name, *schema;
	bool has_id; /* the first column tells rows apart */
	/* Goes to the next row, of a cursor whose ROW is 0 to the first. A code of SQLite's. */
	int (*next) (struct cursor *c);
	void (*column) (const struct cursor *c, sqlite3_context *to, int number);
};

struct table {
	sqlite3_vtab base;
	struct ppi_sql *sql;
	const struct description *is;
};

/* What a module gets. */
struct registered {
	struct ppi_sql *sql;
	const struct description *is;
};

static void put_text (sqlite3_context *to, const char *text)
{
	sqlite3_result_text (to, text, -1, SQLITE_TRANSIENT);
}

static double since_start (const struct cursor *c, uint64_t ns)
{
	return (double) (int64_t) (ns - ppi_recording_header (c->sql->recording)->start_ns);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static int sites_next (struct cursor *c)
{
	const struct ppi_recording *recording = c->sql->recording;

	if (c->has_id)
		c->chunk = c->row ? NULL : ppi_recording_find (recording, PPI_CHUNK_SITE, c->id);
	else
		c->chunk = ppi_recording_next (recording, PPI_CHUNK_SITE, c->chunk);
	c->is_end = !c->chunk;
	return SQLITE_OK;
}

static void sites_column (const struct cursor *c, sqlite3_context *to, int number)
{
	const struct ppi_site_chunk *site = c->chunk;
	char own[256];

	switch (number) {
	case 0:
		sqlite3_result_int64 (to, site->chunk.id);
		break;
	case 1:
		put_text (to, site->name);
		break;
	case 2:
		ppi_site_own_name (site, own, sizeof own);
		put_text (to, own);
		break;
	case 3:
		put_text (to, ppi_kind_name (site->kind));
		break;
	default:
		sqlite3_result_int64 (to, site->line);
		break;
	}
}

/* ---- history --------------------------------------------------------------------------------- */

static int history_next (struct cursor *c)
{
	c->chunk = ppi_recording_next (c->sql->recording, PPI_CHUNK_HISTORY, c->chunk);
	c->is_end = !c->chunk;
	return SQLITE_OK;
}

static void history_column (const struct cursor *c, sqlite3_context *to, int number)
{
	const struct ppi_history_chunk *entry = c->chunk;
	char text[2048];

	switch (number) {
	case 0:
		sqlite3_result_int64 (to, entry->chunk.id);
		break;
	case 1:
		sqlite3_result_double (to, since_start (c, entry->ns));
		break;
	case 2:
		sqlite3_result_int64 (to, entry->thread);
		break;
	case 3:
		put_text (to, ppi_history_name ((enum ppi_history_kind) entry->kind));
		break;
	case 4:
		put_text (to, entry->text);
		break;
	case 5:
		put_text (to, ppi_broken_sentence (entry, text, sizeof text)
				      ? text
				      : entry->text + strlen (entry->text) + 1);
		break;
	default:
		if (entry->kind == PPI_HISTORY_KNOB)
			sqlite3_result_double (to, entry->value[number - 6]);
		break;
	}
}

/* ---- values over time ------------------------------------------------------------------------ */

static int values_next (struct cursor *c)
{
	char why[512];
	int more;

	if (!c->values && pprec_open (c->sql->path, &c->values, why, sizeof why) < 0) {
		c->base.pVtab->zErrMsg = sqlite3_mprintf ("%s", why);
		return SQLITE_ERROR;
	}
	if (!c->row)
		pprec_value_rewind (c->values);
	more = pprec_value_next (c->values, &c->value);
	c->is_end = more <= 0;
	if (more >= 0)
		return SQLITE_OK;
	c->base.pVtab->zErrMsg = sqlite3_mprintf ("%s can't be read any further", c->sql->path);
	return SQLITE_ERROR;
}

static void put_id (sqlite3_context *to, uint32_t id)
{
	if (id)
		sqlite3_result_int64 (to, id);
}

static void values_column (const struct cursor *c, sqlite3_context *to, int number)
{
	const pprec_value *v = &c->value;
	const double figure[] = {v->total, v->last, v->min, v->max};

	switch (number) {
	case 0:
		sqlite3_result_double (to, v->time_s * 1e9);
		break;
	case 1:
		put_text (to, ppi_report_metric_name (c->sql->recording, v->metric));
		break;
	case 2:
		put_id (to, v->site);
		break;
	case 3:
		put_id (to, v->thread);
		break;
	case 4:
		sqlite3_result_int64 (to, (sqlite3_int64) v->shard);
		break;
	case 5:
		sqlite3_result_int64 (to, v->epoch);
		break;
	case 6:
		sqlite3_result_int64 (to, (sqlite3_int64) v->n);
		break;
	default: /* SQLite makes NULL of NaN */
		sqlite3_result_double (to, figure[number - 7]);
		break;
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Names that can't be had are told by ppctl profile. */
static void no_names (const char *path, const char *why, void *arg)
{
	(void) path, (void) why, (void) arg;
}

static bool read_samples (struct ppi_sql *sql)
{
	static const enum ppi_by by[2] = {PPI_BY_FUNCTION, PPI_BY_INTERVAL};
	const struct ppi_samples_span all = PPI_SAMPLES_ALL;
	bool ok = true;

	if (sql->has_samples)
		return true;
	for (unsigned i = 0; i < 2; i++) {
		ppi_samples_init (&sql->samples[i]);
		if (ok && ppi_recording_has_profile (sql->recording, by[i])) {
			ppi_samples_clear (&sql->samples[i]);
			ok = ppi_samples_read (sql->recording, by[i], &all, &sql->samples[i],
					       no_names, NULL);
		}
	}
	sql->has_samples = ok;
	for (unsigned i = 0; i < 2 && !ok; i++)
		ppi_samples_clear (&sql->samples[i]);
	return ok;
}

/* Is there a thread, or a profile, with more at the cursor's place or behind? Goes there. */
static bool find_sample (struct cursor *c)
{
	for (; c->which < 2; c->which++, c->thread = 0) {
		const struct ppi_samples *samples = &c->sql->samples[c->which];

		for (; c->thread < samples->threads; c->thread++, c->sample = 0)
			if (c->sample < samples->thread[c->thread].n)
				return true;
	}
	return false;
}

static int samples_next (struct cursor *c)
{
	if (!read_samples (c->sql))
		return SQLITE_NOMEM;
	if (c->row)
		c->sample++;
	else
		c->which = c->thread = c->sample = 0;
	c->is_end = !find_sample (c);
	return SQLITE_OK;
}

static void put_stack (sqlite3_context *to, const struct ppi_samples *samples,
		       const struct ppi_stack *stack)
{
	sqlite3_str *text = sqlite3_str_new (NULL);

	for (size_t i = 0; i < stack->n; i++)
		sqlite3_str_appendf (text, "%s%s", i ? ";" : "",
				     samples->function[samples->frame[stack->first + i]].name);
	/* NULL where it is empty: nothing is known of the stack */
	sqlite3_result_text (to, sqlite3_str_finish (text), -1, sqlite3_free);
}

static void put_function (sqlite3_context *to, const struct ppi_function *function, int number)
{
	if (number == 6)
		put_text (to, function->name);
	else if (number == 7 && *function->file)
		put_text (to, function->file);
	else if (number == 8 && function->line)
		sqlite3_result_int64 (to, function->line);
}

static void samples_column (const struct cursor *c, sqlite3_context *to, int number)
{
	const struct ppi_samples *samples = &c->sql->samples[c->which];
	const struct ppi_sampled_thread *thread = &samples->thread[c->thread];
	const struct ppi_stack_sample *sample = &thread->sample[c->sample];
	const struct ppi_stack *stack = &samples->stack[sample->stack];

	switch (number) {
	case 0:
		put_text (to, samples->is_by_interval ? "intervals" : "functions");
		break;
	case 1:
		sqlite3_result_int64 (to, thread->id);
		break;
	case 2:
		put_text (to, thread->name);
		break;
	case 3:
		sqlite3_result_double (to, sample->at_s * 1e9);
		break;
	case 4:
		sqlite3_result_double (to, ppi_sample_cost (samples, thread, c->sample) * 1e9);
		break;
	case 5:
		sqlite3_result_int64 (to, ppi_sample_times (samples, sample));
		break;
	case 9:
		put_stack (to, samples, stack);
		break;
	default:
		if (stack->n)
			put_function (
				to, &samples->function[samples->frame[stack->first + stack->n - 1]],
				number);
		break;
	}
}

/* ---- what SQLite calls ----------------------------------------------------------------------- */

static const struct description tables[] = {
	{"samples",
	 "CREATE TABLE samples(profile TEXT, thread INTEGER, thread_name TEXT, at REAL, "
	 "cost REAL, times INTEGER, name TEXT, file TEXT, line INTEGER, stack TEXT)",
	 false, samples_next, samples_column},
	{"sites",
	 "CREATE TABLE sites(id INTEGER, name TEXT, own_name TEXT, kind TEXT, line INTEGER)", true,
	 sites_next, sites_column},
	{"history",
	 "CREATE TABLE history(id INTEGER, time REAL, thread INTEGER, kind TEXT, name TEXT, "
	 "text TEXT, knob_from REAL, knob_to REAL)",
	 false, history_next, history_column},
	{"metric_values",
	 "CREATE TABLE metric_values(time REAL, metric TEXT, site INTEGER, thread INTEGER, "
	 "shard INTEGER, epoch INTEGER, n INTEGER, total REAL, last REAL, min REAL, max REAL)",
	 false, values_next, values_column},
};

static int table_open (sqlite3 *db, void *aux, int argc, const char *const *argv,
		       sqlite3_vtab **out, char **error)
{
	const struct registered *registered = aux;
	struct table *table = sqlite3_malloc (sizeof *table);
	int status;

	(void) argc, (void) argv, (void) error;
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){.sql = registered->sql, .is = registered->is};
	status = sqlite3_declare_vtab (db, table->is->schema);
	if (status != SQLITE_OK)
		sqlite3_free (table);
	else
		*out = &table->base;
	return status;
}

static int table_close (sqlite3_vtab *base)
{
	sqlite3_free (base);
	return SQLITE_OK;
}

/* A row whose id is known is looked up: so joins by it go through nothing else. */
static int plan (sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct table *table = (const struct table *) base;

	info->estimatedCost = 1e5;
	info->estimatedRows = 10000;
	for (int i = 0; i < info->nConstraint && table->is->has_id; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != 0 ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedCost = 10;
		info->estimatedRows = 1;
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
		break;
	}
	return SQLITE_OK;
}

static int cursor_open (sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = calloc (1, sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	c->sql = ((struct table *) base)->sql;
	*out = &c->base;
	return SQLITE_OK;
}

static int cursor_close (sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *) base;

	pprec_close (c->values);
	free (c);
	return SQLITE_OK;
}

static int go_on (struct cursor *c)
{
	return ((struct table *) c->base.pVtab)->is->next (c);
}

static int filter (sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		   sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *) base;

	(void) text, (void) argc;
	c->row = 0;
	c->chunk = NULL;
	c->has_id = number == 1;
	if (c->has_id) {
		sqlite3_int64 id = sqlite3_value_int64 (argv[0]);

		/* SQLite compares what is given once more: another type's equal is none here */
		c->id = id > 0 && id <= UINT32_MAX ? (uint32_t) id : 0;
	}
	return go_on (c);
}

static int next (sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *) base;

	c->row++;
	return go_on (c);
}

static int at_end (sqlite3_vtab_cursor *base)
{
	return ((struct cursor *) base)->is_end;
}

static int column (sqlite3_vtab_cursor *base, sqlite3_context *to, int number)
{
	((struct table *) base->pVtab)->is->column ((struct cursor *) base, to, number);
	return SQLITE_OK;
}

static int row_number (sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct cursor *) base)->row;
	return SQLITE_OK;
}

int ppi_sql_tables (struct ppi_sql *sql)
{
	static const sqlite3_module module = {.xConnect = table_open,
					      .xBestIndex = plan,
					      .xDisconnect = table_close,
					      .xOpen = cursor_open,
					      .xClose = cursor_close,
					      .xFilter = filter,
					      .xNext = next,
					      .xEof = at_end,
					      .xColumn = column,
					      .xRowid = row_number};
	int status = SQLITE_OK;

	for (size_t i = 0; status == SQLITE_OK && i < sizeof tables / sizeof *tables; i++) {
		struct registered *registered = malloc (sizeof *registered);

		if (!registered)
			return SQLITE_NOMEM;
		*registered = (struct registered){sql, &tables[i]};
		/* frees it also where it fails */
		status = sqlite3_create_module_v2 (sql->db, tables[i].name, &module, registered,
						   free);
	}
	return status;
}
