/* SPDX-License-Identifier: MIT */
/*
 * ode.c: a differential equation by the classical Runge-Kutta method, over vectors whose interface
 * is checked: each argument has the right length and finite elements. The checks are a feature.
 */
#include "feature.h"

#include <math.h>
#include <pp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static void check_vector (const char *blame, const double *x, size_t n)
{
	PP_FEATURE_PAYLOAD (ode.contract, blame)
	for (size_t i = 0; i < n; i++)
		if (!isfinite (x[i])) {
			fprintf (stderr, "ode: contract broken: %s\n", blame);
			abort ();
		}
}

/* A ring of springs: places, then speeds. */
static void slope (const double *y, double *out)
{
	check_vector ("solver -> springs: slope (vector -> vector)", y, (size_t) 2 * N);
	for (int i = 0; i < N; i++) {
		out[i] = y[N + i];
		out[N + i] = y[(i + 1) % N] + y[(i + N - 1) % N] - 2 * y[i];
	}
	check_vector ("springs -> solver: slope (vector -> vector)", out, (size_t) 2 * N);
}

static void along (const double *y, const double *k, double step, double *out)
{
	for (int i = 0; i < 2 * N; i++)
		out[i] = y[i] + step * k[i];
}

double feature_run (long n)
{
	static double y[2 * N], k[4][2 * N], at[2 * N];

	y[0] = 1;
	for (long i = 0; i < n; i++) {
		slope (y, k[0]);
		along (y, k[0], 0.005, at);
		slope (at, k[1]);
		along (y, k[1], 0.005, at);
		slope (at, k[2]);
		along (y, k[2], 0.01, at);
		slope (at, k[3]);
		for (int j = 0; j < 2 * N; j++)
			y[j] += 0.01 / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
	}
	return y[0];
}
