/* SPDX-License-Identifier: MIT */
/* Resolvers of "ifunc" run before anything is relocated; which functions they are shows behind them. */
#include <pp.h>

static int one (int x)
{
#pragma pp interval one
	return x;
}

static int (*resolver (void)) (int)
{
#pragma pp interval resolving
	return one;
}

static int (*pointing (void)) (int)
{
#pragma pp point here
	return one;
}

int chosen (int x) __attribute__ ((ifunc ("resolver")));
int other (int x) __attribute__ ((ifunc ("pointing")));
/*
expect: 13:12: error: 'resolver' cannot have markers: it is the resolver of an 'ifunc', which runs before anything is relocated
expect: 19:12: error: 'pointing' cannot have markers: it is the resolver of an 'ifunc', which runs before anything is relocated
*/
