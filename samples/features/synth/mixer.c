/* SPDX-License-Identifier: MIT */
/*
 * mixer.c: several signals into one. It has most to do with arrays, and each of its calls is
 * checked, both ways, while who calls it is believed. -DREPAIRED moves it across the boundary:
 * signals are checked once, where they come in.
 */
#ifdef REPAIRED
#define ARRAY_TRUSTED
#endif
#define MODULE "mixer"
#include "array.h"

#include "synth.h"

/* Does not keep SUM; it may be NULL. */
static struct array *mix_in (struct array *sum, const struct track *track, size_t length)
{
	struct array *repeated = array_repeat (track->signal, length), *both;
	struct array *scaled = array_scale (repeated, track->weight);

	array_free (repeated);
	if (sum == NULL)
		return scaled;
	both = array_add (sum, scaled);
	array_free (sum);
	array_free (scaled);
	return both;
}

struct array *mix (const struct track *tracks, size_t count, size_t length)
{
	static const char contract[] = "synth -> mixer: mix ((listof track) -> array)";
	struct array *sum = NULL;

#ifndef REPAIRED
	array_unchecked (contract);
#endif
	for (size_t i = 0; i < count; i++) {
#ifdef REPAIRED
		array_check (contract, tracks[i].signal);
#endif
		sum = mix_in (sum, &tracks[i], length);
	}
	return sum;
}
