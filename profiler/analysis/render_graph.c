/* SPDX-License-Identifier: MIT */
/* render_graph.c: what shows the call graph beside the text: CHICKEN's table, Graphviz, JSON. */
#include "profiler/analysis/render.h"

#include "profiler/analysis/put.h"

#include <stdlib.h>
#include <string.h>

static double share (double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static const char *name_of (const struct ppi_profile_node *node)
{
	return *node->name ? node->name : "???";
}

/* ---- procedure calls seconds average percent ------------------------------------------------- */

static void put_chicken_head (const struct ppi_profile *p, FILE *out)
{
	char margin[PPI_MARGIN_BYTES];

	fprintf (out, "%.3fs CPU time, %.3fs elapsed, %llu sample%s", p->cpu_time, p->wall_time,
		 (unsigned long long) p->sample_number, p->sample_number == 1 ? "" : "s");
	if (p->sample_number)
		fprintf (out, ", %s points", ppi_profile_margin_text (p, margin));
	fputc ('\n', out);
	ppi_profile_sampled_put (p, out);
	ppi_sample_losses_put (p->lost, out);
	fputs ("\nprocedure calls seconds average percent\n", out);
}

bool ppi_render_chicken (const struct ppi_profile *p, const struct ppi_render_options *options,
			 FILE *out)
{
	uint32_t *sorted = ppi_profile_sorted (p, PPI_ORDER_SELF);
	bool *shared = ppi_names_shared (p->node, sizeof *p->node, p->nodes);
	bool ok = sorted && shared;

	(void) options;
	if (ok)
		put_chicken_head (p, out);
	for (size_t i = 0; ok && i < p->nodes; i++) {
		const struct ppi_profile_node *node = &p->node[sorted[i]];

		if (!node->samples)
			continue;
		for (const char *c = name_of (node); *c; c++)
			fputc ((unsigned char) *c < 32 ? '?' : *c, out);
		if (p->is_by_line || shared[sorted[i]])
			ppi_put_place (node->file, node->line, out);
		fprintf (out, " %llu %.3f %.3f %.3f\n", (unsigned long long) node->samples,
			 node->self, node->self / (double) node->samples,
			 100 * share (node->self, p->total_time));
	}
	free (sorted);
	free (shared);
	return ok;
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

void ppi_put_dot_text (const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc ('\\', out);
		fputc ((unsigned char) *text < 32 ? '?' : *text, out);
	}
}

/* In a line of its own. */
static void put_dot_place (const struct ppi_profile_node *node, FILE *out)
{
	const char *base = strrchr (node->file, '/');

	if (!node->line)
		return;
	fputs ("\\n", out);
	ppi_put_dot_text (base ? base + 1 : node->file, out);
	fprintf (out, ":%u", node->line);
}

static void put_dot_node (const struct ppi_profile *p, uint32_t number, bool has_place, double most,
			  FILE *out)
{
	const struct ppi_profile_node *node = &p->node[number];

	fprintf (out, "\tn%u [label=\"", number);
	ppi_put_dot_text (name_of (node), out);
	if (has_place)
		put_dot_place (node, out);
	fprintf (
		out,
		"\\n%.0f ms (%.1f%%)\\nself %.0f ms (%.1f%%)\", fillcolor=\"0.000 %.3f 1.000\"];\n",
		1e3 * node->total, 100 * share (node->total, p->total_time), 1e3 * node->self,
		100 * share (node->self, p->total_time), share (node->self, most));
}

static void put_dot_nodes (const struct ppi_profile *p, const struct ppi_render_options *options,
			   const bool *shared, FILE *out)
{
	double most = 0;

	for (size_t i = 0; i < p->nodes; i++)
		most = p->node[i].self > most ? p->node[i].self : most;
	for (uint32_t i = 0; i < p->nodes; i++)
		if (!ppi_profile_hides (p, i, options->hide_self, options->hide_subs))
			put_dot_node (p, i, p->is_by_line || shared[i], most, out);
}

bool ppi_render_dot (const struct ppi_profile *p, const struct ppi_render_options *options,
		     FILE *out)
{
	bool *shared = ppi_names_shared (p->node, sizeof *p->node, p->nodes);

	if (!shared)
		return false;
	fputs ("digraph profile {\n\tnode [shape=box, style=filled, fontname=\"sans\"];\n", out);
	put_dot_nodes (p, options, shared, out);
	free (shared);
	for (size_t i = 0; i < p->edges; i++) {
		const struct ppi_profile_edge *edge = &p->edge[i];

		if (edge->caller == PPI_PROFILE_ROOT || edge->callee == PPI_PROFILE_ROOT ||
		    ppi_profile_hides (p, edge->caller, options->hide_self, options->hide_subs) ||
		    ppi_profile_hides (p, edge->callee, options->hide_self, options->hide_subs))
			continue;
		fprintf (out, "\tn%u -> n%u [label=\"%.1f%%\", penwidth=%.2f];\n", edge->caller,
			 edge->callee, 100 * share (edge->total, p->total_time),
			 1 + 4 * share (edge->total, p->total_time));
	}
	fputs ("}\n", out);
	return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_end (uint32_t node, FILE *out)
{
	if (node == PPI_PROFILE_ROOT)
		fputs ("null", out);
	else
		fprintf (out, "%u", node);
}

static void put_edges (const struct ppi_profile *p, const char *name, const uint32_t *list,
		       size_t n, FILE *out)
{
	fprintf (out, ", \"%s\": [", name);
	for (size_t i = 0; i < n; i++) {
		const struct ppi_profile_edge *edge = &p->edge[list[i]];

		fprintf (out,
			 i ? ", {\"total\": %.17g, \"caller\": "
			   : "{\"total\": %.17g, \"caller\": ",
			 edge->total);
		put_end (edge->caller, out);
		fprintf (out, ", \"caller_time\": %.17g, \"callee\": ", edge->caller_time);
		put_end (edge->callee, out);
		fprintf (out, ", \"callee_time\": %.17g}", edge->callee_time);
	}
	fputc (']', out);
}

static void put_node (const struct ppi_profile *p, const struct ppi_profile_node *node, FILE *out)
{
	fputs ("{\"id\": ", out);
	if (*node->name)
		ppi_put_json_text (node->name, out);
	else
		fputs ("null", out);
	fputs (", \"src\": ", out);
	if (*node->file) {
		fputs ("{\"file\": ", out);
		ppi_put_json_text (node->file, out);
		if (node->line)
			fprintf (out, ", \"line\": %u", node->line);
		fputc ('}', out);
	} else
		fputs ("null", out);
	fprintf (out, ", \"total\": %.17g, \"self\": %.17g, \"samples\": %llu, \"thread_ids\": [",
		 node->total, node->self, (unsigned long long) node->samples);
	for (size_t i = 0; i < node->threads; i++)
		fprintf (out, i ? ", %u" : "%u", node->thread[i]);
	fputc (']', out);
	put_edges (p, "callers", node->caller, node->callers, out);
	put_edges (p, "callees", node->callee, node->callees, out);
	fputc ('}', out);
}

static void put_head (const struct ppi_profile *p, FILE *out)
{
	fputs ("{\"program\": ", out);
	ppi_put_json_text (p->program, out);
	fprintf (out,
		 ",\n\"sampler\": \"%s\", \"by\": \"%s\", \"own_time\": %.17g,\n\"clock\": \"%s\", "
		 "\"period\": "
		 "%.17g, \"total_time\": %.17g, \"actual_time\": "
		 "%.17g,\n"
		 "\"wall_time\": %.17g, \"cpu_time\": %.17g, \"sample_number\": %llu,\n\"lost\": {",
		 p->by_watcher ? "watcher" : "interrupter",
		 p->is_by_interval ? "intervals"
		 : p->is_by_line   ? "lines"
				   : "functions",
		 p->own_time, p->is_cpu ? "cpu" : "wall", p->period, p->total_time, p->actual_time,
		 p->wall_time, p->cpu_time, (unsigned long long) p->sample_number);
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		fprintf (out, i ? ", \"%s\": %llu" : "\"%s\": %llu", ppi_sample_loss_name (i),
			 (unsigned long long) p->lost[i]);
	fputs ("},\n\"thread_times\": [", out);
	for (size_t i = 0; i < p->threads; i++) {
		fprintf (out, i ? ",\n{\"id\": %u, \"name\": " : "\n{\"id\": %u, \"name\": ",
			 p->thread[i].id);
		ppi_put_json_text (p->thread[i].name, out);
		fprintf (out, ", \"time\": %.17g, \"samples\": %llu}", p->thread[i].time,
			 (unsigned long long) p->thread[i].samples);
	}
	fputs ("],\n", out);
}

bool ppi_render_json (const struct ppi_profile *p, const struct ppi_render_options *options,
		      FILE *out)
{
	(void) options;
	put_head (p, out);
	fputs ("\"nodes\": [", out);
	for (size_t i = 0; i < p->nodes; i++) {
		fputs (i ? ",\n" : "\n", out);
		put_node (p, &p->node[i], out);
	}
	fputs ("]}\n", out);
	return true;
}
