/* SPDX-License-Identifier: MIT */
/*
 * plan.h: what the markers of a bound site do. A plan is immutable once a site points to it and
 * lives as long as its site: a thread may be executing it, and frames point to the plan they began
 * with, so that an interval ends as it began whatever was bound meanwhile. The same set of bindings
 * at the same site is the same plan, so rebinding makes no garbage.
 */
#ifndef PPI_TABLES_PLAN_H
#define PPI_TABLES_PLAN_H

#include "libmetrics/source/source.h"

#include "pp_arch.h"

#include <pp.h>

struct ppi_quick;
struct ppi_quick_ratios;

struct ppi_binding;

/*
 * What one binding, or tap (tap.h), does at the site. The first three words mean nothing in taps'
 * ops.
 */
struct ppi_op {
	const uint32_t *epoch; /* the metric's */
	uint32_t slot;         /* binding's number - 1: index of its shard in every thread */
	uint32_t every;
	uint8_t accumulator; /* enum ppi_accumulator */
	uint8_t class;       /* enum ppi_source_class */
	uint8_t sample_type; /* enum pp_abi_sample_type of what the source gives */
	uint8_t words;       /* of the frame's values */
	uint8_t scope;       /* enum ppi_scope */
	bool corrected;      /* PLAN->shape says what is taken off */
	bool stamped;        /* its samples' ends are said by ppi_stamp, wherever they are taken */
	uint8_t sink;        /* enum ppi_sink_id: where that goes */
	bool jumped;         /* executions whose end is jumped over have samples, too */
	bool counts;         /* what is kept of its samples is only how many there were */
	uint16_t value;      /* index of the first of them */
	uint16_t index;      /* of its value in what the site pushes, where that is an array */
	uint32_t bytes;      /* of the shard */
	uint64_t size;       /* of a series */
	struct ppi_source_instance *instance;
	struct ppi_binding *binding; /* NULL: a tap's */
};

static inline bool ppi_is_function (const struct ppi_op *op)
{
	return op->class == PPI_SOURCE_FUNCTION || op->class == PPI_SOURCE_FAST;
}

/* Are its samples kept as doubles? */
static inline bool ppi_is_double (const struct ppi_op *op)
{
	return op->sample_type == PP_ABI_SAMPLE_DOUBLE && !op->counts;
}

/* What plans of one kind cost (cost.c); it lives for good. */
struct ppi_shape {
	uint64_t inside_ticks; /* of an empty interval, between its two readings of the clock */
};

/* Plans whose usual execution opens no frame: light.h. */
enum ppi_light_kind { PPI_LIGHT_NONE, PPI_LIGHT_EVERY, PPI_LIGHT_COUNT, PPI_LIGHT_AFTER_COUNT };

typedef void (*ppi_entry_fn) (void);

struct ppi_plan {
	/* what stubs call: the offsets are PP_ABI_PLAN_* */
	ppi_entry_fn begin, end, point;
	/* what guard markers call; same routines as plain C functions */
	void (*guard_begin) (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,
			     int64_t value);
	void (*guard_end) (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp);
	void (*guard_point) (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,
			     int64_t value);
	uint32_t value_slots;      /* of 64 bytes, that a frame needs for values */
	uint32_t n_ops;            /* that accumulate; ... */
	uint32_t n_all;            /* ... with those of other sinks, which follow them (sink.h) */
	uint64_t what;             /* of its marks: PPI_MARK_WHAT */
	uint8_t exact;             /* 1 + the op of the sink `feature`; 0: there is none */
	int32_t exact_at;          /* where its own words are, in bytes from a frame */
	uint32_t feature;          /* the site's, where there is one; else 0 */
	uint8_t aggregate;         /* 1 + the op of the sink `aggregate`; 0: there is none */
	uint8_t mark;              /* the op that marks, ... */
	bool marked;               /* ... if there is one: its frames have marks (thread/mark.h) */
	bool flies;                /* an op is of the sink `flight` */
	bool has_events;           /* executions become records, or are counted in groups */
	bool general;              /* needs ppi_general_* */
	bool skips;                /* some op has `every` */
	bool begin_in_c, end_in_c; /* of a general plan: ppi_measure_* is called */
	/* else, of ops that are not bindings': there is something to do */
	bool taps_begin, taps_take;
	bool leaves;   /* at its points what was jumped over goes (sink.h) */
	uint8_t state; /* enum pp_arch_state: what may be live at the site's markers */
	bool checked;  /* made for a site with checks */
	/* somebody asks how long executions are open, though not all samples say it */
	bool timed;
	bool windowed;     /* an op has windows (window.h) */
	bool scoped;       /* an op has a scope (nested.h) */
	bool keeps_jumped; /* an op has samples of what is jumped over (frame.c) */
	bool is_array;     /* the site pushes the address of several values */
	bool is_computed;  /* what it pushes may be PP_ABI_NOT_CAPTURED */
	uint16_t wanted;   /* which captures the ops read, as the descriptor has it */
	/* the site's begins push a value: the marker's sp is 8 bytes further away */
	bool begin_pushes;
	/* checks that may be seen to pass with integers: all there are, or 0 */
	uint8_t n_quick;
	bool quick_blocks; /* so simple that a block may do it */
	/* likewise, beside the mark of its frames, and the flight recorder */
	bool mark_blocks;
	bool untimed;      /* its frames are for observers, and nobody asks for their time */
	bool exact_blocks; /* nothing but the sink `feature`, at a site that captures nothing */
	/* one function of the user's, so simple that a block may call it */
	bool user_blocks;
	uint8_t light;      /* enum ppi_light_kind */
	uint8_t light_slot; /* of ppi_lights */
#if PP_ARCH_CALLS
	pp_arch_call_fn *call; /* keeps STATE */
#endif
	const struct ppi_quick *quick;
	/* of each of QUICK; atomic, the only thing here that changes */
	const struct ppi_quick_ratios **ratios;
	pp_site *site;
	/* what it costs, once that was asked (cost.h); with the lock */
	const struct ppi_shape *shape;
	struct ppi_plan *next; /* of the same site */
	struct ppi_op ops[];   /* then QUICK, RATIOS */
};

PP_ABI_ASSERT (offsetof (struct ppi_plan, begin) == PP_ABI_PLAN_BEGIN);
PP_ABI_ASSERT (offsetof (struct ppi_plan, end) == PP_ABI_PLAN_END);
PP_ABI_ASSERT (offsetof (struct ppi_plan, point) == PP_ABI_PLAN_POINT);

/* The sample of an op that reads TICKS: a corrected one is never below 0. */
static inline int64_t ppi_sample_of_ticks (const struct ppi_plan *plan, const struct ppi_op *op,
					   uint64_t ticks)
{
	uint64_t inside = op->corrected && plan->shape ? plan->shape->inside_ticks : 0;

	return (int64_t) (ticks > inside || !inside ? ticks - inside : 0);
}

/* Features are measured in this process, or were: there is a plan that is EXACT. Atomic. */
extern uint32_t ppi_exact_is_used __attribute__ ((visibility ("hidden")));

#define PPI_OPS_MAX 64u /* one bit each in a frame's `skipped` */

/*
 * Of a frame's values: with the frame and its mark they must fit in a page of frames behind its
 * head.
 */
#define PPI_WORDS_MAX ((2048u / 64u - 3) * 8)

/* What the site pushed for an op. */
static inline int64_t ppi_captured (const struct ppi_plan *plan, const struct ppi_op *op,
				    int64_t value)
{
	if (plan->is_array)
		/* where nothing is pushed, VALUE is 0 and there is no array */
		/* NOLINTNEXTLINE(clang-analyzer-unix.cstring.NullArg) */
		__builtin_memcpy (&value,
				  (const char *) (uintptr_t) value + op->index * sizeof (value),
				  sizeof (value));
	return value;
}

/*
 * False: nobody wanted the value when the marker's code came to it; PLAN has been bound since then.
 */
static inline bool ppi_is_captured (const struct ppi_plan *plan, uint64_t value)
{
	return (int64_t) value != PP_ABI_NOT_CAPTURED || !plan->is_computed;
}

/*
 * Where a frame lies: among the frames of a stack, in the list of what was begun by calls
 * (opened.h), or by itself (span.h).
 */
enum ppi_home { PPI_HOME_STACK, PPI_HOME_CALLS, PPI_HOME_SPAN };

/* What tells an execution's samples from those of earlier ones, and when it began. */
struct ppi_moment {
	uint64_t ticks; /* where the marker read the clock: they end then or later */
	/* those that are stamped (ppi_stamp) end after this; it may lie far behind the clock */
	uint64_t stamp;
	uint64_t begun; /* ticks; 0: not known, or in another thread */
};

#endif
