/* SPDX-License-Identifier: MIT */
/* Dimensions that come later belong to the interval that they stand in, whatever else is open or was begun since. */
#include "events.h"

#include <setjmp.h>
#include <stdlib.h>

#define LIMIT 40
#define n_of(x) ((x)->n)

struct node {
	int n;
	unsigned bits : 5;
	const char *name;
};

static void types (struct node *node, const char *text, double real)
{
	_Bool is = node->n > 2;
	I (types)
	D (types, integer, node->n * 2)
	D (types, field, node->bits)
	B (types, truth, is)
	D (types, call, opaque (node->n) + 1)
	DR (types, real, real / 2)
	DR (types, single, (float) real)
	DT (types, text, text)
	DT (types, member, node->name)
	DT (types, nothing, (const char *) 0)
	DA (types, address, node)
	D (types, constant, -7)
#ifdef __PPGCC__
#pragma pp dim LIMIT=LIMIT + 2
#pragma pp dim(n_of=n_of (node), LIMIT=(LIMIT))
#else
	printf ("D types LIMIT=42\nD types n_of=3 LIMIT=40\n");
#endif
}

#ifdef __PPGCC__
#define MANY                                                                                                           \
	PP_DIM_HERE (a = x, b = x + 1, c = "three", d = x / 2.0, e = 5, f = 6, g = 7, h = x ? "yes" : "no")
#else
#define MANY printf ("D many a=%d b=%d c=three d=%g e=5 f=6 g=7 h=%s\n", x, x + 1, x / 2.0, x ? "yes" : "no");
#endif

static void many (int x)
{
	I (many)
	MANY
}

static int nested (int x)
{
	I (outer)
	D (outer, before, x)
	{
		I (inner)
		D (inner, x, x)
		if (x > 3) {
			D (inner, deep, x)
			if (x > 4)
				return x;
		}
		for (int i = 0; i < 2; i++) {
			F (feature)
			D (inner, round, i)
		}
		D (inner, behind, x)
	}
	D (outer, behind, x)
	return opaque (x);
}

static int recursive (int n)
{
	int below;
	I (recursive)
	D (recursive, n, n)
	below = n ? recursive (n - 1) : 0;
	D (recursive, after, n + below)
	return below + 1;
}

static int loops (const int *values, int n)
{
	int sum = 0;
	I (sum)
	for (int i = 0; i < n; i++) {
		if (values[i] < 0) {
			D (sum, skipped, values[i])
			continue;
		}
		sum += values[i];
	}
	D (sum, sum, sum)
	return sum;
}

static void jumps (int x)
{
	I (jumps)
	switch (x) {
	case 1: {
		D (jumps, one, x)
		break;
	}
	case 2:
		goto out;
	default:;
		D (jumps, other, x)
	}
out:;
	D (jumps, at_end, x)
}

__attribute__ ((pp_interval ("whole"))) static void attribute (int x);

/* without the plugin: the attribute means nothing */
#ifndef __PPGCC__
#define WHOLE I (whole)
#else
#define WHOLE
#endif
static void attribute (int x)
{
	WHOLE
	D (whole, x, x)
}

/* a dim changes nothing of what is around it */
static double untouched (double a, double b, int x)
{
	double c = a * b, d = a - b, e = a / (b + 1);
	I (untouched)
	c += x;
	D (untouched, x, x)
	return c * d + e;
}

int main (void)
{
	struct node node = {3, 17, "member"};
	const int values[] = {4, -1, 5, -2};
	types (&node, "text", 2.5);
	many (1);
	many (0);
	for (int x = 3; x < 6; x++)
		nested (x);
	recursive (3);
	loops (values, 4);
	for (int x = 1; x < 4; x++)
		jumps (x);
	attribute (7);
	if (untouched (3, 2, 5) != 11 * 1 + 1.0)
		abort ();
	return 0;
}
