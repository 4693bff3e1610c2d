/* SPDX-License-Identifier: MIT */
/*
 * picture.h: JPEG pictures, by libjpeg-turbo: made smaller, and drawn for the origin to have some.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "bytes.h"

#define DETAIL_LEAST 2
#define DETAIL_MOST 8 /* all pixels */

/*
 * Distills FROM, a JPEG, into TO: DETAIL eighths of its width and height, compressed the more the
 * fewer they are. -1: it is none, a damaged one, of an unusual colour space, too large, or there is
 * no memory; TO is empty then.
 */
int picture_distill (const struct bytes *from, int detail, struct bytes *to);

/* Draws the picture of this NUMBER, always the same. -1: no memory. */
int picture_draw (int width, int height, int number, struct bytes *to);

#endif
