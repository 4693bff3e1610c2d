/* SPDX-License-Identifier: MIT */
/*
 * program.c: what the runtime test of another CPU runs: an interval with a static binding, a point
 * with a value, sites that a policy binds, and binding and unbinding while it runs. Prints what was
 * counted; registers that are alive across a marker keep their values.
 */
#include <pp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#pragma pp metric laps interval count(elapsed)
#pragma pp metric values point sumcount(value)

/*
 * qemu keeps its translations of code that was written through /proc/self/mem, which no CPU does.
 * It forgets them where the pages become writable.
 */
static void make_an_emulator_look (void)
{
	extern char __executable_start, etext;
	uintptr_t first = (uintptr_t) &__executable_start & ~(uintptr_t) 4095;
	size_t bytes = (uintptr_t) &etext - first;

	mprotect ((void *) first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
	mprotect ((void *) first, bytes, PROT_READ | PROT_EXEC);
}

static double reals (int n)
{
	double a = 1, b = 2, c = 3, d = 4;

	for (int i = 0; i < n; i++) {
#pragma pp point real value(a)
		a += b;
		b += c;
		c += d;
		d += 1;
	}
	return a + b + c + d;
}

static unsigned integers (int n)
{
	unsigned a = 1, b = 2, c = 3, d = 5;

	for (int i = 0; i < n; i++) {
#pragma pp interval lap
		a += b;
		b ^= c << 1;
		c += d;
		d = d * 5 + (a > b);
#pragma pp point sum(values) value(i)
	}
	return a ^ b ^ c ^ d;
}

static void show (const char *when)
{
	printf ("%s: laps %g, values %g sum %g, reals %.17g, integers %u\n", when, pp_count (laps),
		pp_count (values), pp_sum (values), reals (1000), integers (1000));
}

int main (void)
{
	show ("at first");
	printf ("bind %d\n", pp_bind (laps, "integers/lap", 1));
	make_an_emulator_look ();
	show ("bound");
	show ("measured");
	printf ("unbind %d\n", pp_unbind (laps, "integers/lap"));
	make_an_emulator_look ();
	show ("unbound");
	show ("in the end");
	return 0;
}
