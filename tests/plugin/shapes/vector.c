/* SPDX-License-Identifier: MIT */
/*
 * vector.c: loops that GCC vectorises, with a marker in each. Compiled with -DPLAIN they have none. One loop in a line: what GCC says
 * about them is compared by the line.
 */
#include <stddef.h>
#ifdef PLAIN
#define M(x)
#else
#define M(x) _Pragma (#x)
#endif
#define NOIPA __attribute__ ((noipa))

/* clang-format off */
NOIPA void saxpy (float *restrict y, const float *restrict x, float a, long n)
{ for (long i = 0; i < n; i++) { M (pp interval saxpy) y[i] += a * x[i]; } }

NOIPA float dot (const float *restrict y, const float *restrict x, long n)
{ float s = 0; for (long i = 0; i < n; i++) { M (pp interval dot) s += y[i] * x[i]; } return s; }

NOIPA void stencil (float *restrict y, const float *restrict x, long n)
{ for (long i = 1; i < n - 1; i++) { M (pp interval stencil) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; } }

/* runtime checks for aliases */
NOIPA void may_alias (float *y, const float *x, float a, int n)
{ for (int i = 0; i < n; i++) { M (pp interval may_alias) y[i] += a * x[i]; } }

NOIPA void unsigned_index (float *restrict y, const float *restrict x, float a, unsigned n)
{ for (unsigned i = 0; i < n; i++) { M (pp interval unsigned_index) y[i] += a * x[i]; } }

static int table[100000];
NOIPA void array (unsigned n, unsigned from)
{ for (unsigned i = from; i < n; i++) { M (pp interval array) table[i] += 3; } }

NOIPA unsigned down (const unsigned *x, unsigned n)
{ unsigned s = 0; for (unsigned i = n; i-- > 0;) { M (pp interval down) s += x[i]; } return s; }

NOIPA unsigned by_three (const unsigned *x, unsigned n)
{ unsigned s = 0; for (unsigned i = 0; i < n; i += 3) { M (pp interval by_three) s += x[i]; } return s; }

/* countable if the difference is a multiple of the size */
NOIPA void pointers (float *y, const float *end, float a)
{ for (; y != end; y++) { M (pp interval pointers) *y += a; } }

NOIPA int condition (int *restrict y, const int *restrict x, int n)
{ int s = 0; for (int i = 0; i < n; i++) { M (pp interval condition) if (x[i] > 3) s += y[i]; } return s; }

NOIPA void size_index (double *restrict y, const double *restrict x, size_t n)
{ for (size_t i = 0; i < n; i++) { M (pp point size_index) y[i] = x[i] * 2; } }

/* constant numbers: less than a strip, many */
NOIPA void few (float *restrict y, const float *restrict x, float a)
{ for (long i = 0; i < 64; i++) { M (pp interval few) y[i] += a * x[i]; } }
NOIPA void many (float *restrict y, const float *restrict x, float a)
{ for (long i = 0; i < 1000000; i++) { M (pp interval many) y[i] += a * x[i]; } }

static inline float leaf (float x)
{ M (pp interval leaf) return x * x + 1; }
NOIPA void inlined (float *restrict y, const float *restrict x, long n)
{ for (long i = 0; i < n; i++) y[i] = leaf (x[i]); }

NOIPA void nested (float *restrict c, const float *restrict a, const float *restrict b, long n, long m)
{
	for (long i = 0; i < n; i++)
	{ float t = a[i]; for (long j = 0; j < m; j++) { M (pp interval nested) c[i * m + j] += t * b[j]; } }
}

NOIPA void omp (float *restrict y, const float *restrict x, float a, long n)
{
#pragma omp simd
	for (long i = 0; i < n; i++) { M (pp interval omp) float t = x[i] * a; y[i] = t + y[i]; }
}
