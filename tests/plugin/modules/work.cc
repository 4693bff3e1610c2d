/* SPDX-License-Identifier: MIT */
/* A module whose functions have sites: its own, inlined into importers, and instantiated there. */
module;
#include "../events/events.h"
export module work;

#ifndef __PPGCC__
/* GCC crashes where an importer instantiates a template with a "cleanup" attribute. */
struct scope {
	const char *name;
	explicit scope (const char *n) : name (enter (n))
	{
	}
	~scope ()
	{
		leave (&name);
	}
};
#undef I
#define I(NAME) scope scope_##NAME (#NAME);
#endif

export enum class level { low, high };

export int plain (int x)
{
	I (plain)
	return x + 1;
}

export inline int inlined (int x)
{
	I (inlined)
	if (x > 3)
		return x;
	V (small, x)
	return x + 1;
}

export template <class T> T instantiated (T x)
{
	I (instantiated)
	for (int i = 0; i < 3; i++) {
		I (loop)
		if (i == 1)
			continue;
		R (twice, x * 2)
	}
	return x + 1;
}

export struct counter {
	int n = 0;
	int next ()
	{
		I (next)
		return ++n;
	}
	template <class F> int each (F f)
	{
		I (each)
		return f (next ());
	}
};

#ifdef __PPGCC__
inline int now ()
{
	return 1;
}
inline int since (const int *then)
{
	return *then + 1;
}
PP_METRIC (timing, interval, stats (now, since))
#endif
export template <class T> T measured (T x)
{
#ifdef __PPGCC__
	PP_INTERVAL_INLINE (measured, timing)
	return x;
#else
	printf ("S timing 2 at measured\n");
	return x;
#endif
}
