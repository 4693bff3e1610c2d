/* SPDX-License-Identifier: MIT */
/*
 * image.c: from linear light to a PNG file: exposure, a soft shoulder for what is brighter than
 * white, the sRGB curve.
 */
#include "image.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPOSURE 0.80f

struct image *image_create (int width, int height)
{
	struct image *image = calloc (1, sizeof *image);

	if (!image)
		return NULL;
	image->width = width;
	image->height = height;
	image->pixels = calloc ((size_t) width * (size_t) height, sizeof *image->pixels);
	if (!image->pixels) {
		free (image);
		return NULL;
	}
	return image;
}

void image_destroy (struct image *image)
{
	if (!image)
		return;
	free (image->pixels);
	free (image);
}

void image_shrink (const struct image *image, int part, struct image *small, int x, int y)
{
	float share = 1.0f / (float) (part * part);

	for (int row = 0; row < image->height / part && y + row < small->height; row++)
		for (int column = 0; column < image->width / part && x + column < small->width;
		     column++) {
			struct vec sum = {0, 0, 0};

			for (int i = 0; i < part * part; i++)
				sum = vec_add (sum,
					       image->pixels[(size_t) (row * part + i / part) *
								     (size_t) image->width +
							     (size_t) (column * part + i % part)]);
			small->pixels[(size_t) (y + row) * (size_t) small->width +
				      (size_t) (x + column)] = vec_scale (sum, share);
		}
}

/*
 * A film-like curve: contrast in the shadows, highlights that roll off instead of clipping; then
 * sRGB's own.
 */
static png_byte developed (float linear)
{
	float x = linear * EXPOSURE;
	float film = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
	float s = fminf (fmaxf (film, 0.0f), 1.0f);

	s = s <= 0.0031308f ? 12.92f * s : 1.055f * powf (s, 1.0f / 2.4f) - 0.055f;
	return (png_byte) (255.0f * s + 0.5f);
}

static void develop_row (const struct image *image, int y, png_byte *row)
{
	const struct vec *pixel = &image->pixels[(size_t) y * (size_t) image->width];

	for (int x = 0; x < image->width; x++, pixel++) {
		*row++ = developed (pixel->x);
		*row++ = developed (pixel->y);
		*row++ = developed (pixel->z);
	}
}

/* libpng's errors come here instead of to stderr; longjmp back to write_rows. */
static void on_png_error (png_structp png, png_const_charp message)
{
	char *problem = png_get_error_ptr (png);

	snprintf (problem, 128, "%s", message);
	png_longjmp (png, 1);
}

static void on_png_warning (png_structp png, png_const_charp message)
{
	(void) png;
	(void) message;
}

/* Everything between the setjmp and its longjmps; the caller owns and releases all memory. */
static int write_rows (png_structp png, png_infop info, FILE *file, const struct image *image,
		       png_byte *row)
{
	if (setjmp (png_jmpbuf (png)))
		return -1;
	png_init_io (png, file);
	png_set_IHDR (png, info, (png_uint_32) image->width, (png_uint_32) image->height, 8,
		      PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		      PNG_FILTER_TYPE_DEFAULT);
	png_set_sRGB (png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	/* pictures come one after the other: quick, and hardly larger */
	png_set_compression_level (png, 3);
	png_write_info (png, info);
	for (int y = 0; y < image->height; y++) {
		develop_row (image, y, row);
		png_write_row (png, row);
	}
	png_write_end (png, info);
	return 0;
}

int image_write_png (const struct image *image, const char *path, char *problem, size_t room)
{
	char png_problem[128] = "out of memory";
	png_byte *row = malloc (3 * (size_t) image->width);
	png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, png_problem, on_png_error,
						   on_png_warning);
	png_infop info = png ? png_create_info_struct (png) : NULL;
	FILE *file = fopen (path, "wb");
	int result = -1;

	if (!file)
		snprintf (problem, room, "%s", strerror (errno));
	else if (!row || !info || write_rows (png, info, file, image, row))
		snprintf (problem, room, "%s", png_problem);
	else
		result = 0;
	if (file && fclose (file) && result == 0) {
		snprintf (problem, room, "%s", strerror (errno));
		result = -1;
	}
	png_destroy_write_struct (&png, &info);
	free (row);
	return result;
}
