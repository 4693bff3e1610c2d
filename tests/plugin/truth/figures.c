/* SPDX-License-Identifier: MIT */
/*
 * Intervals whose work can be counted on the source. Each says
 *
 *     expect: NAME ops flops loads stores branches calls [about]
 *
 * as a human counts: of a loop of n rounds n steps, n + 1 comparisons and as many branches; "-" is unknown.
 */
#define N 1000

double x[N], y[N], z[N];
float single[N];
double A[16][16], B[16][16], C[16][16];
int outside (int value);

/* expect: dot 4001 2000 16000 0 1001 0 */
double dot (void)
{
	double s = 0;
	{
#pragma pp interval dot
		for (int i = 0; i < N; i++)
			s += x[i] * y[i];
	}
	return s;
}

/* expect: saxpy 4001 2000 8000 4000 1001 0 */
void saxpy (float a, float *restrict p)
{
#pragma pp interval saxpy
	for (int i = 0; i < N; i++)
		p[i] = a * single[i] + p[i];
}

/* 998 rounds of three loads. expect: stencil 4991 2994 23952 7984 999 0 */
void stencil (void)
{
#pragma pp interval stencil
	for (int i = 1; i < N - 1; i++)
		z[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.3;
}

/* 16 x 16 x 16 rounds inside. expect: product 17201 8192 65536 2048 4641 0 */
void product (void)
{
#pragma pp interval product
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			double s = 0;
			for (int k = 0; k < 16; k++)
				s += A[i][k] * B[k][j];
			C[i][j] = s;
		}
}

/* Short enough to be unrolled. expect: tiny 13 4 32 32 5 0 */
void tiny (void)
{
#pragma pp interval tiny
	for (int i = 0; i < 4; i++)
		y[i] = 2.5 * x[i];
}

/* One round each time. expect: round 2 2 16 8 0 0 */
void rounds (double a, int n)
{
	for (int i = 0; i < n; i++) {
#pragma pp interval round
		y[i] = a * x[i] + y[i];
	}
}

/* A fused multiply and add is two flops, a square root one. expect: fused 3 4 0 0 0 0 */
double fused (double a, double b, double c)
{
	double r;
	{
#pragma pp interval fused
		r = __builtin_fma (a, b, c) + __builtin_sqrt (a);
	}
	return r;
}

/* The trip count is only known where it is inlined. expect: inlined 401 200 1600 800 101 0 */
static inline void scale (int n, double a)
{
#pragma pp interval inlined
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

void caller (double a)
{
	scale (100, a);
}

/* expect: unknown - - - - - - */
void unknown (double a, int n)
{
#pragma pp interval unknown
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

/* Both ways do the same. expect: same 3 2 8 0 1 0 */
double same (int c, double a, double b)
{
	double r;
	{
#pragma pp interval same
		if (c)
			r = a * b + x[1];
		else
			r = b * b - x[2];
	}
	return r;
}

/* Nine times of ten a product. expect: nearly 1.9 0.9 0 0 1 0 about */
double nearly (int c, double a, double b)
{
	double r = a;
	{
#pragma pp interval nearly
		if (__builtin_expect_with_probability (c, 1, 0.9))
			r = a * b;
	}
	return r;
}

/* What a function outside does is unknown; the calls are not. expect: calling - - - - - 2 */
int calling (int c)
{
	int r;
	{
#pragma pp interval calling
		r = outside (c) + outside (c + 1);
	}
	return r;
}

/* expect: copying 0 0 8000 16000 0 0 */
void copying (void)
{
#pragma pp interval copying
	__builtin_memcpy (x, y, sizeof (x));
	__builtin_memset (z, 0, sizeof (z));
}

/* A way that does not come to the end is none. expect: checked 2 1 8 8 1 0 */
void checked (int i)
{
#pragma pp interval checked
	if (i >= N)
		__builtin_abort ();
	y[i] = x[i] * 3.0;
}
