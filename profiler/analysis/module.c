/* SPDX-License-Identifier: MIT */
/*
 * module.c: libpp-profile.so: what a process's own profile has, as the structures of pp_profile.h,
 * and what prints it. Tables of events: module_events.c.
 */
#include "profiler/analysis/module.h"

#include "base/glob.h"
#include "profiler/analysis/profile.h"
#include "profiler/analysis/read.h"
#include "profiler/analysis/render.h"
#include "profiler/analysis/symbols.h"
#include "recording/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int) PP_BY_FUNCTION == (int) PPI_BY_FUNCTION &&
		       (int) PP_BY_LINE == (int) PPI_BY_LINE &&
		       (int) PP_BY_INTERVAL == (int) PPI_BY_INTERVAL,
	       "the same numbers");
_Static_assert((int) PP_ORDER_TOPOLOGICAL == (int) PPI_ORDER_TOPOLOGICAL &&
		       (int) PP_ORDER_SELF == (int) PPI_ORDER_SELF &&
		       (int) PP_ORDER_TOTAL == (int) PPI_ORDER_TOTAL,
	       "the same numbers");
_Static_assert(PP_PROFILE_ROOT == PPI_PROFILE_ROOT, "the same number");

/* What a result is made of: PUBLIC, which points into the rest, comes first. */
struct result {
	struct pp_profile_result public;
	struct ppi_samples *samples;
	struct ppi_profile profile;
	struct pp_profile_node *node;
	struct pp_profile_edge *edge;
	struct pp_profile_thread *thread;
	struct pp_profile_loss loss[PPI_SAMPLE_LOSSES];
};

/* ---- samples --------------------------------------------------------------------------------- */

static void (*tell_whom) (const char *path, const char *why);

static void tell (const char *path, const char *why, void *arg)
{
	(void) arg;
	tell_whom (path, why);
}

static void forget (struct ppi_samples *samples)
{
	if (samples)
		ppi_samples_clear (samples);
	free (samples);
}

static int read_image (const void *image, size_t bytes, enum pp_profile_by by,
		       const struct ppi_samples_span *span,
		       void (*tell_it) (const char *path, const char *why),
		       struct ppi_samples **out, char *why, size_t room)
{
	struct ppi_samples *samples = calloc (1, sizeof *samples);
	struct ppi_recording *recording;
	int error = PP_ENOMEM;

	snprintf (why, room, "no memory");
	if (!samples)
		return error;
	ppi_symbols_stay_local ();
	tell_whom = tell_it;
	error = ppi_recording_attach (image, bytes, "the live region", &recording, why, room);
	if (error) {
		free (samples);
		return error == PP_ENOMEM ? error : PP_EIO;
	}
	if (!ppi_samples_read (recording, (enum ppi_by) by, span, samples, tell, NULL)) {
		forget (samples);
		samples = NULL;
	}
	ppi_recording_close (recording);
	*out = samples;
	return samples ? PP_OK : PP_ENOMEM;
}

/* Is the frame one that KEY means? By its name, or its file and name. */
static bool is_meant (const char *key, const struct ppi_function *function)
{
	char text[1024];

	if (!key || ppi_glob_suffix (key, function->name))
		return true;
	snprintf (text, sizeof text, "%s:%s", function->file, function->name);
	return *function->file && ppi_glob_suffix (key, text);
}

static int tell_samples (const struct ppi_samples *s, const bool *meant,
			 struct pp_profile_frame *frame,
			 int (*fn) (const struct pp_profile_sample *sample, void *arg), void *arg)
{
	int result = 0;

	for (size_t t = 0; t < s->threads; t++)
		for (size_t i = 0; i < s->thread[t].n && !result; i++) {
			const struct ppi_stack_sample *sample = &s->thread[t].sample[i];
			const struct ppi_stack *stack = &s->stack[sample->stack];
			struct pp_profile_sample told = {
				.size = sizeof told,
				.thread = s->thread[t].id,
				.thread_name = s->thread[t].name,
				.at = sample->at_s,
				.cost = ppi_sample_cost (s, &s->thread[t], i),
				.times = ppi_sample_times (s, sample),
				.frame = frame,
			};

			for (size_t k = 0; k < stack->n; k++) {
				uint32_t number = s->frame[stack->first + k];
				const struct ppi_function *f = &s->function[number];

				if (meant[number])
					frame[told.frames++] = (struct pp_profile_frame){
						f->name, f->file, f->line};
			}
			result = fn (&told, arg);
		}
	return result;
}

static int each (const struct ppi_samples *s, const char *key,
		 int (*fn) (const struct pp_profile_sample *sample, void *arg), void *arg)
{
	bool *meant = calloc (s->functions + 1, sizeof *meant);
	struct pp_profile_frame *frame;
	size_t deepest = 0;
	int result = PP_ENOMEM;

	for (size_t i = 0; i < s->stacks; i++)
		if (s->stack[i].n > deepest)
			deepest = s->stack[i].n;
	frame = calloc (deepest + 1, sizeof *frame);
	for (size_t i = 0; meant && i < s->functions; i++)
		meant[i] = is_meant (key, &s->function[i]);
	if (meant && frame)
		result = tell_samples (s, meant, frame, fn, arg);
	free (meant);
	free (frame);
	return result;
}

/* ---- results --------------------------------------------------------------------------------- */

static void release (struct pp_profile_result *result)
{
	struct result *r = (struct result *) (void *) result;

	if (!r)
		return;
	ppi_profile_clear (&r->profile);
	forget (r->samples);
	free (r->node);
	free (r->edge);
	free (r->thread);
	free (r);
}

static void copy_nodes (struct result *r)
{
	for (size_t i = 0; i < r->profile.nodes; i++) {
		const struct ppi_profile_node *n = &r->profile.node[i];

		r->node[i] = (struct pp_profile_node){
			.name = n->name,
			.file = n->file,
			.line = n->line,
			.total = n->total,
			.self = n->self,
			.samples = n->samples,
			.threads = n->threads,
			.thread = n->thread,
			.callers = n->callers,
			.callees = n->callees,
			.caller = n->caller,
			.callee = n->callee,
		};
	}
	for (size_t i = 0; i < r->profile.edges; i++) {
		const struct ppi_profile_edge *e = &r->profile.edge[i];

		r->edge[i] = (struct pp_profile_edge){e->caller, e->callee, e->total,
						      e->caller_time, e->callee_time};
	}
	for (size_t i = 0; i < r->profile.threads; i++) {
		const struct ppi_profile_thread *t = &r->profile.thread[i];

		r->thread[i] = (struct pp_profile_thread){t->id, t->name, t->time, t->samples};
	}
}

static void copy_losses (struct result *r)
{
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		if (r->profile.lost[i])
			r->loss[r->public.losses++] = (struct pp_profile_loss){
				ppi_sample_loss_name (i),
				ppi_sample_loss_sentence (i, r->profile.lost[i]),
				r->profile.lost[i]};
}

static bool fill (struct result *r, enum pp_profile_by by)
{
	const struct ppi_profile *p = &r->profile;

	if (!ppi_profile_analyse (r->samples, &r->profile))
		return false;
	r->node = calloc (p->nodes + 1, sizeof *r->node);
	r->edge = calloc (p->edges + 1, sizeof *r->edge);
	r->thread = calloc (p->threads + 1, sizeof *r->thread);
	if (!r->node || !r->edge || !r->thread)
		return false;
	copy_nodes (r);
	r->public = (struct pp_profile_result){
		.size = sizeof r->public,
		.by = by,
		.is_cpu = p->is_cpu,
		.program = p->program,
		.total_time = p->total_time,
		.wall_time = p->wall_time,
		.cpu_time = p->cpu_time,
		.own_time = p->own_time,
		.period = p->period,
		.samples = p->sample_number,
		.threads = p->threads,
		.nodes = p->nodes,
		.edges = p->edges,
		.thread = r->thread,
		.node = r->node,
		.edge = r->edge,
		.loss = r->loss,
	};
	copy_losses (r);
	return true;
}

static int make (struct ppi_samples *samples, enum pp_profile_by by, struct pp_profile_result **out)
{
	struct result *r = calloc (1, sizeof *r);

	if (!r) {
		forget (samples);
		return PP_ENOMEM;
	}
	r->samples = samples;
	if (!fill (r, by)) {
		release (&r->public);
		return PP_ENOMEM;
	}
	*out = &r->public;
	return PP_OK;
}

/* ---- what prints it -------------------------------------------------------------------------- */

static bool print_as (const struct result *r, enum pp_profile_format format,
		      const struct ppi_render_options *options, FILE *out)
{
	switch (format) {
	case PP_FORMAT_TEXT:
		return ppi_render_text (&r->profile, options, out);
	case PP_FORMAT_CHICKEN:
		return ppi_render_chicken (&r->profile, options, out);
	case PP_FORMAT_JSON:
		return ppi_render_json (&r->profile, options, out);
	case PP_FORMAT_DOT:
		return ppi_render_dot (&r->profile, options, out);
	case PP_FORMAT_COLLAPSED:
		return ppi_render_collapsed (r->samples, out);
	case PP_FORMAT_SPEEDSCOPE:
		return ppi_render_speedscope (r->samples, out);
	case PP_FORMAT_PPROF:
		return ppi_render_pprof (r->samples, out);
	}
	return false;
}

static int print (const struct pp_profile_result *result, const struct pp_profile_options *options,
		  FILE *out)
{
	const struct ppi_render_options render = {
		.truncate_source = options->truncate_source,
		.hide_self = options->hide_self,
		.hide_subs = options->hide_subs,
		.order = (enum ppi_profile_order) options->order,
	};

	return print_as ((const struct result *) (const void *) result, options->format, &render,
			 out)
		       ? PP_OK
		       : PP_ENOMEM;
}

__attribute__ ((visibility ("default"))) extern const struct ppi_profile_module pp_profile_module;
const struct ppi_profile_module pp_profile_module = {
	.head = {sizeof (struct ppi_profile_module), PPI_PROFILE_MODULE_VERSION},
	.read = read_image,
	.forget = forget,
	.each = each,
	.make = make,
	.release = release,
	.print = print,
	.events = ppi_module_events,
};
