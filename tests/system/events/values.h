/* SPDX-License-Identifier: MIT */
/*
 * values.h: booleans, and numbers from 2^63 on, as dimensions, in C and in C++: of pragmas, known at
 * the begin and later, simple and computed, of calls, spans, features.
 */
#ifndef TESTS_SYSTEM_EVENTS_VALUES_H
#define TESTS_SYSTEM_EVENTS_VALUES_H

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

static volatile unsigned calls;

static __attribute__ ((noinline)) bool is_odd (uint64_t n)
{
	calls++;
	return n & 1;
}

static __attribute__ ((noinline)) uint64_t largest (uint64_t less)
{
	calls++;
	return UINT64_MAX - less;
}

static __attribute__ ((noinline)) void captured (bool cached, uint64_t size)
{
#pragma pp interval captured dim(cached = cached, odd = is_odd(size), size = size,                 \
				 top = largest(size))
	calls++;
#pragma pp dim(late = is_odd(size), rest = largest(size))
}

static __attribute__ ((noinline)) void of_feature (bool fast, uint64_t size)
{
#pragma pp feature lib.work dim(fast = fast, size = largest(size))
	calls++;
}

static void by_calls (uint64_t i)
{
	int64_t id = pp_event_begin ("called", PP_DIM ("cached", is_odd (i)),
				     PP_DIM ("top", largest (i)), PP_DIM ("small", (size_t) 12));
	pp_span span = pp_span_begin (pp_span_site ("spanned"));

	pp_dim ("now", (bool) (i > 1));
	pp_span_dim (span, "good", is_odd (i));
	pp_span_dim (span, "top", largest (0));
	pp_span_end (span);
	pp_event_end (id, PP_DIM ("ended", (bool) 1));
}

/* The same key has a boolean here, and a number there. */
static __attribute__ ((noinline)) void mixed (int i)
{
	bool is = i & 1;

	{
#pragma pp interval mixed dim(mix = i)
		calls++;
	}
	{
#pragma pp interval mixed_too dim(mix = is)
		calls++;
	}
}

static int run (void)
{
	pp_span_site ("called");
	pp_span_site ("spanned");
	for (uint64_t i = 0; i < 4; i++) {
		captured (i & 1, i);
		of_feature (i & 1, i);
		by_calls (i);
	}
	mixed (1);
	mixed (2);
	return 0;
}

#endif
