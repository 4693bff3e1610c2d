/* SPDX-License-Identifier: MIT */
/*
 * Intervals of which it is known what the optimiser makes. Each says
 *
 *     expect: NAME COVERAGE warns|quiet
 *
 * with the coverage in % by the manual's prices: a simple operation 1, a product or an access to memory 3 more, a
 * division or square root 20 more, a call 20; each times how often it runs.
 */
#include <pp.h>

double use (double x);
extern double kept, other;

/* All of it is only needed in one branch behind the end. expect: sunk 0 warns */
double sunk (double a, double b, int c)
{
	double r;
	{
#pragma pp interval sunk
		r = a / b;
		r = r / 3.0;
		r = r * r / a;
	}
	return c ? use (r) : 0;
}

/* The same with a fence. expect: fenced 100 quiet */
double fenced (double a, double b, int c)
{
	double r;
	{
#pragma pp interval fenced fence
		r = a / b;
		r = r / 3.0;
		r = r * r / a;
	}
	return c ? use (r) : 0;
}

/* expect: stays 100 quiet */
void stays (double *p, double a, int n)
{
#pragma pp interval stays
	for (int i = 0; i < n; i++)
		p[i] = p[i] / a + 1.0;
}

/* A load that does not change leaves a loop of 1,000 rounds: 4 of about 8,000. expect: hoisted_load 100 quiet */
int hoisted_load (int *restrict q, const int *restrict p)
{
	int sum = 0;
	for (int i = 0; i < 1000; i++) {
#pragma pp interval hoisted_load
		sum += *p * q[i];
	}
	return sum;
}

struct link {
	struct link *next;
	double x;
};

/* 1.0 / a leaves a loop of 10 rounds: 21, and 10 x (4 + 1 + 7) stay. expect: hoisted_division 85 quiet */
double hoisted_division (const struct link *p, double a)
{
	double sum = 0;
#pragma GCC unroll 1
	for (int i = 0; i < 10; i++) {
#pragma pp interval hoisted_division
		p = p->next;
		sum = (sum + 1.0 / a) * p->x;
	}
	return sum;
}

/* The same in a loop of 3 rounds: 21, and 3 x 12 stay. expect: much_hoisted 63 warns */
double much_hoisted (const struct link *p, double a)
{
	double sum = 0;
#pragma GCC unroll 1
	for (int i = 0; i < 3; i++) {
#pragma pp interval much_hoisted
		p = p->next;
		sum = (sum + 1.0 / a) * p->x;
	}
	return sum;
}

/* What was computed before is not computed again: nothing of its own has moved. expect: shared 100 quiet */
double shared (double a, double b, double *p)
{
	double q = a / b;
	p[0] = q;
	{
#pragma pp interval shared
		p[1] = a / b + p[2] * 2.0;
		p[3] = p[4] * 3.0;
	}
	return q;
}

/* A division of before goes to where it is needed, inside. expect: moved_in 100 quiet */
void moved_in (double a, double b, int c)
{
	double q = a / b;
	{
#pragma pp interval moved_in
		if (c)
			kept = q + other;
	}
}

/* One division of two is only needed in half of the cases: 21 + 4 stay, half of 21 is elsewhere. expect: half 70 warns */
double half (double a, double b, int c, double *p)
{
	double r;
	{
#pragma pp interval half
		*p = a / b;
		r = b / a;
	}
	return __builtin_expect_with_probability (c, 1, 0.5) ? use (r) : 0;
}

/* ... and here in a fifth: 4.2 of 29.2, which is no quarter. expect: little 86 quiet */
double little (double a, double b, int c, double *p)
{
	double r;
	{
#pragma pp interval little
		*p = a / b;
		r = b / a;
	}
	return __builtin_expect_with_probability (c, 1, 0.2) ? use (r) : 0;
}

/* expect: remainder 0 warns */
int remainder_ (int a, int b, int c)
{
	int r;
	{
#pragma pp interval remainder
		r = a % b;
	}
	return c ? r : 0;
}

int pure (int x) __attribute__ ((const));

/* expect: called 0 warns */
int called (int a, int c)
{
	int r;
	{
#pragma pp interval called
		r = pure (a);
	}
	return c ? r : 0;
}

/* expect: root 0 warns */
double root (double a, int c)
{
	double r;
	{
#pragma pp interval root
		r = __builtin_sqrt (a);
	}
	return c ? r : 0;
}

/* Sums are cheap: all has moved, but nothing dear. expect: cheap 0 quiet */
long cheap (long a, long b, int c)
{
	long r;
	{
#pragma pp interval cheap
		r = (a ^ b) + 17;
	}
	return c ? r * r : 0;
}

/* What is inlined into an interval is its own. expect: inlined 100 quiet */
static inline void leaf (double *p, double a)
{
	p[0] = a / p[1];
	p[2] = a / p[3];
}

void inlined (double *p, double a)
{
#pragma pp interval inlined
	leaf (p, a);
	leaf (p + 4, a);
}

/* A copy of an inlined interval loses what its caller does not need. expect: copied 0 warns */
static inline double divide (double a, double b)
{
	double r;
	{
#pragma pp interval copied
		r = a / b;
	}
	return r;
}

double copies (double a, double b, int c)
{
	double r = divide (a, b);
	return c ? use (r) : 0;
}

/* With calls for markers a condition may decide on both; what is between them is nobody's own then. */
int agreed (int x, int a, int b)
{
	int r;
	if (x)
		pp_begin ("agreed");
	r = a / b;
	if (x)
		pp_end ("agreed");
	return r;
}

/* expect: big 100 quiet */
void big (double *restrict p, const double *restrict q)
{
#pragma pp interval big
	p[0] = q[0] * q[1] + q[2];
	p[1] = q[1] * q[2] / q[3];
	p[2] = q[2] * q[3] + q[4];
	p[3] = q[3] * q[4] - q[5];
	p[4] = q[4] / q[5] + q[6];
	p[5] = q[5] * q[6] + q[7];
	p[6] = q[6] * q[7] - q[0];
	p[7] = q[7] * q[0] + q[1];
	for (int i = 8; i < 64; i++)
		p[i] = p[i - 8] + q[i] * p[i - 7];
	kept = use (p[63]);
}
