/* SPDX-License-Identifier: MIT */
/* What C++ code measures by itself: in templates, past exceptions, with functions of namespaces. */
#include "events.h"

#include <cstdio>

static int clock_now;

namespace meter
{
struct begun {
	int at;
	double weight;
};
static begun start (int at, const double &weight)
{
	if (at > 1000)
		throw at;
	return begun{at, weight};
}
static float stop (const begun *b, int scale)
{
	return static_cast<float> ((b->at + b->weight) * scale);
}
static int now ()
{
	return ++clock_now;
}
static unsigned char since (const int *then)
{
	return static_cast<unsigned char> (++clock_now * 10 - *then);
}
enum class level { low = 3 };
static level current ()
{
	return level::low;
}
} // namespace meter

#ifdef __PPGCC__
PP_METRIC (given, interval, stats (meter::start, meter::stop))
PP_METRIC (timing, interval, stats (meter::now, meter::since))
PP_METRIC (levels, point, stats (meter::current))
PP_METRIC (kept, point, stats (value))
#define BEGIN(...) PP_SAMPLE_BEGIN (given, __VA_ARGS__)
#define END(...) PP_SAMPLE_END (given, __VA_ARGS__)
#define INLINE(NAME) PP_INTERVAL_INLINE (NAME, timing)
#else
struct inline_interval {
	const char *name;
	int then;
	explicit inline_interval (const char *n) : name (n), then (meter::now ())
	{
	}
	~inline_interval ()
	{
		printf ("S timing %d at %s\n", meter::since (&then), name);
	}
};
#define BEGIN(...)                                                                                                     \
	meter::begun b = meter::start (__VA_ARGS__);                                                                   \
	printf ("S given begins\n");
#define END(...) printf ("S given ends\nS given %g\n", static_cast<double> (meter::stop (&b, __VA_ARGS__)));
#define INLINE(NAME) inline_interval scope_##NAME (#NAME);
#endif

__attribute__ ((noipa)) static int may_throw (int x)
{
	if (x >= 1000)
		throw x;
	return x;
}

template <class T> static T measured (T x, int scale)
{
	BEGIN (static_cast<int> (x), x / 2.0)
	INLINE (in_template)
	x = static_cast<T> (may_throw (static_cast<int> (x)));
	END (scale + static_cast<int> (sizeof (T)))
#ifdef __PPGCC__
	PP_SAMPLE_BEGIN (kept, x)
#pragma pp point level(levels) inline
#else
	printf ("S kept %g\nS levels 3 at level\n", static_cast<double> (x));
#endif
	return x;
}

static int plain (int n)
{
	INLINE (outer)
	for (int i = 0; i < n; i++) {
		INLINE (loop)
		if (i == 1)
			continue;
		may_throw (i * 500);
		P (in_loop)
	}
	auto generic = [&] (auto y) {
		INLINE (lambda)
		BEGIN (n, y)
		END (n)
		return y;
	};
	return static_cast<int> (generic (2) + generic (2.5));
}

/* Ways out that C++ runs no destructor on. */
static int computed (int x)
{
	void *const to[] = {&&a, &&b, &&within};
	int rounds = 0;
	{
#ifdef __PPGCC__
		INLINE (around_goto)
#else
		int then = meter::now ();
#endif
	within:
		rounds++;
#ifndef __PPGCC__
		if (x < 2)
			printf ("S timing %d at around_goto\n", meter::since (&then));
#endif
		goto *to[x--];
	}
a:
	P (at_a)
	return rounds;
b:
	P (at_b)
	return -rounds;
}

int main ()
{
	for (int i = 0; i < 3; i++) {
		V (computed, computed (opaque (i)))
	}
	int r = measured (3, 2) + static_cast<int> (measured (2.5, 1));
	const int calls[] = {2, 4}, throwing[] = {1000, 2000};
	for (int n : calls)
		try {
			r += plain (n);
		} catch (int) {
			P (caught)
		}
	for (int n : throwing)
		try {
			r += measured (n, 1);
		} catch (int) {
			P (caught_too)
		}
	return r == 123456;
}
