/* SPDX-License-Identifier: MIT */
/*
 * replay.c: see replay.h. Values count from the start (docs/recording.md, 4), so a step copies the
 * heads of shards and the counters of histograms over what the last one had. All else of a shard,
 * like the places of its counters, is as the end has it: a counter that is not made yet is zero.
 */
#include "recording/replay.h"

#include "base/error.h"
#include "libmetrics/keep/shard.h"
#include "recording/blocks.h"
#include "recording/read_int.h"
#include "recording/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ppi_replay {
	struct ppi_recording
		*recording; /* this reader's own: what changes in it nobody else sees */
	int fd;
	uint64_t size;
	struct ppi_scan scan;
	bool is_scanning;
	/* the scan stands at a block of values that is of the next moment */
	bool is_ahead;
	uint64_t lost, lost_ns;
	uint64_t end_ns;
};

/* ---- the start ------------------------------------------------------------------------------- */

/* The chunk I of TYPE, to be written to: a file of blocks is read into the reader's own memory. */
static void *chunk_at (const struct ppi_replay *r, enum ppi_chunk_type type, size_t i)
{
	return (void *) (uintptr_t) ppi_recording_nth (r->recording, type, i);
}

static void empty_shard (struct ppi_shard *shard)
{
	const struct ppi_chunk chunk = shard->chunk;

	if (chunk.bytes < sizeof *shard)
		return;
	memset (shard, 0, sizeof *shard);
	shard->chunk = chunk;
}

static void empty_buckets (struct ppi_buckets_chunk *buckets)
{
	/* a directory has places, which are those of the end from the start */
	if (buckets->chunk.bytes >= sizeof *buckets && !buckets->is_directory)
		memset (buckets->word, 0, sizeof buckets->word);
}

void ppi_replay_rewind (struct ppi_replay *r)
{
	struct ppi_metric_chunk *metric;
	struct ppi_buckets_chunk *buckets;
	struct ppi_shard *shard;

	if (r->is_scanning)
		ppi_scan_end (&r->scan);
	ppi_scan_begin (&r->scan, r->fd, r->size);
	r->is_scanning = true;
	r->is_ahead = false;
	r->lost = r->lost_ns = 0;
	for (size_t i = 0; (shard = chunk_at (r, PPI_CHUNK_SHARD, i)); i++)
		empty_shard (shard);
	for (size_t i = 0; (buckets = chunk_at (r, PPI_CHUNK_BUCKETS, i)); i++)
		empty_buckets (buckets);
	for (size_t i = 0; (metric = chunk_at (r, PPI_CHUNK_METRIC, i)); i++)
		metric->epoch = 0;
	r->recording->header.now_ns = r->recording->header.start_ns;
}

int ppi_replay_open (const char *path, struct ppi_replay **out, char *why, size_t room)
{
	struct ppi_replay *r = calloc (1, sizeof *r);
	struct stat st = {.st_size = 0};
	int error;

	*out = NULL;
	if (!r)
		return ppi_fail (PP_ENOMEM, why, room, "no memory to read %s", path);
	r->fd = -1;
	error = ppi_recording_open (path, &r->recording, why, room);
	if (!error && !r->recording->of_blocks)
		error = ppi_fail (PP_EINVAL, why, room, "%s has no values over time", path);
	if (!error) {
		r->fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (r->fd < 0 || fstat (r->fd, &st) != 0)
			error = ppi_fail (PP_EIO, why, room, "%s can't be read", path);
	}
	if (error) {
		ppi_replay_close (r);
		return error;
	}
	r->size = (uint64_t) st.st_size;
	r->end_ns = r->recording->header.now_ns;
	ppi_replay_rewind (r);
	*out = r;
	return 0;
}

void ppi_replay_close (struct ppi_replay *r)
{
	if (!r)
		return;
	if (r->is_scanning)
		ppi_scan_end (&r->scan);
	if (r->fd >= 0)
		close (r->fd);
	ppi_recording_close (r->recording);
	free (r);
}

const struct ppi_recording *ppi_replay_recording (const struct ppi_replay *r)
{
	return r->recording;
}

uint64_t ppi_replay_lost (const struct ppi_replay *r, uint64_t *first_ns)
{
	*first_ns = r->lost_ns;
	return r->lost;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The chunk of the end that lay at PLACE, or NULL. */
static struct ppi_chunk *find (const struct ppi_replay *r, uint64_t place)
{
	const struct ppi_newest *newest = &r->recording->newest;
	size_t low = 0, high = newest->n_chunks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (newest->chunk[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < newest->n_chunks && newest->chunk[low].place == place
		       ? (struct ppi_chunk *) (void *) (newest->region.at + place)
		       : NULL;
}

/* A reset raises the epoch of a metric; its first sample afterwards shows it. */
static void take_epoch (const struct ppi_replay *r, const struct ppi_shard *shard)
{
	const struct ppi_binding_chunk *binding =
		ppi_recording_find (r->recording, PPI_CHUNK_BINDING, shard->chunk.id);
	struct ppi_metric_chunk *metric =
		binding ? (void *) (uintptr_t) ppi_recording_find (r->recording, PPI_CHUNK_METRIC,
								   binding->metric)
			: NULL;

	if (metric && shard->epoch > metric->epoch)
		metric->epoch = shard->epoch;
}

/*
 * What lay at a place and was something else than at the end is left out: nothing of the end leads
 * to it.
 */
static void take_item (const struct ppi_replay *r, const struct ppi_item *item)
{
	const struct ppi_chunk *now = (const void *) (item + 1);
	struct ppi_chunk *chunk = item->bytes >= sizeof *now ? find (r, item->place) : NULL;

	if (!chunk || chunk->type != now->type || chunk->id != now->id ||
	    chunk->bytes != now->bytes || item->bytes > chunk->bytes)
		return;
	if (now->type == PPI_CHUNK_SHARD && item->bytes >= sizeof (struct ppi_shard)) {
		memcpy (chunk, now, item->bytes);
		take_epoch (r, (const void *) chunk);
	} else if (now->type == PPI_CHUNK_BUCKETS) {
		memcpy (chunk, now, item->bytes);
	}
}

static void take_block (struct ppi_replay *r)
{
	const struct ppi_item *item = NULL;
	const char *why, *content = ppi_scan_content (&r->scan, &why);

	if (!content && !r->lost++)
		r->lost_ns = r->scan.head.last_ns;
	while (content && (item = ppi_item_next (content, r->scan.head.unpacked, item)))
		take_item (r, item);
}

int ppi_replay_peek (struct ppi_replay *r, uint64_t *ns)
{
	while (!r->is_ahead) {
		if (!ppi_scan_next (&r->scan))
			return r->scan.failed ? PP_EIO : 0;
		r->is_ahead = r->scan.head.type == PPI_BLOCK_VALUES;
	}
	*ns = r->scan.head.last_ns;
	return 1;
}

int ppi_replay_next (struct ppi_replay *r, uint64_t *ns)
{
	uint64_t now;
	int more = ppi_replay_peek (r, ns);

	if (more <= 0)
		return more;
	/* what is new at one moment may take several blocks */
	do {
		take_block (r);
		r->is_ahead = false;
	} while (ppi_replay_peek (r, &now) > 0 && now == *ns);
	r->recording->header.now_ns = *ns;
	return 1;
}

uint64_t ppi_replay_end (const struct ppi_replay *r)
{
	return r->end_ns;
}

void ppi_replay_idle (struct ppi_replay *r, uint64_t ns)
{
	r->recording->header.now_ns = ns;
}
