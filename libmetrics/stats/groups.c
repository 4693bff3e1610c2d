/* SPDX-License-Identifier: MIT */
/* groups.c: see groups.h. */
#include "libmetrics/stats/groups.h"

#include "base/clock.h"
#include "base/dims.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/stats/group_name.h"
#include "libmetrics/tables/aggregate.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/thread.h"
#include "recording/intern.h"
#include "recording/span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10u                   /* of a window */
#define MOMENTS (STEPS + 3)         /* that are kept */
#define LEAST_NS UINT64_C (1000000) /* between moments */

/* What a row had; several moments share one where nothing came between. */
struct kept {
	unsigned users;
	struct ppi_summary summary;
};

struct row {
	uint32_t group; /* of all dimensions; 0: of several */
	uint8_t type[PPI_GROUP_DIMS];
	uint64_t value[PPI_GROUP_DIMS];
	struct ppi_summary now;
	struct kept *kept[MOMENTS];
};

/* All rows were as they were then from FROM to TO, as far as anybody looked. */
struct moment {
	uint64_t from_ns, to_ns;
};

struct ppi_grouping {
	const pp_metric *metric;
	const struct ppi_aggregate *aggregate;
	const struct ppi_groups *groups; /* of this process; a child has others */
	unsigned dim[PPI_GROUP_DIMS], dims;
	bool wants;
	struct ppi_group_want want[PPI_GROUP_DIMS]; /* with texts of its own */
	uint64_t window_ns, step_ns;

	struct row *row;
	size_t rows, room;
	struct ppi_intern names; /* rows by their values: number - 1 */
	unsigned round;

	struct moment moment[MOMENTS];
	uint64_t moments; /* that there were; number K is at K % MOMENTS */
	uint64_t now_ns, due_ns;

	uint8_t *site; /* by id: the metric is, or was, bound there */
	size_t sites;
	bool is_known; /* figures are whole */
	bool has_rest; /* something is in no group */
};

static unsigned place_of (uint64_t moment)
{
	return (unsigned) (moment % MOMENTS);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* With texts of its own, as it may outlive who asked for it. False: no memory. */
static bool copy_wants (struct ppi_grouping *g, const struct ppi_group_want *want)
{
	for (unsigned i = 0; i < g->dims; i++) {
		g->want[i] = want[i];
		if (!want[i].text)
			continue;
		g->want[i].text = strdup (want[i].text);
		if (!g->want[i].text)
			return false;
	}
	return true;
}

struct ppi_grouping *ppi_grouping_new (const pp_metric *metric,
				       const struct ppi_aggregate *aggregate, const unsigned *dim,
				       unsigned n, const struct ppi_group_want *want,
				       uint64_t window_ns)
{
	struct ppi_grouping *g = calloc (1, sizeof *g);

	if (!g)
		return NULL;
	g->metric = metric;
	g->aggregate = aggregate;
	g->dims = n;
	g->wants = want != NULL;
	for (unsigned i = 0; i < n; i++)
		g->dim[i] = dim[i];
	g->window_ns = window_ns;
	g->step_ns = window_ns / STEPS > LEAST_NS ? window_ns / STEPS : LEAST_NS;
	g->due_ns = window_ns ? 0 : UINT64_MAX;
	if (want && !copy_wants (g, want)) {
		ppi_grouping_free (g);
		return NULL;
	}
	return g;
}

static void let_go (struct kept **kept)
{
	if (*kept && !--(*kept)->users) {
		ppi_summary_clear (&(*kept)->summary);
		free (*kept);
	}
	*kept = NULL;
}

/* The window begins anew. */
static void forget_moments (struct ppi_grouping *g)
{
	for (size_t i = 0; i < g->rows; i++)
		for (unsigned k = 0; k < MOMENTS; k++)
			let_go (&g->row[i].kept[k]);
	g->moments = 0;
}

/* As at the start. */
static void forget (struct ppi_grouping *g)
{
	forget_moments (g);
	for (size_t i = 0; i < g->rows; i++)
		ppi_summary_clear (&g->row[i].now);
	g->rows = 0;
	ppi_intern_free (&g->names);
	g->names = (struct ppi_intern){0};
	g->due_ns = g->window_ns ? 0 : UINT64_MAX;
	g->round++;
}

void ppi_grouping_free (struct ppi_grouping *g)
{
	if (!g)
		return;
	forget (g);
	for (unsigned i = 0; i < g->dims; i++)
		free ((void *) (uintptr_t) g->want[i].text);
	free (g->row);
	free (g->site);
	free (g);
}

/* ---- which sites ----------------------------------------------------------------------------- */

static bool counts (const struct ppi_aggregate *a, const pp_site *site)
{
	const struct ppi_aggregate_set *set = __atomic_load_n (&site->aggregates, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; set && i < set->n; i++)
		if (set->at[i].aggregate == a)
			return true;
	return false;
}

bool ppi_grouping_misses (const pp_metric *metric, const struct ppi_aggregate *aggregate,
			  const pp_site **site)
{
	for (const struct ppi_binding *b = __atomic_load_n (&metric->bindings, __ATOMIC_ACQUIRE); b;
	     b = b->next_of_metric)
		if (b->users && b->site && !counts (aggregate, b->site)) {
			*site = b->site;
			return true;
		}
	return false;
}

static bool note_sites (struct ppi_grouping *g)
{
	if (g->site)
		memset (g->site, 0, g->sites);
	for (const struct ppi_binding *b = __atomic_load_n (&g->metric->bindings, __ATOMIC_ACQUIRE);
	     b; b = b->next_of_metric) {
		uint32_t id;

		if (!b->site)
			continue;
		id = b->site->id;
		if (!g->site || id >= g->sites) {
			size_t more = 2 * (size_t) id + 64;
			uint8_t *wide = realloc (g->site, more);

			if (!wide)
				return false;
			memset (wide + g->sites, 0, more - g->sites);
			g->site = wide;
			g->sites = more;
		}
		g->site[id] = 1;
	}
	return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_wanted (const struct ppi_group_want *want, const struct ppi_group_key *key,
		       unsigned dim, char *text)
{
	int64_t whole = (int64_t) want->bits;
	double real;

	if (want->type == PP_ABI_VALUE_STRING)
		return key->type[dim] == PP_ABI_VALUE_STRING &&
		       ppi_text_copy ((uint32_t) key->value[dim], text) &&
		       strcmp (text, want->text) == 0;
	if (want->type == PP_ABI_VALUE_INT && key->type[dim] == PP_ABI_VALUE_DOUBLE) {
		memcpy (&real, &key->value[dim], sizeof real);
		return !(real < (double) whole) && !(real > (double) whole);
	}
	if (want->type == PP_ABI_VALUE_INT && ppi_is_integer (key->type[dim]))
		return want->bits == key->value[dim] &&
		       (whole >= 0 || key->type[dim] == PP_ABI_VALUE_INT);
	return want->type == key->type[dim] &&
	       (want->type == PP_ABI_VALUE_NONE || want->bits == key->value[dim]);
}

/* What tells a row from others: texts by their characters, one may have several numbers. */
static size_t row_key (const struct ppi_grouping *g, const struct ppi_group_key *key, char *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < g->dims; i++) {
		unsigned d = g->dim[i];
		uint8_t type = key->type[d];

		out[n++] = (char) type;
		if (type == PP_ABI_VALUE_STRING) {
			n += ppi_text_copy ((uint32_t) key->value[d], out + n);
			out[n++] = '\0';
			continue;
		}
		memcpy (out + n, &key->value[d], sizeof key->value[d]);
		n += sizeof key->value[d];
	}
	return n;
}

/* Is there room for one more? */
static bool has_room (struct ppi_grouping *g)
{
	size_t more = g->room ? 2 * g->room : 16;
	struct row *wide;

	if (g->rows < g->room)
		return true;
	wide = reallocarray (g->row, more, sizeof *wide);
	if (!wide)
		return false;
	g->row = wide;
	g->room = more;
	return true;
}

static struct row *row_new (struct ppi_grouping *g, const struct ppi_group_key *key, uint32_t group)
{
	struct row *row = &g->row[g->rows++];

	memset (row, 0, sizeof *row);
	row->group = group;
	for (unsigned i = 0; i < g->dims; i++) {
		row->type[i] = key->type[g->dim[i]];
		row->value[i] = key->value[g->dim[i]];
	}
	ppi_summary_init (&row->now, PP_ABI_SAMPLE_INT, g->aggregate->accumulator);
	return row;
}

/* The row that the group is a part of; NULL: none, as it is not wanted, or *FAILED: no memory. */
static struct row *row_of (struct ppi_grouping *g, const struct ppi_group_key *key, uint32_t group,
			   bool *failed)
{
	char name[PPI_GROUP_DIMS * (PPI_TEXT_MOST + 16)];
	const struct ppi_intern_entry *entry;
	struct row *row;
	bool is_new;

	for (unsigned i = 0; g->wants && i < g->dims; i++)
		if (!is_wanted (&g->want[i], key, g->dim[i], name))
			return NULL;
	/* room comes first: the number of a name that is new is the row's */
	entry = has_room (g) ? ppi_intern (&g->names, name, row_key (g, key, name), &is_new) : NULL;
	row = !entry ? NULL : is_new ? row_new (g, key, group) : &g->row[entry->number - 1];
	*failed |= !row;
	if (row && row->group != group)
		row->group = 0;
	return row;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void empty_rows (struct ppi_grouping *g)
{
	for (size_t i = 0; i < g->rows; i++) {
		ppi_summary_clear (&g->row[i].now);
		ppi_summary_init (&g->row[i].now, PP_ABI_SAMPLE_INT, g->aggregate->accumulator);
	}
}

/* HAS_REST: something is in no group. False: no memory. */
static bool merge (struct ppi_grouping *g, bool *has_rest)
{
	bool failed = false;

	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		for (const struct ppi_group_entry *e = ppi_group_entries (t, g->aggregate->number);
		     e && !failed; e = e->next) {
			struct row *row;

			if (e->site >= g->sites || !g->site[e->site])
				continue;
			if (!e->group) {
				*has_rest = true;
				continue;
			}
			row = row_of (g, &ppi_group_node (g->groups, e->group)->key, e->group,
				      &failed);
			if (row)
				(void) ppi_summary_add_shard (&row->now, ppi_group_shard (e->chunk),
							      0, 1);
		}
	return !failed;
}

/* The state did not change since the newest moment. */
static bool is_at_rest (const struct ppi_grouping *g)
{
	unsigned at = place_of (g->moments + MOMENTS - 1);

	for (size_t i = 0; g->moments && i < g->rows; i++) {
		const struct kept *kept = g->row[i].kept[at];

		if (g->row[i].now.all.n != (kept ? kept->summary.all.n : 0))
			return false;
	}
	return g->moments;
}

static bool keep_row (struct row *row, unsigned at, unsigned before)
{
	struct kept *same = row->kept[before];

	let_go (&row->kept[at]);
	if (same && same->summary.all.n == row->now.all.n) {
		same->users++;
		row->kept[at] = same;
		return true;
	}
	same = calloc (1, sizeof *same);
	if (!same || !ppi_span_copy (&row->now, &same->summary)) {
		free (same);
		return false;
	}
	same->users = 1;
	row->kept[at] = same;
	return true;
}

/* False: no memory; a moment that only some rows have is none. */
static bool keep (struct ppi_grouping *g, uint64_t now_ns)
{
	unsigned at = place_of (g->moments), before = place_of (g->moments + MOMENTS - 1);

	if (is_at_rest (g)) {
		g->moment[before].to_ns = now_ns;
	} else if (!g->moments || now_ns - g->moment[before].from_ns >= g->step_ns ||
		   now_ns < g->moment[before].from_ns) {
		for (size_t i = 0; i < g->rows; i++)
			if (!keep_row (&g->row[i], at, before)) {
				forget_moments (g);
				return false;
			}
		g->moment[at] = (struct moment){now_ns, now_ns};
		g->moments++;
	}
	g->due_ns = now_ns + g->step_ns;
	return true;
}

bool ppi_grouping_look (struct ppi_grouping *g, uint64_t now_ns)
{
	const struct ppi_groups *groups = __atomic_load_n (&g->aggregate->groups, __ATOMIC_ACQUIRE);
	const pp_site *missed;
	bool ok;

	if (g->groups != groups)
		forget (g);
	g->groups = groups;
	g->now_ns = now_ns;
	g->is_known = g->has_rest = false;
	if (!groups)
		return true;
	empty_rows (g);
	ok = note_sites (g) && merge (g, &g->has_rest);
	ok = ok && (!g->window_ns || keep (g, now_ns));
	/* what is in the rest may be of any group, unless those are told apart by just this */
	g->is_known = ok && !(g->has_rest && g->dims < g->aggregate->dims) &&
		      !ppi_grouping_misses (g->metric, g->aggregate, &missed);
	return ok;
}

uint64_t ppi_grouping_due (const struct ppi_grouping *g)
{
	return g->due_ns;
}

bool ppi_grouping_is_crowded (const struct ppi_grouping *g)
{
	bool is_empty = g->wants && (!g->rows || !g->row[0].now.all.n);

	return g->has_rest && (is_empty || g->dims < g->aggregate->dims);
}

/* ---- reading --------------------------------------------------------------------------------- */

size_t ppi_grouping_rows (const struct ppi_grouping *g)
{
	return g->rows;
}

unsigned ppi_grouping_round (const struct ppi_grouping *g)
{
	return g->round;
}

int ppi_grouping_like (const struct ppi_grouping *g, const struct ppi_grouping *of, size_t row)
{
	char name[PPI_GROUP_DIMS * (PPI_TEXT_MOST + 16)], other[sizeof name];
	struct ppi_group_key key = {0};
	size_t n;

	if (g == of || g->dims != of->dims)
		return g == of ? (int) row : -1;
	for (unsigned i = 0; i < of->dims; i++) {
		key.type[of->dim[i]] = of->row[row].type[i];
		key.value[of->dim[i]] = of->row[row].value[i];
	}
	n = row_key (of, &key, name);
	for (size_t k = 0; k < g->rows; k++) {
		struct ppi_group_key mine = {0};

		for (unsigned i = 0; i < g->dims; i++) {
			mine.type[g->dim[i]] = g->row[k].type[i];
			mine.value[g->dim[i]] = g->row[k].value[i];
		}
		if (row_key (g, &mine, other) == n && memcmp (name, other, n) == 0)
			return (int) k;
	}
	return -1;
}

/* The moment that the window begins at: the newest that is nearly as old as it is; NULL: none. */
static const struct moment *begin_of (const struct ppi_grouping *g, unsigned *at)
{
	uint64_t oldest = g->moments > MOMENTS ? g->moments - MOMENTS : 0,
		 reach_ns = g->window_ns - g->window_ns / STEPS;

	for (uint64_t k = g->moments; k-- > oldest;) {
		*at = place_of (k);
		if (g->moment[*at].from_ns + reach_ns <= g->now_ns)
			return &g->moment[*at];
	}
	*at = place_of (oldest);
	return g->moments ? &g->moment[*at] : NULL;
}

static double over_window (const struct ppi_grouping *g, const struct row *row,
			   enum pp_statistic statistic)
{
	unsigned at = 0;
	const struct moment *begin = begin_of (g, &at);
	const struct kept *kept = begin ? row->kept[at] : NULL;
	uint64_t from_ns = begin ? begin->to_ns : g->now_ns;
	struct ppi_summary span;
	double value = NAN;

	/* nothing came as long as it was at rest: the window began amid that */
	if (begin && begin->to_ns + g->window_ns > g->now_ns)
		from_ns = begin->from_ns + g->window_ns > g->now_ns ? begin->from_ns
								    : g->now_ns - g->window_ns;
	if (ppi_span_between (&row->now, kept ? &kept->summary : NULL,
			      (double) (g->now_ns - from_ns) * 1e-9, &span)) {
		value = ppi_summary_get (&span, statistic, ppi_metric_scale (g->metric));
		ppi_summary_clear (&span);
	}
	return value;
}

double ppi_grouping_value (const struct ppi_grouping *g, int row, enum pp_statistic statistic)
{
	if (!g->is_known || row < 0 || (size_t) row >= g->rows)
		return NAN;
	return g->window_ns ? over_window (g, &g->row[row], statistic)
			    : ppi_summary_get (&g->row[row].now, statistic,
					       ppi_metric_scale (g->metric));
}

uint32_t ppi_grouping_group (const struct ppi_grouping *g, int row)
{
	return row < 0 || (size_t) row >= g->rows ? 0 : g->row[row].group;
}

const char *ppi_grouping_name (const struct ppi_grouping *g, size_t row, char *out, size_t room)
{
	struct ppi_group_said said = {out, room, 0};

	*out = '\0';
	for (unsigned i = 0; row < g->rows && i < g->dims; i++)
		ppi_group_say (&said, g->aggregate->by[g->dim[i]], g->row[row].type[i],
			       g->row[row].value[i]);
	return out;
}

const char *ppi_group_name (const struct ppi_aggregate *a, uint32_t group, char *out, size_t room)
{
	const struct ppi_groups *groups = a ? __atomic_load_n (&a->groups, __ATOMIC_ACQUIRE) : NULL;
	struct ppi_group_said said = {out, room, 0};
	const struct ppi_group_node *node;

	*out = '\0';
	/* numbers are of a node that there is */
	if (!groups || !group || group > ppi_load (&groups->nodes))
		return out;
	node = ppi_group_node (groups, group);
	for (unsigned i = 0; i < a->dims; i++)
		ppi_group_say (&said, a->by[i], node->key.type[i], node->key.value[i]);
	return out;
}
