/* SPDX-License-Identifier: MIT */
/* Functions that the optimiser likes to take apart: partly inlined, specialised, unrolled, threaded. */
#include "events.h"

static int table[64];

__attribute__ ((noinline)) static int early_exit (int n)
{
	I (early_exit)
	if (n == 0)
		return 0;
	int s = 0;
	for (int i = 0; i < n; i++) {
		table[i & 63] += i * n;
		s += opaque (table[(i * 7) & 63]);
		if (s > 100000) {
			P (large)
		}
	}
	return s;
}

static int unrolled (int n)
{
	int s = 0;
	for (int i = 0; i < 4; i++) {
		I (unrolled)
		s += n * i;
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			V (unrolled_point, i * 10 + j)
			s ^= i + j;
		}
	return s;
}

static int constant_argument (int n, int mode)
{
	I (constant_argument)
	if (mode == 1) {
		P (mode_one)
		return opaque (n) + 1;
	}
	P (mode_other)
	return opaque (n) + mode;
}

static int threaded (int a, int b)
{
	int kind;
	if (opaque (a))
		kind = b ? 1 : 2;
	else
		kind = 3;
	I (threaded)
	switch (kind) {
	case 1:
		P (kind_one)
		return 1;
	case 2:
		P (kind_two)
		break;
	default:
		P (kind_three)
	}
	return kind;
}

static double reduction (int n)
{
	double s = 0;
	I (reduction)
	for (int i = 0; i < n; i++) {
		s += i * 0.5;
		if (i == n / 2) {
			P (half)
		}
	}
	R (reduced, s)
	return s;
}

int main (void)
{
	int r = early_exit (opaque (0)) + early_exit (opaque (5)) + early_exit (opaque (0)) + unrolled (opaque (2));
	r += constant_argument (opaque (1), 1) + constant_argument (opaque (1), 2) + constant_argument (opaque (2), 2);
	r += threaded (opaque (1), opaque (1)) + threaded (1, opaque (0)) + threaded (0, 0);
	return r + (int) reduction (opaque (10)) == 123456;
}
