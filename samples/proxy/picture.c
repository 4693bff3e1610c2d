/* SPDX-License-Identifier: MIT */
/*
 * picture.c: see picture.h. libjpeg tells errors by a call that must not return, so each use of it
 * has one place to come back to; what has to be freed there lives in a struct outside the function
 * that calls setjmp.
 */
#include "picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#define PIXELS_MOST (64u << 20)

struct work {
	struct jpeg_error_mgr errors;
	jmp_buf back;
	struct jpeg_decompress_struct in;
	struct jpeg_compress_struct out;
	unsigned char *row;
	unsigned char *made; /* by libjpeg, with malloc */
	unsigned long made_bytes;
};

static void give_up (j_common_ptr codec)
{
	struct work *w = codec->client_data;

	longjmp (w->back, 1);
}

/* What is wrong with somebody else's picture is not this server's to print. */
static void say_nothing (j_common_ptr codec)
{
	(void) codec;
}

static void work_begin (struct work *w)
{
	*w = (struct work){.row = NULL};
	w->in.err = w->out.err = jpeg_std_error (&w->errors);
	w->errors.error_exit = give_up;
	w->errors.output_message = say_nothing;
	w->in.client_data = w->out.client_data = w;
}

/* The result goes to TO, where there is one. */
static int work_end (struct work *w, int failed, struct bytes *to)
{
	jpeg_destroy_decompress (&w->in);
	jpeg_destroy_compress (&w->out);
	free (w->row);
	if (failed)
		free (w->made);
	*to = failed ? (struct bytes){NULL, 0, 0}
		     : (struct bytes){w->made, w->made_bytes, w->made_bytes};
	return failed ? -1 : 0;
}

/* Progressive, for those who see it over a thin line. */
static void start_output (struct work *w, unsigned width, unsigned height, int components,
			  int quality)
{
	w->out.image_width = width;
	w->out.image_height = height;
	w->out.input_components = components;
	w->out.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_mem_dest (&w->out, &w->made, &w->made_bytes);
	jpeg_set_defaults (&w->out);
	jpeg_set_quality (&w->out, quality, TRUE);
	jpeg_simple_progression (&w->out);
	jpeg_start_compress (&w->out, TRUE);
	w->row = malloc ((size_t) width * (size_t) components);
	if (!w->row)
		longjmp (w->back, 1);
}

static void distill (struct work *w, const struct bytes *from, int detail)
{
	jpeg_create_decompress (&w->in);
	jpeg_create_compress (&w->out);
	jpeg_mem_src (&w->in, from->data, from->used);
	jpeg_read_header (&w->in, TRUE);
	if ((uint64_t) w->in.image_width * w->in.image_height > PIXELS_MOST ||
	    w->in.jpeg_color_space == JCS_CMYK || w->in.jpeg_color_space == JCS_YCCK)
		longjmp (w->back, 1);
	w->in.out_color_space = w->in.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
	w->in.scale_num = (unsigned) detail;
	w->in.scale_denom = DETAIL_MOST;
	jpeg_start_decompress (&w->in);
	start_output (w, w->in.output_width, w->in.output_height, w->in.output_components,
		      15 + 8 * detail);
	while (w->in.output_scanline < w->in.output_height) {
		jpeg_read_scanlines (&w->in, &w->row, 1);
		jpeg_write_scanlines (&w->out, &w->row, 1);
	}
	jpeg_finish_compress (&w->out);
	jpeg_finish_decompress (&w->in);
}

int picture_distill (const struct bytes *from, int detail, struct bytes *to)
{
	struct work w;

	work_begin (&w);
	if (setjmp (w.back))
		return work_end (&w, 1, to);
	distill (&w, from, detail);
	return work_end (&w, 0, to);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Rings around two places, and grain, as photographs have it. */
static void draw_row (unsigned char *row, int width, int y, int number)
{
	double fx = 100 + 37 * number, fy = 60 + 29 * number;

	for (int x = 0; x < width; x++) {
		double near = hypot (x - fx, y - fy), far = hypot (width - x - fy, y - fx);
		uint32_t grain = ((uint32_t) x * 2654435761u) ^ ((uint32_t) y * 2246822519u) ^
				 (uint32_t) number;

		grain = (grain ^ grain >> 15) * 2246822519u;
		row[3 * x] = (unsigned char) (120 + 100 * sin (near / 9) + (grain >> 28));
		row[3 * x + 1] = (unsigned char) (120 + 100 * sin (far / 13) + (grain >> 24 & 15));
		row[3 * x + 2] =
			(unsigned char) (120 + 100 * sin ((near + far) / 40) + (grain >> 20 & 15));
	}
}

static void draw (struct work *w, int width, int height, int number)
{
	jpeg_create_compress (&w->out);
	start_output (w, (unsigned) width, (unsigned) height, 3, 90);
	for (int y = 0; y < height; y++) {
		draw_row (w->row, width, y, number);
		jpeg_write_scanlines (&w->out, &w->row, 1);
	}
	jpeg_finish_compress (&w->out);
}

int picture_draw (int width, int height, int number, struct bytes *to)
{
	struct work w;

	work_begin (&w);
	if (setjmp (w.back))
		return work_end (&w, 1, to);
	draw (&w, width, height, number);
	return work_end (&w, 0, to);
}
