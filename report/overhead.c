/* SPDX-License-Identifier: MIT */
/* overhead.c: what the markers cost and what a budget did about it. */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <stddef.h>

#define BINDINGS_SHOWN 40

static void put_share (struct ppi_row *row, const char *key, double share)
{
	ppi_put_double (row, key, PPI_CELL_SHARE, share);
}

static void put_threads (struct ppi_row *row, const struct ppi_overhead_chunk *o)
{
	uint32_t n = o->threads < PPI_OVERHEAD_THREADS ? o->threads : PPI_OVERHEAD_THREADS;
	struct ppi_table *table = ppi_put_table (row, "threads", NULL);

	for (uint32_t i = 0; i < n; i++) {
		struct ppi_row *one = ppi_row (table);

		ppi_put_count (one, "thread", o->thread[i].thread);
		put_share (one, "share", o->thread[i].share);
		ppi_say (one, i ? ", {thread} {share}" : "    by thread: {thread} {share}");
	}
	ppi_say (row, "{threads}");
	if (o->threads > n)
		ppi_say (row, ", and %u that paid less", o->threads - n);
	if (n)
		ppi_say (row, "\n");
}

/* "sampled more seldom 3 times, more often again once"; nothing where neither happened */
static void say_turns (struct ppi_row *row, const char *what, uint64_t n, const char *back,
		       uint64_t times)
{
	if (!n && !times)
		return;
	ppi_say (row, "    %s %llu time%s", what, (unsigned long long) n, ppi_report_plural (n));
	if (times)
		ppi_say (row, ", %s %llu time%s", back, (unsigned long long) times,
			 ppi_report_plural (times));
	ppi_say (row, "\n");
}

/* Bindings that a budget has sampled more seldom than was asked for, or not at all */
static void put_bindings (struct ppi_row *row, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_put_table (row, "bindings", NULL);
	size_t n = 0;

	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));) {
		const char *site = ppi_report_site_name (recording, b->site);
		struct ppi_row *one;

		if (!b->kept_off && !(b->bound && b->asked && b->every > b->asked))
			continue;
		one = ppi_row (table);
		ppi_put_text (one, "metric", ppi_report_metric_name (recording, b->metric));
		ppi_put_text (one, "site", site);
		ppi_put_count (one, "asked", b->asked);
		ppi_put_double (one, "every", PPI_CELL_WHOLE,
				b->kept_off ? (double) NAN : b->every);
		if (n++ >= BINDINGS_SHOWN)
			continue;
		ppi_report_show_site (one, "site", site, true);
		ppi_say (one, "    {metric} at {site}: %s%s\n",
			 b->kept_off ? "unbound" : "one execution in {every}",
			 !b->kept_off && b->asked > 1 ? ", not in {asked}" : "");
	}
	if (n > BINDINGS_SHOWN)
		ppi_report_say_more (table, "    ", n - BINDINGS_SHOWN);
	ppi_say (row, "{bindings}");
}

void ppi_section_overhead (struct ppi_report *report, const struct ppi_recording *recording)
{
	const struct ppi_overhead_chunk *o =
		ppi_recording_next (recording, PPI_CHUNK_OVERHEAD, NULL);
	struct ppi_table *table = ppi_table (report, "overhead", "overhead");
	struct ppi_row *row;

	if (table)
		table->is_single = true;
	if (!o || !o->looks)
		return;
	row = ppi_row (table);
	put_share (row, "budget", o->budget);
	put_share (row, "share", o->share);
	put_share (row, "most", o->most);
	ppi_put_count (row, "looks", o->looks);
	ppi_put_count (row, "raised", o->raised);
	ppi_put_count (row, "taken", o->taken);
	ppi_put_count (row, "eased", o->eased);
	ppi_put_count (row, "restored", o->restored);
	ppi_say (row, isnan (o->budget) ? "  no budget any more"
					: "  budget {budget} of a thread's time");
	if (!isnan (o->share))
		ppi_say (row, "; the markers took {share}");
	if (!isnan (o->most))
		ppi_say (row, isnan (o->share) ? "; {most} at most" : " lately, {most} at most");
	ppi_say (row, "\n");
	put_threads (row, o);
	if (!o->raised && !o->taken)
		ppi_say (row, "    everything was sampled as asked for\n");
	say_turns (row, "bindings sampled more seldom", o->raised, "more often again", o->eased);
	say_turns (row, "bindings unbound", o->taken, "bound again", o->restored);
	put_bindings (row, recording);
}
