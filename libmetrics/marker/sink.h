/* SPDX-License-Identifier: MIT */
/*
 * sink.h: where what an op of a plan reads goes. An op is source → sink:
 *
 *     accumulate   into the thread's shard of a binding: what a metric is
 *     mark         an open interval that observers see (thread/mark.h); what the site captures is
 *                  its payload
 *     record       an entry in the thread's stream: which execution, when, with all that the site
 *                  captures
 *     feature      what is the mark's own of it into the thread's table (thread/feature.h)
 *     flight       its begin, its end and what the site captures into the thread's ring
 *                  (thread/flight.h)
 *     aggregate    its time and own time into the thread's entry of the group that the values make
 *                  (thread/aggregate.h)
 *     leave        nowhere: at a point behind a call that returned twice, what was jumped over goes
 *                  (PP_ABI_SITE_RETURN)
 *
 * One descriptor per sink says all that is asked of it, in the sink's own file: to add one, that
 * and a line here.
 *
 * Ops that accumulate are bindings' and come first in a plan; those of other sinks come from taps:
 * what else than metrics is bound to a site (registry/tap.h), one of each sink at most.
 */
#ifndef PPI_MARKER_SINK_H
#define PPI_MARKER_SINK_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"

#define PPI_SINKS(X)                                                                               \
	X (ACCUMULATE, accumulate)                                                                 \
	X (MARK, mark)                                                                             \
	X (RECORD, record)                                                                         \
	X (FEATURE, feature)                                                                       \
	X (FLIGHT, flight)                                                                         \
	X (AGGREGATE, aggregate)                                                                   \
	X (LEAVE, leave)

enum ppi_sink_id {
#define X(id, name) PPI_SINK_##id,
	PPI_SINKS (X)
#undef X
		PPI_SINKS_COUNT
};

/* What a site may capture: its value, and its dimensions. */
#define PPI_CAPTURES_MAX (1u + PP_ABI_DIMS)

struct ppi_frame;
struct ppi_thread;
union ppi_sample;

/* An execution as a sink takes it. */
struct ppi_taken {
	const struct ppi_plan *plan;
	const union ppi_sample *sample; /* of accumulate */
	const struct ppi_frame *frame;  /* NULL at a point */
	const uint64_t *
		/*
		 * OP's words: at a point what the site captured just now, else as it was at the
		 * begin
		 */
		values;
	uint64_t now;       /* when it ended, in ticks; at a point its stamp */
	enum ppi_home home; /* of FRAME */
};

struct ppi_sink {
	const char *name;
	bool is_bound; /* its ops are bindings', not taps' */
	/* its intervals have marks (thread/mark.h), and never go without a frame */
	bool marks;
	bool leaves;         /* at a point what was jumped over goes (thread/frame.h) */
	bool captures;       /* it wants all that the site captures, a word each */
	uint8_t own_words;   /* more words of a frame, behind those */
	bool intervals_only; /* points have no such op */
	/* BEGIN and TAKE need general registers only: markers of intervals call them as they are */
	bool is_plain;
	bool late; /* it keeps dimensions that are known only inside of an interval */
	/*
	 * At a point, or at the begin of an interval, when WORDS have what the site captured: what
	 * is to be kept of it, and in its own words whatever the sink wants. As take. NULL:
	 * nothing.
	 */
	void (*begin) (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		       uint64_t *words);
	/*
	 * At a point, or at the end of an interval while its frame is still there. At markers, in
	 * C: all registers are kept; no lock, no allocation, no system call. NULL: nothing to do
	 * then.
	 */
	void (*take) (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken);
};

#define X(id, name) extern const struct ppi_sink ppi_sink_##name PPI_HIDDEN;
PPI_SINKS (X)
#undef X

extern const struct ppi_sink *const ppi_sinks[PPI_SINKS_COUNT] PPI_HIDDEN;

#endif
