/* SPDX-License-Identifier: MIT */
/*
 * series_fast.c: samples of a full series on their way into the recording; see series.h. At
 * markers: general registers only, no libc.
 */
#include "base/atomic.h"
#include "base/twin.h"
#include "libmetrics/keep/unbounded.h"
#include "libmetrics/region/series.h"
#include "libmetrics/region/stream.h"

PP_ABI_ASSERT (sizeof (struct ppi_series_part) + PPI_UNBOUNDED_CHUNK * sizeof (uint64_t) <=
	       PPI_STREAM_ROOM);

bool ppi_series_leave (const struct ppi_unbounded_shard *u, const uint64_t *sample, uint64_t n)
{
	uint32_t bytes = (uint32_t) (sizeof (struct ppi_series_part) + n * sizeof *sample);
	/* nothing is kept between two such: a series is no reason to hold a chunk */
	struct ppi_stream stream = {.kind = PPI_STREAM_SERIES, .thread = u->shard.thread};
	struct ppi_series_part *part;
	uint64_t ticks = ppi_field_get (&u->shard.last_ticks);

	if (n > PPI_UNBOUNDED_CHUNK)
		return false;
	part = ppi_stream_begin (&stream, bytes);
	if (!part)
		return false;
	part->binding = u->shard.chunk.id;
	part->epoch = u->shard.epoch;
	part->first = ppi_twin (u)->gone;
	part->n = n;
	for (uint64_t i = 0; i < n; i++)
		part->sample[i] = ppi_field_get (&sample[i]);
	ppi_stream_end (&stream, bytes, ticks ? ticks : 1);
	ppi_stream_finish (&stream);
	return true;
}
