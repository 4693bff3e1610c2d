/* SPDX-License-Identifier: MIT */
/* nbody.c: five bodies that attract each other; what a step must not break is asserted. */
#include "feature.h"

#include <assert.h>
#include <math.h>

enum { BODIES = 5 };

struct body {
	double x[3], v[3], mass;
};

static struct body bodies[BODIES] = {
	{{0, 0, 0}, {0, 0, 0}, 39.5},
	{{4.84, -1.16, -0.1}, {0.6, 2.8, -0.02}, 0.0377},
	{{8.34, 4.12, -0.4}, {-1.01, 1.82, 0.008}, 0.0113},
	{{12.9, -15.1, -0.2}, {1.08, 0.87, -0.01}, 0.0017},
	{{15.4, -25.9, 0.18}, {0.98, 0.59, -0.03}, 0.002},
};

static void attract (struct body *a, struct body *b, double step)
{
	double d[3], square = 0, factor;

	for (int i = 0; i < 3; i++) {
		d[i] = a->x[i] - b->x[i];
		square += d[i] * d[i];
	}
	factor = step / (square * sqrt (square));
	for (int i = 0; i < 3; i++) {
		a->v[i] -= d[i] * b->mass * factor;
		b->v[i] += d[i] * a->mass * factor;
	}
}

static double energy (void)
{
	double all = 0;

	for (int i = 0; i < BODIES; i++)
		for (int k = 0; k < 3; k++)
			all += bodies[i].mass * bodies[i].v[k] * bodies[i].v[k] / 2;
	return all;
}

double feature_run (long n)
{
	for (long step = 0; step < n; step++) {
		for (int i = 0; i < BODIES; i++)
			for (int j = i + 1; j < BODIES; j++)
				attract (&bodies[i], &bodies[j], 0.001);
		for (int i = 0; i < BODIES; i++)
			for (int k = 0; k < 3; k++)
				bodies[i].x[k] += bodies[i].v[k] * 0.001;
		assert (isfinite (bodies[0].x[0]));
	}
	return energy ();
}
