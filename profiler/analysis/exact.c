/* SPDX-License-Identifier: MIT */
/*
 * exact.c: what features cost as marks measured it (recording/layout.h, struct ppi_features_chunk).
 *
 * What marks take themselves is taken off again: of an entry's own time, for each time it ended,
 * what it measures too much; all of a mark for each one that ended inside and was no entry of the
 * same feature, nor in one; and of those, the part outside of their own readings. What is measured
 * too much is known of marks that hold nothing, and of two amounts of work; between those it is
 * taken to go on evenly, above it stays.
 *
 * What marks take depends on what runs around them: where the program waits for its own memory or
 * multiplications a processor executes most of a mark meanwhile, and behind a system call it takes
 * some times as long. The latter shows in how long marks went on behind their reading of the clock,
 * which some of them note: by as much more as where their cost was found out, they cost more. Marks
 * with a payload note what that took in the same way.
 *
 * Each figure has a doubt all the same, by which it may be off. The shares below were seen to be
 * enough where the truth was known: marks that held 4 to 800 ns of chains of multiplications and of
 * stores that are read again, of independent additions, of stores and branches, and one character
 * that is written. Between the clocks it is less, for they are read in order (base/ticks.h).
 */
#include "profiler/analysis/features.h"
#include "profiler/analysis/marks.h"
#include "recording/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of what a mark takes: what it takes more or less, and what of that lies between its clocks; of
 * what was taken off between these, likewise.
 */
#define DOUBT_PAIR 0.75
#define DOUBT_INSIDE 0.25
#define DOUBT_TAKEN 0.5
/* so many tails tell what they take, else chance does */
#define LOOKED_AT_LEAST 16
/* of N waits as long as they come: twice the deviation of a share of them, and they differ */
#define DOUBT_WAITS 3

struct reading {
	const struct ppi_recording *recording;
	const struct ppi_region_header *header;
	const struct ppi_exact_chunk *exact;
	enum ppi_features_by by;
	const struct ppi_payload_keys *keys;
	struct ppi_features *out;
	bool (*fn) (const struct ppi_measured_feature *measured, void *arg);
	void *arg;
	double per_tick;
	uint64_t stop;  /* ticks: when it was looked at last, or a mark ended behind that */
	double slow;    /* of marks without a payload, the share that has no code made for it */
	double head;    /* what payloads take before a begin's reading of the clock */
	double pair;    /* what a mark takes, in the mean; what is not known is 0 */
	double outside; /* of that, what is not between its readings of the clock */
	uint64_t ended; /* marks and antimarks of all threads, the library's own among them */
	uint64_t begun;
};

/* Of all entries of the program. */
struct sums {
	double with_payload, without; /* marks that ended */
	double cost, inside;
};

/* What is not known is not taken off. */
static double above_zero (double x)
{
	return x > 0 ? x : 0;
}

/* What a mark that measured M seconds measured too much. */
static double too_much (const struct reading *r, double m)
{
	const struct ppi_exact_chunk *x = r->exact;
	double measured = x->known[0].measured_s, held = 0;

	if (!(r->pair > 0) || m <= measured)
		return r->pair > 0 ? m : 0;
	for (unsigned i = 1; i < PPI_EXACT_KNOWN; i++) {
		double next = x->known[i].measured_s, holds = x->known[i].held_s;

		/* on a machine that is busy they may be anything */
		if (!(next > measured) || !(holds > held))
			continue;
		if (m < next)
			return above_zero (m - held -
					   (m - measured) / (next - measured) * (holds - held));
		measured = next;
		held = holds;
	}
	return above_zero (measured - held);
}

/* Marks with a payload have no code made for them. */
static bool is_by_c (const struct ppi_feature_entry *e)
{
	return PPI_MARK_PAYLOAD (e->what) != 0;
}

/* What it measured, in the mean. */
static double mean_of (const struct reading *r, const struct ppi_feature_entry *e)
{
	return e->n ? (double) e->ticks * r->per_tick / (double) e->n : 0;
}

/* Of each of its marks, in the mean. */
static double inside_of (const struct reading *r, const struct ppi_feature_entry *e)
{
	double m = mean_of (r, e);

	return is_by_c (e) && r->exact->by_c_inside_s > 0 && r->pair > 0
		       ? fmin (m, r->exact->by_c_inside_s)
		       : too_much (r, m);
}

static double corrected (const struct reading *r, const struct ppi_feature_entry *e)
{
	return above_zero ((double) e->ticks * r->per_tick - (double) e->n * inside_of (r, e) -
			   (double) e->pairs * r->pair - (double) e->children * r->outside);
}

static double doubt_of (const struct reading *r, const struct ppi_feature_entry *e)
{
	return (double) e->n * fmax (DOUBT_TAKEN * inside_of (r, e), DOUBT_INSIDE * r->pair) +
	       DOUBT_PAIR * r->pair * ((double) e->pairs + (double) e->children);
}

/* Where the mark is. */
static const char *place_of (const struct ppi_site_chunk *site, char *out, size_t room)
{
	char file[512];

	ppi_mark_file (site, file, sizeof file);
	snprintf (out, room, "%s:%u", file, site->line);
	return *file ? out : "unknown location";
}

/* A part of the feature: the payload, or where the mark is. */
static bool add_part (const struct reading *r, struct ppi_feature *feature,
		      const struct ppi_measured_feature *m)
{
	bool by_payload = r->by == PPI_FEATURES_BY_INSTANCE && m->payload;
	char *name = by_payload                      ? ppi_payload_text (m->payload)
		     : r->by == PPI_FEATURES_BY_DIMS ? ppi_payload_by (m->payload, r->keys)
						     : strdup (m->place);
	struct ppi_feature_part part = {
		.name = name,
		.payload = (char *) (uintptr_t) (by_payload ? m->payload : NULL),
		.time = m->time,
		.raw = m->raw,
		.doubt = m->doubt,
		.times = m->times};
	bool ok = name && ppi_feature_add (feature, &part);

	free (name);
	return ok;
}

static bool add_entry (struct reading *r, const struct ppi_feature_entry *e)
{
	const struct ppi_site_chunk *site =
		ppi_recording_find (r->recording, PPI_CHUNK_SITE, PPI_MARK_SITE (e->what));
	char name[768], place[600], payload[600];
	struct ppi_feature *feature;
	struct ppi_measured_feature m;

	r->ended += e->n + e->lost;
	/* of the library's own marks there is none */
	if (!site)
		return true;
	r->out->times += e->n;
	r->out->lost += e->lost;
	r->out->lost_s += (double) e->lost_ticks * r->per_tick;
	ppi_mark_feature (site, name, sizeof name);
	feature = ppi_features_of (r->out, name);
	if (!feature || site->kind != PP_ABI_SITE_FEATURE)
		return feature != NULL;
	m = (struct ppi_measured_feature){.feature = name,
					  .place = place_of (site, place, sizeof place),
					  .time = corrected (r, e),
					  .raw = (double) e->ticks * r->per_tick,
					  .doubt = doubt_of (r, e),
					  .times = e->n};
	if (PPI_MARK_PAYLOAD (e->what))
		m.payload = ppi_mark_payload (r->recording, PPI_MARK_PAYLOAD (e->what), e->payload,
					      payload, sizeof payload);
	return r->fn ? r->fn (&m, r->arg) : add_part (r, feature, &m);
}

static bool is_of_program (const struct reading *r, const struct ppi_feature_entry *e)
{
	return ppi_recording_find (r->recording, PPI_CHUNK_SITE, PPI_MARK_SITE (e->what));
}

static bool has_marks (const struct reading *r, const struct ppi_features_chunk *c)
{
	for (uint32_t i = 0; i < c->room; i++)
		if (c->entry[i].what && is_of_program (r, &c->entry[i]))
			return true;
	return false;
}

static uint64_t less (uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Marks are no entry before they end. */
static bool has_open (const struct ppi_features_chunk *c)
{
	uint64_t ended = 0;

	for (uint32_t i = 0; i < c->room; i++)
		if (c->entry[i].what)
			ended += c->entry[i].n + c->entry[i].lost;
	return c->begun > ended;
}

/* How long the threads ran that had C. */
static double time_of (const struct reading *r, const struct ppi_features_chunk *c)
{
	const struct ppi_exact_chunk *exact = r->exact;
	uint64_t all = less (r->stop, exact->start_ticks);
	/* where a thread just begins they may be the other way round */
	uint64_t last = c->chunk.id == r->header->pid ? less (all, exact->paused_ticks)
						      : less (c->last_ticks, c->first_ticks);

	return ((double) last + (double) c->before_ticks) * r->per_tick;
}

static bool add_chunk (struct reading *r, const struct ppi_features_chunk *c)
{
	bool ok = true;

	if (c->threads && (has_marks (r, c) || has_open (c))) {
		r->out->threads += c->threads;
		r->out->raw += time_of (r, c);
	}
	r->begun += c->begun;
	for (uint32_t i = 0; ok && i < c->room; i++)
		if (c->entry[i].what)
			ok = add_entry (r, &c->entry[i]);
	return ok;
}

/* Marks that are in no entry never ended. */
static bool list_marks (struct reading *r)
{
	char name[768], text[600];

	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (r->recording, PPI_CHUNK_SITE, s));) {
		struct ppi_measured_feature m = {.place = place_of (s, text, sizeof text)};
		struct ppi_feature *feature;

		if (s->kind != PP_ABI_SITE_FEATURE)
			continue;
		ppi_mark_feature (s, name, sizeof name);
		feature = ppi_features_of (r->out, name);
		if (!feature)
			return false;
		if (feature->times)
			continue;
		if (!add_part (r, feature, &m))
			return false;
	}
	return true;
}

/*
 * All that a mark takes that has code made for it and measured M seconds: one that holds nothing
 * has nothing that could be executed meanwhile.
 */
static double pair_of (const struct ppi_exact_chunk *x, double m)
{
	double from = x->known[0].measured_s, to = x->known[1].measured_s, more;

	more = x->empty_s > x->pair_s ? x->empty_s - x->pair_s : 0;
	if (!(to > from) || m >= to)
		more = 0;
	else if (m > from)
		more *= (to - m) / (to - from);
	return x->pair_s + more;
}

/* What SUM ticks of N take more than USUAL in the mean, where there are enough of them. */
static double more_than (const struct reading *r, uint64_t sum, uint64_t n, double usual)
{
	return n >= LOOKED_AT_LEAST && usual > 0 ? (double) sum * r->per_tick / (double) n - usual
						 : 0;
}

/* All that one of its marks takes. */
static double cost_of (const struct reading *r, const struct ppi_feature_entry *e)
{
	const struct ppi_exact_chunk *x = r->exact;
	double by_c = above_zero (x->by_c_s - x->pair_s);

	if (is_by_c (e))
		return x->pair_s + by_c + r->head +
		       more_than (r, e->tail_ticks, e->tails, x->by_c_tail_s);
	return pair_of (x, mean_of (r, e)) + r->slow * by_c +
	       more_than (r, e->tail_ticks, e->tails, x->tail_s);
}

/* Calls FN with each entry of the program. */
static void each_entry (struct reading *r,
			void (*fn) (const struct reading *r, const struct ppi_feature_entry *e,
				    struct sums *sums),
			struct sums *sums)
{
	for (const struct ppi_features_chunk *c = NULL;
	     (c = ppi_recording_next (r->recording, PPI_CHUNK_FEATURES, c));)
		for (uint32_t i = 0; i < c->room; i++)
			if (c->entry[i].what && c->entry[i].n && is_of_program (r, &c->entry[i]))
				fn (r, &c->entry[i], sums);
}

static void count (const struct reading *r, const struct ppi_feature_entry *e, struct sums *sums)
{
	(void) r;
	*(is_by_c (e) ? &sums->with_payload : &sums->without) += (double) e->n;
}

static void add_cost (const struct reading *r, const struct ppi_feature_entry *e, struct sums *sums)
{
	sums->cost += (double) e->n * cost_of (r, e);
}

static void add_inside (const struct reading *r, const struct ppi_feature_entry *e,
			struct sums *sums)
{
	sums->inside += (double) e->n * inside_of (r, e);
}

/* What a mark takes in the mean, and of that what is not between its readings of the clock. */
static void find_costs (struct reading *r)
{
	struct sums sums = {0, 0, 0, 0};
	uint64_t heads = 0, head_ticks = 0;
	double by_c = 0, n;

	for (const struct ppi_features_chunk *c = NULL;
	     (c = ppi_recording_next (r->recording, PPI_CHUNK_FEATURES, c));) {
		if (c->last_ticks > r->stop)
			r->stop = c->last_ticks;
		by_c += (double) c->by_c;
		heads += c->heads;
		head_ticks += c->head_ticks;
	}
	each_entry (r, count, &sums);
	n = sums.without + sums.with_payload;
	if (sums.without > 0)
		r->slow = fmin (1, above_zero (by_c - sums.with_payload) / sums.without);
	r->head = more_than (r, head_ticks, heads, r->exact->by_c_head_s);
	each_entry (r, add_cost, &sums);
	r->out->mark_s = n > 0 ? sums.cost / n : r->exact->pair_s;
	r->pair = above_zero (r->out->mark_s);
	each_entry (r, add_inside, &sums);
	r->outside = n > 0 ? above_zero (r->pair - sums.inside / n) : r->pair;
}

static char *program_of (const struct ppi_region_header *header)
{
	const char *name = strrchr (header->program, '/');
	char *out = NULL;

	return asprintf (&out, "%s, process %u", name ? name + 1 : header->program, header->pid) < 0
		       ? NULL
		       : out;
}

static bool read_chunks (struct reading *r, struct ppi_features *out)
{
	bool ok = true;

	r->header = ppi_recording_header (r->recording);
	r->exact = ppi_recording_next (r->recording, PPI_CHUNK_EXACT, NULL);
	r->out = out;
	*out = (struct ppi_features){
		.program = program_of (r->header), .recordings = 1, .is_exact = true};
	if (!r->exact || !out->program)
		return out->program != NULL;
	r->per_tick = r->header->seconds_per_tick;
	/* who is killed leaves no last look */
	r->stop = r->exact->stop_ticks;
	find_costs (r);
	for (const struct ppi_features_chunk *c = NULL;
	     ok && (c = ppi_recording_next (r->recording, PPI_CHUNK_FEATURES, c));)
		ok = add_chunk (r, c);
	return ok;
}

bool ppi_features_each_measured (const struct ppi_recording *recording,
				 bool (*fn) (const struct ppi_measured_feature *measured,
					     void *arg),
				 void *arg)
{
	struct reading r = {.recording = recording, .fn = fn, .arg = arg};
	struct ppi_features features;
	bool ok = read_chunks (&r, &features);

	ppi_features_clear (&features);
	return ok;
}

/* Of W seconds of waits any part may be in what takes TIME: in the mean its share of them. */
static double doubt_of_waits (const struct ppi_features *f, double raw)
{
	double share = f->raw > 0 ? fmin (1, raw / f->raw) : 0;

	return f->waits ? fmin (1, DOUBT_WAITS * sqrt (share * (1 - share) / (double) f->waits)) *
				  f->waited
			: 0;
}

/*
 * Waits come to marks' own code as often as to what they measure: what that takes by the clock on
 * the wall, and what it may take more, grows as everything does.
 */
static void add_waits (struct ppi_features *f, const struct ppi_exact_chunk *exact)
{
	double ran, grown;

	f->waited = fmin (1e-9 * (double) exact->waited_ns, f->raw);
	f->waits = exact->waits;
	ran = f->raw - f->waited;
	grown = ran > 0 ? f->raw / ran : 1;
	f->doubt *= grown;
	for (size_t i = 0; i < f->features; i++) {
		struct ppi_feature *one = &f->feature[i];

		one->doubt = one->doubt * grown + doubt_of_waits (f, one->raw);
		for (size_t k = 0; k < one->parts; k++)
			one->part[k].doubt =
				one->part[k].doubt * grown + doubt_of_waits (f, one->part[k].raw);
	}
}

bool ppi_features_measured (const struct ppi_recording *recording, enum ppi_features_by by,
			    const struct ppi_payload_keys *keys, struct ppi_features *out)
{
	struct reading r = {.recording = recording, .by = by, .keys = keys};
	bool ok = read_chunks (&r, out);

	if (!ok || !r.exact)
		return ok;
	ok = list_marks (&r);
	out->open = r.begun > r.ended ? r.begun - r.ended : 0;
	out->total = above_zero (out->raw - (double) out->times * r.pair);
	out->doubt = DOUBT_PAIR * (double) out->times * r.pair;
	out->untold = isnan (out->mark_s) ? out->times : 0;
	ppi_features_finish (out);
	add_waits (out, r.exact);
	return ok;
}
