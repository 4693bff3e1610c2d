/* SPDX-License-Identifier: MIT */
/* summaries.c: shards of a recording, merged; see read.h. */
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "recording/read.h"
#include "recording/read_int.h"

/* A shard that is too small for its accumulator, or for its ring, is not read. */
static bool shard_fits (const struct ppi_shard *shard, unsigned accumulator)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);
	size_t room = shard->chunk.bytes;
	const uint64_t *size = (const void *) ((const char *) shard + keep->size.at);

	return room >= keep->bytes && (!keep->size.sample_bytes ||
				       *size <= (room - keep->bytes) / keep->size.sample_bytes);
}

static void add_binding (const struct ppi_recording *recording,
			 const struct ppi_binding_chunk *binding,
			 const struct ppi_metric_chunk *metric, struct ppi_summary *out)
{
	const struct ppi_list *shards = &recording->list[PPI_CHUNK_SHARD];
	uint32_t epoch = metric->epoch;

	for (size_t i = ppi_recording_lower_bound (shards, binding->chunk.id);
	     i < shards->n && shards->by_id[i].id == binding->chunk.id; i++) {
		const struct ppi_shard *shard = (const void *) shards->by_id[i].chunk;

		if (!shard_fits (shard, metric->accumulator))
			continue;
		(void) ppi_summary_add_shard (out, shard, epoch, binding->every);
		if (ppi_keeps (metric->accumulator, PPI_KEEPS_RING))
			ppi_summary_add_window (out, (const void *) shard, epoch);
	}
}

void ppi_recording_summary_of (const struct ppi_recording *recording,
			       const struct ppi_metric_chunk *metric,
			       bool (*wanted) (uint32_t site, void *arg), void *arg,
			       struct ppi_summary *out)
{
	const struct ppi_list *bindings = &recording->list[PPI_CHUNK_BINDING];

	ppi_summary_init (out, metric->sample_type, metric->accumulator);
	/* a rate since the start; when the metric was reset is not in the recording */
	if (!metric->epoch)
		out->seconds = ((double) ppi_recording_header (recording)->now_ns -
				(double) ppi_recording_header (recording)->start_ns) *
			       1e-9;
	out->bounds.lo = (uintptr_t) recording->base;
	out->bounds.hi = (uintptr_t) recording->base + recording->size;
	for (size_t i = 0; i < bindings->n; i++) {
		const struct ppi_binding_chunk *binding = (const void *) bindings->entry[i].chunk;

		if (binding->metric == metric->chunk.id && wanted (binding->site, arg))
			add_binding (recording, binding, metric, out);
	}
}

static bool is_site (uint32_t site, void *arg)
{
	const uint32_t *wanted = arg;

	return *wanted == PPI_ALL_SITES || site == *wanted;
}

void ppi_recording_summary (const struct ppi_recording *recording,
			    const struct ppi_metric_chunk *metric, uint32_t site,
			    struct ppi_summary *out)
{
	ppi_recording_summary_of (recording, metric, is_site, &site, out);
}

double ppi_recording_scale (const struct ppi_recording *recording,
			    const struct ppi_metric_chunk *metric)
{
	return metric->scale != 0 ? metric->scale
				  : ppi_recording_header (recording)->seconds_per_tick;
}

uint64_t ppi_recording_quick_passes (const struct ppi_recording *recording,
				     const struct ppi_assertion_chunk *assertion)
{
	uint32_t id = assertion->chunk.reserved;
	const struct ppi_list *shards;
	uint64_t n = 0;

	if (!id)
		return 0;
	shards = &recording->list[PPI_CHUNK_SHARD];
	for (size_t i = ppi_recording_lower_bound (shards, id);
	     i < shards->n && shards->by_id[i].id == id; i++)
		n += __atomic_load_n (&((const struct ppi_shard *) shards->by_id[i].chunk)->all.n,
				      __ATOMIC_RELAXED);
	return n;
}
