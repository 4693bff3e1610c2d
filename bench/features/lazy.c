/* SPDX-License-Identifier: MIT */
/*
 * lazy.c: corners in pictures, as computer vision looks for them. A picture is a function of
 * others, whose rows are made when they are asked for; each row that goes from one to another is
 * checked, and the checks are a feature.
 */
#include "feature.h"

#include <math.h>
#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256, KEPT = 8 };

struct picture {
	const char *name; /* who promises what to whom */
	void (*make) (struct picture *picture, int y, float *out);
	struct picture *of;
	float least, most;
	int made[KEPT]; /* 1 + the row that is there; 0: none */
	float row[KEPT][SIDE];
};

static void check_row (const struct picture *picture, const float *row)
{
	PP_FEATURE_PAYLOAD (lazy.contract, picture->name)
	for (int x = 0; x < SIDE; x++)
		if (!isfinite (row[x]) || row[x] < picture->least || row[x] > picture->most) {
			fprintf (stderr, "lazy: contract broken: %s\n", picture->name);
			abort ();
		}
}

/* Row Y, or the nearest that there is. */
static const float *row_of (struct picture *picture, int y)
{
	float *row;

	y = y < 0 ? 0 : y >= SIDE ? SIDE - 1 : y;
	row = picture->row[y % KEPT];
	if (picture->made[y % KEPT] != y + 1) {
		picture->make (picture, y, row);
		picture->made[y % KEPT] = y + 1;
		check_row (picture, row);
	}
	return row;
}

static int frame; /* of a film */

/* Squares that turn. */
static void make_film (struct picture *picture, int y, float *out)
{
	float c = cosf ((float) frame / 10), s = sinf ((float) frame / 10);

	(void) picture;
	for (int x = 0; x < SIDE; x++) {
		int u = (int) (c * (float) x + s * (float) y) >> 5;
		int v = (int) (c * (float) y - s * (float) x) >> 5;

		out[x] = (float) ((u ^ v) & 1);
	}
}

/* Mean of nine. */
static void make_smooth (struct picture *picture, int y, float *out)
{
	const float *above = row_of (picture->of, y - 1), *at = row_of (picture->of, y),
		    *below = row_of (picture->of, y + 1);

	out[0] = at[0];
	out[SIDE - 1] = at[SIDE - 1];
	for (int x = 1; x < SIDE - 1; x++)
		out[x] = (above[x - 1] + above[x] + above[x + 1] + at[x - 1] + at[x] + at[x + 1] +
			  below[x - 1] + below[x] + below[x + 1]) /
			 9;
}

/* How much it changes along both axes at once. */
static void make_corners (struct picture *picture, int y, float *out)
{
	const float *above = row_of (picture->of, y - 1), *at = row_of (picture->of, y),
		    *below = row_of (picture->of, y + 1);

	out[0] = out[SIDE - 1] = 0;
	for (int x = 1; x < SIDE - 1; x++) {
		float across = (at[x + 1] - at[x - 1]) / 2, down = (below[x] - above[x]) / 2;

		out[x] = across * across * down * down;
	}
}

/* N pictures. */
double feature_run (long n)
{
	static struct picture film = {
		.name = "film -> smooth: row (between 0 and 1)", .make = make_film, .most = 1};
	static struct picture smooth = {.name = "smooth -> corners: row (between 0 and 1)",
					.make = make_smooth,
					.of = &film,
					.most = 1.00001f};
	static struct picture corners = {.name = "corners -> user: row (not negative)",
					 .make = make_corners,
					 .of = &smooth,
					 .most = 1};
	double all = 0;

	for (frame = 0; frame < n; frame++) {
		memset (film.made, 0, sizeof film.made);
		memset (smooth.made, 0, sizeof smooth.made);
		memset (corners.made, 0, sizeof corners.made);
		for (int y = 0; y < SIDE; y++) {
			const float *row = row_of (&corners, y);

			for (int x = 0; x < SIDE; x++)
				all += row[x];
		}
	}
	return all;
}
