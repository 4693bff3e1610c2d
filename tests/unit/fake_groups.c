/* SPDX-License-Identifier: MIT */
/* fake_groups.c: groups of executions, as a test says they are; see fake_runtime.h. */
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/stats/groups.h"
#include "libmetrics/stats/stat.h"
#include "tests/unit/fake_runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_aggregate aggregate = {.number = 1,
					 .max_groups = FAKE_GROUPS,
					 .accumulator = PPI_HISTOGRAM,
					 .dims = 1,
					 .by = {"command"},
					 .sites = "*",
					 .wanted = 1};

struct ppi_grouping {
	bool wants;
	char want[32];
};

const struct ppi_aggregate *ppi_aggregate_at (uint32_t number)
{
	return number == 1 && fake.has_groups ? &aggregate : NULL;
}

struct ppi_grouping *ppi_grouping_new (const pp_metric *metric, const struct ppi_aggregate *a,
				       const unsigned *dim, unsigned n,
				       const struct ppi_group_want *want, uint64_t window_ns)
{
	struct ppi_grouping *g = calloc (1, sizeof *g);

	(void) metric;
	(void) a;
	(void) dim;
	(void) n;
	(void) window_ns;
	if (g && want) {
		g->wants = true;
		snprintf (g->want, sizeof g->want, "%s", want->text ? want->text : "");
	}
	return g;
}

void ppi_grouping_free (struct ppi_grouping *g)
{
	free (g);
}

bool ppi_grouping_misses (const pp_metric *metric, const struct ppi_aggregate *a,
			  const pp_site **site)
{
	(void) metric;
	(void) a;
	(void) site;
	return false;
}

bool ppi_grouping_look (struct ppi_grouping *g, uint64_t now_ns)
{
	(void) g;
	(void) now_ns;
	return true;
}

uint64_t ppi_grouping_due (const struct ppi_grouping *g)
{
	(void) g;
	return UINT64_MAX;
}

/* The row of all that row ROW of G is; -1: none. */
static int row_of (const struct ppi_grouping *g, int row)
{
	for (size_t i = 0; g->wants && i < fake.n_groups; i++)
		if (row == 0 && strcmp (fake.group[i].name, g->want) == 0)
			return (int) i;
	return g->wants || (size_t) row >= fake.n_groups ? -1 : row;
}

size_t ppi_grouping_rows (const struct ppi_grouping *g)
{
	return g->wants ? row_of (g, 0) >= 0 : fake.n_groups;
}

int ppi_grouping_like (const struct ppi_grouping *g, const struct ppi_grouping *of, size_t row)
{
	(void) g;
	(void) of;
	return (int) row;
}

bool ppi_grouping_is_crowded (const struct ppi_grouping *g)
{
	(void) g;
	return false;
}

double ppi_grouping_value (const struct ppi_grouping *g, int row, enum pp_statistic statistic)
{
	int at = row_of (g, row);

	(void) statistic;
	return at < 0 ? NAN : fake.group[at].value;
}

const char *ppi_grouping_name (const struct ppi_grouping *g, size_t row, char *out, size_t room)
{
	int at = row_of (g, (int) row);

	snprintf (out, room, "command=\"%s\"", at < 0 ? "" : fake.group[at].name);
	return out;
}

uint32_t ppi_grouping_group (const struct ppi_grouping *g, int row)
{
	int at = row_of (g, row);

	return at < 0 ? 0 : (uint32_t) at + 1;
}

bool ppi_thread_grouped (const struct ppi_thread *thread, uint32_t number, uint32_t group,
			 const pp_site *site)
{
	(void) thread;
	(void) number;
	(void) site;
	return group && group <= fake.n_groups;
}

double ppi_thread_group_stat (const struct ppi_thread *thread, const pp_metric *metric,
			      const struct ppi_aggregate *a, uint32_t group, const pp_site *site,
			      enum pp_statistic statistic)
{
	(void) thread;
	(void) metric;
	(void) a;
	(void) site;
	(void) statistic;
	return group && group <= fake.n_groups ? fake.group[group - 1].value : NAN;
}
