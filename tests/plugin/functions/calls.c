/* SPDX-License-Identifier: MIT */
/* -calls: a point at the entry of every function, and of nothing else. */
/* flags: -fopenmp -Wall -Wextra */
/* plugin: calls */

__attribute__ ((noipa)) static int opaque (int x)
{
	return x;
}

__attribute__ ((pp_ignore)) static int ignored (int x)
{
	return x;
}

__attribute__ ((no_instrument_function)) static int not_instrumented (int x)
{
	return x;
}

static inline int inlined (int x)
{
	return x + 1;
}

__attribute__ ((pp_interval ("i"))) static int has_interval (int x)
{
	return x;
}

__attribute__ ((constructor)) static void before (void)
{
}

static int parallel (int n)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

static int (*resolve (void)) (int)
{
	return opaque;
}
int resolved (int) __attribute__ ((ifunc ("resolve")));

__attribute__ ((naked)) int naked (void);
__attribute__ ((naked)) int naked (void)
{
	__asm__ ("xorl %eax, %eax\n\tret");
}

int main (void)
{
	return opaque (0) + ignored (0) + not_instrumented (0) + inlined (-1) + has_interval (0) + parallel (1) +
	       naked () + resolved (0);
}

/*
expect: P before/calls P main/calls P opaque/calls P inlined/calls P has_interval/calls B has_interval/i E has_interval/i
expect: P parallel/calls P opaque/calls
report: ignored: left alone: it has the attribute pp_ignore
report: not_instrumented: left alone: it has the attribute no_instrument_function
report: resolve: left alone: it is the resolver of an ifunc
report: naked: left alone: it is naked
report: has_interval: point calls
*/
