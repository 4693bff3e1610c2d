/* flags: -std=c++20 -fcoroutines */
/* SPDX-License-Identifier: MIT */
/* Coroutines, whose variables the compiler moves into a frame: templates and generic lambdas too, and what is measured inline. */
#include "events.h"

#include <coroutine>
#include <cstdio>
#include <utility>

struct task {
	struct promise_type {
		task get_return_object ()
		{
			return task (std::coroutine_handle<promise_type>::from_promise (*this));
		}
		std::suspend_always initial_suspend ()
		{
			return {};
		}
		std::suspend_always final_suspend () noexcept
		{
			return {};
		}
		std::suspend_always yield_value (int)
		{
			return {};
		}
		void return_void ()
		{
		}
		void unhandled_exception ()
		{
			P (caught)
		}
	};
	explicit task (std::coroutine_handle<promise_type> h) : handle (h)
	{
	}
	task (task &&other) : handle (std::exchange (other.handle, nullptr))
	{
	}
	~task ()
	{
		if (handle)
			handle.destroy ();
	}
	std::coroutine_handle<promise_type> handle;
};

static int clock_now;

static int now ()
{
	return ++clock_now;
}

static int since (const int *then)
{
	return ++clock_now * 10 - *then;
}

#ifdef __PPGCC__
PP_METRIC (timing, interval, stats (now, since))
#define INLINE(NAME) PP_INTERVAL_INLINE (NAME, timing)
#else
struct inline_interval {
	const char *name;
	int then;
	explicit inline_interval (const char *n) : name (n), then (now ())
	{
	}
	~inline_interval ()
	{
		printf ("S timing %d at %s\n", since (&then), name);
	}
};
#define INLINE(NAME) inline_interval scope_##NAME (#NAME);
#endif

template <class T> static task in_template (T n)
{
	{
		I (before)
		V (n, n)
	}
	co_yield 1;
	for (int i = 0; i < 3; i++) {
		{
			I (round)
			if (i == 1)
				continue;
			P (not_the_second)
		}
		co_yield 2;
	}
	I (throws)
	if (opaque (static_cast<int> (n)) == 2)
		throw n;
}

static task measures_inline (int n)
{
	{
		INLINE (closed)
		opaque (n);
	}
	co_yield 1;
	INLINE (across)
	co_yield 2;
	P (resumed)
}

template <class T> static task template_measures_inline (T n)
{
	{
		INLINE (closed_in_template)
		opaque (static_cast<int> (n));
	}
	co_yield 1;
	INLINE (across_in_template)
	co_yield 2;
	P (resumed_in_template)
}

static void run (task t, int rounds)
{
	for (int i = 0; i < rounds && !t.handle.done (); i++) {
		I (resuming)
		t.handle.resume ();
	}
	P (left)
}

int main ()
{
	auto generic = [] (auto n) -> task {
		{
			I (in_generic_lambda)
			V (generic, n)
		}
		co_yield 1;
		P (generic_resumed)
	};
	run (in_template (1), 9);
	run (in_template (2L), 9);
	run (in_template ('x'), 2);
	run (generic (3), 9);
	run (generic (4L), 9);
	run (measures_inline (5), 9);
	run (measures_inline (6), 2);
	run (template_measures_inline (7), 9);
	run (template_measures_inline (8L), 2);
	return 0;
}
