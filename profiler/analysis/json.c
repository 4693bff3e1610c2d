/* SPDX-License-Identifier: MIT */
/*
 * json.c: reads a profile that was written as JSON (render_graph.c). Nothing in the file is
 * believed.
 */
#include "profiler/analysis/render.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct ppi_profile *out;
	char *why;
	size_t room;
};

static bool fail (struct reading *r, const char *what)
{
	if (!*r->why)
		snprintf (r->why, r->room, "%s", what);
	return false;
}

/* A time or number: finite, not below 0. */
static bool take_number (struct reading *r, const json_t *object, const char *key, double *out)
{
	const json_t *value = json_object_get (object, key);
	char what[80];

	if (json_is_number (value) && isfinite (json_number_value (value)) &&
	    json_number_value (value) >= 0) {
		*out = json_number_value (value);
		return true;
	}
	snprintf (what, sizeof what, "\"%s\" is no number, or it is missing", key);
	return fail (r, what);
}

static bool take_count (struct reading *r, const json_t *object, const char *key, uint64_t most,
			uint64_t *out)
{
	const json_t *value = json_object_get (object, key);
	char what[80];

	if (json_is_integer (value) && json_integer_value (value) >= 0 &&
	    (uint64_t) json_integer_value (value) <= most) {
		*out = (uint64_t) json_integer_value (value);
		return true;
	}
	snprintf (what, sizeof what, "\"%s\" is no count, or it is missing", key);
	return fail (r, what);
}

/* The text of KEY, "" for null. */
static char *take_text (struct reading *r, const json_t *object, const char *key)
{
	const json_t *value = json_object_get (object, key);
	char what[80];

	if (json_is_string (value) || json_is_null (value))
		return strdup (json_is_string (value) ? json_string_value (value) : "");
	snprintf (what, sizeof what, "\"%s\" is no text, or it is missing", key);
	fail (r, what);
	return NULL;
}

static bool take_head (struct reading *r, const json_t *root)
{
	struct ppi_profile *p = r->out;
	const json_t *lost = json_object_get (root, "lost");
	const char *clock = json_string_value (json_object_get (root, "clock"));
	const char *sampler = json_string_value (json_object_get (root, "sampler"));
	const char *by = json_string_value (json_object_get (root, "by"));

	if (!clock || (strcmp (clock, "cpu") != 0 && strcmp (clock, "wall") != 0))
		return fail (r, "it is no profile: \"clock\" is neither \"cpu\" nor \"wall\"");
	p->is_cpu = strcmp (clock, "cpu") == 0;
	if (!sampler || (strcmp (sampler, "watcher") != 0 && strcmp (sampler, "interrupter") != 0))
		return fail (r, "\"sampler\" is neither \"watcher\" nor \"interrupter\"");
	p->by_watcher = strcmp (sampler, "watcher") == 0;
	if (!by || (strcmp (by, "intervals") != 0 && strcmp (by, "functions") != 0 &&
		    strcmp (by, "lines") != 0))
		return fail (r, "\"by\" is neither \"intervals\" nor \"functions\" nor \"lines\"");
	p->is_by_interval = strcmp (by, "intervals") == 0;
	p->is_by_line = strcmp (by, "lines") == 0;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		if (!take_count (r, lost, ppi_sample_loss_name (i), INT64_MAX, &p->lost[i]))
			return false;
	p->program = take_text (r, root, "program");
	return p->program && take_number (r, root, "period", &p->period) &&
	       take_number (r, root, "total_time", &p->total_time) &&
	       take_number (r, root, "actual_time", &p->actual_time) &&
	       take_number (r, root, "wall_time", &p->wall_time) &&
	       take_number (r, root, "cpu_time", &p->cpu_time) &&
	       take_number (r, root, "own_time", &p->own_time) &&
	       take_count (r, root, "sample_number", INT64_MAX, &p->sample_number);
}

static bool take_threads (struct reading *r, const json_t *list)
{
	struct ppi_profile *p = r->out;

	if (!json_is_array (list))
		return fail (r, "\"thread_times\" is no list, or it is missing");
	p->thread = calloc (json_array_size (list) + 1, sizeof *p->thread);
	if (!p->thread)
		return false;
	for (size_t i = 0; i < json_array_size (list); i++) {
		const json_t *one = json_array_get (list, i);
		struct ppi_profile_thread *thread = &p->thread[i];
		uint64_t id;

		thread->name = take_text (r, one, "name");
		p->threads++;
		if (!thread->name || !take_count (r, one, "id", UINT32_MAX, &id) ||
		    !take_number (r, one, "time", &thread->time) ||
		    !take_count (r, one, "samples", INT64_MAX, &thread->samples))
			return false;
		thread->id = (uint32_t) id;
	}
	return true;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static bool take_source (struct reading *r, const json_t *node, struct ppi_profile_node *out)
{
	const json_t *src = json_object_get (node, "src");
	uint64_t line = 0;

	if (json_is_null (src)) {
		out->file = strdup ("");
		return out->file != NULL;
	}
	if (json_object_get (src, "line") && !take_count (r, src, "line", UINT32_MAX, &line))
		return false;
	out->line = (unsigned) line;
	out->file = take_text (r, src, "file");
	return out->file != NULL;
}

static bool take_thread_ids (struct reading *r, const json_t *list, struct ppi_profile_node *out)
{
	if (!json_is_array (list))
		return fail (r, "\"thread_ids\" is no list, or it is missing");
	out->thread = calloc (json_array_size (list) + 1, sizeof *out->thread);
	for (size_t i = 0; out->thread && i < json_array_size (list); i++) {
		json_int_t id = json_integer_value (json_array_get (list, i));

		if (id < 0 || id > UINT32_MAX)
			return fail (r, "\"thread_ids\" has what is no thread's number");
		out->thread[out->threads++] = (uint32_t) id;
	}
	return out->thread != NULL;
}

static bool take_node (struct reading *r, const json_t *node)
{
	struct ppi_profile_node *out = &r->out->node[r->out->nodes++];

	out->name = take_text (r, node, "id");
	return out->name && take_source (r, node, out) &&
	       take_number (r, node, "total", &out->total) &&
	       take_number (r, node, "self", &out->self) &&
	       take_count (r, node, "samples", INT64_MAX, &out->samples) &&
	       take_thread_ids (r, json_object_get (node, "thread_ids"), out);
}

static bool take_end (struct reading *r, const json_t *edge, const char *key, uint32_t *out)
{
	uint64_t number = 0;

	*out = PPI_PROFILE_ROOT;
	if (json_is_null (json_object_get (edge, key)))
		return true;
	if (!take_count (r, edge, key, r->out->nodes - 1, &number))
		return fail (r, "an edge leads to a node that is not there");
	*out = (uint32_t) number;
	return true;
}

/*
 * An edge is in the lists of both of its ends: each is taken from its callee's, those into the root
 * from their caller's.
 */
static bool take_edges (struct reading *r, const json_t *list, uint32_t node, bool callers)
{
	struct ppi_profile *p = r->out;
	struct ppi_profile_edge *grown;

	if (!json_is_array (list))
		return fail (r, "a node's \"callers\" or \"callees\" is no list, or it is missing");
	grown = reallocarray (p->edge, p->edges + json_array_size (list) + 1, sizeof *grown);
	if (!grown)
		return false;
	p->edge = grown;
	for (size_t i = 0; i < json_array_size (list); i++) {
		struct ppi_profile_edge edge = {.total = 0};
		const json_t *one = json_array_get (list, i);

		if (!take_number (r, one, "total", &edge.total) ||
		    !take_number (r, one, "caller_time", &edge.caller_time) ||
		    !take_number (r, one, "callee_time", &edge.callee_time) ||
		    !take_end (r, one, "caller", &edge.caller) ||
		    !take_end (r, one, "callee", &edge.callee))
			return false;
		if ((callers ? edge.callee : edge.caller) != node)
			return fail (r, "an edge is listed at a node that is neither of its ends");
		if (callers || edge.callee == PPI_PROFILE_ROOT)
			p->edge[p->edges++] = edge;
	}
	return true;
}

static bool take_nodes (struct reading *r, const json_t *list)
{
	struct ppi_profile *p = r->out;

	if (!json_is_array (list))
		return fail (r, "\"nodes\" is no list, or it is missing");
	p->node = calloc (json_array_size (list) + 1, sizeof *p->node);
	if (!p->node)
		return false;
	for (size_t i = 0; i < json_array_size (list); i++)
		if (!take_node (r, json_array_get (list, i)))
			return false;
	for (uint32_t i = 0; i < p->nodes; i++) {
		const json_t *node = json_array_get (list, i);

		if (!take_edges (r, json_object_get (node, "callers"), i, true) ||
		    !take_edges (r, json_object_get (node, "callees"), i, false))
			return false;
	}
	return true;
}

bool ppi_profile_from_json (const char *path, struct ppi_profile *out, char *why, size_t room)
{
	struct reading r = {out, why, room};
	json_error_t error;
	json_t *root = json_load_file (path, JSON_REJECT_DUPLICATES, &error);
	bool ok;

	*why = '\0';
	*out = (struct ppi_profile){.program = NULL};
	if (!root) {
		snprintf (why, room, "line %d: %s", error.line, error.text);
		return false;
	}
	ok = take_head (&r, root) && take_threads (&r, json_object_get (root, "thread_times")) &&
	     take_nodes (&r, json_object_get (root, "nodes")) && ppi_profile_link (out);
	ppi_profile_weigh (out);
	json_decref (root);
	if (!ok)
		fail (&r, "no memory");
	return ok;
}
