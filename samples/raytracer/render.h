/* SPDX-License-Identifier: MIT */
/*
 * render.h: from a scene to a picture: pixels, tiles, threads.
 */
#ifndef RAYTRACER_RENDER_H
#define RAYTRACER_RENDER_H

#include "image.h"
#include "scene.h"

#define ANTIALIAS_MOST 6

/* One picture in the making: what all threads read. */
struct frame {
	const struct scene *scene;
	struct image *image;
	uint32_t number; /* seeds the pixels' random numbers */
	/* 1..ANTIALIAS_MOST: at least that many samples per pixel, at most its square */
	int antialias;
};

struct pool;

/*
 * THREADS (at least 1) threads that wait for frames. NULL: they could not be made; errno says why.
 */
struct pool *pool_create (int threads);
void pool_destroy (struct pool *pool);

/* Draws the frame and returns when its last tile is done. */
void render_frame (struct pool *pool, const struct frame *frame);

/* One pixel of the frame, linear RGB. The same on whatever thread it is drawn. */
struct vec trace_pixel (struct ray_context *ctx, const struct frame *frame, int x, int y);

#endif
