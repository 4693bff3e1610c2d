/* SPDX-License-Identifier: MIT */
/*
 * sql_records.c: the table of event records. Its columns behind the fixed ones are the keys that
 * records have; only those are read that the statement uses.
 */
#include "profiler/analysis/rows.h"
#include "profiler/analysis/sql_int.h"

#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIXED(X)                                                                                   \
	X (ID, "id INTEGER")                                                                       \
	X (PARENT, "parent INTEGER")                                                               \
	X (THREAD, "thread INTEGER")                                                               \
	X (SITE, "site INTEGER")                                                                   \
	X (EVENT, "event TEXT")                                                                    \
	X (KIND, "kind TEXT")                                                                      \
	X (BEGIN, "begin REAL")                                                                    \
	X (TIME, "time REAL")                                                                      \
	X (SELF, "self REAL")                                                                      \
	X (DEPTH, "depth INTEGER")

enum fixed {
#define X(id, text) COLUMN_##id,
	FIXED (X)
#undef X
		FIXED_COLUMNS
};

static const char *const fixed[] = {
#define X(id, text) text,
	FIXED (X)
#undef X
};

/* SQLite tells of the first 63 columns which are used, and of all others together. */
enum { KEYS_MOST = 1024, COLUMNS_TOLD = 63 };

struct table {
	sqlite3_vtab base;
	struct ppi_sql *sql;
	uint32_t key[KEYS_MOST];
	size_t keys;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct ppi_sql_reader *reader;
	struct ppi_query_source source;
	struct ppi_terms *terms;
	struct ppi_rows *rows;
	const struct ppi_record_row *row; /* NULL: at the end */
	const struct ppi_value *slot;
	uint8_t slot_of[KEYS_MOST]; /* + 1; 0: not used */
};

/* ---- readers --------------------------------------------------------------------------------- */

/* One that no cursor has. NULL: with a sentence. */
static struct ppi_sql_reader *take_reader (struct ppi_sql *sql, char *why, size_t room)
{
	struct ppi_sql_reader *r;

	for (r = sql->readers; r; r = r->next)
		if (!r->is_taken)
			break;
	if (!r) {
		r = calloc (1, sizeof *r);
		if (!r) {
			snprintf (why, room, "no memory");
			return NULL;
		}
		r->records = ppi_records_open (sql->recording, why, room);
		if (!r->records) {
			free (r);
			return NULL;
		}
		r->next = sql->readers;
		sql->readers = r;
	}
	r->is_taken = true;
	return r;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Is there a column of that NAME, as SQL compares names, among the first N keys or the fixed? */
static bool is_name (const struct ppi_records *records, const struct table *table, size_t n,
		     const char *name)
{
	for (size_t i = 0; i < FIXED_COLUMNS; i++)
		if (sqlite3_strnicmp (fixed[i], name, (int) strlen (name)) == 0 &&
		    fixed[i][strlen (name)] == ' ')
			return true;
	for (size_t i = 0; i < n; i++)
		if (sqlite3_stricmp (ppi_records_text (records, table->key[i]), name) == 0)
			return true;
	return false;
}

/*
 * "id INTEGER, ..., "name", "dim_time"": a key that is called as another column has dim_ before,
 * and where that is one, too, its number behind.
 */
static char *schema_of (const struct ppi_records *records, const struct table *table)
{
	sqlite3_str *text = sqlite3_str_new (NULL);

	sqlite3_str_appendall (text, "CREATE TABLE records(");
	for (size_t i = 0; i < FIXED_COLUMNS; i++)
		sqlite3_str_appendf (text, "%s%s", i ? ", " : "", fixed[i]);
	for (size_t i = 0; i < table->keys; i++) {
		const char *name = ppi_records_text (records, table->key[i]);
		bool is_taken = is_name (records, table, i, name);
		char other[64] = "";

		if (is_taken)
			snprintf (other, sizeof other, "dim_%.40s", name);
		if (is_taken && is_name (records, table, table->keys, other))
			snprintf (other, sizeof other, "dim_%.40s_%zu", name, i + 1);
		sqlite3_str_appendf (text, ", \"%w\"%s", is_taken ? other : name,
				     ppi_records_is_truth (records, table->key[i]) ? PPI_SQL_TRUTH
										   : "");
	}
	sqlite3_str_appendchar (text, 1, ')');
	return sqlite3_str_finish (text);
}

static int table_open (sqlite3 *db, void *aux, int argc, const char *const *argv,
		       sqlite3_vtab **out, char **error)
{
	struct ppi_sql *sql = aux;
	struct table *table = sqlite3_malloc (sizeof *table);
	struct ppi_sql_reader *reader;
	char why[512], *schema;
	int status;

	(void) argc, (void) argv;
	if (!table)
		return SQLITE_NOMEM;
	memset (table, 0, sizeof *table);
	table->sql = sql;
	reader = take_reader (sql, why, sizeof why);
	if (!reader) {
		*error = sqlite3_mprintf ("%s", why);
		sqlite3_free (table);
		return SQLITE_ERROR;
	}
	reader->is_taken = false;
	table->keys = ppi_records_keys (reader->records, table->key, KEYS_MOST);
	schema = schema_of (reader->records, table);
	status = schema ? sqlite3_declare_vtab (db, schema) : SQLITE_NOMEM;
	sqlite3_free (schema);
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

/* There is one way to read: all of them. What is used is told by a text. */
static int plan (sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void) base;
	info->idxStr = sqlite3_mprintf ("%llx", info->colUsed);
	info->needToFreeIdxStr = 1;
	info->estimatedCost = 1e9;
	info->estimatedRows = 10000000;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- a cursor -------------------------------------------------------------------------------- */

static int fail (sqlite3_vtab *base, const char *why)
{
	sqlite3_free (base->zErrMsg);
	base->zErrMsg = sqlite3_mprintf ("%s", why);
	return SQLITE_ERROR;
}

static int cursor_open (sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct table *table = (struct table *) base;
	struct cursor *c = calloc (1, sizeof *c);
	char why[512];

	if (!c)
		return SQLITE_NOMEM;
	c->reader = take_reader (table->sql, why, sizeof why);
	if (!c->reader) {
		free (c);
		return fail (base, why);
	}
	c->source =
		(struct ppi_query_source){.records = c->reader->records, .total_ns = (double) NAN};
	*out = &c->base;
	return SQLITE_OK;
}

static void stop (struct cursor *c)
{
	ppi_rows_close (c->rows);
	ppi_terms_destroy (c->terms);
	c->rows = NULL;
	c->terms = NULL;
	c->row = NULL;
}

static int cursor_close (sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *) base;

	stop (c);
	c->reader->is_taken = false;
	free (c);
	return SQLITE_OK;
}

static int next (sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *) base;
	struct ppi_sql *sql = ((struct table *) base->pVtab)->sql;
	const char *failed;

	c->row = ppi_rows_next (c->rows, &c->slot, &failed);
	if (failed)
		return fail (base->pVtab, failed);
	if (!c->row) /* its thread is at its end */
		ppi_records_info (c->reader->records, &sql->info);
	return SQLITE_OK;
}

/* False: more are used than a pass can have. */
static bool choose (struct cursor *c, const struct table *table, unsigned long long used)
{
	memset (c->slot_of, 0, sizeof c->slot_of);
	for (size_t i = 0; i < table->keys; i++) {
		size_t column = FIXED_COLUMNS + i;
		uint32_t slot;

		if (!(used >> (column < COLUMNS_TOLD ? column : COLUMNS_TOLD) & 1))
			continue;
		slot = ppi_terms_want (c->terms, table->key[i]);
		if (slot == UINT32_MAX)
			return false;
		c->slot_of[i] = (uint8_t) (slot + 1);
	}
	return true;
}

static int filter (sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		   sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *) base;

	(void) number, (void) argc, (void) argv;
	stop (c);
	c->terms = ppi_terms_create (&c->source);
	if (!c->terms)
		return SQLITE_NOMEM;
	if (!choose (c, (struct table *) base->pVtab, strtoull (text, NULL, 16)))
		return fail (base->pVtab,
			     "records have more than 64 dimensions: name those that are wanted");
	c->rows = ppi_rows_open (&c->source, c->terms);
	return c->rows ? next (base) : SQLITE_NOMEM;
}

static int at_end (sqlite3_vtab_cursor *base)
{
	return ((struct cursor *) base)->row == NULL;
}

static int row_number (sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64) ((struct cursor *) base)->row->frame.sequence + 1;
	return SQLITE_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_text (const struct cursor *c, uint64_t id, sqlite3_context *to)
{
	/* texts are the reader's, which stays until the database is closed */
	sqlite3_result_text (to, ppi_records_text (c->reader->records, (uint32_t) id), -1,
			     SQLITE_STATIC);
}

static void put_dim (const struct cursor *c, size_t key, sqlite3_context *to)
{
	const struct ppi_value *value;
	char digits[24];

	if (key >= KEYS_MOST || !c->slot_of[key])
		return;
	value = &c->slot[c->slot_of[key] - 1];
	switch (value->type) {
	case PP_ABI_VALUE_INT:
	case PP_ABI_VALUE_POINTER:
	case PPI_VALUE_TRUTH:
		sqlite3_result_int64 (to, (sqlite3_int64) value->bits);
		break;
	case PPI_VALUE_LARGE: /* its integers are signed, and doubles are not exact */
		snprintf (digits, sizeof digits, "%" PRIu64, value->bits);
		sqlite3_result_text (to, digits, -1, SQLITE_TRANSIENT);
		break;
	case PP_ABI_VALUE_DOUBLE:
		sqlite3_result_double (to, ppi_value_number (*value));
		break;
	case PP_ABI_VALUE_STRING:
		put_text (c, value->bits, to);
		break;
	default:
		break;
	}
}

/* Where nothing is put it is NULL. */
static int column (sqlite3_vtab_cursor *base, sqlite3_context *to, int number)
{
	const struct cursor *c = (const struct cursor *) base;
	const struct ppi_record_row *row = c->row;

	switch (number) {
	case COLUMN_ID:
		sqlite3_result_int64 (to, (sqlite3_int64) row->frame.sequence + 1);
		break;
	case COLUMN_PARENT:
		if (row->parent)
			sqlite3_result_int64 (to, (sqlite3_int64) row->parent);
		break;
	case COLUMN_THREAD:
		sqlite3_result_int64 (to, row->frame.thread);
		break;
	case COLUMN_SITE:
		if (row->frame.site)
			sqlite3_result_int64 (to, row->frame.site);
		break;
	case COLUMN_EVENT:
		put_text (c, row->frame.event, to);
		break;
	case COLUMN_KIND:
		sqlite3_result_text (to,
				     row->frame.is_span    ? "span"
				     : row->frame.is_point ? "point"
							   : "interval",
				     -1, SQLITE_STATIC);
		break;
	case COLUMN_BEGIN:
		sqlite3_result_double (to, row->frame.begin_ns);
		break;
	case COLUMN_TIME:
	case COLUMN_SELF:
		if (!row->frame.is_point)
			sqlite3_result_double (to, number == COLUMN_TIME ? row->frame.time_ns
									 : row->own_ns);
		break;
	case COLUMN_DEPTH:
		sqlite3_result_int64 (to, row->frame.depth);
		break;
	default:
		put_dim (c, (size_t) number - FIXED_COLUMNS, to);
		break;
	}
	return SQLITE_OK;
}

int ppi_sql_records (struct ppi_sql *sql)
{
	/* no xCreate: the table is there under the module's name, and nobody can make another */
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

	return sqlite3_create_module (sql->db, "records", &module, sql);
}
