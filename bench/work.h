/* SPDX-License-Identifier: MIT */
/*
 * work.h: the loop that everything is measured in, as macros: the same text for our markers
 * (loops.c) and for the programs of the peers.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdint.h>

/*
 * The same loop, laid out in so many ways: how its instructions lie against the lines of the caches
 * changes what it costs.
 */
enum { LAYOUTS = 8 };
enum { STEPS = 20 };

/* nobody may look into it, copy it or merge it; clang has not all of that */
#ifdef __clang__
#define NOIPA __attribute__ ((noinline))
#else
#define NOIPA __attribute__ ((noipa))
#endif

/*
 * One half: the barrier makes every chain an unknown value in a register, so no step is saved or
 * vectorised.
 */
#define WORK(w)                                                                                    \
	for (int j = 0; j < (w); j++) {                                                            \
		a += i;                                                                            \
		b ^= i;                                                                            \
		c += j;                                                                            \
		d ^= j;                                                                            \
		e += i;                                                                            \
		f ^= i;                                                                            \
		g += j;                                                                            \
		h ^= j;                                                                            \
		__asm__ volatile(""                                                                \
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),  \
				   "+r"(h));                                                       \
	}

/*
 * Both regimes of one version in one layout. PAD bytes of NOPs at the start, outside the loops,
 * move all that follows against the lines of the caches; the barrier keeps the compiler from
 * joining the ends of two things that stand beside each other, so that it emits another loop.
 */
#define LAYOUT(NAME, K, PAD, BARRIER, OPEN, CLOSE)                                                 \
	long busy_##NAME##_##K (long n, int w);                                                    \
	NOIPA __attribute__ ((aligned (64))) long busy_##NAME##_##K (long n, int w)                \
	{                                                                                          \
		long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, sum = n;              \
		__asm__ volatile(".rept " #PAD "\n nop\n .endr");                                  \
		for (long i = 0; i < n; i++) {                                                     \
			BARRIER;                                                                   \
			WORK (w)                                                                   \
			{                                                                          \
				OPEN;                                                              \
				BARRIER;                                                           \
				WORK (w)                                                           \
				CLOSE;                                                             \
			}                                                                          \
		}                                                                                  \
		return sum + a + b + c + d + e + f + g + h;                                        \
	}                                                                                          \
	long bare_##NAME##_##K (long n);                                                           \
	NOIPA __attribute__ ((aligned (64))) long bare_##NAME##_##K (long n)                       \
	{                                                                                          \
		long sum = n;                                                                      \
		__asm__ volatile(".rept " #PAD "\n nop\n .endr");                                  \
		for (long i = 0; i < n; i++) {                                                     \
			OPEN;                                                                      \
			__asm__ volatile("");                                                      \
			CLOSE;                                                                     \
			BARRIER;                                                                   \
		}                                                                                  \
		return sum;                                                                        \
	}

#define FENCE __asm__ volatile("")

/* BENCH_LAYOUTS of them, 0 first: as it comes. */
#define LOOP(NAME, OPEN, CLOSE)                                                                    \
	LAYOUT (NAME, 0, 0, , OPEN, CLOSE)                                                         \
	LAYOUT (NAME, 1, 16, , OPEN, CLOSE)                                                        \
	LAYOUT (NAME, 2, 32, , OPEN, CLOSE)                                                        \
	LAYOUT (NAME, 3, 48, , OPEN, CLOSE)                                                        \
	LAYOUT (NAME, 4, 0, FENCE, OPEN, CLOSE)                                                    \
	LAYOUT (NAME, 5, 16, FENCE, OPEN, CLOSE)                                                   \
	LAYOUT (NAME, 6, 32, FENCE, OPEN, CLOSE)                                                   \
	LAYOUT (NAME, 7, 48, FENCE, OPEN, CLOSE)

#define EACH_LAYOUT(PREFIX)                                                                        \
	{                                                                                          \
		PREFIX##_0, PREFIX##_1, PREFIX##_2, PREFIX##_3, PREFIX##_4, PREFIX##_5,            \
			PREFIX##_6, PREFIX##_7                                                     \
	}

/*
 * For peers that measure functions only: the second half of the work is a function, in both loops,
 * with ATTRIBUTES that tell the peer which one it measures.
 */
#define FUNCTION_LAYOUT(NAME, K, PAD, BARRIER, ATTRIBUTES)                                         \
	long half_##NAME##_##K (long i, int w);                                                    \
	ATTRIBUTES NOIPA __attribute__ ((aligned (64))) long half_##NAME##_##K (long i, int w)     \
	{                                                                                          \
		long a = i, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;                       \
		WORK (w)                                                                           \
		return a + b + c + d + e + f + g + h;                                              \
	}                                                                                          \
	long busy_##NAME##_##K (long n, int w);                                                    \
	NOIPA __attribute__ ((aligned (64))) long busy_##NAME##_##K (long n, int w)                \
	{                                                                                          \
		long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, sum = n;              \
		__asm__ volatile(".rept " #PAD "\n nop\n .endr");                                  \
		for (long i = 0; i < n; i++) {                                                     \
			BARRIER;                                                                   \
			WORK (w)                                                                   \
			sum += half_##NAME##_##K (i, w);                                           \
		}                                                                                  \
		return sum + a + b + c + d + e + f + g + h;                                        \
	}

#define FUNCTION_LOOP(NAME, ATTRIBUTES)                                                            \
	FUNCTION_LAYOUT (NAME, 0, 0, , ATTRIBUTES)                                                 \
	FUNCTION_LAYOUT (NAME, 1, 16, , ATTRIBUTES)                                                \
	FUNCTION_LAYOUT (NAME, 2, 32, , ATTRIBUTES)                                                \
	FUNCTION_LAYOUT (NAME, 3, 48, , ATTRIBUTES)                                                \
	FUNCTION_LAYOUT (NAME, 4, 0, FENCE, ATTRIBUTES)                                            \
	FUNCTION_LAYOUT (NAME, 5, 16, FENCE, ATTRIBUTES)                                           \
	FUNCTION_LAYOUT (NAME, 6, 32, FENCE, ATTRIBUTES)                                           \
	FUNCTION_LAYOUT (NAME, 7, 48, FENCE, ATTRIBUTES)

#endif
