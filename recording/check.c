/* SPDX-License-Identifier: MIT */
/* check.c: is a recording whole? See check.h. */
#include "recording/check.h"

#include "base/chunk.h"
#include "base/dims.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "recording/flight.h"
#include "recording/layout_profile.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Holes beyond this are not read, whatever a header says of them. */
#define HOLES_MOST (UINT64_C (1) << 30)
/* File systems leave out blocks of zeros; none of them has smaller blocks. */
#define ZERO_BLOCK 512u
#define EXTENTS_MOST (1u << 20)
/* The largest that a region may be told to become (region.c). */
#define REGION_MOST (UINT64_C (1) << 40)

/* ---- what a chunk must look like ------------------------------------------------------------- */

static bool text_ends (const struct ppi_chunk *chunk, uint32_t bytes, size_t offset)
{
	return offset < bytes &&
	       memchr ((const char *) chunk + offset, '\0', bytes - offset) != NULL;
}

/* A figure may be unknown, but not without end. */
static bool is_sane (double value)
{
	return !isinf (value);
}

static bool site_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_site_chunk *site = (const void *) chunk;

	(void) bytes;
	return site->kind <= PP_ABI_SITE_ANTIMARK && site->way <= PPI_WAY_GENERAL &&
	       is_sane (site->inside_s) && is_sane (site->sampled_s) && is_sane (site->skipped_s);
}

static bool binding_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_binding_chunk *binding = (const void *) chunk;

	(void) bytes;
	return binding->metric && binding->every && binding->bound <= 1 && binding->kept_off <= 1;
}

static bool metric_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_metric_chunk *metric = (const void *) chunk;

	return metric->kind <= PP_ABI_SITE_ANTIMARK && metric->scope < PPI_SCOPE_COUNT &&
	       isfinite (metric->scale) && metric->scale >= 0 && metric->share_permille <= 1000 &&
	       ppi_accumulator_exists (metric->accumulator) && metric->unit < PPI_UNIT_COUNT &&
	       (metric->sample_type == PP_ABI_SAMPLE_INT ||
		metric->sample_type == PP_ABI_SAMPLE_DOUBLE) &&
	       text_ends (chunk, bytes, metric->source) &&
	       text_ends (chunk, bytes, metric->unavailable) &&
	       text_ends (chunk, bytes, metric->instead) &&
	       text_ends (chunk, bytes, metric->asked) &&
	       text_ends (chunk, bytes, metric->combine) &&
	       text_ends (chunk, bytes, metric->fallback);
}

static bool captures_are_whole (const struct ppi_chunk *chunk, uint32_t bytes,
				const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry =
		(const void *) ((const char *) chunk + assertion->capture);
	uint64_t room = (uint64_t) assertion->captures * sizeof *entry;

	if (!assertion->captures)
		return true;
	if (assertion->capture % 8 || assertion->capture > bytes ||
	    room > bytes - assertion->capture)
		return false;
	for (uint32_t i = 0; i < assertion->captures; i++)
		if (entry[i].text &&
		    !text_ends (chunk, bytes, (size_t) assertion->capture + entry[i].text))
			return false;
	return true;
}

static bool assertion_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_assertion_chunk *assertion = (const void *) chunk;

	return assertion->state <= PP_STATE_UNKNOWN &&
	       assertion->severity <= PP_SEVERITY_CRITICAL && assertion->per_thread <= 1 &&
	       text_ends (chunk, bytes, assertion->expression) &&
	       captures_are_whole (chunk, bytes, assertion);
}

/* The entry's name, then its sentence, if any, both ended. */
static bool history_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_history_chunk *entry = (const void *) chunk;
	size_t offset = offsetof (struct ppi_history_chunk, text);

	return entry->kind >= PPI_HISTORY_FIRE && entry->kind < PPI_HISTORY_KINDS &&
	       text_ends (chunk, bytes, offset) &&
	       text_ends (chunk, bytes, offset + strlen (entry->text) + 1);
}

static bool sweep_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_sweep_chunk *sweep = (const void *) chunk;
	uint64_t contrasts = (uint64_t) sweep->thresholds * sweep->captures;

	return sweep->thresholds <= PPI_SWEEP_MAX &&
	       contrasts <= (bytes - sizeof *sweep) / sizeof sweep->contrast[0];
}

static bool violating_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_violating_chunk *violating = (const void *) chunk;

	return violating->room &&
	       violating->room <= (bytes - sizeof *violating) / sizeof violating->execution[0];
}

static bool adapt_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_adapt_chunk *adapt = (const void *) chunk;

	return adapt->state <= PPI_ADAPT_ENDED && adapt->maximise <= 1 && adapt->variants &&
	       adapt->variants <= (bytes - sizeof *adapt) / sizeof adapt->variant[0] &&
	       adapt->best < adapt->variants && adapt->current < adapt->variants &&
	       text_ends (chunk, bytes, adapt->knob) && text_ends (chunk, bytes, adapt->objective);
}

static bool knob_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_knob_chunk *knob = (const void *) chunk;

	return knob->is_double <= 1 && is_sane (knob->value) && is_sane (knob->initial) &&
	       text_ends (chunk, bytes, knob->words);
}

static bool stream_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_stream_chunk *stream = (const void *) chunk;

	return stream->kind && stream->kind < PPI_STREAM_KINDS &&
	       stream->used <= bytes - sizeof *stream &&
	       stream->used % ppi_stream_grain (stream->kind) == 0 &&
	       stream->taken <= stream->used && stream->first_ticks <= stream->last_ticks;
}

/* Each text that is there ends inside. */
static bool texts_are_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_texts_chunk *texts = (const void *) chunk;

	if (!chunk->id || chunk->id > PPI_TEXTS_CHUNKS)
		return false;
	for (unsigned i = 0; i < PPI_TEXTS_OF_CHUNK; i++) {
		uint32_t at = (uint32_t) texts->place[i];
		uint64_t n = texts->place[i] >> 32;

		if (at && (at < sizeof *texts || n > PPI_TEXT_MOST || at + n >= bytes ||
			   ((const char *) chunk)[at + n]))
			return false;
	}
	return true;
}

static bool top_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_top_chunk *c = (const void *) chunk;

	(void) bytes;
	for (unsigned i = 0; i < 2; i++)
		if (PPI_MARK_KIND (c->top[i].what) > PP_ABI_SITE_ANTIMARK ||
		    PPI_MARK_PAYLOAD (c->top[i].what) > PP_ABI_VALUE_STRING)
			return false;
	return true;
}

static bool profile_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_profile_chunk *profile = (const void *) chunk;

	(void) bytes;
	return profile->is_cpu <= 1 && profile->sees_open <= 1 && profile->is_paused <= 1 &&
	       profile->start_ns <= profile->stop_ns && chunk->id >= PPI_SAMPLER_INTERRUPTER &&
	       chunk->id < PPI_SAMPLERS;
}

static bool object_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_profile_object_chunk *object = (const void *) chunk;

	(void) bytes;
	return chunk->id && object->id_bytes <= sizeof object->build_id;
}

/* Each frame's caller came before it: so every stack ends. */
static bool stacks_are_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_profile_stacks_chunk *stacks = (const void *) chunk;

	if (!chunk->id || stacks->frames > (bytes - sizeof *stacks) / sizeof stacks->frame[0] ||
	    stacks->frames > UINT32_MAX - chunk->id)
		return false;
	for (uint32_t i = 0; i < stacks->frames; i++)
		if (stacks->frame[i].caller >= chunk->id + i)
			return false;
	return true;
}

static bool profile_samples_are_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_profile_samples_chunk *samples = (const void *) chunk;

	return samples->samples <= (bytes - sizeof *samples) / sizeof samples->sample[0] &&
	       memchr (samples->thread, '\0', sizeof samples->thread);
}

static bool exact_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_exact_chunk *exact = (const void *) chunk;

	(void) bytes;
	for (unsigned i = 0; i < PPI_EXACT_KNOWN; i++)
		if (!is_sane (exact->known[i].measured_s) || !is_sane (exact->known[i].held_s))
			return false;
	return exact->start_ticks <= exact->stop_ticks && is_sane (exact->pair_s) &&
	       is_sane (exact->empty_s) && is_sane (exact->by_c_s) &&
	       is_sane (exact->by_c_inside_s) && is_sane (exact->tail_s) &&
	       is_sane (exact->by_c_tail_s) && is_sane (exact->by_c_head_s);
}

static bool features_are_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_features_chunk *features = (const void *) chunk;

	return features->room <= (bytes - sizeof *features) / sizeof features->entry[0];
}

static bool flight_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	return ppi_flight_is_whole ((const void *) chunk, bytes);
}

/* Its keys and patterns end inside. */
static bool aggregate_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_aggregate_chunk *a = (const void *) chunk;
	size_t at = sizeof *a;

	if (!chunk->id || !a->dims || a->dims > PPI_GROUP_DIMS ||
	    (a->accumulator != PPI_STATS && a->accumulator != PPI_HISTOGRAM))
		return false;
	for (unsigned i = 0; i <= a->dims; i++) {
		if (!text_ends (chunk, bytes, at))
			return false;
		at += strlen ((const char *) chunk + at) + 1;
	}
	return true;
}

static bool group_is_whole (const struct ppi_chunk *chunk, uint32_t bytes)
{
	const struct ppi_group_chunk *group = (const void *) chunk;

	for (unsigned i = 0; i < PPI_GROUP_DIMS; i++)
		if (group->type[i] && group->type[i] != PPI_GROUP_REST &&
		    !ppi_is_value (group->type[i]))
			return false;
	return chunk->id & PPI_GROUP_ID && group->dims && group->dims <= PPI_GROUP_DIMS &&
	       group->unclear <= 1 &&
	       (!group->site || bytes >= sizeof *group + sizeof (struct ppi_shard));
}

static const struct {
	const char *name;
	size_t bytes;
	bool text, changes;
	bool (*check) (const struct ppi_chunk *chunk, uint32_t bytes);
} shape[PPI_CHUNK_TYPES] = {
#define X(id, number, name, bytes, text, changes, check)                                           \
	[number] = {name, bytes, text, changes, check},
	PPI_CHUNKS (X)
#undef X
};

bool ppi_chunk_is_whole (const struct ppi_chunk *chunk, unsigned type, uint32_t bytes)
{
	if (bytes < shape[type].bytes ||
	    (shape[type].text && !text_ends (chunk, bytes, shape[type].bytes)))
		return false;
	return !shape[type].check || shape[type].check (chunk, bytes);
}

const char *ppi_chunk_type_name (unsigned type)
{
	return type < PPI_CHUNK_TYPES && shape[type].name ? shape[type].name : "?";
}

bool ppi_chunk_changes (unsigned type)
{
	return shape[type].changes;
}

/* ---- the header ------------------------------------------------------------------------------ */

static bool ends (const char *text, size_t room)
{
	return memchr (text, '\0', room) != NULL;
}

bool ppi_header_is_whole (const struct ppi_region_header *header)
{
	return header->header_bytes >= sizeof *header &&
	       header->header_bytes % PPI_CHUNK_ALIGN == 0 &&
	       header->used >= header->header_bytes && header->used <= REGION_MOST &&
	       header->state >= PPI_RECORDING_LIVE && header->state <= PPI_RECORDING_LEFT &&
	       isfinite (header->seconds_per_tick) && header->seconds_per_tick >= 0 &&
	       header->seconds_per_tick <= 1 && ends (header->program, sizeof header->program) &&
	       ends (header->record_path, sizeof header->record_path);
}

/* ---- the checksum ---------------------------------------------------------------------------- */

/*
 * Each step is a permutation of SUM for a given word, and of the word for a given SUM: so a change
 * of one word, or of one bit, always changes what comes out. No cryptography: who can write a file
 * can make its sum.
 */
static uint64_t mix (uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C (0x9e3779b97f4a7c15);
	return sum << 29 | sum >> 35;
}

static uint64_t sum_of (const char *data, size_t bytes)
{
	const size_t at = offsetof (struct ppi_region_header, sum);
	uint64_t sum = bytes, word;

	for (size_t i = 0; i < bytes; i += sizeof word) {
		word = 0;
		memcpy (&word, data + i, bytes - i < sizeof word ? bytes - i : sizeof word);
		sum = mix (sum, i == at ? 0 : word);
	}
	/* 0 is a region's */
	return sum ? sum : 1;
}

static uint64_t count_zeros (const char *data, size_t bytes)
{
	uint64_t zeros = 0;

	for (size_t i = 0; i < bytes; i += ZERO_BLOCK) {
		size_t n = bytes - i < ZERO_BLOCK ? bytes - i : ZERO_BLOCK;

		if (!data[i] && memcmp (data + i, data + i + 1, n - 1) == 0)
			zeros += n;
	}
	return zeros;
}

void ppi_recording_seal (struct ppi_region_header *header, size_t bytes)
{
	header->used = header->limit = bytes;
	header->zeros = count_zeros ((const char *) header, bytes);
	header->sum = sum_of ((const char *) header, bytes);
}

bool ppi_recording_is_sealed (const void *data, size_t bytes)
{
	const struct ppi_region_header *header = data;

	if (!header->sum && header->state == PPI_RECORDING_LIVE)
		return true;
	return header->sum == sum_of (data, bytes);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Bytes of holes in what the header calls used; more than HOLES_MOST: too many to be counted. */
static uint64_t holes_of (int fd, uint64_t used)
{
	uint64_t holes = 0;
	off_t at = 0, hole, data;

	for (unsigned i = 0; at < (off_t) used && holes <= HOLES_MOST; i++) {
		if (i == EXTENTS_MOST)
			return UINT64_MAX;
		hole = lseek (fd, at, SEEK_HOLE);
		if (hole < 0 || hole >= (off_t) used)
			break; /* a file system that tells of none, or none */
		data = lseek (fd, hole, SEEK_DATA);
		at = data < 0 || data > (off_t) used ? (off_t) used : data;
		holes += (uint64_t) (at - hole);
	}
	return holes;
}

const char *ppi_recording_explains (int fd, const struct ppi_region_header *header,
				    const struct stat *st)
{
	uint64_t size = (uint64_t) st->st_size, holes;

	/* a region has memory for what is given out, and for more */
	if (!header->sum && header->state == PPI_RECORDING_LIVE) {
		if (size > REGION_MOST || (uint64_t) st->st_blocks * 512 < header->used)
			return "its size is not what its header says";
		return NULL;
	}
	if (size != header->used)
		return "its size is not what its header says";
	holes = holes_of (fd, header->used);
	return holes > header->zeros || holes > HOLES_MOST
		       ? "it has holes that its header does not tell of"
		       : NULL;
}
