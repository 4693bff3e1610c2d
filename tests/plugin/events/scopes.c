/* SPDX-License-Identifier: MIT */
/* Every kind of block in C, and every way out of it. */
#include "events.h"

static int loop (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (loop)
		if (i == 1)
			continue;
		s += opaque (i);
		if (s == 8)
			goto out;
		if (i == 3)
			return 9;
		if (i == 4)
			break;
		P (in_loop)
	}
	return s;
out:
	return -s;
}

static int nested (int x)
{
	int a = opaque (x);
	I (outer)
	a++;
	{
		int q = a;
		I (inner)
		P (deep)
		if (a > 100)
			return a;
		{
			I (innermost)
			a += q;
		}
	}
	P (after_inner)
	return a;
}

static int switches (int x)
{
	switch (x) {
	case 1: {
		I (one)
		x = opaque (x);
		break;
	}
	case 2:
		P (two)
		x++;
		/* fall through */
	case 3: {
		I (three)
		x = opaque (x) + 1;
	}
		__attribute__ ((fallthrough));
	default:
		P (other)
		x++;
	}
	return x;
}

static int late (int x)
{
	switch (x) {
	case 1:;
		I (late)
		x = opaque (x);
		break;
	}
	return x;
}

static int expression (int x)
{
	return ({
		       I (expression)
		       int y = opaque (x);
		       y + 1;
	       }) +
	       1;
}

static int function_in_function (int x)
{
	int in (int y)
	{
		I (in)
		P (in_point)
		return y + x;
	}
	I (around)
	return in (2) + in (3);
}

static int vla (int n)
{
	I (vla)
	int a[n];
	for (int i = 0; i < n; i++) {
		I (vla_loop)
		int b[i + 1];
		b[i] = opaque (i);
		a[i] = b[i];
	}
	return a[n - 1];
}

__attribute__ ((noinline)) static int tail (int n)
{
	I (tail)
	return opaque (n);
}

static int labels (int n)
{
	if (n)
		goto label;
	n = 4;
label:
	P (label)
	while (n < 7) {
		I (while_loop)
		n += opaque (1);
		if (n == 6)
			goto out;
	}
	do {
		I (do_loop)
		n++;
		if (n == 8)
			continue;
	} while (opaque (n) < 10);
out:
	return n;
}

static int backwards (int n)
{
again: {
	I (backwards)
	n++;
	if (n < 3)
		goto again;
}
	return n;
}

static int computed (int n)
{
	static void *const target[] = {&&one, &&two, &&end};
	int i = 0;
	goto *target[opaque (n)];
one : {
	I (computed_one)
	i++;
}
	goto *target[opaque (2)];
two : {
	I (computed_two)
	i += 2;
	P (in_two)
}
end:
	return i;
}

static int recursive (int n)
{
	I (recursive)
	if (n == 0)
		return 0;
	P (down)
	int r = recursive (n - 1) + 1;
	P (up)
	return r;
}

static void nothing (int n)
{
	I (nothing)
	if (n)
		return;
	P (not_returned)
}

static int conditional (int n)
{
	if (opaque (n)) {
		I (then_part)
		n++;
	} else {
		I (else_part)
		n--;
	}
	return n;
}

static int two_in_one (int n)
{
	I (first)
	I (second)
	P (both)
	I (third)
	return opaque (n);
}

int main (void)
{
	int r = loop (3) + loop (9) + nested (2) + nested (99);
	for (int i = 0; i < 5; i++)
		r += switches (i) + late (i);
	r += expression (3) + function_in_function (3) + vla (3) + tail (2) + labels (1) + labels (0) + backwards (0);
	r += computed (0) + computed (1) + computed (2) + recursive (5) + conditional (0) + conditional (1) + two_in_one (4);
	nothing (0);
	nothing (1);
	return r == 123456;
}
