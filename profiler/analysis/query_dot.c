/* SPDX-License-Identifier: MIT */
/*
 * query_dot.c: what depends on what, for Graphviz:
 *
 *     lookup, 32 records ──12──► decl      12 of the records of decl ran directly inside one of lookup
 */
#include "profiler/analysis/query_int.h"
#include "profiler/analysis/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a node; the first is none, which all others begin at. */
struct node {
	uint32_t before; /* the node without the last dimension */
	unsigned level;  /* of the last dimension */
	struct ppi_value value;
	uint64_t count; /* of records; 0: it is only what other nodes begin with */
	double own_ns;
};

struct place {
	uint32_t node;
	bool is_in; /* chosen, or inside of one that is */
};

struct drawing {
	struct ppi_query *query;
	struct ppi_pairs values, nodes, edges;
	struct node *node;
	uint64_t *edge; /* counts */
	uint32_t nodes_room, edges_room, places;
	struct place *place;
	uint32_t most;
	bool is_too_much;
};

/* Makes AT an index of LIST, whose new elements are 0. NULL: no memory. */
static void *reach (void *list, uint32_t at, uint32_t *room, size_t bytes)
{
	uint32_t more = *room ? *room : 64;
	char *wide;

	if (at < *room)
		return list;
	while (more <= at)
		more *= 2;
	wide = reallocarray (list, more, bytes);
	if (!wide)
		return NULL;
	memset (wide + *room * bytes, 0, (more - *room) * bytes);
	*room = more;
	return wide;
}

/* The node of the record at PLACE; UINT32_MAX: no memory, or they are too many. */
static uint32_t node_of (struct drawing *d, const struct ppi_nest *nest, uint32_t place)
{
	const struct ppi_query_list *list = &d->query->list;
	uint32_t node = 0;

	for (unsigned i = 0; i < list->n; i++) {
		struct ppi_value value =
			ppi_terms_value (d->query->terms, list->dim[i].term, nest, place);
		uint32_t v = ppi_pairs_number (&d->values, value.type, value.bits);
		uint32_t next = v == UINT32_MAX ? UINT32_MAX
						: ppi_pairs_number (&d->nodes,
								    (uint64_t) i << 32 | node, v);
		struct node *wide;

		d->is_too_much |= next != UINT32_MAX && next >= d->most;
		if (next == UINT32_MAX || d->is_too_much)
			return UINT32_MAX;
		wide = reach (d->node, next + 1, &d->nodes_room, sizeof *wide);
		if (!wide)
			return UINT32_MAX;
		d->node = wide;
		d->node[next + 1].before = node;
		d->node[next + 1].level = i;
		d->node[next + 1].value = value;
		node = next + 1;
	}
	return node;
}

static bool add_edge (struct drawing *d, uint32_t from, uint32_t to)
{
	uint32_t edge = ppi_pairs_number (&d->edges, from, to);
	uint64_t *wide =
		edge == UINT32_MAX ? NULL : reach (d->edge, edge, &d->edges_room, sizeof *wide);

	if (!wide)
		return false;
	d->edge = wide;
	d->edge[edge]++;
	return true;
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct drawing *d = arg;
	const struct ppi_query_list *list = &d->query->list;
	uint32_t up = nest->frame[place].up;
	struct place *wide = reach (d->place, place, &d->places, sizeof *wide);
	bool is_in;

	if (!wide)
		return false;
	d->place = wide;
	is_in = !list->has_where || (up && d->place[up].is_in) ||
		ppi_value_is_true (ppi_terms_value (d->query->terms, list->where, nest, place));
	d->place[place] = (struct place){.is_in = is_in};
	if (!is_in)
		return true;
	d->place[place].node = node_of (d, nest, place);
	if (d->place[place].node == UINT32_MAX)
		return false;
	d->node[d->place[place].node].count++;
	return !up || !d->place[up].is_in || add_edge (d, d->place[up].node, d->place[place].node);
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct drawing *d = arg;

	(void) nest;
	if (d->place[place].is_in)
		d->node[d->place[place].node].own_ns += own_ns;
	return true;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static void put_label (const struct drawing *d, uint32_t node, FILE *out)
{
	char text[PPI_FORMAT_ROOM];

	if (d->node[node].before) {
		put_label (d, d->node[node].before, out);
		fputs (", ", out);
	}
	ppi_put_dot_text (ppi_terms_format (d->query->terms,
					    d->query->list.dim[d->node[node].level].label,
					    d->node[node].value, text, sizeof text),
			  out);
}

static void put_graph (const struct drawing *d, FILE *out)
{
	double profiled = d->query->sums.profiled_ns;

	fputs ("digraph dependencies {\n\tnode [shape=box]\n", out);
	for (uint32_t i = 1; i <= d->nodes.n; i++) {
		if (!d->node[i].count)
			continue;
		fprintf (out, "\tn%" PRIu32 " [label=\"", i);
		put_label (d, i, out);
		fprintf (out, "\\n%" PRIu64 " record%s", d->node[i].count,
			 d->node[i].count == 1 ? "" : "s");
		if (profiled > 0)
			fprintf (out, ", self %.1f %%", 100 * d->node[i].own_ns / profiled);
		fputs ("\"]\n", out);
	}
	for (uint32_t i = 0; i < d->edges.n; i++)
		fprintf (out, "\tn%" PRIu64 " -> n%" PRIu64 " [label=\"%" PRIu64 "\"]\n",
			 d->edges.pair[i].a, d->edges.pair[i].b, d->edge[i]);
	fputs ("}\n", out);
}

bool ppi_query_dot (struct ppi_query *query, const struct ppi_query_source *source, FILE *out,
		    char *why, size_t room)
{
	struct drawing d = {.query = query,
			    .most = query->groups ? query->groups : PPI_QUERY_GROUPS};
	struct ppi_walker walker = {begins, ends, &d};
	bool ok = ppi_walk_late (source, query->terms, why, room) &&
		  ppi_walk (source, query->terms, &walker, &query->sums, why, room) &&
		  (!query->sums.records || ppi_terms_all_seen (query->terms, why, room));

	ppi_records_info (source->records, &query->info);
	if (d.is_too_much)
		snprintf (why, room,
			  "these are more than %" PRIu32 " values: a condition chooses fewer",
			  d.most);
	if (ok)
		put_graph (&d, out);
	ppi_pairs_clear (&d.values);
	ppi_pairs_clear (&d.nodes);
	ppi_pairs_clear (&d.edges);
	free (d.node);
	free (d.edge);
	free (d.place);
	return ok;
}
