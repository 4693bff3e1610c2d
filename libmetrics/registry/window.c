/* SPDX-License-Identifier: MIT */
/*
 * window.c: the windows of metrics: made, read, folded; window.h says what they are. Ordinary
 * context.
 */
#include "libmetrics/registry/window.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/tables/window.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WINDOWS_MAX 16

/* ---- made ------------------------------------------------------------------------------------ */

static struct ppi_binding *binding_of (struct ppi_binding *b, const struct ppi_window *w)
{
	for (b = b->windows; b && b->window != w; b = b->windows)
		;
	return b;
}

static bool follow (struct ppi_binding *b, struct ppi_window *w)
{
	struct ppi_binding *mine;

	if (binding_of (b, w))
		return true;
	mine = ppi_binding_hidden (b);
	if (!mine)
		return false;
	mine->window = w;
	mine->op.accumulator = PPI_COUNT;
	mine->op.counts = true;
	mine->op.sample_type = PP_ABI_SAMPLE_INT;
	mine->op.size = 0;
	mine->op.bytes = (uint32_t) sizeof (struct ppi_ring_shard) + PPI_CELLS * w->cell_bytes;
	mine->windows = b->windows;
	/* release: a marker that follows the list finds the window and the slot */
	__atomic_store_n (&b->windows, mine, __ATOMIC_RELEASE);
	return true;
}

bool ppi_windows_follow (struct ppi_binding *b)
{
	for (struct ppi_window *w = b->metric->windows; w; w = w->next)
		if (!follow (b, w))
			return false;
	return true;
}

bool ppi_windows_used (const struct ppi_binding *b)
{
	for (b = b->windows; b; b = b->windows)
		if (b->window->users)
			return true;
	return false;
}

/*
 * Every site that METRIC is bound to gets a plan that keeps its windows, or one that no longer
 * does.
 */
static void touch_sites (const pp_metric *metric)
{
	for (const struct ppi_binding *b = metric->bindings; b; b = b->next_of_metric)
		if (b->site && b->users)
			ppi_site_touch (b->site);
}

static struct ppi_window *window_new (pp_metric *metric, uint64_t ns)
{
	struct ppi_window *w = calloc (1, sizeof (*w));

	if (!w)
		return NULL;
	w->metric = metric;
	w->ns = ns;
	w->accumulator = (uint8_t) ppi_statistic_window_accumulator (metric->spec.accumulator);
	w->cell_bytes = (ppi_shard_bytes (w->accumulator, 0) + PPI_CHUNK_ALIGN - 1) &
			~(PPI_CHUNK_ALIGN - 1u);
	w->period_ticks = (uint64_t) ((double) ns * 1e-9 / ppi_seconds_per_tick ()) / PPI_CELLS;
	w->since = ppi_window_now ();
	if (!w->period_ticks)
		w->period_ticks = 1;
	w->next = metric->windows;
	__atomic_store_n (&metric->windows, w, __ATOMIC_RELEASE);
	return w;
}

int ppi_window_acquire (pp_metric *metric, uint64_t ns, struct ppi_window **out, char *why,
			size_t room)
{
	struct ppi_window *w;
	unsigned n = 0;
	bool fits = true;

	for (w = metric->windows; w && w->ns != ns; w = w->next)
		n++;
	if (ns < PPI_WINDOW_LEAST_NS || (!w && n >= WINDOWS_MAX)) {
		snprintf (why, room,
			  ns < PPI_WINDOW_LEAST_NS ? "the shortest window is 1 ms"
						   : "metric \"%s\" has %u windows already",
			  metric->spec.name, n);
		return PP_EINVAL;
	}
	if (!w)
		w = window_new (metric, ns);
	for (struct ppi_binding *b = metric->bindings; w && fits && b; b = b->next_of_metric)
		fits = follow (b, w);
	if (!w || !fits) {
		snprintf (why, room, "no memory for a window of metric \"%s\"", metric->spec.name);
		return PP_ENOMEM;
	}
	*out = w;
	if (w->users) {
		ppi_store (&w->users, w->users + 1);
		return PP_OK;
	}
	ppi_batch_begin ();
	/* what its cells have from an earlier use expired, or is of now */
	w->since = ppi_window_now ();
	ppi_store (&w->users, 1);
	touch_sites (metric);
	return ppi_batch_end ();
}

void ppi_window_release (struct ppi_window *w)
{
	if (!w->users)
		return;
	ppi_batch_begin ();
	ppi_store (&w->users, w->users - 1);
	if (!w->users)
		touch_sites (w->metric);
	ppi_batch_end ();
}

const struct ppi_window *ppi_window_next (const pp_metric *metric, const struct ppi_window *after)
{
	return after ? after->next : metric->windows;
}

uint64_t ppi_window_ns (const struct ppi_window *w)
{
	return w->ns;
}

bool ppi_window_is_used (const struct ppi_window *w)
{
	return ppi_load (&w->users) > 0;
}
