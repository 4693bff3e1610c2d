/* SPDX-License-Identifier: MIT */
/* wave.c: notes as functions of time. */
#define MODULE "wave"
#include "array.h"

#include "synth.h"

struct note {
	enum wave wave;
	double period; /* samples */
	double length;
};

static double at (size_t index, const void *arg)
{
	const struct note *note = arg;
	double t = (double) index / note->period, phase = t - (double) (long) t, height = 0;

	switch (note->wave) {
	case SAWTOOTH:
		height = 2 * phase - 1;
		break;
	case SQUARE:
		height = phase < 0.5 ? 1 : -1;
		break;
	case TRIANGLE:
		height = phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase;
		break;
	}
	return height * (1 - (double) index / note->length);
}

static double silence (size_t index, const void *arg)
{
	(void) index, (void) arg;
	return 0;
}

struct array *wave_note (enum wave wave, int pitch, size_t length)
{
	struct note note = {wave, RATE / 55.0, (double) length};

	if (pitch < 0)
		return array_build (length, silence, NULL);
	for (int i = 0; i < pitch; i++)
		note.period /= 1.0594630943592953; /* a semitone */
	return array_build (length, at, &note);
}
