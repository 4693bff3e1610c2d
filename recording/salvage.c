/* SPDX-License-Identifier: MIT */
/* salvage.c: see salvage.h. Nothing in the region is believed; of the file its places are. */
#include "recording/salvage.h"

#include "recording/check.h"
#include "recording/layout.h"
#include "recording/load.h"

#include <stdlib.h>
#include <string.h>

struct salvage {
	char *data;
	uint64_t used;
	const struct ppi_newest *known;
	uint64_t parts; /* that were not whole */
};

static struct ppi_chunk *chunk_at (const struct salvage *s, uint64_t at)
{
	return (struct ppi_chunk *) (void *) (s->data + at);
}

/* Can it be one by its size? */
static bool has_size (const struct salvage *s, uint64_t at, uint64_t bytes)
{
	return bytes >= PPI_CHUNK_ALIGN && bytes % PPI_CHUNK_ALIGN == 0 && bytes <= s->used - at;
}

static bool is_empty (unsigned type)
{
	/* readers skip what they don't know */
	return type == PPI_CHUNK_NONE || type == PPI_CHUNK_FREE || type >= PPI_CHUNK_TYPES;
}

/* ---- what the recording has ------------------------------------------------------------------ */

static const struct ppi_chunk *known_chunk (const struct salvage *s, size_t i)
{
	return (const void *) (s->known->region.at + s->known->chunk[i].place);
}

/* The recording's first chunk at AT or behind it; its number of them: there is none. */
static size_t known_from (const struct salvage *s, uint64_t at)
{
	size_t low = 0, high = s->known->n_chunks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->known->chunk[middle].place < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the chunk of BYTES at AT lie across one that the recording knows? Places stay. */
static bool hides_another (const struct salvage *s, uint64_t at, uint64_t bytes)
{
	size_t i = known_from (s, at + 1);

	return i < s->known->n_chunks && s->known->chunk[i].place < at + bytes;
}

/* What the recording has at AT, if it fits into ROOM and is whole: its bytes, or 0. */
static uint32_t restore (const struct salvage *s, uint64_t at, uint64_t room)
{
	size_t i = known_from (s, at);
	const struct ppi_chunk *chunk;
	uint32_t bytes;

	if (i == s->known->n_chunks || s->known->chunk[i].place != at)
		return 0;
	chunk = known_chunk (s, i);
	bytes = s->known->chunk[i].bytes;
	if (bytes > room || is_empty (chunk->type) ||
	    !ppi_chunk_is_whole (chunk, chunk->type, bytes))
		return 0;
	memcpy (s->data + at, chunk, bytes);
	return bytes;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* No size leads on from AT: to the next place that the recording knows. Returns where to go on. */
static uint64_t mend_hole (struct salvage *s, uint64_t at)
{
	size_t i = known_from (s, at + 1);
	uint64_t end = i < s->known->n_chunks && s->known->chunk[i].place < s->used
			       ? s->known->chunk[i].place
			       : s->used;
	uint32_t bytes = restore (s, at, end - at);

	/* bytes that are zero are no chunk */
	if (!bytes)
		memset (s->data + at, 0, end - at);
	s->parts++;
	return bytes ? at + bytes : end;
}

static void mend_chunks (struct salvage *s, uint64_t from)
{
	uint64_t at = from;

	while (s->used - at >= PPI_CHUNK_ALIGN) {
		struct ppi_chunk *chunk = chunk_at (s, at);
		uint32_t bytes = chunk->bytes;

		if (bytes == 0 && chunk->type == PPI_CHUNK_NONE) {
			at += PPI_CHUNK_ALIGN;
			continue;
		}
		if (!has_size (s, at, bytes) || hides_another (s, at, bytes)) {
			at = mend_hole (s, at);
			continue;
		}
		if (!is_empty (chunk->type) && !ppi_chunk_is_whole (chunk, chunk->type, bytes)) {
			s->parts++;
			if (restore (s, at, bytes) != bytes)
				chunk->type = PPI_CHUNK_FREE;
			/* where what was restored is smaller the rest is no chunk's */
			chunk->bytes = bytes;
		}
		at += bytes;
	}
}

/* ---- what chunks name ------------------------------------------------------------------------ */

struct ids {
	uint32_t *id; /* malloced; sorted */
	size_t n;
};

static int by_id (const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* The next chunk from *AT on, which is where to go on afterwards; NULL: none. */
static struct ppi_chunk *next_chunk (const struct salvage *s, uint64_t *at)
{
	while (s->used - *at >= PPI_CHUNK_ALIGN) {
		struct ppi_chunk *chunk = chunk_at (s, *at);

		*at += chunk->bytes ? chunk->bytes : PPI_CHUNK_ALIGN;
		if (chunk->bytes && !is_empty (chunk->type))
			return chunk;
	}
	return NULL;
}

/* Those of chunks of TYPE. */
static bool list_ids (const struct salvage *s, uint64_t from, unsigned type, struct ids *ids)
{
	const struct ppi_chunk *chunk;
	size_t n = 0;

	for (uint64_t at = from; (chunk = next_chunk (s, &at));)
		n += chunk->type == type;
	*ids = (struct ids){malloc ((n + 1) * sizeof *ids->id), 0};
	if (!ids->id)
		return false;
	for (uint64_t at = from; (chunk = next_chunk (s, &at));)
		if (chunk->type == type)
			ids->id[ids->n++] = chunk->id;
	qsort (ids->id, ids->n, sizeof *ids->id, by_id);
	return true;
}

static bool is_known (const struct ids *ids, uint32_t id)
{
	return bsearch (&id, ids->id, ids->n, sizeof id, by_id) != NULL;
}

/* Leaves out what names a metric or a site that is not there. */
static bool mend_names (struct salvage *s, uint64_t from)
{
	struct ids metrics = {NULL, 0}, sites = {NULL, 0};
	bool done = list_ids (s, from, PPI_CHUNK_METRIC, &metrics) &&
		    list_ids (s, from, PPI_CHUNK_SITE, &sites);
	struct ppi_chunk *chunk;

	for (uint64_t at = from; done && (chunk = next_chunk (s, &at));) {
		const struct ppi_binding_chunk *binding = (const void *) chunk;
		const struct ppi_assertion_chunk *assertion = (const void *) chunk;
		uint32_t site = 0;
		bool good = true;

		if (chunk->type == PPI_CHUNK_BINDING) {
			good = is_known (&metrics, binding->metric);
			site = binding->site;
		} else if (chunk->type == PPI_CHUNK_ASSERTION) {
			site = assertion->site;
		}
		if (!good || (site && !is_known (&sites, site))) {
			chunk->type = PPI_CHUNK_FREE;
			s->parts++;
		}
	}
	free (metrics.id);
	free (sites.id);
	return done;
}

int ppi_region_salvage (char *data, uint64_t used, const struct ppi_newest *known)
{
	struct salvage s = {data, used & ~(uint64_t) (PPI_CHUNK_ALIGN - 1), known, 0};
	struct ppi_region_header *header = (void *) data;

	if (known->header.used && (!ppi_header_is_whole (header) || header->used != used)) {
		*header = known->header;
		header->state = PPI_RECORDING_LIVE;
		s.parts++;
	}
	header->used = s.used;
	mend_chunks (&s, header->header_bytes);
	if (!mend_names (&s, header->header_bytes))
		return PP_ENOMEM;
	header->damaged = s.parts < UINT32_MAX ? (uint32_t) s.parts : UINT32_MAX;
	return PP_OK;
}
