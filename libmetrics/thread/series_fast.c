/* SPDX-License-Identifier: MIT */
/*
 * series_fast.c: samples of a full series on their way into the recording; see series.h. At
 * markers: general registers only, no libc.
 */
#include "base/atomic.h"
#include "base/twin.h"
#include "libmetrics/keep/unbounded.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/thread/series.h"
#include "libmetrics/thread/thread.h"

PP_ABI_ASSERT (sizeof (struct ppi_series_part) + PPI_UNBOUNDED_CHUNK * sizeof (uint64_t) <=
	       PPI_STREAM_ROOM);

/* Of the thread that adds the sample; of who adds those of a thread that has ended [lock]. */
static struct ppi_stream *stream_of (struct ppi_thread *t)
{
	static struct ppi_stream others = {.kind = PPI_STREAM_SERIES};

	if (!t)
		return &others;
	if (!t->series) {
		t->series = ppi_own_alloc_fast (sizeof *t->series);
		if (t->series)
			t->series->kind = PPI_STREAM_SERIES;
	}
	if (t->series)
		t->series->thread = t->id;
	return t->series;
}

bool ppi_series_leave (const struct ppi_unbounded_shard *u, const uint64_t *sample, uint64_t n)
{
	uint32_t bytes = (uint32_t) (sizeof (struct ppi_series_part) + n * sizeof *sample);
	struct ppi_stream *stream = stream_of (ppi_thread_self ());
	uint64_t ticks = ppi_field_get (&u->shard.last_ticks);
	struct ppi_series_part *part;

	if (n > PPI_UNBOUNDED_CHUNK || !stream)
		return false;
	part = ppi_stream_begin (stream, bytes);
	if (!part)
		return false;
	part->binding = u->shard.chunk.id;
	part->epoch = u->shard.epoch;
	part->shard = (uint64_t) ((const char *) u - (const char *) ppi_region_header ());
	part->thread = u->shard.thread;
	part->reserved = 0;
	part->first = ppi_twin (u)->gone;
	part->n = n;
	for (uint64_t i = 0; i < n; i++)
		part->sample[i] = ppi_field_get (&sample[i]);
	ppi_stream_end (stream, bytes, ticks ? ticks : 1);
	return true;
}
