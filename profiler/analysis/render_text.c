/* SPDX-License-Identifier: MIT */
/*
 * render_text.c: the table for people:
 *
 *                                caller [1]  60.0%    of the function's total time: called there
 *    [2]   1234 (61.7%)     20 (1.0%)  function  …/file.c:12
 *                                callee [3]  98.4%    of the function's total time: in there
 *
 * Indexes are given from the top. Times are milliseconds.
 */
#include "profiler/analysis/render.h"

#include "profiler/analysis/put.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { INDENT = 34 };

static const char *const loss_names[] = {
#define X(id, name, one, several) name,
	PPI_SAMPLE_LOSS_CAUSES (X)
#undef X
};

static const char *const loss_sentences[][2] = {
#define X(id, name, one, several) {one, several},
	PPI_SAMPLE_LOSS_CAUSES (X)
#undef X
};

const char *ppi_sample_loss_name (unsigned loss)
{
	return loss_names[loss];
}

const char *ppi_sample_loss_sentence (unsigned loss, uint64_t n)
{
	return loss_sentences[loss][n != 1];
}

void ppi_sample_losses_put (const uint64_t *lost, FILE *out)
{
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		if (lost[i])
			fprintf (out, "  %llu %s\n", (unsigned long long) lost[i],
				 ppi_sample_loss_sentence (i, lost[i]));
}

/* ---- words ----------------------------------------------------------------------------------- */

static double share (double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static unsigned columns_of (const char *text)
{
	unsigned taken;

	ppi_put_fit (text, UINT32_MAX / 2, &taken);
	return taken;
}

/* What a name may not do is to move the cursor. */
static void put_safely (const char *text, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		fputc ((unsigned char) text[i] < 32 || text[i] == 127 ? '?' : text[i], out);
}

/* One column, for what is left out. */
static void put_dots (FILE *out)
{
	fputs (MB_CUR_MAX > 1 ? "…" : "~", out);
}

/* NAME, cut off behind COLUMNS. Returns how many it took. */
static unsigned put_name (const char *name, unsigned columns, FILE *out)
{
	unsigned taken;
	size_t n;

	if (columns_of (name) <= columns) {
		n = ppi_put_fit (name, columns, &taken);
		put_safely (name, n, out);
		return taken;
	}
	n = ppi_put_fit (name, columns - 1, &taken);
	put_safely (name, n, out);
	put_dots (out);
	return taken + 1;
}

/* Behind the name: the end of where it is, in COLUMNS. */
static void put_source (const struct ppi_profile_node *node, unsigned columns, FILE *out)
{
	char line[16] = "";
	const char *file = node->file;
	unsigned of_line;

	if (node->line)
		snprintf (line, sizeof line, ":%u", node->line);
	of_line = (unsigned) strlen (line);
	if (!*file || columns < of_line + 6)
		return;
	columns -= of_line + 2;
	if (columns_of (file) > columns) {
		while (columns_of (file) > columns - 1)
			do
				file++;
			while (((unsigned char) *file & 0xc0) == 0x80);
		fputs ("  ", out);
		put_dots (out);
	} else
		fputs ("  ", out);
	put_safely (file, strlen (file), out);
	fputs (line, out);
}

static const char *name_of (const struct ppi_profile_node *node)
{
	return *node->name ? node->name : "???";
}

/* ---- the head -------------------------------------------------------------------------------- */

/* As a part of the CPU time: who reads it wants to know what it may be. */
#define MUCH 0.05

const char *ppi_profile_margin_text (const struct ppi_profile *p, char out[PPI_MARGIN_BYTES])
{
	snprintf (out, PPI_MARGIN_BYTES, "%s %.1f", MB_CUR_MAX > 1 ? "±" : "+-",
		  100 * ppi_profile_margin (p));
	return out;
}

void ppi_profile_sampled_put (const struct ppi_profile *p, FILE *out)
{
	const char *what = p->is_cpu ? "CPU time" : "time";

	fprintf (out, "  %s that was sampled: %.0f ms", what, 1e3 * p->total_time);
	if (p->actual_time > 0) {
		double rest = p->actual_time - p->total_time;

		fprintf (out, " of %.0f ms", 1e3 * p->actual_time);
		if (rest > 0)
			fprintf (out, ", %.1f %% unaccounted for", share (rest, p->actual_time));
		if (rest > MUCH * p->actual_time && !p->is_by_interval)
			fputs ("\n  what system calls took may be among that: the task clock "
			       "leaves them out",
			       out);
	}
	fputc ('\n', out);
}

static void put_times (const struct ppi_profile *p, FILE *out)
{
	char margin[PPI_MARGIN_BYTES];

	ppi_profile_sampled_put (p, out);
	fprintf (out, "  samples: %llu", (unsigned long long) p->sample_number);
	if (p->sample_number)
		fprintf (out, ", one every %.2f ms",
			 1e3 * p->total_time / (double) p->sample_number);
	if (p->period > 0)
		fprintf (out, " (asked for: %.2f ms)", 1e3 * p->period);
	fputc ('\n', out);
	if (p->sample_number)
		fprintf (out,
			 "  by chance a share may be off: %s points near 50 %%, less near 0 and "
			 "100 %%\n",
			 ppi_profile_margin_text (p, margin));
	if (p->own_time > 0)
		fprintf (out, "  the sampler itself: %.0f ms of CPU time, %.1f %% of %.0f ms\n",
			 1e3 * p->own_time, share (p->own_time, p->wall_time), 1e3 * p->wall_time);
}

static void put_threads (const struct ppi_profile *p, FILE *out)
{
	enum { MOST = 10 };
	size_t shown = p->threads > MOST ? MOST : p->threads;

	fprintf (out, "  threads: %zu\n", p->threads);
	if (p->threads < 2)
		return;
	for (size_t i = 0; i < shown; i++) {
		fprintf (out, "    %-10u ", p->thread[i].id);
		put_name (p->thread[i].name, 20, out);
		fprintf (out, "  %.0f ms (%.1f%%), %llu sample%s\n", 1e3 * p->thread[i].time,
			 share (p->thread[i].time, p->total_time),
			 (unsigned long long) p->thread[i].samples,
			 p->thread[i].samples == 1 ? "" : "s");
	}
	if (shown < p->threads)
		fprintf (out, "    and %zu more\n", p->threads - shown);
}

static void put_head (const struct ppi_profile *p, FILE *out)
{
	fputs ("profile of ", out);
	put_safely (p->program, strlen (p->program), out);
	fputc ('\n', out);
	put_times (p, out);
	put_threads (p, out);
	ppi_sample_losses_put (p->lost, out);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void put_neighbour (const struct ppi_profile *p, uint32_t number, const uint32_t *index,
			   double part, double whole, unsigned columns, FILE *out)
{
	char tail[48];

	if (number == PPI_PROFILE_ROOT || !index[number])
		return;
	snprintf (tail, sizeof tail, " [%u] %.1f%%", index[number], share (part, whole));
	fprintf (out, "%*s", INDENT, "");
	put_name (name_of (&p->node[number]),
		  columns > strlen (tail) + 8 ? columns - (unsigned) strlen (tail) : 8, out);
	fprintf (out, "%s\n", tail);
}

static void put_node (const struct ppi_profile *p, uint32_t number, const uint32_t *index,
		      unsigned columns, FILE *out)
{
	const struct ppi_profile_node *node = &p->node[number];
	char label[24], total[40], self[40];
	unsigned taken, here = columns;
	int before;

	for (size_t i = 0; i < node->callers; i++)
		put_neighbour (p, p->edge[node->caller[i]].caller, index,
			       p->edge[node->caller[i]].callee_time, node->total, columns - 4, out);
	snprintf (label, sizeof label, "[%u]", index[number]);
	snprintf (total, sizeof total, "%.0f(%.1f%%)", 1e3 * node->total,
		  share (node->total, p->total_time));
	snprintf (self, sizeof self, "%.0f(%.1f%%)", 1e3 * node->self,
		  share (node->self, p->total_time));
	before = fprintf (out, "%5s %12s %10s ", label, total, self);
	/* long times take of the name's room: the line stays as long */
	if (before > PPI_RENDER_BEFORE && here > (unsigned) before)
		here -= (unsigned) before - PPI_RENDER_BEFORE;
	taken = put_name (name_of (node), here, out);
	put_source (node, here - taken, out);
	fputc ('\n', out);
	for (size_t i = 0; i < node->callees; i++)
		put_neighbour (p, p->edge[node->callee[i]].callee, index,
			       p->edge[node->callee[i]].caller_time, node->total, columns - 4, out);
}

/* As wide as other lines; those that are of any width have one as in 80 columns. */
static void put_line (unsigned columns, FILE *out)
{
	enum { USUAL = 47, MOST = 970 };

	fputc (' ', out);
	for (unsigned i = 0; i < PPI_RENDER_BEFORE + (columns > MOST ? USUAL : columns - 3); i++)
		fputc ('-', out);
	fputc ('\n', out);
}

static void put_hidden (const struct ppi_profile *p, const struct ppi_render_options *options,
			size_t hidden, FILE *out)
{
	if (hidden)
		fprintf (out,
			 " %zu of %zu %s are not shown: less than %g %% themselves, and less than "
			 "%g %%\n of each caller and callee%s (--hide-self, --hide-subs)\n",
			 hidden, p->nodes, p->is_by_interval ? "intervals" : "functions",
			 100 * options->hide_self, 100 * options->hide_subs,
			 p->is_by_interval ? "" : ", or before main");
}

bool ppi_render_text (const struct ppi_profile *p, const struct ppi_render_options *options,
		      FILE *out)
{
	uint32_t *sorted = ppi_profile_sorted (p, options->order),
		 *index = calloc (p->nodes + 1, sizeof *index);
	unsigned columns = options->truncate_source ? options->truncate_source : UINT32_MAX / 4;
	uint32_t shown = 0;
	bool ok = sorted && index;

	for (size_t i = 0; ok && i < p->nodes; i++)
		if (!ppi_profile_hides (p, sorted[i], options->hide_self, options->hide_subs))
			index[sorted[i]] = ++shown;
	if (ok) {
		put_head (p, out);
		fprintf (out, "\n%*s\n%5s %12s %10s %s\n%*s\n", INDENT + 5, "caller", "index",
			 "total ms(%)", "self ms(%)",
			 p->is_by_interval ? "interval  source" : "function  source", INDENT + 5,
			 "callee");
		put_line (columns, out);
	}
	for (size_t i = 0; ok && i < p->nodes; i++)
		if (index[sorted[i]]) {
			put_node (p, sorted[i], index, columns, out);
			put_line (columns, out);
		}
	if (ok)
		put_hidden (p, options, p->nodes - shown, out);
	free (sorted);
	free (index);
	return ok;
}
