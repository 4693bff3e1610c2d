/* SPDX-License-Identifier: MIT */
/* report_overhead.c: what the markers cost and what a budget did about it, in the report for people. */
#include "report.h"

#include <math.h>

#define BINDINGS_SHOWN 40

static void put_share (FILE *out, double share)
{
	fprintf (out, 100 * share >= 99.5 ? "%.0f %%" : "%.2g %%", 100 * share);
}

static void put_threads (FILE *out, const struct ppi_overhead_chunk *o)
{
	uint32_t n = o->threads < PPI_OVERHEAD_THREADS ? o->threads : PPI_OVERHEAD_THREADS;

	for (uint32_t i = 0; i < n; i++) {
		fprintf (out, "%s%u ", i ? ", " : "    by thread: ", o->thread[i].thread);
		put_share (out, o->thread[i].share);
	}
	if (o->threads > n)
		fprintf (out, ", and %u that paid less", o->threads - n);
	if (n)
		fputc ('\n', out);
}

/* "sampled more seldom 3 times, more often again once"; nothing where neither happened */
static void put_turns (FILE *out, const char *what, uint64_t n, const char *back, uint64_t times)
{
	if (!n && !times)
		return;
	fprintf (out, "    %s %llu time%s", what, (unsigned long long) n, n == 1 ? "" : "s");
	if (times)
		fprintf (out, ", %s %llu time%s", back, (unsigned long long) times, times == 1 ? "" : "s");
	fputc ('\n', out);
}

static void put_done (FILE *out, const struct ppi_overhead_chunk *o)
{
	if (!o->raised && !o->taken)
		fputs ("    everything was sampled as asked for\n", out);
	put_turns (out, "bindings sampled more seldom", o->raised, "more often again", o->eased);
	put_turns (out, "bindings unbound", o->taken, "bound again", o->restored);
}

static bool is_throttled (const struct ppi_binding_chunk *b)
{
	return b->kept_off || (b->bound && b->asked && b->every > b->asked);
}

static void put_binding (FILE *out, const struct ppi_recording *recording, const struct ppi_binding_chunk *b)
{
	fputs ("    ", out);
	ppi_report_put_clean (out, ppi_report_metric_name (recording, b->metric));
	fputs (" at ", out);
	ppi_report_put_clean (out, ppi_report_short_site (recording, ppi_report_site_name (recording, b->site), true));
	if (b->kept_off)
		fputs (": unbound", out);
	else
		fprintf (out, ": one execution in %u", b->every);
	if (!b->kept_off && b->asked > 1)
		fprintf (out, ", not in %u", b->asked);
	fputc ('\n', out);
}

static void put_bindings (FILE *out, const struct ppi_recording *recording)
{
	size_t n = 0;

	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));) {
		if (!is_throttled (b) || n++ >= BINDINGS_SHOWN)
			continue;
		put_binding (out, recording, b);
	}
	if (n > BINDINGS_SHOWN)
		fprintf (out, "    ... %zu more; --json has them all\n", n - BINDINGS_SHOWN);
}

void ppi_report_put_overhead (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_overhead_chunk *o = ppi_recording_next (recording, PPI_CHUNK_OVERHEAD, NULL);

	if (!o || !o->looks)
		return;
	fputs ("\noverhead\n  ", out);
	if (isnan (o->budget)) {
		fputs ("no budget any more", out);
	} else {
		fputs ("budget ", out);
		put_share (out, o->budget);
		fputs (" of a thread's time", out);
	}
	if (!isnan (o->share)) {
		fputs ("; the markers took ", out);
		put_share (out, o->share);
	}
	if (!isnan (o->most)) {
		fputs (isnan (o->share) ? "; " : " lately, ", out);
		put_share (out, o->most);
		fputs (" at most", out);
	}
	fputc ('\n', out);
	put_threads (out, o);
	put_done (out, o);
	put_bindings (out, recording);
}
