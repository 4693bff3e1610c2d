/* SPDX-License-Identifier: MIT */
/* by_hand.c: see by_hand.h. */
#include "libmetrics/calls/by_hand.h"

#include "base/atomic.h"
#include "base/lock.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <math.h>

struct ppi_binding *ppi_sample_binding (pp_metric *m)
{
	struct ppi_binding *b = __atomic_load_n (&m->own, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (b && __atomic_load_n (&b->chunk, __ATOMIC_ACQUIRE) && ppi_load (ppi_alive))
		return b;
	/*
	 * the first time, also in a child; where no site has a say yet, samples are what they are
	 * given as
	 */
	ppi_lock ();
	if (m->instance.source->class == PPI_SOURCE_VALUE && !m->bindings && !m->chunk)
		m->instance.sample_type = PP_ABI_SAMPLE_DOUBLE;
	b = ppi_binding_get (m, NULL);
	if (b && ppi_binding_describe (b) < 0)
		b = NULL;
	ppi_sources_use (true);
	ppi_unlock ();
	errno = saved;
	return b;
}

int ppi_sample_prepare (pp_metric *metric)
{
	return metric->unavailable || ppi_sample_binding (metric) ? PP_OK : PP_ENOMEM;
}

int pp_sample (pp_metric *metric, double sample)
{
	bool is_double, keeps;
	union ppi_sample raw;
	struct ppi_binding *b;
	struct ppi_thread *t;
	struct ppi_shard *s;

	if (!metric || isnan (sample) || metric->spec.computed)
		return PP_EINVAL;
	b = ppi_sample_binding (metric);
	if (!b)
		return PP_ENOMEM;
	keeps = ppi_keeps (metric->spec.accumulator, PPI_KEEPS_ANY);
	/* the binding decides, if it is the metric's first */
	is_double = keeps && metric->instance.sample_type == PP_ABI_SAMPLE_DOUBLE;
	/* an integer that there is not */
	if (!is_double && keeps && !(fabs (sample / ppi_metric_scale (metric)) < 0x1p63))
		return PP_EINVAL;
	t = ppi_thread_enter ((uintptr_t) __builtin_frame_address (0));
	if (!t)
		return PP_ESTATE;
	s = ppi_shard_get (t, &b->op);
	if (is_double)
		raw.d = sample / ppi_metric_scale (metric);
	else if (!keeps)
		raw.i = 0;
	else
		raw.i = (int64_t) llrint (sample / ppi_metric_scale (metric));
	if (s && is_double)
		ppi_accumulate_double (s, metric->spec.accumulator, raw.d,
				       b->op.stamped ? ppi_stamp () : ppi_ticks ());
	else if (s)
		ppi_accumulate_int_any (s, metric->spec.accumulator, raw.i,
					b->op.stamped ? ppi_stamp () : ppi_ticks ());
	if (s && ppi_unlikely (b->windows))
		ppi_windows_add (t, b, is_double, raw);
	ppi_thread_leave (t);
	return s ? PP_OK : PP_ENOMEM;
}
