/* SPDX-License-Identifier: MIT */
/*
 * record.c: the sink `record`: each execution becomes an entry in a stream of its thread's
 * (region/stream.h), in the form of recording/event.h. Who records has made the chunks
 * (ppi_streams_prepare) and a place for texts (ppi_texts_prepare). What has no room there is
 * counted as dropped.
 *
 * At a begin: strings become numbers, since they live only then; the sink's own word says which
 * begin of the thread's it is, and on which stack. At the end the entry is written.
 */
#include "libmetrics/marker/record.h"

#include "base/atomic.h"
#include "base/lock.h"
#include "base/ticks.h"
#include "base/wake.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/handler.h"
#include "libmetrics/thread/text.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A marker waits no longer: the library's thread may be waiting for it to be left. */
#define WAIT_MOST_NS UINT64_C (1000000000)
#define WAIT_STEP_NS 200000

static bool waits; /* atomic */

void ppi_records_wait (bool wait)
{
	__atomic_store_n (&waits, wait, __ATOMIC_RELAXED);
}

struct ppi_lane *ppi_lane_of (struct ppi_thread *t)
{
	struct ppi_lane *lane = (struct ppi_lane *) t->stream;

	if (ppi_likely (lane != NULL))
		return lane;
	lane = ppi_own_alloc_fast (sizeof *lane);
	if (!lane) {
		ppi_drop (t, PP_DROP_STREAM, 1);
		return NULL;
	}
	lane->stream.kind = PPI_STREAM_EVENTS;
	lane->stream.thread = t->id;
	t->stream = &lane->stream;
	return lane;
}

/* ---- begin ----------------------------------------------------------------------------------- */

/*
 * The stack that a marker is on: 0, the thread's own, or a number that no other has as long as
 * something is open there.
 */
static uint32_t strand_of (const struct ppi_thread *t)
{
	if (t->segment == &t->own)
		return 0;
	return (uint32_t) ((uintptr_t) t->segment / PPI_FRAME_SLOT) & 0x7fffffff;
}

static unsigned captured (const struct ppi_op *op)
{
	return op->words - ppi_sink_record.own_words;
}

static void begin (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		   uint64_t *words)
{
	struct ppi_lane *lane = ppi_lane_of (t);
	unsigned n = captured (op);
	const struct ppi_record_kind *shape =
		n && lane ? ppi_lane_kind (lane, plan->site, n, (1u << n) - 1, NULL, 0) : NULL;

	for (uint32_t left = shape ? shape->strings : 0; left; left &= left - 1) {
		unsigned i = (unsigned) __builtin_ctz (left);
		const char *text = (const char *) (uintptr_t) words[i];

		ppi_store (&words[i], !text || (int64_t) words[i] == PP_ABI_NOT_CAPTURED
					      ? (uint64_t) PP_ABI_NOT_CAPTURED
					      : ppi_thread_text_number (t, text));
	}
	ppi_store (&words[n],
		   lane ? (uint64_t) strand_of (t) << 32 | ++lane->begins : PPI_RECORD_NONE);
}

/* ---- end ------------------------------------------------------------------------------------- */

static inline uint8_t *put (uint8_t *to, uint64_t value)
{
	while (value > 0x7f) {
		*to++ = (uint8_t) (value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t) value;
	return to;
}

static uint8_t *put_double (uint8_t *to, uint64_t bits)
{
	unsigned below, n;

	if (!bits) {
		*to++ = 0;
		return to;
	}
	below = (unsigned) __builtin_ctzll (bits) / 8;
	n = 8 - below - (unsigned) __builtin_clzll (bits) / 8;
	*to++ = (uint8_t) (n | below << 4);
	for (bits >>= 8 * below; n; n--, bits >>= 8)
		*to++ = (uint8_t) bits;
	return to;
}

static uint8_t *put_values (struct ppi_lane *lane, uint8_t *to, const struct ppi_record_kind *shape,
			    const uint64_t *values, const struct ppi_late *late)
{
	unsigned captures = shape->is.n - shape->n_late;
	uint32_t place = shape->is.number % PPI_EVENT_TABLE;
	uint64_t *last = lane->last[place].value;

	if (lane->last[place].shape != shape->is.number) {
		memset (last, 0, sizeof lane->last[0].value);
		lane->last[place].shape = shape->is.number;
	}
	for (unsigned i = 0; i < shape->is.n; i++) {
		uint64_t value = i < captures ? values[shape->capture[i]]
					      : late[shape->capture[i]].value,
			 more = value - last[i];

		if (shape->is.type[i] == PP_ABI_VALUE_STRING)
			to = put (to, value);
		else if (shape->is.type[i] == PP_ABI_VALUE_DOUBLE)
			to = put_double (to, value ^ last[i]);
		else
			to = put (to, more << 1 ^ -(more >> 63));
		last[i] = value;
	}
	return to;
}

/* The begin with that NUMBER has ended. */
static uint8_t *put_nesting (struct ppi_lane *lane, uint8_t *to, uint32_t number)
{
	uint32_t more = lane->begins - lane->begins_said;
	uint64_t inside = lane->begins - number;

	lane->begins_said = lane->begins;
	if (more < 3)
		return put (to, inside << 2 | more);
	to = put (to, inside << 2 | 3);
	return put (to, more - 3);
}

/* The first entry of a chunk: nothing is said yet. */
static uint8_t *begin_chunk (struct ppi_lane *lane, uint8_t *to, const struct ppi_thread *t)
{
	lane->begins_said = 0;
	lane->end_ticks = 0;
	for (unsigned i = 0; i < PPI_EVENT_TABLE; i++)
		lane->last[i].shape = 0;
	*to++ = t->owner ? PPI_LANE_HANDLER : PPI_LANE_THREAD;
	return to;
}

/*
 * Until there is room, for a second at most. Not where somebody may be waiting for this marker: in
 * a handler, with the library's lock, in its own thread.
 */
static void *wait_for_room (const struct ppi_thread *t, struct ppi_stream *stream)
{
	const struct timespec step = {0, WAIT_STEP_NS};
	uint64_t until = pp_arch_monotonic_ns () + WAIT_MOST_NS;
	void *room = NULL;
	int saved = errno;

	if (t->owner || ppi_is_sleeper () || ppi_lock_is_mine () || ppi_in_handler ())
		return NULL;
	while (!room && pp_arch_monotonic_ns () < until) {
		ppi_wake_thread ();
		/* as a system call: nothing that cancels the thread */
		syscall (SYS_nanosleep, &step, NULL);
		room = ppi_stream_try (stream, PPI_EVENT_MOST);
	}
	errno = saved;
	return room;
}

static void *room_for_entry (const struct ppi_thread *t, struct ppi_lane *lane)
{
	void *room;

	if (ppi_unlikely (lane->trial != NULL))
		return lane->trial->room;
	room = ppi_stream_try (&lane->stream, PPI_EVENT_MOST);
	if (ppi_unlikely (!room) && ppi_load (&waits))
		room = wait_for_room (t, &lane->stream);
	if (!room)
		ppi_drop_nowhere (PP_DROP_STREAM, 1);
	return room;
}

/* Those of VALUES that are known. */
static uint32_t mask_of (const uint64_t *values, unsigned n)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < n; i++)
		mask |= (uint32_t) ((int64_t) values[i] != PP_ABI_NOT_CAPTURED) << i;
	return mask;
}

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	struct ppi_lane *lane = ppi_lane_of (t);
	unsigned n = captured (op);
	const uint64_t own = taken->values[n];
	bool is_span = taken->frame && taken->home == PPI_HOME_SPAN;
	/* a point's stamp may lie behind the clock */
	uint64_t end = taken->frame ? taken->now : ppi_ticks (), begun = end;
	const struct ppi_record_kind *shape;
	struct ppi_late own_late[PPI_LATE];
	const struct ppi_late *late = is_span ? t->said : own_late;
	unsigned n_late;
	uint8_t *entry, *to;

	/* the begin had no memory, and was counted */
	if (!lane || (own == PPI_RECORD_NONE && !is_span))
		return;
	if (is_span)
		n_late = t->n_said;
	else
		n_late = ppi_likely (!lane->n_late) ? 0 : ppi_lane_take_late (lane, own, own_late);
	shape = ppi_lane_kind (lane, taken->plan->site, n, mask_of (taken->values, n), late,
			       n_late);
	entry = shape ? room_for_entry (t, lane) : NULL;
	if (!entry) {
		/* there is no room for what it is of */
		if (!shape)
			ppi_drop (t, PP_DROP_POOL, 1);
		return;
	}
	to = lane->stream.used ? entry : begin_chunk (lane, entry, t);
	if (taken->frame)
		begun = ppi_load (&taken->frame->begin_ticks);
	if (end < lane->end_ticks)
		end = lane->end_ticks;
	to = put (to, (uint64_t) shape->is.number << 2 | (is_span         ? PPI_EVENT_SPAN
							  : own >> 32     ? PPI_EVENT_STRAND
							  : !taken->frame ? PPI_EVENT_POINT
									  : PPI_EVENT_INTERVAL));
	if (!is_span && own >> 32)
		to = put (to, own >> 32 << 1 | (taken->frame ? 0 : PPI_EVENT_STRAND_POINT));
	to = put (to, end - lane->end_ticks);
	if (taken->frame)
		to = put (to, end > begun ? end - begun : 0);
	lane->end_ticks = end;
	if (!is_span)
		to = put_nesting (lane, to, (uint32_t) own);
	to = put_values (lane, to, shape, taken->values, late);
	if (ppi_unlikely (lane->trial != NULL)) {
		lane->trial->n++;
		lane->trial->ticks += end > begun ? end - begun : 0;
		return;
	}
	ppi_stream_end (&lane->stream, (uint32_t) (to - entry), end);
}

bool ppi_record_try (const pp_site *site, struct ppi_record_trial *trial, void (*fn) (void *arg),
		     void *arg)
{
	static struct ppi_lane lane; /* with the lock */
	struct ppi_thread *t = ppi_thread_self ();
	struct ppi_record_kind *kind;
	struct ppi_stream *own;

	if (!t) { /* no marker has run in this thread yet */
		t = ppi_thread_enter ((uintptr_t) __builtin_frame_address (0));
		if (!t)
			return false;
		ppi_thread_leave (t);
	}
	lane = (struct ppi_lane){.trial = trial, .stream = {.used = 1}};
	/* known, so that nobody is told of a site that is in no list */
	kind = &lane.kind[site->id % PPI_LANE_KINDS];
	*kind = (struct ppi_record_kind){.site = site, .is = {.number = 1}};
	own = t->stream;
	t->stream = &lane.stream;
	fn (arg);
	t->stream = own;
	return true;
}

const struct ppi_sink ppi_sink_record = {.name = "record",
					 .captures = true,
					 .late = true,
					 .own_words = 1,
					 .begin = begin,
					 .take = take};
