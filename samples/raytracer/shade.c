/* SPDX-License-Identifier: MIT */
/*
 * shade.c: what a surface looks like: scattered light with soft shadows, highlights, reflections,
 * sky and haze.
 */
#include "scene.h"

#define SURFACE_GAP 2e-3f
#define LEAST_WEIGHT 0.03f /* reflections that would add less are not followed */
#define HAZE_START 10.0f
#define HAZE_END 55.0f

static struct vec sky (const struct scene *scene, struct vec direction)
{
	float height = direction.y > 0.0f ? direction.y : 0.0f;
	struct vec colour = vec_mix (scene->horizon, scene->zenith, powf (height, 0.6f));
	struct vec sun = vec_unit (scene->lights[0].centre);
	float glow = vec_dot (direction, sun);

	if (glow > 0.0f)
		colour = vec_along (colour, vec_make (0.70f, 0.50f, 0.30f), powf (glow, 10.0f));
	return colour;
}

static struct vec surface_colour (const struct hit *hit)
{
	const struct material *m = hit->material;
	int odd;

	if (m->check_size <= 0.0f)
		return m->colour;
	odd = ((int) floorf (hit->position.x / m->check_size) +
	       (int) floorf (hit->position.z / m->check_size)) &
	      1;
	return odd ? m->other : m->colour;
}

/* The fractional part of a number that is not negative. */
static float fraction (float x)
{
	return x - floorf (x);
}

/*
 * Where on the light the shadow ray number INDEX goes, from the point that is DEPTH reflections
 * away. All rays of a pixel are one sequence that covers the light evenly, so that a few per sample
 * make a smooth penumbra; the pixels' random shifts turn what error is left into fine grain.
 */
static struct vec point_of_light (const struct ray_context *ctx, const struct light *light,
				  uint32_t index, int depth)
{
	float a = fraction (ctx->shift1 + 0.7548777f * (float) index + 0.37f * (float) depth);
	float b = fraction (ctx->shift2 + 0.5698403f * (float) index + 0.61f * (float) depth);

	return vec_along (vec_along (light->centre, light->edge1, 2.0f * a - 1.0f), light->edge2,
			  2.0f * b - 1.0f);
}

/* The light's part in scattered light and highlight at a point. */
static struct vec light_arriving (struct ray_context *ctx, const struct light *light,
				  const struct hit *hit, struct vec direction, int depth,
				  float *highlight)
{
	struct vec start = vec_along (hit->position, hit->normal, SURFACE_GAP);
	struct vec mirrored = vec_mirror (direction, hit->normal);
	uint32_t rays = (uint32_t) light->rays;
	float lit = 0.0f;

	for (uint32_t i = 0; i < rays; i++) {
		struct vec to =
			vec_sub (point_of_light (ctx, light, ctx->sample * rays + i, depth), start);
		float distance = vec_length (to), facing, shine;

		to = vec_scale (to, 1.0f / distance);
		facing = vec_dot (to, hit->normal);
		if (facing <= 0.0f)
			continue;
		ctx->shadow_rays++;
		if (scene_occluded (ctx, start, to, distance))
			continue;
		lit += facing;
		shine = vec_dot (to, mirrored);
		if (shine > 0.0f)
			*highlight += powf (shine, hit->material->sharpness) / (float) rays;
	}
	return vec_scale (light->colour, lit / (float) rays);
}

/* Everything but the reflection. */
static struct vec shade_surface (struct ray_context *ctx, const struct hit *hit,
				 struct vec direction, int depth)
{
	const struct scene *scene = ctx->scene;
	const struct material *m = hit->material;
	struct vec colour = surface_colour (hit), shining = {0.0f, 0.0f, 0.0f};
	/*
	 * the sky lights what faces it, the floor gives a little to what faces down; near the floor
	 * less comes in
	 */
	float open = 0.35f + 0.65f * smooth_step (-0.4f, 1.6f, hit->position.y + hit->normal.y);
	struct vec arriving =
		vec_scale (vec_mix (vec_make (0.13f, 0.11f, 0.09f), vec_make (0.17f, 0.20f, 0.28f),
				    0.5f + 0.5f * hit->normal.y),
			   open);

	for (int i = 0; i < SCENE_LIGHTS; i++) {
		const struct light *light = &scene->lights[i];
		float highlight = 0.0f;

		if (vec_luminance (light->colour) < 0.01f)
			continue;
		arriving = vec_add (arriving,
				    light_arriving (ctx, light, hit, direction, depth, &highlight));
		shining = vec_along (shining, light->colour, highlight * m->highlight);
	}
	return vec_add (vec_scale (vec_mul (colour, arriving), m->diffuse), shining);
}

/* How much is mirrored at this angle (Schlick's approximation), and in which colour. */
static struct vec mirror_weight (const struct hit *hit, struct vec direction)
{
	const struct material *m = hit->material;
	float facing = fabsf (vec_dot (direction, hit->normal));
	float share =
		m->reflect + (1.0f - m->reflect) * powf (1.0f - fminf (facing, 1.0f), 5.0f) * 0.8f;

	return vec_scale (vec_mix (vec_make (1.0f, 1.0f, 1.0f), m->colour, m->tint), share);
}

struct vec shade_ray (struct ray_context *ctx, struct vec origin, struct vec direction)
{
	struct vec light = {0.0f, 0.0f, 0.0f}, weight = {1.0f, 1.0f, 1.0f};

	/* a reflection is the same again with a smaller weight: a loop, whose depth is limited */
	for (int depth = 0; depth < ctx->scene->depth_limit; depth++) {
		struct vec background = sky (ctx->scene, direction), here;
		struct hit hit;
		float haze;

		if (!scene_intersect (ctx, origin, direction, &hit))
			return vec_add (light, vec_mul (weight, background));
		if (vec_dot (hit.normal, direction) > 0.0f)
			hit.normal = vec_scale (hit.normal, -1.0f);
		haze = smooth_step (HAZE_START, HAZE_END, hit.distance);
		here = shade_surface (ctx, &hit, direction, depth);
		light = vec_add (light,
				 vec_mul (weight, vec_mix (here, ctx->scene->horizon, haze)));
		weight = vec_mul (vec_scale (weight, 1.0f - haze), mirror_weight (&hit, direction));
		if (vec_luminance (weight) < LEAST_WEIGHT)
			return light;
		origin = vec_along (hit.position, hit.normal, SURFACE_GAP);
		direction = vec_unit (vec_mirror (direction, hit.normal));
	}
	/* what lies deeper is taken to be as bright as the sky there, not black */
	return vec_along (light, vec_mul (weight, sky (ctx->scene, direction)), 0.5f);
}
