/* SPDX-License-Identifier: MIT */
/*
 * self_taps.c: what the sinks `feature` and `record` take, which are no bindings': executions of
 * the library's own interval whose markers have such a tap.
 */
#include "libmetrics/cost/self_int.h"

#include "base/clock.h"
#include "base/ticks.h"
#include "libmetrics/code/block.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/tap.h"
#include "libmetrics/thread/feature.h"
#include "libmetrics/thread/light.h"

/* What the thread's own marks have noted so far. */
struct kept {
	uint64_t n, sum; /* how many ended, and their time in ticks */
	uint64_t tails, tail_sum, heads, head_sum;
};

/*
 * What a mark holds, in steps of work: nothing, 13 ns, 50 ns or so. RDTSC can be executed while
 * what is before and behind it is: two of them with work between take little of each other's time,
 * and two with nothing between their whole length. So what a mark measures too much depends on what
 * it holds.
 */
static const unsigned long held_steps[PPI_MARKS_HELD] = {0, PPI_SELF_STEPS, 4 * PPI_SELF_STEPS};

enum { HELD_ROUNDS = 24, HELD_USUAL = 1 };

static bool tap_self (struct ppi_self_site *self, struct ppi_tap *tap)
{
	ppi_batch_begin ();
	self->site.bindings = NULL;
	self->site.checks = NULL;
	self->site.taps = tap;
	ppi_light_forget_own ();
	ppi_site_touch (&self->site);
	return ppi_batch_end () == PP_OK && (!tap || self->site.enabled);
}

static bool tap_patched_or_not (struct ppi_self_site *self, const struct ppi_plan *like,
				struct ppi_tap *tap)
{
	ppi_self_prepare (self, like, PP_ARCH_HAS_SELF);
	if (tap_self (self, tap))
		return true;
	if (!self->site.first_copy.n_markers)
		return false;
	/* its code can't be changed here */
	tap_self (self, NULL);
	ppi_self_prepare (self, like, false);
	return tap_self (self, tap);
}

static struct kept kept_now (void)
{
	const struct ppi_feature_entry *e = ppi_feature_own (PPI_FEATURE_OWN);
	const struct ppi_features_chunk *c = ppi_feature_first ();
	struct kept out = {0, 0, 0, 0, 0, 0};

	if (e) {
		out.n = ppi_load (&e->n);
		out.sum = ppi_load (&e->ticks);
		out.tails = ppi_load (&e->tails);
		out.tail_sum = ppi_load (&e->tail_ticks);
	}
	if (c) {
		out.heads = ppi_load (&c->heads);
		out.head_sum = ppi_load (&c->head_ticks);
	}
	return out;
}

/* NaN: of none. */
static double mean_s (uint64_t sum, uint64_t n)
{
	return n ? (double) sum / (double) n * ppi_seconds_per_tick () : __builtin_nan ("");
}

/* Ticks of an execution of the loop; those that its mark measures, by the fastest batch so far. */
static double time_held (const struct ppi_self_site *self, unsigned layout, unsigned long steps,
			 double *shortest)
{
	struct kept before = kept_now (), after;
	double took = ppi_self_time_loop (self, true, layout, steps);

	after = kept_now ();
	if (after.n != before.n)
		*shortest = ppi_self_least (*shortest, (double) (after.sum - before.sum) /
							       (double) (after.n - before.n));
	return took;
}

/*
 * Seconds that marks take of a loop that is the same without them; what they measure of the work in
 * them, which is half of that loop's.
 */
static double measure_marks (const struct ppi_self_site *self, unsigned long steps,
			     double *measured_s, double *held_s)
{
	double per_tick = ppi_seconds_per_tick () / PPI_LAYOUTS, pair = 0;

	*measured_s = *held_s = 0;
	for (unsigned i = 0; i < PPI_LAYOUTS; i++) {
		double plain = __builtin_inf (), marked = plain, measured = plain;

		ppi_self_execute (self, i, steps, true);
		for (unsigned n = 0; n < HELD_ROUNDS; n++) {
			plain = ppi_self_least (plain, ppi_self_time_loop (self, false, i, steps));
			marked = ppi_self_least (marked, time_held (self, i, steps, &measured));
		}
		pair += marked > plain ? (marked - plain) * per_tick : 0;
		*measured_s += measured * per_tick;
		*held_s += steps ? plain / 2 * per_tick : 0;
	}
	return pair;
}

/* What marks take for which code is made, if any can be. */
static void measure_made (const struct ppi_self_site *self, struct ppi_mark_cost *out)
{
	struct kept before, after;

	for (unsigned i = 0; i < PPI_MARKS_HELD; i++) {
		double pair;

		before = kept_now ();
		pair = measure_marks (self, held_steps[i], &out->measured_s[i], &out->held_s[i]);
		after = kept_now ();
		if (i == 0)
			out->empty_s = pair;
		if (i != HELD_USUAL)
			continue;
		out->pair_s = pair;
		out->tail_s = mean_s (after.tail_sum - before.tail_sum, after.tails - before.tails);
	}
}

static void measure_by_c (const struct ppi_self_site *self, struct ppi_mark_cost *out)
{
	struct kept before = kept_now (), after;
	double measured, held;

	out->by_c_s = measure_marks (self, held_steps[HELD_USUAL], &measured, &held);
	out->by_c_inside_s = measured > held ? measured - held : 0;
	after = kept_now ();
	out->by_c_tail_s = mean_s (after.tail_sum - before.tail_sum, after.tails - before.tails);
	out->by_c_head_s = mean_s (after.head_sum - before.head_sum, after.heads - before.heads);
}

bool ppi_self_measure_feature (const struct ppi_plan *like, struct ppi_mark_cost *out)
{
	static struct ppi_tap tap = {.users = 1, .op = {.sink = PPI_SINK_FEATURE, .every = 1}};
	struct ppi_self_site *self = &ppi_self_sites[0];
	bool ok;

	ppi_self_measurements++;
	ok = tap_patched_or_not (self, like, &tap);
	if (ok)
		measure_made (self, out);
	tap_self (self, NULL);
	ppi_blocks_pause (true);
	ok = ok && tap_patched_or_not (self, like, &tap);
	if (ok)
		measure_by_c (self, out);
	tap_self (self, NULL);
	ppi_blocks_pause (false);
	return ok;
}

bool ppi_self_measure_marks (const struct ppi_plan *like, double *pair_s, double *by_c_s)
{
	static struct ppi_tap tap = {.users = 1, .op = {.sink = PPI_SINK_MARK, .every = 1}};
	struct ppi_self_site *self = &ppi_self_sites[0];
	double measured, held;
	bool ok;

	ppi_self_measurements++;
	ok = tap_patched_or_not (self, like, &tap);
	if (ok)
		*pair_s = measure_marks (self, held_steps[HELD_USUAL], &measured, &held);
	tap_self (self, NULL);
	ppi_blocks_pause (true);
	ok = ok && tap_patched_or_not (self, like, &tap);
	if (ok)
		*by_c_s = measure_marks (self, held_steps[HELD_USUAL], &measured, &held);
	tap_self (self, NULL);
	ppi_blocks_pause (false);
	return ok;
}

/* ---- records --------------------------------------------------------------------------------- */

struct records {
	struct ppi_self_site *self;
	struct ppi_record_trial trial;
	double inside_s, pair_s;
};

/* Seconds between the readings of the clock of empty records, the fastest batch; NaN: not known. */
static double time_inside_record (struct records *r)
{
	const struct ppi_record_trial *trial = &r->trial;
	double shortest = __builtin_nan ("");

	for (unsigned i = 0; i < PPI_SELF_INSIDE_BATCHES; i++) {
		uint64_t n = trial->n, ticks = trial->ticks;
		double one;

		ppi_self_execute (r->self, i % PPI_LAYOUTS, 0, true);
		if (trial->n == n)
			continue;
		one = (double) (trial->ticks - ticks) / (double) (trial->n - n);
		shortest = shortest <= one ? shortest : one;
	}
	return shortest * ppi_seconds_per_tick ();
}

static void try_records (void *arg)
{
	struct records *r = arg;
	struct ppi_self_trial trial = ppi_self_try (r->self);

	r->inside_s = time_inside_record (r);
	r->pair_s = ppi_trial_seconds (&trial);
}

bool ppi_self_measure_records (const struct ppi_plan *like, double *inside_s, double *pair_s)
{
	static struct ppi_tap tap = {.users = 1, .op = {.sink = PPI_SINK_RECORD, .every = 1}};
	struct records r = {.self = &ppi_self_sites[0]};
	bool ok;

	ppi_self_measurements++;
	ok = tap_patched_or_not (r.self, like, &tap) &&
	     ppi_record_try (&r.self->site, &r.trial, try_records, &r);
	if (ok) {
		*inside_s = r.inside_s;
		*pair_s = r.pair_s;
	}
	tap_self (r.self, NULL);
	return ok;
}
