/* SPDX-License-Identifier: MIT */
/* store.c: see store.h. */
#include "profiler/sampler/store.h"

#include "base/lock.h"
#include "base/profile.h"
#include "libmetrics/code/block.h"
#include "libmetrics/region/region.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_OF_CHUNK = 1000, FIRST_SAMPLES = 48, SAMPLES_OF_CHUNK = 1600 };

/*
 * Stacks of a program are few thousand frames; beyond that many something goes on that no profile
 * shows.
 */
#define FRAMES_MOST (UINT32_C (1) << 20)
#define PAYLOADS_MOST 65536u /* that are told apart */

static struct store {
	struct ppi_profile_chunk *profile[PPI_SAMPLERS];
	struct ppi_profile_stacks_chunk *chunk; /* the newest of frames */
	uint32_t in_chunk;
	struct ppi_profile_frame *frame; /* all frames; number I is at I - 1 */
	uint32_t frames, room;
	uint32_t *slot; /* hash of frames: numbers */
	size_t slots;
	uint32_t objects, payloads;
} store;

static void *new_chunk (size_t bytes)
{
	void *chunk;

	ppi_lock ();
	chunk = ppi_region_try_alloc (bytes);
	ppi_unlock ();
	return chunk;
}

/* BYTES, a multiple of 8, that a copy of the region may be reading. */
static void put_words (void *out, const void *in, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i++)
		__atomic_store_n ((uint64_t *) out + i, ((const uint64_t *) in)[i],
				  __ATOMIC_RELAXED);
}

void ppi_store_period (enum ppi_sampler sampler, uint64_t period_ns)
{
	struct ppi_profile_chunk *p = store.profile[sampler];

	if (p && p->period_ns < period_ns)
		__atomic_store_n (&p->period_ns, period_ns, __ATOMIC_RELAXED);
}

bool ppi_store_begin (enum ppi_sampler sampler, bool is_cpu, int signal, uint64_t period_ns,
		      uint64_t now_ns)
{
	struct ppi_profile_chunk *p = store.profile[sampler];

	if (p) {
		ppi_store_period (sampler, period_ns);
		return true;
	}
	p = new_chunk (sizeof *p);
	if (!p)
		return false;
	p->is_cpu = is_cpu;
	p->signal = (uint32_t) signal;
	p->period_ns = period_ns;
	p->start_ns = p->stop_ns = now_ns;
	ppi_region_publish (&p->chunk, PPI_CHUNK_PROFILE, sampler);
	store.profile[sampler] = p;
	return true;
}

void ppi_store_sees_open (enum ppi_sampler sampler)
{
	struct ppi_profile_chunk *p = store.profile[sampler];

	if (p)
		__atomic_store_n (&p->sees_open, 1, __ATOMIC_RELAXED);
}

void ppi_store_losses (enum ppi_sampler sampler, uint64_t lost[PPI_SAMPLE_LOSSES])
{
	const struct ppi_profile_chunk *p = store.profile[sampler];

	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		lost[i] = p ? p->lost[i] : 0;
}

void ppi_store_note (enum ppi_sampler sampler, const struct ppi_store_notes *notes)
{
	struct ppi_profile_chunk *p = store.profile[sampler];

	if (!p)
		return;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		__atomic_store_n (&p->lost[i], notes->lost[i], __ATOMIC_RELAXED);
	__atomic_store_n (&p->signal, (uint32_t) notes->signal, __ATOMIC_RELAXED);
	__atomic_store_n (&p->cpu_ns, notes->cpu_ns, __ATOMIC_RELAXED);
	__atomic_store_n (&p->left_out_ns, notes->left_out_ns, __ATOMIC_RELAXED);
	__atomic_store_n (&p->is_paused, (uint8_t) notes->is_paused, __ATOMIC_RELAXED);
	__atomic_store_n (&p->own_ns, notes->own_ns, __ATOMIC_RELAXED);
	__atomic_store_n (&p->marks, notes->marks, __ATOMIC_RELAXED);
	__atomic_store_n (&p->by_c, notes->by_c, __ATOMIC_RELAXED);
	__atomic_store_n (&p->stop_ns, notes->now_ns, __ATOMIC_RELAXED);
}

void ppi_store_cost (enum ppi_sampler sampler, double pair_s, double by_c_s)
{
	struct ppi_profile_chunk *p = store.profile[sampler];

	if (!p)
		return;
	__atomic_store (&p->by_c_s, &by_c_s, __ATOMIC_RELAXED);
	__atomic_store (&p->pair_s, &pair_s, __ATOMIC_RELAXED);
}

void ppi_store_forget (void)
{
	static struct store parents __attribute__ ((used));

	/*
	 * the parent's thread may have been in the middle of a change: nothing of it is touched,
	 * and who looks for leaks finds it here
	 */
	parents = store;
	memset (&store, 0, sizeof store);
}

/* ---- objects --------------------------------------------------------------------------------- */

static uint32_t number_of (struct ppi_object *object)
{
	struct ppi_profile_object_chunk *o;
	size_t bytes = strlen (object->path) + 1;

	if (object->number)
		return object->number;
	o = new_chunk (sizeof *o + bytes);
	if (!o)
		return 0;
	o->load = object->load;
	o->id_bytes = object->id_bytes;
	memcpy (o->build_id, object->build_id, sizeof o->build_id);
	memcpy (o->name, object->path, bytes);
	object->number = ++store.objects;
	ppi_region_publish (&o->chunk, PPI_CHUNK_PROFILE_OBJECT, object->number);
	return object->number;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static size_t hash_of (const struct ppi_profile_frame *frame)
{
	uint64_t sum = (frame->address + frame->object * (UINT64_C (1) << 48)) *
		       UINT64_C (0x9e3779b97f4a7c15);

	sum = (sum ^ sum >> 32 ^ frame->caller) * UINT64_C (0xd6e8feb86659fd93);
	return (size_t) (sum ^ sum >> 32);
}

/* The place in the hash of that frame, or the one that is free for it. */
static uint32_t *place_of (const struct ppi_profile_frame *frame)
{
	size_t at = hash_of (frame) & (store.slots - 1);

	for (; store.slot[at]; at = (at + 1) & (store.slots - 1)) {
		const struct ppi_profile_frame *other = &store.frame[store.slot[at] - 1];

		if (other->caller == frame->caller && other->object == frame->object &&
		    other->address == frame->address)
			break;
	}
	return &store.slot[at];
}

static bool grow_hash (void)
{
	size_t more = store.slots ? 2 * store.slots : 4096;
	uint32_t *wide;

	if (2 * ((size_t) store.frames + 1) <= store.slots)
		return true;
	wide = calloc (more, sizeof *wide);
	if (!wide)
		return false;
	free (store.slot);
	store.slot = wide;
	store.slots = more;
	for (uint32_t i = 0; i < store.frames; i++)
		*place_of (&store.frame[i]) = i + 1;
	return true;
}

static bool grow_frames (void)
{
	uint32_t more = store.room ? 2 * store.room : 2048;
	struct ppi_profile_frame *grown;

	if (store.frames < store.room)
		return true;
	grown = reallocarray (store.frame, more, sizeof *grown);
	if (!grown)
		return false;
	store.frame = grown;
	store.room = more;
	return true;
}

static bool open_stacks (void)
{
	struct ppi_profile_stacks_chunk *chunk;

	if (store.chunk && store.in_chunk < FRAMES_OF_CHUNK)
		return true;
	chunk = new_chunk (sizeof *chunk + FRAMES_OF_CHUNK * sizeof chunk->frame[0]);
	if (!chunk)
		return false;
	chunk->room = FRAMES_OF_CHUNK;
	store.chunk = chunk;
	store.in_chunk = 0;
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_PROFILE_STACKS, store.frames + 1);
	return true;
}

/* The number of a frame; 0: no room. */
static uint32_t intern (struct ppi_profile_frame frame)
{
	uint32_t *place;

	if (store.frames == FRAMES_MOST || !grow_hash ())
		return 0;
	place = place_of (&frame);
	if (*place || !grow_frames () || !open_stacks ())
		return *place;
	store.frame[store.frames++] = frame;
	put_words (&store.chunk->frame[store.in_chunk++], &frame, sizeof frame);
	/* release: a reader that sees the number sees the frame */
	__atomic_store_n (&store.chunk->frames, store.in_chunk, __ATOMIC_RELEASE);
	*place = store.frames;
	return store.frames;
}

/* A place that is in no object: in the code of a marker, or not known. */
static void take_block (struct ppi_profile_frame *frame)
{
	uint32_t site;

	ppi_lock ();
	site = ppi_block_site (frame->address);
	ppi_unlock ();
	frame->object = site ? PPI_PROFILE_OF_BLOCK : 0;
	frame->address = site; /* of no use in another process */
}

/* The number of the innermost frame; 0: no room. */
static uint32_t intern_stack (const struct ppi_unwound *unwound)
{
	uint32_t caller = 0;

	for (uint32_t i = unwound->n; i-- > 0;) {
		const struct ppi_code_place *place = &unwound->place[i];
		struct ppi_profile_frame frame = {.caller = caller, .address = place->address};

		if (place->object && (frame.object = number_of (place->object)))
			frame.address -= place->object->load;
		else
			take_block (&frame);
		caller = intern (frame);
		if (!caller)
			return 0;
	}
	return caller;
}

/*
 * The number of the payload of the mark OPEN, whose frame is CALLER; 0: no room. Programs make as
 * many different ones as they want: those beyond the first are one.
 */
static uint32_t intern_payload (const struct ppi_raw_open *open, uint32_t caller, uint64_t *others)
{
	unsigned type = PPI_MARK_PAYLOAD (open->what);
	struct ppi_profile_frame frame = {.caller = caller,
					  .object = PPI_PROFILE_OF_PAYLOAD (type),
					  .address = open->payload};

	if (!grow_hash ())
		return 0;
	if (!*place_of (&frame)) {
		bool is_text = type == PP_ABI_VALUE_STRING;

		if (store.payloads == PAYLOADS_MOST ||
		    (is_text && frame.address == PPI_TEXT_OTHER)) {
			frame.object = PPI_PROFILE_OF_OTHERS;
			frame.address = 0;
			++*others;
		} else {
			store.payloads++;
		}
	}
	return intern (frame);
}

/* ONE is open, and all that CALLER is was so before. 0: no room. */
static uint32_t intern_one (const struct ppi_raw_open *one, uint32_t caller, uint64_t *others)
{
	caller = intern ((struct ppi_profile_frame){.caller = caller,
						    .object = PPI_PROFILE_OF_SITE,
						    .address = PPI_MARK_SITE (one->what)});
	return caller && PPI_MARK_PAYLOAD (one->what) ? intern_payload (one, caller, others)
						      : caller;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool open_samples (struct ppi_store_thread *to, uint32_t tid, const char *name,
			  enum ppi_sampler sampler)
{
	struct ppi_profile_samples_chunk *chunk;
	uint32_t room = to->chunk ? SAMPLES_OF_CHUNK : FIRST_SAMPLES;

	if (to->chunk && to->samples < to->room)
		return true;
	chunk = new_chunk (sizeof *chunk + room * sizeof chunk->sample[0]);
	if (!chunk)
		return false;
	chunk->room = room;
	chunk->sampler = sampler;
	strncpy (chunk->thread, name, sizeof chunk->thread - 1);
	*to = (struct ppi_store_thread){.chunk = chunk, .room = room};
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_PROFILE_SAMPLES, tid);
	return true;
}

#define VIEW_FLAGS (PPI_SAMPLE_IS_PARTIAL | PPI_SAMPLE_HAS_OPEN | PPI_SAMPLE_IS_OPEN_CUT)

static struct ppi_view view_of (const struct ppi_profile_sample *sample)
{
	return (struct ppi_view){sample->frame, sample->open, sample->flags & VIEW_FLAGS};
}

static bool is_same (struct ppi_view one, struct ppi_view other)
{
	return one.frame == other.frame && one.open == other.open && one.flags == other.flags;
}

static void append (struct ppi_store_thread *to, const struct ppi_profile_sample *sample)
{
	put_words (&to->chunk->sample[to->samples++], sample, sizeof *sample);
	/* release: a reader that sees the number sees the sample */
	__atomic_store_n (&to->chunk->samples, to->samples, __ATOMIC_RELEASE);
	to->told_apart = ppi_load (&ppi_told_apart);
	to->last[1] = to->last[0];
	to->last[0] = view_of (sample);
	to->periods = sample->periods;
}

/* Is SAMPLE the third in a row that saw the same? Then it is one with the second. */
static bool join (struct ppi_store_thread *to, struct ppi_profile_sample *sample)
{
	struct ppi_view view = view_of (sample);

	if (to->samples < 2 || sample->flags & PPI_SAMPLE_IS_LATE || !is_same (to->last[0], view) ||
	    !is_same (to->last[1], view) || to->told_apart != ppi_load (&ppi_told_apart))
		return false;
	sample->periods += to->periods;
	to->periods = sample->periods;
	put_words (&to->chunk->sample[to->samples - 1], sample, sizeof *sample);
	return true;
}

/* SAMPLE is whole. */
static bool add (struct ppi_store_thread *to, uint32_t tid, const char *name,
		 enum ppi_sampler sampler, struct ppi_profile_sample *sample)
{
	if (!store.profile[sampler])
		return false;
	/* of CPU time, time in the kernel may lie between two that are alike */
	if ((sampler == PPI_SAMPLER_WATCHER || !store.profile[sampler]->is_cpu) &&
	    join (to, sample))
		return true;
	if (!open_samples (to, tid, name, sampler))
		return false;
	append (to, sample);
	return true;
}

bool ppi_store_add (struct ppi_store_thread *to, uint32_t tid, const char *name,
		    const struct ppi_raw *raw, const struct ppi_unwound *unwound, uint64_t *others,
		    struct ppi_profile_sample sample)
{
	if (!store.profile[PPI_SAMPLER_INTERRUPTER])
		return false;
	for (int i = raw->open; i-- > 0;) {
		sample.open = intern_one (&ppi_raw_opened (raw)[i], sample.open, others);
		if (!sample.open)
			return false;
	}
	sample.frame = intern_stack (unwound);
	return sample.frame && add (to, tid, name, PPI_SAMPLER_INTERRUPTER, &sample);
}

bool ppi_store_add_again (struct ppi_store_thread *to, uint32_t tid, const char *name,
			  struct ppi_profile_sample sample)
{
	if (!to->samples)
		return false;
	sample.frame = to->last[0].frame;
	sample.open = to->last[0].open;
	sample.flags |= to->last[0].flags;
	return add (to, tid, name, PPI_SAMPLER_INTERRUPTER, &sample);
}

bool ppi_store_add_open (struct ppi_store_thread *to, uint32_t tid, const char *name,
			 const struct ppi_open *open, unsigned n, uint64_t *others,
			 struct ppi_profile_sample sample)
{
	if (!store.profile[PPI_SAMPLER_WATCHER])
		return false;
	for (unsigned i = n; i-- > 0;) {
		const struct ppi_raw_open one = {open[i].what, open[i].payload};

		sample.frame = intern_one (&one, sample.frame, others);
		if (!sample.frame)
			return false;
	}
	return add (to, tid, name, PPI_SAMPLER_WATCHER, &sample);
}
