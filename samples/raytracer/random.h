/* SPDX-License-Identifier: MIT */
/*
 * random.h: a small generator that is seeded anew for every pixel.
 *
 * A picture must not depend on which thread draws which tile, so no generator is shared or carried
 * from one pixel to the next: the seed is a hash of frame and position.
 */
#ifndef RAYTRACER_RANDOM_H
#define RAYTRACER_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

/* A generator for one pixel of one frame. */
static inline struct random random_for_pixel (uint32_t frame, uint32_t x, uint32_t y)
{
	uint64_t h = ((uint64_t) y << 32 | x) ^ (uint64_t) frame * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return (struct random){h ^ h >> 33};
}

/* Uniform in [0, 1). */
static inline float random_unit (struct random *random)
{
	uint64_t s = random->state;

	random->state = s * 6364136223846793005u + 1442695040888963407u;
	s ^= s >> 33;
	return (float) ((s * 0xff51afd7ed558ccdu) >> 40) * 0x1p-24f;
}

#endif
