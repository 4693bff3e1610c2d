/* SPDX-License-Identifier: MIT */
/* samples.c: see samples.h. */
#include "profiler/analysis/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

void ppi_samples_init (struct ppi_samples *out)
{
	*out = (struct ppi_samples){.program = NULL};
}

void ppi_samples_clear (struct ppi_samples *samples)
{
	for (size_t i = 0; i < samples->functions; i++) {
		free (samples->function[i].name);
		free (samples->function[i].file);
		free (samples->function[i].payload);
	}
	for (size_t i = 0; i < samples->threads; i++) {
		free (samples->thread[i].name);
		free (samples->thread[i].sample);
	}
	free (samples->program);
	free (samples->function);
	free (samples->frame);
	free (samples->stack);
	free (samples->thread);
	free (samples->function_slot);
	free (samples->stack_slot);
	ppi_samples_init (samples);
}

/* *ARRAY of elements of BYTES gets room for N more than USED; false: no memory. */
static bool reserve (struct ppi_samples *samples, void *array, size_t *room, size_t used, size_t n,
		     size_t bytes)
{
	void **at = array, *grown;
	size_t want = *room ? *room : 64;

	if (used + n <= *room)
		return true;
	while (want < used + n)
		want *= 2;
	grown = reallocarray (*at, want, bytes);
	if (!grown) {
		samples->no_memory = true;
		return false;
	}
	*at = grown;
	*room = want;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint64_t mix (uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C (0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static uint64_t hash_of_text (const char *text)
{
	uint64_t sum = 1;

	for (; *text; text++)
		sum = mix (sum, (unsigned char) *text);
	return sum;
}

static uint64_t hash_of_function (const struct ppi_function *f)
{
	return mix (mix (mix (hash_of_text (f->name), hash_of_text (f->file)), f->line),
		    f->payload ? hash_of_text (f->payload) : f->kind);
}

static bool is_same_function (const struct ppi_function *a, const struct ppi_function *b)
{
	return a->line == b->line && a->kind == b->kind && !a->payload == !b->payload &&
	       strcmp (a->name, b->name) == 0 && strcmp (a->file, b->file) == 0 &&
	       (!a->payload || strcmp (a->payload, b->payload) == 0);
}

/* Twice as many slots, without what was in them. */
static bool widen (struct ppi_samples *samples, uint32_t **slots, size_t *n)
{
	size_t more = *n ? 2 * *n : FIRST_SLOTS;
	uint32_t *wide = calloc (more, sizeof *wide);

	if (!wide) {
		samples->no_memory = true;
		return false;
	}
	free (*slots);
	*slots = wide;
	*n = more;
	return true;
}

static void enter (uint32_t *slots, size_t n, uint64_t hash, size_t number)
{
	size_t at = hash & (n - 1);

	while (slots[at])
		at = (at + 1) & (n - 1);
	slots[at] = (uint32_t) number + 1;
}

static bool make_room_for_function (struct ppi_samples *s)
{
	if (2 * (s->functions + 1) <= s->function_slots)
		return true;
	if (!widen (s, &s->function_slot, &s->function_slots))
		return false;
	for (size_t i = 0; i < s->functions; i++)
		enter (s->function_slot, s->function_slots, hash_of_function (&s->function[i]), i);
	return true;
}

static bool copy_function (const struct ppi_function *from, struct ppi_function *to)
{
	*to = (struct ppi_function){.name = strdup (from->name),
				    .file = strdup (from->file),
				    .line = from->line,
				    .kind = from->kind,
				    .payload = from->payload ? strdup (from->payload) : NULL};
	return to->name && to->file && !from->payload == !to->payload;
}

uint32_t ppi_samples_node (struct ppi_samples *s, const struct ppi_function *like)
{
	struct ppi_function made;
	size_t at;

	if (!make_room_for_function (s))
		return 0;
	for (at = hash_of_function (like) & (s->function_slots - 1); s->function_slot[at];
	     at = (at + 1) & (s->function_slots - 1))
		if (is_same_function (&s->function[s->function_slot[at] - 1], like))
			return s->function_slot[at] - 1;
	if (!copy_function (like, &made) ||
	    !reserve (s, &s->function, &s->functions_room, s->functions, 1, sizeof made)) {
		free (made.name);
		free (made.file);
		free (made.payload);
		s->no_memory = true;
		return 0;
	}
	s->function[s->functions] = made;
	s->function_slot[at] = (uint32_t) s->functions + 1;
	return (uint32_t) s->functions++;
}

uint32_t ppi_samples_function (struct ppi_samples *s, const char *name, const char *file,
			       unsigned line)
{
	/* neither is written to */
	return ppi_samples_node (s, &(struct ppi_function){.name = (char *) (uintptr_t) name,
							   .file = (char *) (uintptr_t) file,
							   .line = line});
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static uint64_t hash_of_stack (const uint32_t *functions, size_t n)
{
	uint64_t sum = n;

	for (size_t i = 0; i < n; i++)
		sum = mix (sum, functions[i]);
	return sum;
}

static bool make_room_for_stack (struct ppi_samples *s)
{
	if (2 * (s->stacks + 1) <= s->stack_slots)
		return true;
	if (!widen (s, &s->stack_slot, &s->stack_slots))
		return false;
	for (size_t i = 0; i < s->stacks; i++)
		enter (s->stack_slot, s->stack_slots,
		       hash_of_stack (s->frame + s->stack[i].first, s->stack[i].n), i);
	return true;
}

uint32_t ppi_samples_stack (struct ppi_samples *s, const uint32_t *functions, size_t n)
{
	uint64_t hash = hash_of_stack (functions, n);
	size_t at;

	if (!make_room_for_stack (s))
		return 0;
	for (at = hash & (s->stack_slots - 1); s->stack_slot[at];
	     at = (at + 1) & (s->stack_slots - 1)) {
		const struct ppi_stack *k = &s->stack[s->stack_slot[at] - 1];

		if (k->n == n &&
		    (!n || memcmp (s->frame + k->first, functions, n * sizeof *functions) == 0))
			return s->stack_slot[at] - 1;
	}
	if (!reserve (s, &s->frame, &s->frames_room, s->frames, n, sizeof *s->frame) ||
	    !reserve (s, &s->stack, &s->stacks_room, s->stacks, 1, sizeof *s->stack))
		return 0;
	if (n)
		memcpy (s->frame + s->frames, functions, n * sizeof *functions);
	s->stack[s->stacks] = (struct ppi_stack){s->frames, n};
	s->frames += n;
	s->stack_slot[at] = (uint32_t) s->stacks + 1;
	return (uint32_t) s->stacks++;
}

/* ---- samples --------------------------------------------------------------------------------- */

struct ppi_sampled_thread *ppi_samples_thread (struct ppi_samples *samples, uint32_t id,
					       const char *name)
{
	char *copy;

	for (size_t i = 0; i < samples->threads; i++)
		if (samples->thread[i].id == id)
			return &samples->thread[i];
	copy = strdup (name);
	if (!copy || !reserve (samples, &samples->thread, &samples->threads_room, samples->threads,
			       1, sizeof *samples->thread)) {
		free (copy);
		samples->no_memory = true;
		return NULL;
	}
	samples->thread[samples->threads] = (struct ppi_sampled_thread){.id = id, .name = copy};
	return &samples->thread[samples->threads++];
}

void ppi_samples_add (struct ppi_samples *samples, struct ppi_sampled_thread *thread,
		      struct ppi_stack_sample sample)
{
	if (reserve (samples, &thread->sample, &thread->room, thread->n, 1, sizeof sample))
		thread->sample[thread->n++] = sample;
}

const char *ppi_clocks_differ (bool is_cpu, bool other_is_cpu)
{
	if (is_cpu == other_is_cpu)
		return NULL;
	return other_is_cpu ? "is of CPU time, and the others are of the wall clock"
			    : "is of the wall clock, and the others are of CPU time";
}

double ppi_share_margin (double share, double n)
{
	const double z = 1.96;

	if (!(n > 0))
		return (double) NAN;
	return z / (1 + z * z / n) * sqrt (share * (1 - share) / n + z * z / (4 * n * n));
}

uint32_t ppi_sample_times (const struct ppi_samples *samples, const struct ppi_stack_sample *sample)
{
	return samples->by_watcher || !samples->is_cpu ? sample->periods : 1;
}

size_t ppi_samples_count (const struct ppi_samples *samples)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->threads; i++)
		n += samples->thread[i].n;
	return n;
}

/* Periods vary by half of what was asked for, or of as many as the timer was set to. */
static double longest_gap (const struct ppi_samples *samples, const struct ppi_stack_sample *sample)
{
	return sample->user ? 1.5 * samples->period_s * sample->periods : (double) INFINITY;
}

/* Of the gap that ends with sample I; 0 where there is none. */
static double half_of_gap (const struct ppi_samples *samples,
			   const struct ppi_sampled_thread *thread, size_t i)
{
	double gap, most;

	if (!i || i >= thread->n || thread->sample[i].late)
		return 0;
	gap = thread->sample[i].at_s - thread->sample[i - 1].at_s;
	most = longest_gap (samples, &thread->sample[i]);
	return gap > most ? most / 2 : gap > 0 ? gap / 2 : 0;
}

double ppi_sample_cost (const struct ppi_samples *samples, const struct ppi_sampled_thread *thread,
			size_t i)
{
	if (thread->n == 1)
		return thread->sample[i].periods * samples->period_s;
	return half_of_gap (samples, thread, i) + half_of_gap (samples, thread, i + 1);
}
