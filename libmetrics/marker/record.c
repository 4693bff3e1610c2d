/* SPDX-License-Identifier: MIT */
/*
 * record.c: the sink `record`: each execution becomes an entry in a stream of its thread's
 * (region/stream.h), whose chunks who records has prepared (ppi_streams_prepare). What has no room
 * there is counted as dropped.
 */
#include "base/atomic.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

/* The thread state's, made at its first entry. NULL: no memory, counted. */
static struct ppi_stream *stream_of (struct ppi_thread *t)
{
	if (t->stream)
		return t->stream;
	t->stream = ppi_own_alloc_fast (sizeof (*t->stream));
	if (!t->stream) {
		ppi_drop (t, PP_DROP_STREAM, 1);
		return NULL;
	}
	t->stream->kind = PPI_STREAM_EXECUTIONS;
	t->stream->thread = t->id;
	return t->stream;
}

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	uint32_t bytes = (uint32_t) (sizeof (struct ppi_execution) + op->words * sizeof (uint64_t));
	struct ppi_stream *stream = stream_of (t);
	struct ppi_execution *e = stream ? ppi_stream_begin (stream, bytes) : NULL;

	if (!e)
		return;
	e->site = taken->plan->site->id;
	e->words = op->words;
	e->reserved = 0;
	e->begin_ticks = taken->frame ? ppi_load (&taken->frame->begin_ticks) : taken->now;
	e->end_ticks = taken->now;
	for (unsigned i = 0; i < op->words; i++)
		e->word[i] = taken->values[i];
	ppi_stream_end (stream, bytes, taken->now);
}

const struct ppi_sink ppi_sink_record = {.name = "record", .captures = true, .take = take};
