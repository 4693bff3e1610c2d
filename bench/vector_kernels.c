/* SPDX-License-Identifier: MIT */
/*
 * vector_kernels.c: three loops that are vectorised, without a marker and with one inside. Compiled
 * for this machine's processor; loops begin at a cache line, for where the two happen to lie would
 * make more difference than the marker.
 */
#include "bench.h"

#include <pp.h>

#ifndef __clang__
#pragma GCC optimize("O3", "align-loops=64")
#define KERNEL __attribute__ ((noipa, aligned (64)))
#else
#define KERNEL __attribute__ ((noinline))
#endif

#define NO_MARKER(NAME)
#define KERNELS(PREFIX, MARKER)                                                                    \
	KERNEL static void PREFIX##_saxpy (float *restrict y, const float *restrict x, float a,    \
					   long n)                                                 \
	{                                                                                          \
		for (long i = 0; i < n; i++) {                                                     \
			MARKER (vector_saxpy)                                                      \
			y[i] += a * x[i];                                                          \
		}                                                                                  \
	}                                                                                          \
	KERNEL static void PREFIX##_dot (float *restrict y, const float *restrict x, float a,      \
					 long n)                                                   \
	{                                                                                          \
		float s = a;                                                                       \
		for (long i = 0; i < n; i++) {                                                     \
			MARKER (vector_dot)                                                        \
			s += y[i] * x[i];                                                          \
		}                                                                                  \
		y[0] = s > 1 ? 1 : s;                                                              \
	}                                                                                          \
	KERNEL static void PREFIX##_stencil (float *restrict y, const float *restrict x, float a,  \
					     long n)                                               \
	{                                                                                          \
		for (long i = 0; i < n; i++) {                                                     \
			MARKER (vector_stencil)                                                    \
			y[i + 1] = a * x[i] + 0.5f * x[i + 1] + a * x[i + 2];                      \
		}                                                                                  \
	}

KERNELS (unmarked, NO_MARKER)
KERNELS (marked, PP_INTERVAL)

const struct vector_kernel vector_kernels[VECTOR_KERNELS] = {
	{"vector_saxpy", unmarked_saxpy, marked_saxpy},
	{"vector_dot", unmarked_dot, marked_dot},
	{"vector_stencil", unmarked_stencil, marked_stencil},
};
