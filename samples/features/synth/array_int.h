/* SPDX-License-Identifier: MIT */
/* array_int.h: what array.c and its contracts know of an array. */
#ifndef ARRAY_INT_H
#define ARRAY_INT_H

#include <stddef.h>

enum { ARRAY_MAGIC = 0x61727279 };

struct array {
	unsigned magic;
	size_t length;
	double (*at) (const struct array *array, size_t index); /* INDEX is below length */
	const struct array *of;                                 /* what is repeated */
	double *samples;                                        /* what is stored */
};

#endif
