/* SPDX-License-Identifier: MIT */
/* walk.c: see walk.h. */
#include "profiler/analysis/walk.h"

#include "profiler/analysis/feed.h"
#include "profiler/analysis/walk_made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 64 };

struct walk {
	struct ppi_nest nest;
	struct ppi_terms *terms;
	const struct ppi_walker *walker;
	struct ppi_walk_sums *sums;
	uint32_t n_fed; /* slots that come with records; the others are made */
	uint32_t top;   /* place of the innermost record */
	uint32_t room;  /* frames */
	uint32_t thread;
	bool pending; /* the innermost one has not begun yet */
	bool failed;
	double inside_ns, around_ns; /* what recording one takes in it, and in what is around it */
};

static bool make_room (struct walk *w)
{
	uint32_t more = w->room ? 2 * w->room : FIRST_FRAMES;
	struct ppi_record_frame *frame = reallocarray (w->nest.frame, more, sizeof *frame);
	struct ppi_value *slot;

	if (!frame)
		return false;
	w->nest.frame = frame;
	slot = reallocarray (w->nest.slot, (size_t) more * (w->nest.n_slots + 1), sizeof *slot);
	if (!slot)
		return false;
	w->nest.slot = slot;
	w->room = more;
	return true;
}

/* ---- own times ------------------------------------------------------------------------------- */

static double own_of (struct walk *w, const struct ppi_record_frame *frame)
{
	double raw = frame->time_ns - frame->inner_ns, cost = w->inside_ns + frame->cost_ns;

	if (frame->is_point)
		return 0;
	if (raw >= cost) {
		w->sums->deducted_ns += cost;
		return raw - cost;
	}
	/* below 0 by rounding, or of a damaged record */
	raw = raw < 0 ? 0 : raw;
	w->sums->deducted_ns += raw;
	w->sums->kept_ns += cost - raw;
	w->sums->clamped += cost > 0;
	return 0;
}

static bool leave (struct walk *w, uint32_t place)
{
	const struct ppi_record_frame *frame = &w->nest.frame[place];
	double own = own_of (w, frame);

	w->sums->profiled_ns += own;
	if (frame->up) {
		w->nest.frame[frame->up].inner_ns += frame->time_ns;
		w->nest.frame[frame->up].cost_ns += frame->is_point ? 0 : w->around_ns;
	}
	return w->walker->end (&w->nest, place, own, w->walker->arg);
}

static bool begin_pending (struct walk *w, bool has_inner)
{
	if (!w->pending)
		return true;
	w->pending = false;
	w->nest.frame[w->top].has_inner = has_inner;
	return w->walker->begin (&w->nest, w->top, w->walker->arg);
}

/* Ends what is deeper than DEPTH records. */
static bool leave_to (struct walk *w, uint32_t depth)
{
	if (!begin_pending (w, w->top <= depth))
		return false;
	while (w->top > depth)
		if (!leave (w, w->top--))
			return false;
	return true;
}

/* ---- a record comes -------------------------------------------------------------------------- */

static void fill (struct walk *w, uint32_t place, const struct ppi_record *record,
		  const struct ppi_value *slot)
{
	double time = record->time_ns;

	if (!(time >= 0) || isinf (time)) {
		w->sums->damaged++;
		time = 0;
	}
	w->nest.frame[place] = (struct ppi_record_frame){
		.sequence = w->sums->records++,
		.up = place ? place - 1 : 0,
		.event = record->event,
		.site = record->site,
		.thread = record->thread,
		.depth = place ? place - 1 : 0,
		.is_point = record->is_point,
		.is_span = record->is_span,
		.begin_ns = record->begin_ns,
		.time_ns = record->is_point ? 0 : time,
	};
	if (record->begin_ns + time > w->sums->last_ns && isfinite (record->begin_ns))
		w->sums->last_ns = record->begin_ns + time;
	if (w->n_fed)
		memcpy (w->nest.slot + (size_t) place * w->nest.n_slots, slot,
			w->n_fed * sizeof *slot);
}

/* Nothing is around a span, and nothing is in it. */
static bool span_comes (struct walk *w, const struct ppi_record *record,
			const struct ppi_value *slot)
{
	fill (w, 0, record, slot);
	return w->walker->begin (&w->nest, 0, w->walker->arg) && leave (w, 0);
}

static bool comes (const struct ppi_record *record, const struct ppi_value *slot, void *arg)
{
	struct walk *w = arg;
	uint32_t depth = record->depth;

	w->failed = true; /* until all of it went well */
	if (record->thread != w->thread || record->number == 1) {
		if (!leave_to (w, 0))
			return false;
		w->thread = record->thread;
	}
	if (record->is_span) {
		w->failed = !span_comes (w, record, slot);
		return !w->failed;
	}
	if (depth > w->top || depth >= PPI_NEST_MOST) {
		w->sums->damaged++;
		depth = w->top < PPI_NEST_MOST ? w->top : PPI_NEST_MOST - 1;
	}
	if (!leave_to (w, depth) || (w->top + 2 > w->room && !make_room (w)))
		return false;
	fill (w, ++w->top, record, slot);
	w->pending = true;
	w->failed = false;
	return true;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool pass (struct walk *w, const struct ppi_query_source *source, char *why, size_t room)
{
	*why = '\0';
	if (!make_room (w))
		w->failed = true;
	else if (ppi_feed_each (source->records, w->terms, comes, w, why, room) && !w->failed)
		w->failed = !leave_to (w, 0);
	if (w->failed && !*why)
		snprintf (why, room, "no memory");
	return !*why;
}

static bool is_cost (double ns)
{
	return ns >= 0 && isfinite (ns);
}

bool ppi_walk (const struct ppi_query_source *source, struct ppi_terms *terms,
	       const struct ppi_walker *walker, struct ppi_walk_sums *sums, char *why, size_t room)
{
	struct walk *w = calloc (1, sizeof *w);
	struct ppi_making *making = NULL;
	struct ppi_walker in = *walker;
	struct ppi_records_info info;
	uint32_t n_made;
	bool ok;

	*sums = (struct ppi_walk_sums){.records = 0};
	ppi_terms_made (terms, &n_made);
	if (w && n_made)
		making = ppi_making_begin (source, terms, walker, &in, why, room);
	if (!w || (n_made && !making)) {
		free (w);
		snprintf (why, room, "no memory");
		return false;
	}
	ppi_records_info (source->records, &info);
	*w = (struct walk){.terms = terms, .walker = &in, .sums = sums};
	sums->cost_ns = (double) NAN;
	if (is_cost (info.cost_inside_ns) && is_cost (info.cost_around_ns)) {
		w->inside_ns = source->is_raw ? 0 : info.cost_inside_ns;
		w->around_ns = source->is_raw ? 0 : info.cost_around_ns;
		sums->cost_ns = info.cost_inside_ns + info.cost_around_ns;
	}
	ppi_terms_slots (terms, &w->n_fed);
	w->nest.n_slots = w->n_fed + n_made;
	ok = pass (w, source, why, room);
	ppi_making_end (making);
	free (w->nest.frame);
	free (w->nest.slot);
	free (w);
	return ok;
}
