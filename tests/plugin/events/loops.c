/* SPDX-License-Identifier: MIT */
/*
 * loops.c: loops that have a copy without markers, with events that come in pairs across iterations, ways out in the middle, and numbers of
 * iterations around that of a strip. What is computed is printed too.
 */
#include "events.h"

#include <stdio.h>

static int numbers[10000];

__attribute__ ((noipa)) static int leave_within (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (leave_within)
		if (numbers[i] == 7)
			break;
		if (numbers[i] == 3)
			continue;
		s += numbers[i];
	}
	return s;
}

__attribute__ ((noipa)) static int return_within (unsigned n)
{
	int s = 0;
	for (unsigned i = 0; i < n; i++) {
		I (outer)
		{
			I (inner)
			if (numbers[i] > 11)
				return s;
			s += numbers[i];
		}
		s ^= 5;
	}
	return -1;
}

/* the interval has its end in the loop and one behind it */
__attribute__ ((noipa)) static int until_found (const int *p)
{
	int s = 0;
	for (;; p++) {
		I (until_found)
		s += *p;
		if (*p == 9)
			goto found;
	}
found:
	return s;
}

__attribute__ ((noipa)) static unsigned long strips (unsigned long n)
{
	unsigned long s = 0;
	for (unsigned long i = 0; i < n; i++) {
		P (strips)
		s = s * 3 + i;
	}
	return s;
}

__attribute__ ((noipa)) static int nest (int n, int m)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (around)
		for (int j = 0; j < m; j++) {
			I (nest)
			s += numbers[j] * i;
		}
	}
	return s;
}

__attribute__ ((noipa)) static long values (int n)
{
	long s = 0;
	for (int i = 0; i < n; i++) {
		V (values, s)
		s += numbers[i] * 2;
	}
	return s;
}

/* computed in a cold block */
__attribute__ ((noipa)) static int computed_values (const int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		V (computed_values, p[i] * p[n - 1 - i] / 3)
		s += p[i];
	}
	return s;
}

static inline int leaf (int x)
{
	I (leaf)
	return x * x;
}

__attribute__ ((noipa)) static int inlined (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += leaf (numbers[i]);
	return s;
}

int main (void)
{
	unsigned long computed = 0;
	for (int i = 0; i < 10000; i++)
		numbers[i] = i % 13;
	for (int n = 0; n < 20; n++) {
		computed = computed * 31 + (unsigned) leave_within (n);
		computed = computed * 31 + (unsigned) return_within ((unsigned) n);
		computed = computed * 31 + (unsigned) nest (n / 5, n % 6);
		computed = computed * 31 + (unsigned long) values (n);
		computed = computed * 31 + (unsigned) inlined (n);
		computed = computed * 31 + (unsigned) computed_values (numbers, n);
	}
	computed = computed * 31 + (unsigned) until_found (numbers);
	for (unsigned long n = 8191; n < 8194; n++)
		computed = computed * 31 + strips (n);
	computed = computed * 31 + (unsigned long) values (8193);
	fflush (stdout);
	if (computed != 12825376092502586583ul)
		printf ("BAD result %lu\n", computed);
	return 0;
}
