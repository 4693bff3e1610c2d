/* SPDX-License-Identifier: MIT */
/*
 * late.c: #pragma pp dim: dimensions of the interval that the code stands in, known only there. Its
 * marker says which execution by the interval's tag, as an end does, so it reaches that one
 * whatever was begun since.
 */
#include "base/dims.h"
#include "libmetrics/marker/aggregate.h"
#include "libmetrics/marker/flight.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>

/* The one that is open; NULL: it was begun before anybody wanted it, or is on no stack of this. */
static struct ppi_frame *find (const struct ppi_thread *t, uintptr_t tag, uintptr_t sp)
{
	struct ppi_frame *f = t->hot->top;

	/* what a longjmp left behind is deeper */
	while (f != &t->segment->bottom && (f->tag != tag || f->sp < sp))
		f = f->prev;
	return f == &t->segment->bottom ? NULL : f;
}

uint64_t ppi_late_dims (struct ppi_thread *t, uintptr_t tag, uintptr_t sp, int64_t pushed)
{
	const uint64_t *dims = (const uint64_t *) (uintptr_t) pushed;
	struct ppi_frame *f = find (t, tag, sp);
	const struct ppi_plan *plan = f ? f->plan : NULL;
	uint64_t own = plan ? ppi_record_of (f) : 0;

	if (!plan || (!own && !plan->flies && !plan->aggregate))
		return 0;
	for (uint64_t i = 0; i < dims[0]; i++) {
		const char *key = (const char *) (uintptr_t) dims[1 + 2 * i];
		const struct pp_event_dim dim = {key + 1, dims[2 + 2 * i],
						 ppi_value_of_letter (*key), 0};

		if (own)
			(void) ppi_record_dim (t, own, &dim, PPI_LATE_OPEN);
		if (plan->aggregate)
			ppi_aggregate_dim (t, f, &dim);
		if (plan->flies)
			ppi_flight_dim_of (t, plan->site, &dim);
	}
	return 0;
}
