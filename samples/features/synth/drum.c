/* SPDX-License-Identifier: MIT */
/* drum.c: a kick falls in pitch, a snare and a hat are noise that fades, the hat quickly. */
#define MODULE "drum"
#include "array.h"

#include "synth.h"

#include <stdint.h>

struct beat {
	enum drum drum;
	double length;
};

/* The same for the same index, so that a beat sounds alike each time. */
static double noise (size_t index)
{
	uint32_t x = (uint32_t) index * 2654435761u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return (double) x / 2147483648.0 - 1;
}

static double at (size_t index, const void *arg)
{
	const struct beat *beat = arg;
	double t = (double) index, fade = 1 - t / beat->length, phase;

	switch (beat->drum) {
	case KICK:
		phase = t / (300 + t / 16);
		phase -= (double) (long) phase;
		return fade * fade * (phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase);
	case SNARE:
		return fade * fade * fade * noise (index);
	case HAT:
		fade *= fade * fade;
		return fade * fade * noise (index);
	}
	return 0;
}

static double silence (size_t index, const void *arg)
{
	(void) index, (void) arg;
	return 0;
}

struct array *drum_beat (enum drum drum, size_t length)
{
	struct beat beat = {drum, (double) length};

	return array_build (length, at, &beat);
}

struct array *drum_rest (size_t length)
{
	return array_build (length, silence, NULL);
}
