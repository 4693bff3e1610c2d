/* SPDX-License-Identifier: MIT */
/*
 * vec.h: three floats, as point, direction or linear RGB colour.
 *
 * Everything is inline and by value: compilers keep such a structure in registers, and shading
 * reads like its formula.
 */
#ifndef RAYTRACER_VEC_H
#define RAYTRACER_VEC_H

#include <math.h>

struct vec {
	float x, y, z;
};

static inline struct vec vec_make (float x, float y, float z)
{
	return (struct vec){x, y, z};
}

static inline struct vec vec_add (struct vec a, struct vec b)
{
	return vec_make (a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec vec_sub (struct vec a, struct vec b)
{
	return vec_make (a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Component by component: a colour through a coloured filter. */
static inline struct vec vec_mul (struct vec a, struct vec b)
{
	return vec_make (a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline struct vec vec_scale (struct vec a, float s)
{
	return vec_make (a.x * s, a.y * s, a.z * s);
}

/* a + s × b */
static inline struct vec vec_along (struct vec a, struct vec b, float s)
{
	return vec_make (a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* a at s = 0, b at s = 1 */
static inline struct vec vec_mix (struct vec a, struct vec b, float s)
{
	return vec_along (vec_scale (a, 1.0f - s), b, s);
}

static inline float vec_dot (struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec vec_cross (struct vec a, struct vec b)
{
	return vec_make (a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float vec_length (struct vec a)
{
	return sqrtf (vec_dot (a, a));
}

/* The direction of A, which must not be zero. */
static inline struct vec vec_unit (struct vec a)
{
	return vec_scale (a, 1.0f / vec_length (a));
}

/* DIRECTION mirrored at a surface with unit normal NORMAL. */
static inline struct vec vec_mirror (struct vec direction, struct vec normal)
{
	return vec_along (direction, normal, -2.0f * vec_dot (direction, normal));
}

/* How bright the eye finds a linear RGB colour. */
static inline float vec_luminance (struct vec c)
{
	return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

/* 0 below LOW, 1 above HIGH, smooth between. */
static inline float smooth_step (float low, float high, float x)
{
	float s = (x - low) / (high - low);

	s = s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;
	return s * s * (3.0f - 2.0f * s);
}

#endif
