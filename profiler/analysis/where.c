/* SPDX-License-Identifier: MIT */
/*
 * where.c: see where.h.
 *
 * Samples of one execution are alike, so 100 of one say less than one of each of 100. Shares are
 * ratios over executions, and their variance is that of ratios of clusters; where it is larger than
 * the binomial's, so many fewer samples there are in effect, of which the interval is Wilson's.
 */
#include "profiler/analysis/where.h"

#include "profiler/analysis/marks.h"
#include "recording/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define Z 1.96 /* of 95 % */

/* A stretch of a thread that was in executions which violated it: those that overlap are one. */
struct stretch {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	double samples;
};

/* So many samples in a stretch saw FUNCTION last. */
struct hit {
	uint32_t function, stretch;
	double samples;
};

struct finding {
	const struct ppi_samples *samples;
	uint64_t since_ns; /* executions before that may be forgotten */
	struct stretch *stretch;
	size_t stretches;
	struct hit *hit;
	size_t hits, room;
	double *other; /* by function: samples in no such execution */
	bool *is_site; /* by function: it is a site of those executions */
	size_t functions;
	bool no_memory;
};

/* ---- executions ------------------------------------------------------------------------------ */

static int compare_stretches (const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Those that overlap become one: a recursive function's are inside each other. */
static void join_stretches (struct finding *f)
{
	size_t n = 0;

	if (f->stretches)
		qsort (f->stretch, f->stretches, sizeof *f->stretch, compare_stretches);
	for (size_t i = 0; i < f->stretches; i++) {
		struct stretch *last = n ? &f->stretch[n - 1] : NULL;

		if (!last || last->thread != f->stretch[i].thread ||
		    last->end_ns < f->stretch[i].begin_ns)
			f->stretch[n++] = f->stretch[i];
		else if (last->end_ns < f->stretch[i].end_ns)
			last->end_ns = f->stretch[i].end_ns;
	}
	f->stretches = n;
}

static bool take_executions (struct finding *f, const struct ppi_violating_chunk *c)
{
	uint32_t n = c->n < c->room ? (uint32_t) c->n : c->room;

	f->stretch = calloc (n + 1u, sizeof *f->stretch);
	if (!f->stretch)
		return false;
	f->since_ns = c->n > c->room ? UINT64_MAX : 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct ppi_execution *e = &c->execution[i];

		/* one that was just being replaced may be of two */
		if (!e->thread || e->begin_ns > e->end_ns)
			continue;
		f->stretch[f->stretches++] = (struct stretch){
			.begin_ns = e->begin_ns, .end_ns = e->end_ns, .thread = e->thread};
		/* of a ring that is full, all after the end of its oldest is known */
		if (c->n > c->room && e->begin_ns < f->since_ns)
			f->since_ns = e->begin_ns;
	}
	join_stretches (f);
	return true;
}

static bool prepare (struct finding *f, const struct ppi_violating_chunk *c, const uint32_t *site,
		     size_t n)
{
	f->functions = f->samples->functions;
	f->other = calloc (f->functions + 1, sizeof *f->other);
	f->is_site = calloc (f->functions + 1, sizeof *f->is_site);
	for (size_t i = 0; f->is_site && i < n; i++)
		if (site[i] < f->functions)
			f->is_site[site[i]] = true;
	return f->other && f->is_site && !f->samples->no_memory && take_executions (f, c);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const uint32_t *frames_of (const struct finding *f, const struct ppi_stack_sample *s,
				  size_t *n)
{
	const struct ppi_stack *stack = &f->samples->stack[s->stack];

	*n = stack->n;
	return f->samples->frame + stack->first;
}

static void add_hit (struct finding *f, uint32_t function, size_t stretch, double samples)
{
	struct hit *grown;

	if (f->hits == f->room) {
		size_t more = f->room ? 2 * f->room : 256;

		grown = reallocarray (f->hit, more, sizeof *grown);
		if (!grown) {
			f->no_memory = true;
			return;
		}
		f->hit = grown;
		f->room = more;
	}
	f->hit[f->hits++] = (struct hit){function, (uint32_t) stretch, samples};
	f->stretch[stretch].samples += samples;
}

/*
 * How many of the TIMES that S was seen since BEFORE_NS were in the stretch. When it was seen last
 * is known, the others were about as far apart as they could be. There was one at least in each
 * stretch, or it would not be here.
 */
static double times_in (const struct stretch *stretch, const struct ppi_stack_sample *s,
			uint64_t before_ns, uint32_t times)
{
	uint64_t from = stretch->begin_ns > before_ns ? stretch->begin_ns : before_ns;
	uint64_t to = stretch->end_ns < s->ns ? stretch->end_ns : s->ns;
	double part;

	if (times <= 1 || s->ns <= before_ns)
		return s->ns >= stretch->begin_ns && s->ns <= stretch->end_ns;
	if (from >= to)
		return 0;
	part = times * (double) (to - from) / (double) (s->ns - before_ns);
	return stretch->begin_ns > before_ns && part < 1 ? 1 : part;
}

/* Is the assertion's site open, where intervals are sampled? */
static bool is_inside (const struct finding *f, const struct ppi_stack_sample *s)
{
	size_t n;
	const uint32_t *frame = frames_of (f, s, &n);

	for (size_t i = 0; f->samples->is_by_interval && i < n; i++)
		if (f->is_site[frame[i]])
			return true;
	return !f->samples->is_by_interval;
}

/* Deals a sample out; AT is the first stretch of its thread that has not ended before it. */
static void take_sample (struct finding *f, const struct ppi_stack_sample *s, uint64_t before_ns,
			 uint32_t thread, size_t *at)
{
	uint32_t times = ppi_sample_times (f->samples, s), leaf;
	double left = times, in;
	size_t n;
	const uint32_t *frame = frames_of (f, s, &n);

	if (!n || s->ns < f->since_ns)
		return;
	leaf = frame[n - 1];
	while (*at < f->stretches && f->stretch[*at].thread == thread &&
	       f->stretch[*at].end_ns < before_ns)
		++*at;
	for (size_t i = *at; i < f->stretches && f->stretch[i].thread == thread &&
			     f->stretch[i].begin_ns <= s->ns && left > 0;
	     i++) {
		in = times_in (&f->stretch[i], s, before_ns, times);
		in = in < left ? in : left;
		if (in > 0)
			add_hit (f, leaf, i, in);
		left -= in;
	}
	if (left > 0 && is_inside (f, s))
		f->other[leaf] += left;
}

static void take_thread (struct finding *f, const struct ppi_sampled_thread *thread)
{
	uint64_t before_ns = 0;
	size_t at = 0;

	while (at < f->stretches && f->stretch[at].thread < thread->id)
		at++;
	if (at == f->stretches || f->stretch[at].thread != thread->id)
		return;
	for (size_t i = 0; i < thread->n && !f->no_memory; i++) {
		const struct ppi_stack_sample *s = &thread->sample[i];

		take_sample (f, s, before_ns && before_ns < s->ns ? before_ns : s->ns, thread->id,
			     &at);
		before_ns = s->ns;
	}
}

/* ---- shares ---------------------------------------------------------------------------------- */

static int compare_hits (const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->stretch > y->stretch) - (x->stretch < y->stretch);
}

static int compare_rows (const void *a, const void *b)
{
	const struct ppi_where_row *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* Wilson's interval for the share P of N. */
static void put_interval (double p, double n, struct ppi_where_row *row)
{
	double middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
	double half = Z / (1 + Z * Z / n) * sqrt (p * (1 - p) / n + Z * Z / (4 * n * n));

	row->low = middle - half > 0 ? middle - half : 0;
	row->high = middle + half < 1 ? middle + half : 1;
}

/* The row of the hits from FIRST on that are of one function; SQUARES is Σ n² of all stretches. */
static size_t put_row (const struct finding *f, size_t first, double squares, struct ppi_where *out)
{
	struct ppi_where_row *row = &out->row[out->rows++];
	uint32_t function = f->hit[first].function;
	double x = 0, p, spread, variance, effect = 1;
	size_t end = first;

	for (; end < f->hits && f->hit[end].function == function; end++)
		x += f->hit[end].samples;
	p = x / out->samples;
	/* Σ (x - p n)² over all stretches: those without it add p² n² each */
	spread = p * p * squares;
	for (size_t i = first, next; i < end; i = next) {
		double here = 0, expected = p * f->stretch[f->hit[i].stretch].samples;

		for (next = i; next < end && f->hit[next].stretch == f->hit[i].stretch; next++)
			here += f->hit[next].samples;
		spread += (here - expected) * (here - expected) - expected * expected;
	}
	variance = spread / (out->samples * out->samples) * (double) out->executions /
		   (double) (out->executions - 1);
	if (p < 1 && variance > p * (1 - p) / out->samples)
		effect = variance / (p * (1 - p) / out->samples);
	row->name = f->samples->function[function].name;
	row->share = p;
	put_interval (p, out->samples / effect, row);
	row->elsewhere =
		out->others >= PPI_WHERE_SAMPLES ? f->other[function] / out->others : (double) NAN;
	return end;
}

static bool put_rows (struct finding *f, struct ppi_where *out)
{
	double squares = 0;

	for (size_t i = 0; i < f->stretches; i++) {
		out->samples += f->stretch[i].samples;
		out->executions += f->stretch[i].samples > 0;
		squares += f->stretch[i].samples * f->stretch[i].samples;
	}
	for (size_t i = 0; i < f->functions; i++)
		out->others += f->other[i];
	if (out->samples < PPI_WHERE_SAMPLES || out->executions < PPI_WHERE_EXECUTIONS)
		return true;
	out->row = calloc (f->hits + 1, sizeof *out->row);
	if (!out->row)
		return false;
	if (f->hits)
		qsort (f->hit, f->hits, sizeof *f->hit, compare_hits);
	for (size_t i = 0; i < f->hits;)
		i = put_row (f, i, squares, out);
	qsort (out->row, out->rows, sizeof *out->row, compare_rows);
	return true;
}

bool ppi_where_of (const struct ppi_violating_chunk *executions, const uint32_t *site, size_t sites,
		   const struct ppi_samples *samples, struct ppi_where *out)
{
	struct finding f = {.samples = samples};
	bool ok = prepare (&f, executions, site, sites);

	memset (out, 0, sizeof *out);
	for (size_t i = 0; ok && i < samples->threads; i++)
		take_thread (&f, &samples->thread[i]);
	ok = ok && !f.no_memory && put_rows (&f, out);
	free (f.stretch);
	free (f.hit);
	free (f.other);
	free (f.is_site);
	return ok;
}

/* ---- in a recording -------------------------------------------------------------------------- */

static const struct ppi_violating_chunk *chunk_of (const struct ppi_recording *recording,
						   uint32_t assertion)
{
	const struct ppi_violating_chunk *c = NULL, *newest = NULL;

	while ((c = ppi_recording_next (recording, PPI_CHUNK_VIOLATING, c)))
		if (c->chunk.id == assertion)
			newest = c;
	return newest;
}

/* Functions that are sites of the executions; malloced, NULL: no memory. */
static uint32_t *sites_of (const struct ppi_recording *recording,
			   const struct ppi_violating_chunk *c, struct ppi_samples *samples,
			   size_t *n)
{
	uint32_t last = 0, all = c->n < c->room ? (uint32_t) c->n : c->room;
	uint32_t *out = calloc (all + 1u, sizeof *out);

	*n = 0;
	for (uint32_t i = 0; out && i < all; i++) {
		uint32_t id = c->execution[i].site;
		const struct ppi_site_chunk *site;
		char path[512];
		const char *name;

		if (id == last || !(site = ppi_recording_find (recording, PPI_CHUNK_SITE, id)))
			continue;
		last = id;
		name = ppi_mark_file (site, path, sizeof path);
		out[(*n)++] = ppi_samples_function (samples, name, path, site->line);
	}
	return out;
}

bool ppi_where_find (const struct ppi_recording *recording, struct ppi_samples *samples,
		     uint32_t assertion, struct ppi_where *out)
{
	const struct ppi_violating_chunk *chunk = chunk_of (recording, assertion);
	uint32_t *site;
	size_t n;
	bool ok;

	memset (out, 0, sizeof *out);
	if (!chunk)
		return true;
	site = sites_of (recording, chunk, samples, &n);
	ok = site && ppi_where_of (chunk, site, n, samples, out);
	free (site);
	return ok;
}

void ppi_where_clear (struct ppi_where *where)
{
	free (where->row);
	where->row = NULL;
}
