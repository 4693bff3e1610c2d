/* SPDX-License-Identifier: MIT */
/*
 * image.h: a picture in linear light, and how it becomes a PNG file.
 */
#ifndef RAYTRACER_IMAGE_H
#define RAYTRACER_IMAGE_H

#include <stddef.h>

#include "vec.h"

struct image {
	int width, height;
	struct vec *pixels; /* row by row from the top, linear RGB, 1 is white */
};

/* A black picture; NULL: no memory. */
struct image *image_create (int width, int height);
void image_destroy (struct image *image);

/*
 * Writes SMALL's part from X, Y on: IMAGE, PART times smaller, each pixel the average of PART ×
 * PART. What has no room is left out.
 */
void image_shrink (const struct image *image, int part, struct image *small, int x, int y);

/*
 * Writes the picture as an 8-bit sRGB PNG. 0, or -1: the file is not there or not complete, and
 * PROBLEM (of ROOM bytes) says why.
 */
int image_write_png (const struct image *image, const char *path, char *problem, size_t room);

#endif
