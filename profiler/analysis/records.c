/* SPDX-License-Identifier: MIT */
/*
 * records.c: reads the event records of a recording, backwards; see records.h.
 *
 * A chunk of a stream is read from its start, since entries refer to those before them, and what it
 * has is then given out from its end: a chunk's records are all that is in memory. A file may have
 * a chunk in several pieces, which are put together first.
 *
 * What runs on several stacks of a thread at a time (fibres, spans, handlers that interrupted a
 * marker) lies mixed in its chunks. So there is a pass over them for each such sequence; a chunk
 * that has nothing of a sequence is left out.
 */
#include "profiler/analysis/records.h"

#include "base/memory.h"
#include "profiler/analysis/record_texts.h"
#include "recording/names.h"
#include "recording/read.h"
#include "recording/streams.h"

#include <pp.h>
#include <stdlib.h>
#include <string.h>

/* What is nested deeper is given out as of that depth. */
#define DEPTH_MOST 8192u
/* The pieces of a chunk lie no further apart. */
#define BETWEEN_MOST 4096u
#define CHUNK_ROOM ((size_t) PPI_STREAM_BYTES)
/* Records that are made at a time. */
#define AT_ONCE 16u

/* What nests: all of a lane on one stack; or spans, which don't. */
struct sequence {
	uint32_t lane, strand, is_span;
};

struct entry {
	const struct ppi_record_shape *shape;
	struct sequence of;
	bool is_point;
	uint32_t begin;
	uint32_t value; /* the first, in VALUES */
	uint64_t begin_ticks, end_ticks;
};

/* What is known of a piece once it was read. */
struct known {
	bool is_known;
	uint32_t chunk, offset, bytes;
	uint32_t pass;      /* it was read in this one, with a piece behind it */
	uint64_t sequences; /* a bit for each that its chunk has, by their hash */
};

struct open {
	uint32_t begin;
	uint64_t begin_ticks;
};

struct ppi_records {
	const struct ppi_recording *recording;
	struct ppi_pieces *pieces;
	struct ppi_record_texts texts;
	struct known *known; /* of each piece */
	/* of the chunk that is read */
	uint8_t *bytes;
	struct ppi_event_reader *reader;
	struct entry *entry;
	size_t n, room;
	uint64_t *value;
	size_t values, values_room;
	/* of the thread: its sequences but the first */
	struct ppi_intern sequences;
	struct sequence *sequence;
	size_t n_sequences, sequences_room;
	/* of the sequence: what is around the next record */
	struct open *open;
	uint32_t depth;
	uint32_t pass;
	uint8_t *chunk_seen;                        /* a bit for each chunk, by its number */
	uint32_t chunks_room, chunks, newest_chunk; /* of those behind BEHIND */
	uint32_t behind;
	uint64_t cut; /* chunks whose begin is missing */
	bool no_memory;
	struct ppi_records_info info;
};

/* ---- opening --------------------------------------------------------------------------------- */

struct ppi_records *ppi_records_open (const struct ppi_recording *recording, char *why, size_t room)
{
	struct ppi_records *r = calloc (1, sizeof *r);
	const struct ppi_piece *piece;
	char missing[300];
	size_t n = 0;
	bool good;

	snprintf (why, room, "no memory for its records");
	if (!r)
		return NULL;
	r->recording = recording;
	good = ppi_pieces_open (recording, &r->pieces, why, room) == 0;
	/* there are streams of others; who has records has texts */
	n = good && ppi_recording_count (recording, PPI_CHUNK_TEXTS)
		    ? ppi_pieces_list (r->pieces, &piece)
		    : 0;
	if (good && !n) {
		/* policies may have asked for them, of sites that never came */
		ppi_pending_sites (recording, missing, sizeof missing);
		snprintf (why, room, "%s%s", ppi_records_why_none (recording), missing);
		good = false;
	} else if (good) {
		snprintf (why, room, "no memory for its records");
		r->known = calloc (n, sizeof *r->known);
		r->bytes = malloc (CHUNK_ROOM);
		r->reader = malloc (sizeof *r->reader);
		r->open = malloc (DEPTH_MOST * sizeof *r->open);
		good = ppi_record_texts_load (recording, &r->texts) && r->known && r->bytes &&
		       r->reader && r->open;
	}
	if (!good) {
		ppi_records_close (r);
		return NULL;
	}
	/* who asks for a key before the first pass gets it */
	for (uint32_t i = 0; i < r->texts.numbers; i++)
		ppi_record_texts_shape (&r->texts, i);
	return r;
}

void ppi_records_close (struct ppi_records *r)
{
	if (!r)
		return;
	ppi_pieces_close (r->pieces);
	ppi_record_texts_clear (&r->texts);
	ppi_intern_free (&r->sequences);
	free (r->sequence);
	free (r->known);
	free (r->bytes);
	free (r->reader);
	free (r->open);
	free (r->entry);
	free (r->value);
	free (r->chunk_seen);
	free (r);
}

void ppi_records_begin_behind (struct ppi_records *r, uint32_t number)
{
	r->behind = number;
}

const char *ppi_records_text (const struct ppi_records *r, uint32_t id)
{
	return id && id <= r->texts.n ? r->texts.text[id - 1] : "";
}

uint32_t ppi_records_id (const struct ppi_records *r, const char *text)
{
	for (size_t i = 0; i < r->texts.n; i++)
		if (strcmp (r->texts.text[i], text) == 0)
			return (uint32_t) i + 1;
	return UINT32_MAX;
}

/* Shapes have few keys, and there are few that differ. */
static bool is_among (const uint32_t *key, size_t n, uint32_t wanted)
{
	for (size_t i = 0; i < n; i++)
		if (key[i] == wanted)
			return true;
	return false;
}

size_t ppi_records_keys (const struct ppi_records *r, uint32_t *key, size_t room)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->texts.numbers; i++) {
		const struct ppi_record_shape *shape = r->texts.shape[i];

		for (unsigned k = 0; shape && k < shape->is.n; k++)
			if (n < room && !is_among (key, n, shape->key[k]))
				key[n++] = shape->key[k];
	}
	return n;
}

bool ppi_records_is_truth (const struct ppi_records *r, uint32_t key)
{
	return ppi_record_texts_are_truths (&r->texts, key);
}

/* ---- a chunk --------------------------------------------------------------------------------- */

static void note_chunk (struct ppi_records *r, uint32_t chunk)
{
	uint32_t room = r->chunks_room ? r->chunks_room : 4096;
	uint8_t *more;

	/* what has so many is no file that a process wrote */
	if (chunk > UINT32_C (1) << 30 || chunk <= r->behind)
		return;
	while (room <= chunk / 8)
		room *= 2;
	if (room > r->chunks_room) {
		more = realloc (r->chunk_seen, room);
		if (!more) {
			r->no_memory = true;
			return;
		}
		memset (more + r->chunks_room, 0, room - r->chunks_room);
		r->chunk_seen = more;
		r->chunks_room = room;
	}
	r->chunks += !(r->chunk_seen[chunk / 8] >> chunk % 8 & 1);
	r->chunk_seen[chunk / 8] |= (uint8_t) (1 << chunk % 8);
	r->newest_chunk = chunk > r->newest_chunk ? chunk : r->newest_chunk;
}

/*
 * Reads piece I; its bytes go to their place if it is of events, and of CHUNK and up to END, where
 * END is not 0. False: it can't be read, or its place is impossible.
 */
static bool read_piece (struct ppi_records *r, const struct ppi_piece *piece, size_t i,
			uint32_t chunk, uint32_t end)
{
	struct known *known = &r->known[i];
	struct ppi_stream_head head;
	size_t bytes;
	const uint8_t *data = ppi_pieces_get (r->pieces, &piece[i], &head, &bytes);
	bool fits = data && head.offset <= CHUNK_ROOM && bytes <= CHUNK_ROOM - head.offset;

	if (fits && !known->is_known)
		note_chunk (r, head.chunk);
	known->is_known = true;
	known->chunk = known->offset = known->bytes = 0;
	if (!fits)
		return false;
	known->chunk = head.chunk;
	if (head.kind != PPI_STREAM_EVENTS)
		return true;
	known->offset = head.offset;
	known->bytes = (uint32_t) bytes;
	if (bytes && (!end || (head.chunk == chunk && head.offset + bytes == end)))
		memcpy (r->bytes + head.offset, data, bytes);
	return true;
}

/*
 * The chunk that ends with piece I, of those from FROM on, to BYTES. How many there are; 0: pieces
 * are missing, or it is none of events.
 */
static size_t read_chunk (struct ppi_records *r, const struct ppi_piece *piece, size_t from,
			  size_t i)
{
	const struct known *is = &r->known[i];
	uint32_t at;

	if (!read_piece (r, piece, i, 0, 0)) {
		r->info.gaps++;
		return 0;
	}
	at = is->offset;
	for (size_t j = i; at && j > from && i - j < BETWEEN_MOST;) {
		struct known *before = &r->known[--j];

		if (before->pass == r->pass || (before->is_known && before->chunk != is->chunk) ||
		    !read_piece (r, piece, j, is->chunk, at) || before->chunk != is->chunk)
			continue;
		if (!before->bytes || before->offset + before->bytes != at)
			break;
		before->pass = r->pass;
		at = before->offset;
	}
	if (at) {
		r->cut++;
		return 0;
	}
	return is->offset + is->bytes;
}

static const struct ppi_event_shape *shape_of (uint32_t number, void *arg)
{
	/* all were made when the records were opened: texts stay as they are during a pass */
	const struct ppi_record_texts *texts = arg;
	const struct ppi_record_shape *shape =
		number < texts->numbers ? texts->shape[number] : NULL;

	return shape ? &shape->is : NULL;
}

static uint64_t bit_of (const struct sequence *of)
{
	uint32_t hash = of->strand * UINT32_C (0x9e3779b9) + of->lane * 31 + of->is_span * 17;

	return UINT64_C (1) << (hash >> 26);
}

static bool is_first (const struct sequence *of)
{
	return !of->lane && !of->strand && !of->is_span;
}

static bool is_same (const struct sequence *a, const struct sequence *b)
{
	return a->lane == b->lane && a->strand == b->strand && a->is_span == b->is_span;
}

/* One more sequence of the thread's, if it is new. */
static void note_sequence (struct ppi_records *r, const struct sequence *of)
{
	struct sequence *more;
	bool is_new;

	if (is_first (of) || (r->n && is_same (&r->entry[r->n - 1].of, of)))
		return;
	if (!ppi_intern (&r->sequences, of, sizeof *of, &is_new)) {
		r->no_memory = true;
		return;
	}
	if (!is_new)
		return;
	more = ppi_list_reach (r->sequence, r->n_sequences, &r->sequences_room, sizeof *more);
	if (!more) {
		r->no_memory = true;
		return;
	}
	r->sequence = more;
	r->sequence[r->n_sequences++] = *of;
}

/* There is room for an entry more, and for its N values; false: no memory. */
static bool entry_room (struct ppi_records *r, unsigned n)
{
	struct entry *more = ppi_list_reach (r->entry, r->n, &r->room, sizeof *more);

	if (more)
		r->entry = more;
	while (more && r->values + n > r->values_room) {
		size_t room = r->values_room ? 2 * r->values_room : 4096;
		uint64_t *values = reallocarray (r->value, room, sizeof *values);

		if (!values)
			more = NULL;
		else
			r->value = values, r->values_room = room;
	}
	r->no_memory |= !more;
	return more != NULL;
}

static inline bool add_entry (struct ppi_records *r, const struct ppi_event *event, uint32_t lane)
{
	unsigned n = event->shape->n;
	struct entry *to;
	bool is_span = event->form == PPI_EVENT_SPAN;
	struct sequence of = {is_span ? 0 : lane, event->strand, is_span};

	if (__builtin_expect (r->n == r->room || r->values + n > r->values_room, 0) &&
	    !entry_room (r, n))
		return false;
	if (__builtin_expect (!is_first (&of), 0))
		note_sequence (r, &of);
	to = &r->entry[r->n++];
	/* shapes are the first member of what was handed out */
	*to = (struct entry){.shape = (const struct ppi_record_shape *) event->shape,
			     .of = of,
			     .is_point = event->form == PPI_EVENT_POINT,
			     .begin = event->begin,
			     .value = (uint32_t) r->values,
			     .begin_ticks = event->begin_ticks,
			     .end_ticks = event->end_ticks};
	for (unsigned i = 0; i < n; i++)
		r->value[r->values + i] = event->value[i];
	r->values += n;
	return true;
}

/* The entries of the BYTES of a chunk; which sequences there are. */
static uint64_t decode (struct ppi_records *r, size_t bytes)
{
	const uint8_t *at = r->bytes, *end = r->bytes + bytes;
	uint32_t lane = bytes ? *at++ : PPI_LANES;
	uint64_t sequences = 0;
	struct sequence last = {PPI_LANES, 0, 0};
	struct ppi_event event;

	r->n = r->values = 0;
	memset (r->reader, 0, sizeof *r->reader);
	if (lane >= PPI_LANES) {
		r->info.gaps += bytes != 0;
		return 0;
	}
	while (at < end && !r->no_memory) {
		if (!ppi_event_read (r->reader, &at, end, shape_of, &r->texts, &event)) {
			r->info.gaps++;
			break;
		}
		if (!add_entry (r, &event, lane))
			break;
		/* mostly as the one before */
		if (!is_same (&last, &r->entry[r->n - 1].of)) {
			last = r->entry[r->n - 1].of;
			sequences |= bit_of (&last);
		}
	}
	return sequences;
}

/* ---- records --------------------------------------------------------------------------------- */

/* What E is in; leaves what it is not in. Another thread may have had the same number before. */
static uint32_t depth_of (struct ppi_records *r, const struct entry *e)
{
	uint32_t depth;

	if (e->of.is_span)
		return 0;
	while (r->depth && ((int32_t) (e->begin - r->open[r->depth - 1].begin) <= 0 ||
			    e->end_ticks < r->open[r->depth - 1].begin_ticks))
		r->depth--;
	depth = r->depth;
	if (r->depth < DEPTH_MOST)
		r->open[r->depth++] = (struct open){e->begin, e->begin_ticks};
	return depth;
}

static void fill_dims (struct ppi_records *r, const struct entry *e, struct ppi_record_dim *dim)
{
	for (unsigned i = 0; i < e->shape->is.n; i++) {
		uint64_t value = r->value[e->value + i];

		dim[i].key = e->shape->key[i];
		dim[i].type = e->shape->is.type[i];
		dim[i].is.pointer = value; /* the bits: an integer's, too */
		if (dim[i].type == PP_ABI_VALUE_DOUBLE)
			memcpy (&dim[i].is.real, &value, sizeof value);
		else if (dim[i].type == PP_ABI_VALUE_STRING) {
			r->info.others += value == PPI_TEXT_OTHER;
			dim[i].is.text = ppi_record_texts_id (
				&r->texts, value < UINT32_MAX ? (uint32_t) value : UINT32_MAX);
		}
	}
}

PP_ABI_ASSERT (PPI_RECORD_DIMS == PPI_EVENT_DIMS);

/*
 * Records are made some at a time before they are given out: who copies one just when its fields
 * were written, in words that are wider than those, waits for the processor to have written them.
 */
struct giving {
	bool (*fn) (const struct ppi_record *record, void *arg);
	void *arg;
	uint32_t thread;
	uint64_t number;
	uint64_t start_ticks;
	double ns_per_tick;
	struct ppi_record record[AT_ONCE];
	struct ppi_record_dim dim[AT_ONCE][PPI_RECORD_DIMS];
	unsigned n;
};

/* False: FN wants no more. */
static bool give_all (struct giving *to)
{
	unsigned n = to->n;

	to->n = 0;
	for (unsigned i = 0; i < n; i++)
		if (!to->fn (&to->record[i], to->arg))
			return false;
	return true;
}

static bool give (struct ppi_records *r, const struct entry *e, struct giving *to)
{
	struct ppi_record_dim *dim = to->dim[to->n];

	to->record[to->n++] = (struct ppi_record){
		.number = ++to->number,
		.event = e->shape->event,
		.site = e->shape->is.site,
		.thread = to->thread,
		.depth = depth_of (r, e),
		.is_point = e->is_point,
		.is_span = e->of.is_span,
		.begin_ns = (double) (int64_t) (e->begin_ticks - to->start_ticks) * to->ns_per_tick,
		.time_ns = (double) (e->end_ticks - e->begin_ticks) * to->ns_per_tick,
		.n_dims = e->shape->is.n,
		.dim = dim};

	fill_dims (r, e, dim);
	r->info.records++;
	return to->n < AT_ONCE || give_all (to);
}

/* One sequence of the pieces from FROM up to TO. False: FN wants no more. */
static bool pass (struct ppi_records *r, const struct ppi_piece *piece, size_t from, size_t to,
		  const struct sequence *of, struct giving *giving)
{
	bool first = is_first (of);

	r->pass++;
	r->depth = 0;
	for (size_t i = to; i-- > from && !r->no_memory;) {
		uint64_t gaps = r->info.gaps, cut = r->cut;

		if (r->known[i].pass == r->pass ||
		    (!first && !(r->known[i].sequences & bit_of (of))))
			continue;
		r->known[i].sequences = decode (r, read_chunk (r, piece, from, i));
		/* what is missing was counted in the first pass */
		if (!first) {
			r->info.gaps = gaps;
			r->cut = cut;
		}
		for (size_t k = r->n; k-- > 0;)
			if (is_same (&r->entry[k].of, of) && !give (r, &r->entry[k], giving))
				return false;
	}
	return give_all (giving);
}

static bool each_of_thread (struct ppi_records *r, const struct ppi_piece *piece, size_t from,
			    size_t to, struct giving *giving)
{
	static const struct sequence own = {0, 0, 0};

	giving->thread = piece[from].thread;
	giving->number = 0;
	ppi_intern_free (&r->sequences);
	r->sequences = (struct ppi_intern){.n = 0};
	r->n_sequences = 0;
	if (!pass (r, piece, from, to, &own, giving))
		return false;
	for (size_t i = 0; i < r->n_sequences && !r->no_memory; i++) {
		const struct sequence of = r->sequence[i];

		if (!pass (r, piece, from, to, &of, giving))
			return false;
	}
	return true;
}

bool ppi_records_each (struct ppi_records *r,
		       bool (*fn) (const struct ppi_record *record, void *arg), void *arg,
		       char *why, size_t room)
{
	const struct ppi_region_header *header = ppi_recording_header (r->recording);
	struct giving giving = {.fn = fn,
				.arg = arg,
				.start_ticks = header->start_ticks,
				.ns_per_tick = header->seconds_per_tick * 1e9};
	const struct ppi_piece *piece;
	size_t n = ppi_pieces_list (r->pieces, &piece);

	r->info = (struct ppi_records_info){.gaps = ppi_pieces_damaged (r->pieces)};
	r->cut = 0;
	r->no_memory = false;
	for (size_t from = 0, to; from < n && !r->no_memory; from = to) {
		for (to = from + 1; to < n && piece[to].thread == piece[from].thread; to++)
			;
		if (!each_of_thread (r, piece, from, to, &giving))
			break;
	}
	if (r->no_memory)
		snprintf (why, room, "no memory for its records");
	return !r->no_memory;
}

void ppi_records_info (const struct ppi_records *r, struct ppi_records_info *out)
{
	uint64_t missing = r->cut;

	*out = r->info;
	ppi_records_count_losses (r->recording, out);
	/* the process counts how often it was asked for a number, which groups do, too */
	out->others = r->info.others;
	out->chunks = r->newest_chunk > r->behind ? r->newest_chunk - r->behind : 0;
	/* chunks are numbered: those that are in no block are missing */
	if (ppi_pieces_of_file (r->pieces) && out->chunks > r->chunks)
		missing += out->chunks - r->chunks;
	if (ppi_pieces_were_given_up (r->pieces) && !r->info.gaps)
		out->given_up = missing;
	else
		out->gaps += missing;
	ppi_record_texts_cost (&r->texts, r->recording, &out->cost_inside_ns, &out->cost_around_ns);
}
