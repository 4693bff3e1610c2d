/* SPDX-License-Identifier: MIT */
/*
 * read.c: see read.h. Frames are looked up once each: what one is, inlined functions and all, is
 * kept beside its number.
 */
#include "profiler/analysis/read.h"

#include "profiler/analysis/marks.h"
#include "profiler/analysis/symbols.h"
#include "recording/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_MOST = 8192 };

/* The node of what is in no interval that is watched */
#define NOTHING_OPEN "(nothing open)"

struct named_frame {
	struct ppi_profile_frame frame;
	size_t first, n; /* in names */
	bool is_named;
};

struct object {
	const struct ppi_profile_object_chunk *chunk;
	struct ppi_symbols *symbols;
};

struct reading {
	const struct ppi_recording *recording;
	struct ppi_samples *out;
	enum ppi_by by;
	const struct ppi_samples_span *span;
	void (*tell) (const char *path, const char *why, void *arg);
	void *arg;
	struct named_frame *frame; /* number I is at I */
	size_t frames;
	struct object *object; /* number I is at I */
	size_t objects;
	uint32_t *names; /* functions of frames, the outermost first */
	size_t n_names, names_room;
};

/* What is open, not functions. */
static bool is_of_open (enum ppi_by by)
{
	return by == PPI_BY_INTERVAL || by == PPI_BY_MARK;
}

/* The watcher's where what is open is asked for, else the interrupter's if it saw that. */
static const struct ppi_profile_chunk *profile_of (const struct ppi_recording *recording,
						   enum ppi_by by)
{
	const struct ppi_profile_chunk *p = NULL, *fits = NULL;

	while ((p = ppi_recording_next (recording, PPI_CHUNK_PROFILE, p)))
		if (p->chunk.id == PPI_SAMPLER_WATCHER
			    ? is_of_open (by)
			    : !fits && (!is_of_open (by) || p->sees_open))
			fits = p;
	return fits;
}

bool ppi_recording_has_profile (const struct ppi_recording *recording, enum ppi_by by)
{
	return profile_of (recording, by) != NULL;
}

/* ---- frames and objects ---------------------------------------------------------------------- */

static bool list_objects (struct reading *r)
{
	const struct ppi_profile_object_chunk *o = NULL;

	while ((o = ppi_recording_next (r->recording, PPI_CHUNK_PROFILE_OBJECT, o)))
		r->objects++;
	r->object = calloc (r->objects + 1, sizeof *r->object);
	if (!r->object)
		return false;
	for (o = NULL; (o = ppi_recording_next (r->recording, PPI_CHUNK_PROFILE_OBJECT, o));)
		if (o->chunk.id <= r->objects)
			r->object[o->chunk.id].chunk = o;
	return true;
}

static bool list_frames (struct reading *r)
{
	const struct ppi_profile_stacks_chunk *s = NULL;
	size_t most = 0;

	while ((s = ppi_recording_next (r->recording, PPI_CHUNK_PROFILE_STACKS, s)))
		most += s->frames;
	r->frame = calloc (most + 1, sizeof *r->frame);
	if (!r->frame)
		return false;
	for (s = NULL; (s = ppi_recording_next (r->recording, PPI_CHUNK_PROFILE_STACKS, s));) {
		uint32_t n = s->frames;

		/* of a damaged recording numbers may be anything */
		for (uint32_t i = 0; i < n && s->chunk.id + (size_t) i <= most; i++)
			if (s->frame[i].caller < s->chunk.id + i)
				r->frame[s->chunk.id + i].frame = s->frame[i];
	}
	r->frames = most + 1;
	return true;
}

static struct ppi_symbols *symbols_of (struct reading *r, uint32_t number)
{
	struct object *object = number && number <= r->objects ? &r->object[number] : NULL;
	const char *problem;

	if (!object || !object->chunk)
		return NULL;
	if (!object->symbols) {
		object->symbols = ppi_symbols_open (object->chunk->name, object->chunk->build_id,
						    object->chunk->id_bytes);
		problem = object->symbols ? ppi_symbols_problem (object->symbols) : NULL;
		if (problem)
			r->tell (object->chunk->name, problem, r->arg);
	}
	return object->symbols;
}

static void add_name (struct reading *r, uint32_t function)
{
	uint32_t *grown;

	if (r->n_names == r->names_room) {
		size_t more = r->names_room ? 2 * r->names_room : 1024;

		grown = reallocarray (r->names, more, sizeof *grown);
		if (!grown) {
			r->out->no_memory = true;
			return;
		}
		r->names = grown;
		r->names_room = more;
	}
	r->names[r->n_names++] = function;
}

static void take_symbol (const struct ppi_symbol *symbol, void *arg)
{
	struct reading *r = arg;
	bool by_line = r->by == PPI_BY_LINE && symbol->at;

	add_name (r, ppi_samples_function (r->out, symbol->name,
					   by_line ? symbol->at_file : symbol->file,
					   by_line ? symbol->at : symbol->line));
}

/* PAYLOAD NULL: the mark has none. */
static uint32_t node_of_mark (const struct reading *r, const struct ppi_site_chunk *site,
			      const char *payload)
{
	char path[512], name[768];
	const char *rest;
	bool is_mark = site->kind == PP_ABI_SITE_FEATURE || site->kind == PP_ABI_SITE_ANTIMARK;

	rest = ppi_mark_file (site, path, sizeof path);
	if (is_mark)
		ppi_mark_feature (site, name, sizeof name);
	else
		snprintf (name, sizeof name, "%s", rest);
	return ppi_samples_node (r->out,
				 &(struct ppi_function){.name = name,
							.file = path,
							.line = site->line,
							.kind = site->kind,
							.payload = (char *) (uintptr_t) payload});
}

/* PAYLOAD NULL: the frame at the site has none. */
static void take_site (struct reading *r, uint64_t id, const struct ppi_profile_frame *payload)
{
	const struct ppi_site_chunk *site =
		id <= UINT32_MAX ? ppi_recording_find (r->recording, PPI_CHUNK_SITE, (uint32_t) id)
				 : NULL;
	char path[512], text[64];
	const char *rest;

	if (!site) {
		add_name (r, ppi_samples_function (r->out, "", "", 0));
	} else if (r->by == PPI_BY_MARK) {
		add_name (r, node_of_mark (
				     r, site,
				     payload ? ppi_mark_payload (
						       r->recording,
						       ppi_profile_payload_type (payload->object),
						       payload->address, text, sizeof text)
					     : NULL));
	} else {
		rest = ppi_mark_file (site, path, sizeof path);
		add_name (r, ppi_samples_function (r->out, rest, path, site->line));
	}
}

/* By the name that debuggers know it by (libmetrics/code/told.h). */
static void take_block (struct reading *r, uint64_t id)
{
	const struct ppi_site_chunk *site =
		id <= UINT32_MAX ? ppi_recording_find (r->recording, PPI_CHUNK_SITE, (uint32_t) id)
				 : NULL;
	char path[512], name[768];

	if (!site) {
		add_name (r, ppi_samples_function (r->out, "", "", 0));
		return;
	}
	snprintf (name, sizeof name, "pp_block:%s", ppi_mark_file (site, path, sizeof path));
	add_name (r, ppi_samples_function (r->out, name, path, site->line));
}

/*
 * An interval's frame, or the payload of one: then it is named there. Returns the frame of the
 * interval, which may be of a damaged recording.
 */
static const struct ppi_profile_frame *interval_of (const struct reading *r,
						    const struct ppi_profile_frame *frame)
{
	if (!ppi_profile_payload_type (frame->object))
		return frame;
	return frame->caller < r->frames ? &r->frame[frame->caller].frame : &r->frame[0].frame;
}

static void take_interval (struct reading *r, const struct ppi_profile_frame *frame)
{
	const struct ppi_profile_frame *interval = interval_of (r, frame);

	take_site (r, interval->object == PPI_PROFILE_OF_SITE ? interval->address : UINT64_MAX,
		   interval == frame ? NULL : frame);
}

static void take_names (struct reading *r, const struct ppi_profile_frame *frame)
{
	struct ppi_symbols *symbols;

	if (frame->object >= PPI_PROFILE_OF_OTHERS) {
		take_interval (r, frame);
	} else if (frame->object == PPI_PROFILE_OF_BLOCK) {
		take_block (r, frame->address);
	} else {
		symbols = symbols_of (r, frame->object);
		if (symbols)
			ppi_symbols_at (symbols, frame->address, take_symbol, r);
		else
			add_name (r, ppi_samples_function (r->out, "", "", 0));
	}
}

static const struct named_frame *named (struct reading *r, uint32_t number)
{
	struct named_frame *f = &r->frame[number];

	if (f->is_named)
		return f;
	f->is_named = true;
	f->first = r->n_names;
	take_names (r, &f->frame);
	f->n = r->n_names - f->first;
	return f;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The stack of the sample, from its innermost frame; PARTIAL: somebody called the outermost. */
static uint32_t stack_of (struct reading *r, uint32_t number, bool partial)
{
	static uint32_t stack[STACK_MOST];
	size_t at = STACK_MOST;

	while (number && number < r->frames && at > 1) {
		const struct named_frame *f = named (r, number);

		for (size_t i = f->n; i-- > 0 && at > 1 && !r->out->no_memory;)
			stack[--at] = r->names[f->first + i];
		number = interval_of (r, &f->frame)->caller;
	}
	if (partial || at == STACK_MOST)
		stack[--at] = ppi_samples_function (
			r->out, partial || !r->out->is_by_interval ? "" : NOTHING_OPEN, "", 0);
	return ppi_samples_stack (r->out, stack + at, STACK_MOST - at);
}

static bool is_open_beside (const struct reading *r)
{
	return r->out->is_by_interval && !r->out->by_watcher;
}

/* Does the sample know what is asked? */
static bool sees (const struct reading *r, const struct ppi_profile_sample *s)
{
	return !is_open_beside (r) || s->flags & PPI_SAMPLE_HAS_OPEN;
}

static uint32_t view_of (struct reading *r, const struct ppi_profile_sample *s)
{
	return is_open_beside (r) ? stack_of (r, s->open, s->flags & PPI_SAMPLE_IS_OPEN_CUT)
				  : stack_of (r, s->frame, s->flags & PPI_SAMPLE_IS_PARTIAL);
}

static bool read_samples (struct reading *r, const struct ppi_profile_chunk *profile)
{
	const struct ppi_profile_samples_chunk *chunk = NULL;

	while ((chunk = ppi_recording_next (r->recording, PPI_CHUNK_PROFILE_SAMPLES, chunk))) {
		struct ppi_sampled_thread *thread = NULL;

		if (chunk->sampler != profile->chunk.id)
			continue;
		for (uint32_t i = 0; i < chunk->samples; i++) {
			const struct ppi_profile_sample *s = &chunk->sample[i];

			if (s->ns < r->span->since_ns || s->ns >= r->span->until_ns || !sees (r, s))
				continue;
			if (!thread)
				thread =
					ppi_samples_thread (r->out, chunk->chunk.id, chunk->thread);
			if (!thread)
				break;
			ppi_samples_add (
				r->out, thread,
				(struct ppi_stack_sample){
					.at_s = 1e-9 *
						(double) (profile->is_cpu
								  ? s->at_ns
								  : s->at_ns - profile->start_ns),
					.ns = s->ns,
					.stack = view_of (r, s),
					.periods = s->periods ? s->periods : 1,
					.late = s->flags & PPI_SAMPLE_IS_LATE,
					.user = s->flags & PPI_SAMPLE_IS_USER,
				});
		}
	}
	return !r->out->no_memory;
}

/* All marks are nodes, seen or not. */
static void list_marks (const struct reading *r)
{
	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (r->recording, PPI_CHUNK_SITE, s));)
		if (s->kind == PP_ABI_SITE_FEATURE)
			node_of_mark (r, s, NULL);
}

/* s; NaN: not known. */
static double marks_took (const struct ppi_profile_chunk *profile)
{
	double by_c = (double) (profile->by_c < profile->marks ? profile->by_c : profile->marks);

	if (!profile->marks)
		return 0;
	if (!(profile->pair_s > 0) || (by_c > 0 && !(profile->by_c_s > 0)))
		return (double) NAN;
	return (double) profile->marks * profile->pair_s +
	       by_c * (profile->by_c_s > profile->pair_s ? profile->by_c_s - profile->pair_s : 0);
}

static bool read_head (const struct ppi_recording *recording,
		       const struct ppi_profile_chunk *profile, struct ppi_samples *out)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	const char *name = strrchr (header->program, '/');
	char text[sizeof header->program + 32];

	snprintf (text, sizeof text, "%s, process %u", name ? name + 1 : header->program,
		  header->pid);
	out->program = strdup (text);
	out->pid = header->pid;
	out->by_watcher = profile->chunk.id == PPI_SAMPLER_WATCHER;
	out->is_cpu = profile->is_cpu;
	out->period_s = 1e-9 * (double) profile->period_ns;
	out->wall_s = profile->stop_ns - profile->start_ns > profile->left_out_ns
			      ? 1e-9 * (double) (profile->stop_ns - profile->start_ns -
						 profile->left_out_ns)
			      : 0;
	out->cpu_s = 1e-9 * (double) profile->cpu_ns;
	out->own_s = 1e-9 * (double) profile->own_ns;
	out->actual_s = profile->is_cpu ? out->cpu_s : 0;
	out->marks = profile->marks;
	out->marks_s = marks_took (profile);
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		out->lost[i] = profile->lost[i];
	return out->program != NULL;
}

/* Times as SPAN says, for samples before or behind it are left out. */
static void read_times (const struct ppi_profile_chunk *profile,
			const struct ppi_samples_span *span, struct ppi_samples *out)
{
	if (span->is_known) {
		out->period_s = 1e-9 * (double) span->period_ns;
		out->wall_s = 1e-9 * (double) span->wall_ns;
		out->cpu_s = 1e-9 * (double) span->cpu_ns;
		out->own_s = 1e-9 * (double) span->own_ns;
		out->actual_s = out->is_cpu ? out->cpu_s : 0;
		memcpy (out->lost, span->lost, sizeof out->lost);
	} else if (span->since_ns > profile->start_ns) {
		/* nobody knows how much of these was since then */
		out->cpu_s = out->own_s = out->actual_s = 0;
		out->wall_s = span->since_ns < profile->stop_ns
				      ? 1e-9 * (double) (profile->stop_ns - span->since_ns)
				      : 0;
	}
}

bool ppi_samples_read (const struct ppi_recording *recording, enum ppi_by by,
		       const struct ppi_samples_span *span, struct ppi_samples *out,
		       void (*tell) (const char *path, const char *why, void *arg), void *arg)
{
	const struct ppi_profile_chunk *profile = profile_of (recording, by);
	struct reading r = {.recording = recording,
			    .out = out,
			    .by = by,
			    .span = span,
			    .tell = tell,
			    .arg = arg};
	bool ok;

	ppi_samples_init (out);
	if (!profile)
		return true;
	out->is_by_interval = is_of_open (by);
	out->is_by_line = by == PPI_BY_LINE;
	ok = read_head (recording, profile, out);
	read_times (profile, span, out);
	if (by == PPI_BY_MARK)
		list_marks (&r);
	ok = ok && list_objects (&r) && list_frames (&r) && read_samples (&r, profile);
	for (size_t i = 0; r.object && i <= r.objects; i++)
		ppi_symbols_close (r.object[i].symbols);
	free (r.object);
	free (r.frame);
	free (r.names);
	return ok;
}
