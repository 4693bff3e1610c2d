/* SPDX-License-Identifier: MIT */
/*
 * pixel.c: one pixel with adaptive antialiasing: a few samples everywhere, many where they differ.
 *
 * This is the place that the thesis instrumented in POV-Ray: interval i1 is the whole body of
 * trace_pixel, and at its end two points tell how much tracing it took. A policy asks: when
 * trace_pixel is slower than on average, what else is high? The marks are written as macros here,
 * so that this file says the same to a compiler without the plugin: nothing.
 */
#include "random.h"
#include "render.h"

#include <stdlib.h>

#include <pp.h>

#define CONTRAST 0.075f    /* of displayed brightness, above which a pixel is subdivided */
#define GOOD_ENOUGH 0.012f /* standard error of the mean, at which subdivision stops */

/*
 * The samples of a subdivided pixel. Few pixels need it, so it is no part of the thread's context.
 */
struct sample_list {
	struct vec *samples;
	size_t count, room;
};

/* 0, or -1: no memory. */
static int sample_list_add (struct sample_list *list, struct vec sample)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 8;
		struct vec *samples = realloc (list->samples, room * sizeof *samples);

		if (!samples)
			return -1;
		list->samples = samples;
		list->room = room;
	}
	list->samples[list->count++] = sample;
	return 0;
}

/* Brightness as the display shows it, for comparing: 0..1. */
static float shown (struct vec colour)
{
	float l = vec_luminance (colour);

	return sqrtf (l / (1.0f + l));
}

static struct vec mean (const struct vec *samples, size_t count)
{
	struct vec sum = {0.0f, 0.0f, 0.0f};

	for (size_t i = 0; i < count; i++)
		sum = vec_add (sum, samples[i]);
	return vec_scale (sum, 1.0f / (float) count);
}

static float contrast (const struct vec *samples, size_t count)
{
	float low = shown (samples[0]), high = low;

	for (size_t i = 1; i < count; i++) {
		float s = shown (samples[i]);

		low = s < low ? s : low;
		high = s > high ? s : high;
	}
	return high - low;
}

/* The standard error of the samples' mean brightness. */
static float uncertainty (const struct vec *samples, size_t count)
{
	float sum = 0.0f, squares = 0.0f, n = (float) count, variance;

	for (size_t i = 0; i < count; i++) {
		float s = shown (samples[i]);

		sum += s;
		squares += s * s;
	}
	variance = (squares - sum * sum / n) / (n - 1.0f);
	return variance > 0.0f ? sqrtf (variance / n) : 0.0f;
}

/*
 * Sample INDEX of the pixel: positions follow a sequence that fills the square evenly however many
 * are taken.
 */
static struct vec sample_pixel (struct ray_context *ctx, const struct frame *frame, int x, int y,
				size_t index)
{
	const struct camera *camera = &frame->scene->camera;
	const struct image *image = frame->image;
	float dx = 0.5f + 0.7548777f * (float) index, dy = 0.5f + 0.5698403f * (float) index;
	float half = 0.5f * (float) image->height;
	float sx = ((float) x + dx - floorf (dx) - 0.5f * (float) image->width) / half;
	float sy = (half - (float) y - dy + floorf (dy)) / half;
	struct vec direction =
		vec_along (vec_along (camera->forward, camera->right, sx), camera->up, sy);

	ctx->sample = (uint32_t) index;
	return shade_ray (ctx, camera->eye, vec_unit (direction));
}

/* More samples, a handful at a time, until the mean is good enough or there are antialias². */
static struct vec subdivide (struct ray_context *ctx, const struct frame *frame, int x, int y,
			     const struct vec *first)
{
	size_t handful = (size_t) frame->antialias, most = handful * handful;
	struct sample_list list = {0};
	struct vec colour;

	for (size_t i = 0; i < most; i++) {
		struct vec sample = i < handful ? first[i] : sample_pixel (ctx, frame, x, y, i);

		if (sample_list_add (&list, sample))
			break;
		if (i >= handful && (i + 1) % handful == 0 &&
		    uncertainty (list.samples, list.count) < GOOD_ENOUGH)
			break;
	}
	colour = list.count ? mean (list.samples, list.count) : mean (first, handful);
	free (list.samples);
	return colour;
}

struct vec trace_pixel (struct ray_context *ctx, const struct frame *frame, int x, int y)
{
	PP_INTERVAL (i1);
	size_t handful = (size_t) frame->antialias;
	struct random random = random_for_pixel (frame->number, (uint32_t) x, (uint32_t) y);
	struct vec first[ANTIALIAS_MOST], colour;

	ctx->shift1 = random_unit (&random);
	ctx->shift2 = random_unit (&random);
	ctx->shadow_rays = 0;
	ctx->intersections = 0;
	for (size_t i = 0; i < handful; i++)
		first[i] = sample_pixel (ctx, frame, x, y, i);
	if (handful > 1 && contrast (first, handful) > CONTRAST)
		colour = subdivide (ctx, frame, x, y, first);
	else
		colour = mean (first, handful);
	PP_POINT_VALUE (shadow_rays, ctx->shadow_rays);
	PP_POINT_VALUE (intersections, ctx->intersections);
	return colour;
}
