/* SPDX-License-Identifier: MIT */
/* span_dims.c: see span_dims.h. */
#include "libmetrics/calls/span_dims.h"

#include "base/dims.h"
#include "libmetrics/calls/span_table.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>
#include <stddef.h>

/* An entry, as the table leaves it room. */
struct said {
	uint64_t unused;
	uintptr_t sp;           /* the table's */
	struct ppi_frame *prev; /* likewise */
	uint64_t before;        /* the one said before: index + 1, or 0 */
	uint64_t value;         /* of a string its number */
	uint32_t key, type;     /* number of a text; enum pp_abi_value */
};

PP_ABI_ASSERT (sizeof (struct said) <= sizeof (struct ppi_frame));
PP_ABI_ASSERT (offsetof (struct said, sp) == offsetof (struct ppi_frame, sp));
PP_ABI_ASSERT (offsetof (struct said, prev) == offsetof (struct ppi_frame, prev));

static struct ppi_span_table table = {.slots = 1};

/*
 * The span's word: (generation + 1) << 32 | how many << 24 | index + 1 of the newest. What is in
 * `prev` of a free entry is below 2^32.
 */
#define INDEX 0xffffffu

PP_ABI_ASSERT (PPI_SPAN_CHUNKS *(PPI_SPAN_CHUNK_BYTES / PPI_FRAME_SLOT) <= INDEX);
PP_ABI_ASSERT (PPI_SPAN_DIMS < 256);

static uint64_t generation_of (uint64_t word)
{
	return (word >> 32) - 1;
}

static uint32_t count_of (uint64_t word)
{
	return (uint32_t) word >> 24;
}

static struct said *said_at (uint64_t number)
{
	return (struct said *) (void *) ppi_span_entry (&table, (uint32_t) number - 1);
}

static void give_back (struct said *s, uint32_t index)
{
	ppi_span_give_back (&table, (struct ppi_frame *) (void *) s, index, s->sp >> 2);
}

void ppi_span_dims_begin (struct ppi_frame *span, uint64_t generation)
{
	ppi_store (&span->prev, (struct ppi_frame *) (uintptr_t) ((generation + 1) << 32));
}

/* ---- saying one ------------------------------------------------------------------------------ */

static bool is_one (const struct pp_event_dim *dim)
{
	return dim->key && *dim->key && ppi_key_fits (dim->key) && ppi_is_value (dim->type);
}

/* Does anybody keep dimensions of executions by that plan? */
static bool keeps (const struct ppi_plan *plan)
{
	bool records = plan->aggregate || plan->flies;

	for (uint32_t i = plan->n_ops; i < plan->n_all; i++)
		records |= plan->ops[i].sink == PPI_SINK_RECORD;
	return records;
}

/* S becomes the newest. */
static int push (struct ppi_frame *span, uint64_t generation, struct said *s, uint32_t index)
{
	uint64_t word = (uintptr_t) __atomic_load_n (&span->prev, __ATOMIC_RELAXED), next;
	struct ppi_frame *was;

	do {
		if (generation_of (word) != generation)
			return PP_ESTATE;
		if (count_of (word) == PPI_SPAN_DIMS)
			return PP_EINVAL;
		s->before = word & INDEX;
		next = (word & ~(uint64_t) INDEX) + (INDEX + 1) + index + 1;
		was = (struct ppi_frame *) (uintptr_t) word;
		/* release: who ends the span finds it filled in */
		if (__atomic_compare_exchange_n (&span->prev, &was,
						 (struct ppi_frame *) (uintptr_t) next, false,
						 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return PP_OK;
		word = (uintptr_t) was;
	} while (true);
}

int ppi_span_dim (struct ppi_thread *t, struct ppi_frame *span, uint64_t generation,
		  const struct pp_event_dim *dim)
{
	/* acquire: where that is another span's by now its generation is seen to be another one */
	const struct ppi_plan *plan = __atomic_load_n (&span->plan, __ATOMIC_ACQUIRE);
	struct said *s;
	uint32_t index;
	int error;

	if (__atomic_load_n (&span->sp, __ATOMIC_RELAXED) >> 2 != generation)
		return PP_ESTATE;
	if (!is_one (dim))
		return PP_EINVAL;
	/* a text that there is not is no value */
	if (dim->type == PP_ABI_VALUE_STRING && !dim->value)
		return PP_OK;
	if (!keeps (plan))
		return PP_OK;
	s = (struct said *) (void *) ppi_span_take (&table, &index);
	if (!s) {
		ppi_drop (t, PP_DROP_POOL, 1);
		return PP_ENOMEM;
	}
	s->key = ppi_text_number_of (dim->key);
	s->type = dim->type;
	s->value = dim->type == PP_ABI_VALUE_STRING
			   ? ppi_text_number_of ((const char *) (uintptr_t) dim->value)
			   : dim->value;
	error = push (span, generation, s, index);
	if (error)
		give_back (s, index);
	return error;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Of the same key a newer one is there already, or there are as many as there may be. */
static bool is_left_out (const struct ppi_late *all, unsigned n, uint32_t key)
{
	for (unsigned i = 0; i < n; i++)
		if (all[i].key == key)
			return true;
	return n == PPI_LATE_OPEN;
}

/* All of WORD, the newest first, which go; how many. */
static unsigned take_all (uint64_t word, struct ppi_late all[PPI_LATE])
{
	uint64_t number = word & INDEX;
	unsigned n = 0;

	for (uint32_t left = count_of (word); left && number; left--) {
		struct said *s = said_at (number);
		uint32_t index = (uint32_t) number - 1;

		number = s->before;
		if (!is_left_out (all, n, s->key))
			all[n++] = (struct ppi_late){
				.key = s->key, .type = s->type, .value = s->value};
		give_back (s, index);
	}
	return n;
}

unsigned ppi_span_dims_end (struct ppi_frame *span, struct ppi_late out[PPI_LATE])
{
	/* acquire: what others said; who comes now finds another generation */
	uint64_t word = (uintptr_t) __atomic_exchange_n (&span->prev, NULL, __ATOMIC_ACQUIRE);
	struct ppi_late all[PPI_LATE];
	unsigned n = word & INDEX ? take_all (word, all) : 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = all[n - 1 - i];
	return n;
}

void ppi_span_dims_forget (void)
{
	ppi_span_table_forget (&table);
}
