/* SPDX-License-Identifier: MIT */
/*
 * sample_region.h: a small region with one of everything, made by hand, for the tests of its
 * readers: two metrics of intervals at two sites and a point metric, samples in two threads, an
 * assertion with captures, a knob that moved, a history, drops.
 */
#ifndef PP_SAMPLE_REGION_H
#define PP_SAMPLE_REGION_H

#include <stddef.h>

#define SAMPLE_REGION_BYTES 16384

/* ids in it */
enum { SAMPLE_SITE_PIXEL = 1, SAMPLE_SITE_FRAME = 2 };
enum {
	SAMPLE_METRIC_TIME = 1,
	SAMPLE_METRIC_RAYS = 2,
	SAMPLE_METRIC_FAULTS = 3,
	SAMPLE_METRIC_L1 = 4
};

/*
 * Fills REGION, which must be zeroed, 64-byte aligned and of SAMPLE_REGION_BYTES; returns how many
 * of them are used.
 */
size_t sample_region_make (void *region);

/*
 * A recording of REGION at PATH, with its end unless its state is that of one that is being
 * written; 0, or -1.
 */
int sample_region_record (const void *region, const char *path);

/* Writes BYTES of REGION to PATH; 0, or -1 with errno. */
int sample_region_write (const void *region, size_t bytes, const char *path);

#endif
