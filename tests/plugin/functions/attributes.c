/* SPDX-License-Identifier: MIT */
/* Whole functions as intervals, by attribute: every way out of a C function. */
/* flags: -std=gnu2x -fopenmp -Wall -Wextra -Werror -Wno-clobbered */
#include <alloca.h>
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define I(NAME) __attribute__ ((noipa, pp_interval (NAME)))

__attribute__ ((noipa)) static int opaque (int x)
{
	return x;
}

I ("early") static int early (int x)
{
	if (x == 1)
		return 1;
	for (int i = 0; i < 3; i++)
		if (i == x)
			goto out;
	return 3;
out:
	return 2;
}

/* variables of the front end's own */
I ("named") static int named (int x)
{
	assert (x != 2);
	return opaque (strcmp (__func__, "named") == 0 && sizeof (__PRETTY_FUNCTION__) == 6);
}

I ("recursive") static int recursive (int n)
{
	return n ? opaque (recursive (n - 1) + 1) : 0;
}

I ("variadic") static int variadic (int n, ...)
{
	va_list list;
	int sum = 0;
	va_start (list, n);
	while (n--)
		sum += va_arg (list, int);
	va_end (list);
	return sum;
}

I ("stack") static int stack (int n)
{
	char *room = alloca ((size_t) n);
	char more[n];
	memset (room, 1, (size_t) n);
	memset (more, 2, (size_t) n);
	return opaque (room[n - 1]) + opaque (more[n - 1]);
}

static jmp_buf there;

__attribute__ ((noipa)) static void jumps (void)
{
	longjmp (there, 1);
}

I ("lands") static int lands (void)
{
	volatile int x = 1;
	if (setjmp (there))
		return 1 + x;
	x = 2;
	jumps ();
	return 0;
}

[[pp::interval ("nesting")]] static int nesting (int x)
{
	I ("nested") int nested (int y)
	{
		return opaque (x + y);
	}
	return nested (1);
}

struct large {
	int a[40];
};

I ("returns_large") static struct large returns_large (int x)
{
	struct large l = {{x}};
	l.a[39] = opaque (x);
	return l;
}

I ("parallel") static int parallel (int n)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

I ("computed") static int computed (int x)
{
	static void *const targets[] = {&&a, &&b};
	goto *targets[x];
a:
	return 1;
b:
	return 2;
}

/* by its prototype */
[[pp::interval ("declared", "", "g1, g2")]] int declared (int x);
__attribute__ ((noipa)) int declared (int x)
{
	return x;
}

__attribute__ ((pp_ignore)) static int ignored (int x)
{
	return opaque (x);
}

I ("ends") static void ends (int x)
{
	exit (x);
}

int main (void)
{
	int sum = early (1) + early (2) + early (3) + recursive (2) + variadic (2, 3, 4) + stack (30) + lands () +
		  nesting (1) + returns_large (3).a[39] + parallel (10) + computed (0) + computed (1) + declared (1) +
		  ignored (1) + named (1);
	ends (sum != 6 + 2 + 7 + 3 + 3 + 2 + 3 + 45 + 3 + 2 + 1);
}

/*
expect: B early E early B early E early B early E early
expect: B recursive B recursive B recursive E recursive E recursive E recursive
expect: B variadic E variadic B stack E stack
expect: B lands P setjmp P setjmp E lands
expect: B nesting B nested E nested E nesting
expect: B returns_large E returns_large B parallel E parallel
expect: B computed E computed B computed E computed
expect: B declared E declared B named E named
expect: B ends
*/
