/* SPDX-License-Identifier: MIT */
/*
 * trace_perfetto.c: records as track events of Perfetto's (github.com/google/perfetto,
 * protos/perfetto/trace): a track for each thread, slices with the dimensions as annotations, a
 * span on a track of its own.
 *
 * An end says nothing of which slice it ends but that it is the newest: at the same nanosecond what
 * ends has to come before what begins. Records come from the last end to the first, so that order
 * is the one in which they come, the other way round; the file is written from its end. How large
 * it gets is found out by a pass before that, so nothing is kept.
 */
#include "profiler/analysis/proto.h"
#include "profiler/analysis/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_TRACK = 60 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2 };
enum {
	VALUE_BOOL = 2,
	VALUE_UNSIGNED = 3,
	VALUE_INT = 4,
	VALUE_DOUBLE = 5,
	VALUE_TEXT = 6,
	VALUE_POINTER = 7,
	VALUE_NAME = 10
};

/*
 * Tracks: the process is 1; a thread's stacks have its number, and theirs above that; spans a bit.
 */
#define PROCESS_TRACK UINT64_C (1)
#define THREAD_TRACK(thread, stack) ((uint64_t) ((stack) + 1) << 32 | (thread))
#define SPAN_TRACK(sequence) (UINT64_C (1) << 62 | (sequence))

enum { WINDOW = 1 << 20 };

struct stack_of {
	uint32_t thread, stack;
};

struct writing {
	struct ppi_trace *trace;
	const uint32_t *key;
	uint32_t n_keys;
	struct ppi_proto message, event, value, packet;
	/* where it goes; -1: it is only counted */
	int fd;
	uint8_t *window; /* its last USED bytes are to be written before AT */
	size_t used;
	uint64_t at, bytes;
	int error;
	/* the thread's present stack, and where it is: nothing in it is later */
	struct stack_of now;
	bool has_now;
	uint64_t last;
	struct stack_of *stack; /* all that there are */
	size_t stacks, stacks_room;
};

/* ---- the file -------------------------------------------------------------------------------- */

static bool flush_window (struct writing *w)
{
	while (w->used) {
		ssize_t n = pwrite (w->fd, w->window + WINDOW - w->used, w->used,
				    (off_t) (w->at - w->used));

		if (n < 0 && errno == EINTR)
			continue;
		/* of a regular file all is written, or there is no room */
		if (n < 0 || (size_t) n < w->used) {
			w->error = n < 0 ? errno : ENOSPC;
			return false;
		}
		w->at -= w->used;
		w->used = 0;
	}
	return true;
}

static bool put_before (struct writing *w, const uint8_t *data, size_t bytes)
{
	w->bytes += bytes;
	if (w->fd < 0)
		return true;
	/* in its second pass a recording has what it had in its first */
	if (bytes > w->at - w->used) {
		w->error = EIO;
		return false;
	}
	while (bytes) {
		size_t n = WINDOW - w->used;

		if (!n && !flush_window (w))
			return false;
		n = WINDOW - w->used < bytes ? WINDOW - w->used : bytes;
		memcpy (w->window + WINDOW - w->used - n, data + bytes - n, n);
		w->used += n;
		bytes -= n;
	}
	return true;
}

/* The packet is whole, and goes before all that are there. */
static bool put_packet (struct writing *w)
{
	bool ok;

	ppi_proto_number (&w->packet, PACKET_SEQUENCE, 1);
	ppi_proto_message (&w->message, TRACE_PACKET, &w->packet);
	ok = !w->message.failed && put_before (w, w->message.data, w->message.n);
	w->message.n = 0;
	return ok;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void put_annotation (struct writing *w, const char *name, struct ppi_value value)
{
	if (value.type == PP_ABI_VALUE_NONE || value.type == PPI_VALUE_REST)
		return;
	ppi_proto_text (&w->value, VALUE_NAME, name);
	if (value.type == PP_ABI_VALUE_INT)
		ppi_proto_number (&w->value, VALUE_INT, value.bits);
	else if (value.type == PPI_VALUE_LARGE)
		ppi_proto_number (&w->value, VALUE_UNSIGNED, value.bits);
	else if (value.type == PPI_VALUE_TRUTH)
		ppi_proto_number (&w->value, VALUE_BOOL, value.bits);
	else if (value.type == PP_ABI_VALUE_DOUBLE)
		ppi_proto_double (&w->value, VALUE_DOUBLE, ppi_value_number (value));
	else if (value.type == PP_ABI_VALUE_POINTER)
		ppi_proto_number (&w->value, VALUE_POINTER, value.bits);
	else
		ppi_proto_text (&w->value, VALUE_TEXT,
				ppi_terms_text (w->trace->terms, value.bits));
	ppi_proto_message (&w->event, EVENT_ANNOTATION, &w->value);
}

static void put_annotations (struct writing *w, const struct ppi_nest *nest, uint32_t place)
{
	const struct ppi_trace *trace = w->trace;

	for (uint32_t i = 0; i < trace->list.n; i++)
		put_annotation (
			w, trace->list.dim[i].label,
			ppi_terms_value (trace->terms, trace->list.dim[i].term, nest, place));
	for (uint32_t i = 0; !trace->list.n && i < w->n_keys; i++)
		put_annotation (w, ppi_terms_text (trace->terms, w->key[i]),
				nest->slot[(size_t) place * nest->n_slots + i]);
}

static bool put_event (struct writing *w, uint64_t type, uint64_t track, uint64_t ns,
		       const struct ppi_nest *nest, uint32_t place)
{
	ppi_proto_number (&w->event, EVENT_TYPE, type);
	ppi_proto_number (&w->event, EVENT_TRACK, track);
	if (type != SLICE_END) {
		ppi_proto_text (&w->event, EVENT_CATEGORY, "event");
		ppi_proto_text (&w->event, EVENT_NAME,
				ppi_terms_text (w->trace->terms, nest->frame[place].event));
		put_annotations (w, nest, place);
	}
	ppi_proto_number (&w->packet, PACKET_TIMESTAMP, ns);
	ppi_proto_message (&w->packet, PACKET_EVENT, &w->event);
	return put_packet (w);
}

static bool put_track (struct writing *w, uint64_t uuid, uint64_t parent, const char *name)
{
	ppi_proto_number (&w->event, TRACK_UUID, uuid);
	ppi_proto_text (&w->event, TRACK_NAME, name);
	ppi_proto_number (&w->event, TRACK_PARENT, parent);
	ppi_proto_message (&w->packet, PACKET_TRACK, &w->event);
	return put_packet (w);
}

/* ---- records --------------------------------------------------------------------------------- */

static uint64_t whole_ns (double ns)
{
	return ns > 0 && ns < 1e18 ? (uint64_t) rint (ns) : 0;
}

/* Times of one stack never grow: rounding does not make one reach beyond what it is in. */
static uint64_t no_later (struct writing *w, double ns)
{
	uint64_t at = whole_ns (ns);

	w->last = at < w->last ? at : w->last;
	return w->last;
}

static bool note_stack (struct writing *w)
{
	struct stack_of *more;
	size_t room = w->stacks_room ? 2 * w->stacks_room : 64;

	if (w->stacks == w->stacks_room) {
		more = reallocarray (w->stack, room, sizeof *more);
		if (!more)
			return false;
		w->stack = more;
		w->stacks_room = room;
	}
	w->stack[w->stacks++] = w->now;
	return true;
}

/*
 * A record that nothing is around: is it of another stack than the last one? A thread may run on
 * several at a time (fibres, handlers), which come one behind the other.
 */
static bool take_stack (struct writing *w, const struct ppi_record_frame *frame)
{
	bool is_other = !w->has_now || w->now.thread != frame->thread;

	if (!is_other && whole_ns (frame->begin_ns + frame->time_ns) <= w->last + 1)
		return true;
	w->now = (struct stack_of){frame->thread, is_other ? 0 : w->now.stack + 1};
	w->has_now = true;
	w->last = UINT64_MAX;
	return note_stack (w);
}

static bool is_chosen (const struct writing *w, const struct ppi_nest *nest, uint32_t place)
{
	return !w->trace->list.has_where ||
	       ppi_value_is_true (
		       ppi_terms_value (w->trace->terms, w->trace->list.where, nest, place));
}

static bool put_span (struct writing *w, const struct ppi_nest *nest)
{
	const struct ppi_record_frame *frame = &nest->frame[0];
	uint64_t track = SPAN_TRACK (frame->sequence), begin = whole_ns (frame->begin_ns),
		 end = whole_ns (frame->begin_ns + frame->time_ns);

	return put_event (w, SLICE_END, track, end > begin ? end : begin, nest, 0) &&
	       put_event (w, SLICE_BEGIN, track, begin, nest, 0) &&
	       put_track (w, track, PROCESS_TRACK, ppi_terms_text (w->trace->terms, frame->event));
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct writing *w = arg;
	const struct ppi_record_frame *frame = &nest->frame[place];

	if (!place)
		return !is_chosen (w, nest, 0) || put_span (w, nest);
	if (place == 1 && !take_stack (w, frame))
		return false;
	return !is_chosen (w, nest, place) || frame->is_point ||
	       put_event (w, SLICE_END, THREAD_TRACK (w->now.thread, w->now.stack),
			  no_later (w, frame->begin_ns + frame->time_ns), nest, place);
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct writing *w = arg;
	const struct ppi_record_frame *frame = &nest->frame[place];

	(void) own_ns;
	if (!is_chosen (w, nest, place))
		return true;
	w->trace->chosen++;
	return !place || put_event (w, frame->is_point ? INSTANT : SLICE_BEGIN,
				    THREAD_TRACK (w->now.thread, w->now.stack),
				    no_later (w, frame->begin_ns), nest, place);
}

/* ---- what stands at the front ---------------------------------------------------------------- */

static bool put_stack (struct writing *w, const struct stack_of *of)
{
	char name[40];

	if (of->stack) {
		snprintf (name, sizeof name, "stack %" PRIu32, of->stack + 1);
		return put_track (w, THREAD_TRACK (of->thread, of->stack),
				  THREAD_TRACK (of->thread, 0), name);
	}
	ppi_proto_number (&w->value, THREAD_PID, w->trace->pid);
	ppi_proto_number (&w->value, THREAD_TID, of->thread);
	ppi_proto_number (&w->event, TRACK_UUID, THREAD_TRACK (of->thread, 0));
	ppi_proto_number (&w->event, TRACK_PARENT, PROCESS_TRACK);
	ppi_proto_message (&w->event, TRACK_THREAD, &w->value);
	ppi_proto_message (&w->packet, PACKET_TRACK, &w->event);
	return put_packet (w);
}

static bool put_process (struct writing *w)
{
	ppi_proto_number (&w->value, PROCESS_PID, w->trace->pid);
	ppi_proto_text (&w->value, PROCESS_NAME, w->trace->program ? w->trace->program : "");
	ppi_proto_number (&w->event, TRACK_UUID, PROCESS_TRACK);
	ppi_proto_message (&w->event, TRACK_PROCESS, &w->value);
	ppi_proto_message (&w->packet, PACKET_TRACK, &w->event);
	return put_packet (w);
}

static bool put_front (struct writing *w)
{
	/* a thread's own track stands before its others */
	for (size_t i = w->stacks; i-- > 0;)
		if (!put_stack (w, &w->stack[i]))
			return false;
	return put_process (w);
}

/* ---- two passes ------------------------------------------------------------------------------ */

static bool pass (struct writing *w, const struct ppi_query_source *source, char *why, size_t room)
{
	struct ppi_walker walker = {begins, ends, w};

	w->has_now = false;
	w->stacks = 0;
	w->bytes = 0;
	w->trace->chosen = 0;
	if (ppi_walk (source, w->trace->terms, &walker, &w->trace->sums, why, room) &&
	    put_front (w) && (w->fd < 0 || flush_window (w)))
		return true;
	if (w->error)
		snprintf (why, room, "it can't be written: %s", strerror (w->error));
	else if (!*why)
		snprintf (why, room, "no memory");
	return false;
}

bool ppi_trace_perfetto (struct ppi_trace *trace, const struct ppi_query_source *source, int fd,
			 char *why, size_t room)
{
	struct writing w = {.trace = trace, .fd = -1};
	bool ok;

	if (!trace->list.n && !ppi_terms_want_all (trace->terms, why, room))
		return false;
	w.key = ppi_terms_slots (trace->terms, &w.n_keys);
	ok = ppi_walk_late (source, trace->terms, why, room) && pass (&w, source, why, room) &&
	     (!trace->sums.records || ppi_terms_all_seen (trace->terms, why, room));
	if (ok) {
		w.window = malloc (WINDOW);
		w.at = w.bytes;
		w.fd = fd;
		if (!w.window)
			snprintf (why, room, "no memory");
		ok = w.window && pass (&w, source, why, room);
	}
	ppi_records_info (source->records, &trace->info);
	free (w.window);
	free (w.stack);
	free (w.message.data);
	free (w.event.data);
	free (w.value.data);
	free (w.packet.data);
	return ok;
}
