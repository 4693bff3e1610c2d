/* SPDX-License-Identifier: MIT */
/*
 * sequencer.c: from a line of a score to a signal. Scores of both kinds are read through a next
 * function, as generic sequences are: the feature sequence.dispatch.
 */
#define MODULE "sequencer"
#include "array.h"

#include "synth.h"

#include <pp.h>
#include <stdlib.h>

enum { STEPS_MAX = 64 };

struct sequence {
	const char *at;
	int (*next) (struct sequence *from, int *value);
};

static int next_note (struct sequence *from, int *value)
{
	char *end;

	while (*from->at == ' ')
		from->at++;
	if (*from->at == '\0')
		return 0;
	if (*from->at == '-') {
		*value = -1;
		from->at++;
		return 1;
	}
	*value = (int) strtol (from->at, &end, 10);
	if (end == from->at)
		return 0;
	from->at = end;
	return 1;
}

static int next_beat (struct sequence *from, int *value)
{
	if (*from->at == '\0')
		return 0;
	*value = *from->at++ == 'x';
	return 1;
}

static int next (struct sequence *from, int *value)
{
	PP_FEATURE (sequence.dispatch)
	return from->next (from, value);
}

static struct array *joined (struct array **steps, size_t count)
{
	struct array *all = array_append (steps, count);

	for (size_t i = 0; i < count; i++)
		array_free (steps[i]);
	return all;
}

struct array *sequence_notes (enum wave wave, const char *score, size_t length)
{
	struct sequence notes = {score, next_note};
	struct array *steps[STEPS_MAX];
	size_t count = 0;
	int pitch;

	while (count < STEPS_MAX && next (&notes, &pitch))
		steps[count++] = wave_note (wave, pitch, length);
	return joined (steps, count);
}

struct array *sequence_beats (enum drum drum, const char *score, size_t length)
{
	struct sequence beats = {score, next_beat};
	struct array *steps[STEPS_MAX];
	size_t count = 0;
	int is_beat;

	while (count < STEPS_MAX && next (&beats, &is_beat))
		steps[count++] = is_beat ? drum_beat (drum, length) : drum_rest (length);
	return joined (steps, count);
}
