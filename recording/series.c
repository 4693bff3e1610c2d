/* SPDX-License-Identifier: MIT */
/* series.c: see series.h. Nothing that a file says is believed. */
#include "recording/series.h"

#include "base/error.h"
#include "base/memory.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "recording/read.h"
#include "recording/read_int.h"
#include "recording/streams.h"

#include <pp.h>
#include <stdlib.h>

/* How far a thread's series has been read. */
struct seen {
	uint64_t shard; /* its place */
	uint32_t binding, thread;
	uint64_t next;
};

struct ppi_series {
	const struct ppi_recording *recording;
	struct ppi_pieces *pieces; /* of streams */
	size_t piece;              /* the next */
	const uint8_t *at, *end;   /* what is left of the one before */
	struct seen *seen;
	size_t n_seen, room;
	/* then the shards: this one, where its next chunk's samples are, and how many are left */
	const struct ppi_unbounded_shard *shard;
	int64_t place;
	uint64_t first, left;
	bool failed;
};

int ppi_series_open (const struct ppi_recording *recording, struct ppi_series **out, char *why,
		     size_t room)
{
	struct ppi_series *s = calloc (1, sizeof *s);
	int error = 0;

	if (!s)
		return ppi_fail (PP_ENOMEM, why, room, "no memory for its series");
	s->recording = recording;
	if (recording->of_blocks)
		error = ppi_pieces_open (recording, &s->pieces, why, room);
	if (error) {
		ppi_series_close (s);
		return error;
	}
	*out = s;
	return 0;
}

void ppi_series_close (struct ppi_series *s)
{
	if (!s)
		return;
	ppi_pieces_close (s->pieces);
	free (s->seen);
	free (s);
}

bool ppi_series_failed (const struct ppi_series *s)
{
	return s->failed;
}

/* ---- what is a series ------------------------------------------------------------------------ */

/* The metric of BINDING, if it keeps such a series; else NULL. */
static const struct ppi_metric_chunk *metric_of (const struct ppi_series *s, uint32_t binding)
{
	const struct ppi_binding_chunk *b =
		ppi_recording_find (s->recording, PPI_CHUNK_BINDING, binding);
	const struct ppi_metric_chunk *m =
		b ? ppi_recording_find (s->recording, PPI_CHUNK_METRIC, b->metric) : NULL;

	return m && ppi_keeps (m->accumulator, PPI_KEEPS_CHUNKS) ? m : NULL;
}

/* NULL: no memory. */
static struct seen *seen_of (struct ppi_series *s, const struct ppi_series_run *run)
{
	struct seen *more;

	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i].shard == run->shard && s->seen[i].binding == run->binding &&
		    s->seen[i].thread == run->thread)
			return &s->seen[i];
	more = ppi_list_reach (s->seen, s->n_seen, &s->room, sizeof *more);
	if (!more) {
		s->failed = true;
		return NULL;
	}
	s->seen = more;
	s->seen[s->n_seen] = (struct seen){run->shard, run->binding, run->thread, 0};
	return &s->seen[s->n_seen++];
}

/* Leaves out of *OUT what was there before; false: that is all. */
static bool is_news (struct ppi_series *s, struct ppi_series_run *out)
{
	struct seen *seen = seen_of (s, out);
	uint64_t skip;

	if (!seen)
		return false;
	/* a thread that got the number of one that has ended begins anew */
	skip = out->first && seen->next > out->first ? seen->next - out->first : 0;
	if (skip >= out->n)
		return false;
	out->first += skip;
	out->sample += skip;
	out->n -= skip;
	seen->next = out->first + out->n;
	return true;
}

/* ---- what has left --------------------------------------------------------------------------- */

/* The next entry of the piece that is gone through. */
static bool next_part (struct ppi_series *s, struct ppi_series_run *out)
{
	const struct ppi_series_part *part = (const void *) s->at;
	const struct ppi_metric_chunk *metric;
	size_t rest = (size_t) (s->end - s->at);

	if (rest < sizeof *part || part->n > (rest - sizeof *part) / sizeof part->sample[0] ||
	    part->first > UINT64_MAX / 2) {
		s->at = s->end;
		return false;
	}
	s->at += sizeof *part + part->n * sizeof part->sample[0];
	metric = metric_of (s, part->binding);
	*out = (struct ppi_series_run){part->shard, part->binding, part->thread,
				       part->first, part->n,       part->sample};
	return metric && metric->epoch == part->epoch && is_news (s, out);
}

static bool next_left (struct ppi_series *s, struct ppi_series_run *out)
{
	const struct ppi_piece *list = NULL;
	size_t n = s->pieces ? ppi_pieces_list (s->pieces, &list) : 0, bytes;
	struct ppi_stream_head head;

	for (;;) {
		while (s->at != s->end && !s->failed)
			if (next_part (s, out))
				return true;
		if (s->piece == n || s->failed)
			return false;
		s->at = ppi_pieces_get (s->pieces, &list[s->piece++], &head, &bytes);
		/* entries begin at multiples of 8, behind a head that does */
		if (!s->at || head.kind != PPI_STREAM_SERIES || head.offset % 8 ||
		    (uintptr_t) s->at % 8)
			s->at = s->end = NULL;
		else
			s->end = s->at + bytes;
	}
}

/* ---- what is there at the end ---------------------------------------------------------------- */

/* The chunk whose samples are at PLACE from the shard, if it is one of its own. */
static const struct ppi_samples_chunk *chunk_at (const struct ppi_series *s, int64_t place)
{
	uintptr_t base = (uintptr_t) s->recording->base,
		  at = (uintptr_t) s->shard + (uintptr_t) place -
		       offsetof (struct ppi_samples_chunk, sample);
	const struct ppi_samples_chunk *c = (const void *) at;

	if (!place || at % PPI_CHUNK_ALIGN || at < base || at > base + s->recording->size ||
	    base + s->recording->size - at < sizeof *c)
		return NULL;
	if (c->chunk.type != PPI_CHUNK_SAMPLES || c->chunk.id != s->shard->shard.chunk.id ||
	    c->chunk.bytes < sizeof *c || c->chunk.bytes > base + s->recording->size - at ||
	    !c->room || c->room > (c->chunk.bytes - sizeof *c) / sizeof c->sample[0])
		return NULL;
	return c;
}

static bool next_kept (struct ppi_series *s, struct ppi_series_run *out)
{
	const struct ppi_samples_chunk *c = s->left ? chunk_at (s, s->place) : NULL;

	if (!c) {
		s->left = 0;
		return false;
	}
	*out = (struct ppi_series_run){ppi_recording_place (s->recording, s->shard),
				       s->shard->shard.chunk.id,
				       s->shard->shard.thread,
				       s->first,
				       c->room < s->left ? c->room : s->left,
				       c->sample};
	s->first += out->n;
	s->left -= out->n;
	s->place = c->next;
	return is_news (s, out);
}

static bool begin_shard (struct ppi_series *s)
{
	const struct ppi_unbounded_shard *u;
	const struct ppi_metric_chunk *metric;

	u = s->shard = ppi_recording_next (s->recording, PPI_CHUNK_SHARD, s->shard);
	if (!u)
		return false;
	metric = metric_of (s, u->shard.chunk.id);
	s->left = 0;
	if (metric && metric->epoch == u->shard.epoch && u->shard.chunk.bytes >= sizeof *u &&
	    u->gone <= UINT64_MAX / 2) {
		/* not more than there can be, whatever leads to whatever */
		s->left = s->recording->size / sizeof (uint64_t);
		if (u->kept < s->left)
			s->left = u->kept;
		s->first = u->gone;
		s->place = u->first;
	}
	return true;
}

bool ppi_series_next (struct ppi_series *s, struct ppi_series_run *out)
{
	if (next_left (s, out))
		return true;
	if (!s->pieces || s->failed)
		return false;
	for (;;) {
		while (s->left && !s->failed)
			if (next_kept (s, out))
				return true;
		if (s->failed || !begin_shard (s))
			return false;
	}
}
