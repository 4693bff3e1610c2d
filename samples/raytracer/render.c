/* SPDX-License-Identifier: MIT */
/*
 * render.c: a frame is cut into tiles, and threads that live as long as the program take one after
 * the other.
 *
 * The interval around a frame is marked with the plain pragma: a compiler without the plugin
 * ignores it.
 */
#include "render.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <pp.h>

#ifndef __PPGCC__
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#define TILE 16

struct pool {
	pthread_mutex_t lock; /* over everything here */
	pthread_cond_t work, done;
	const struct frame *frame; /* NULL: nothing to do */
	int next_tile, tiles, finished_tiles;
	int stop;
	int thread_count;
	pthread_t threads[];
};

static void draw_tile (struct ray_context *ctx, const struct frame *frame, int tile)
{
	struct image *image = frame->image;
	int across = (image->width + TILE - 1) / TILE;
	int left = tile % across * TILE, top = tile / across * TILE;
	int right = left + TILE < image->width ? left + TILE : image->width;
	int bottom = top + TILE < image->height ? top + TILE : image->height;

	ctx->scene = frame->scene;
	for (int y = top; y < bottom; y++)
		for (int x = left; x < right; x++)
			image->pixels[(size_t) y * (size_t) image->width + (size_t) x] =
				trace_pixel (ctx, frame, x, y);
}

static void *worker (void *arg)
{
	struct pool *pool = arg;
	struct ray_context ctx = {0};

	pthread_mutex_lock (&pool->lock);
	while (!pool->stop) {
		const struct frame *frame = pool->frame;
		int tile;

		if (!frame || pool->next_tile == pool->tiles) {
			pthread_cond_wait (&pool->work, &pool->lock);
			continue;
		}
		tile = pool->next_tile++;
		pthread_mutex_unlock (&pool->lock);
		draw_tile (&ctx, frame, tile);
		pthread_mutex_lock (&pool->lock);
		if (++pool->finished_tiles == pool->tiles)
			pthread_cond_signal (&pool->done);
	}
	pthread_mutex_unlock (&pool->lock);
	return NULL;
}

struct pool *pool_create (int threads)
{
	struct pool *pool = calloc (1, sizeof *pool + (size_t) threads * sizeof pool->threads[0]);

	if (!pool)
		return NULL;
	pthread_mutex_init (&pool->lock, NULL);
	pthread_cond_init (&pool->work, NULL);
	pthread_cond_init (&pool->done, NULL);
	for (; pool->thread_count < threads; pool->thread_count++) {
		int error = pthread_create (&pool->threads[pool->thread_count], NULL, worker, pool);

		if (error) {
			pool_destroy (pool);
			errno = error;
			return NULL;
		}
	}
	return pool;
}

void pool_destroy (struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock (&pool->lock);
	pool->stop = 1;
	pthread_cond_broadcast (&pool->work);
	pthread_mutex_unlock (&pool->lock);
	for (int i = 0; i < pool->thread_count; i++)
		pthread_join (pool->threads[i], NULL);
	pthread_cond_destroy (&pool->done);
	pthread_cond_destroy (&pool->work);
	pthread_mutex_destroy (&pool->lock);
	free (pool);
}

void render_frame (struct pool *pool, const struct frame *frame)
{
#pragma pp interval frame
	int across = (frame->image->width + TILE - 1) / TILE,
	    down = (frame->image->height + TILE - 1) / TILE;

	pthread_mutex_lock (&pool->lock);
	pool->frame = frame;
	pool->next_tile = pool->finished_tiles = 0;
	pool->tiles = across * down;
	pthread_cond_broadcast (&pool->work);
	while (pool->finished_tiles < pool->tiles)
		pthread_cond_wait (&pool->done, &pool->lock);
	pool->frame = NULL;
	pthread_mutex_unlock (&pool->lock);
}
