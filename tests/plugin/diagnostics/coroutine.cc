/* flags: -std=c++20 -fcoroutines */
/* SPDX-License-Identifier: MIT */
/* Intervals in a coroutine must not be open where it is suspended. */
#include <coroutine>
#include <pp.h>

struct task {
	struct promise_type {
		task get_return_object ()
		{
			return {};
		}
		std::suspend_never initial_suspend ()
		{
			return {};
		}
		std::suspend_never final_suspend () noexcept
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
		}
	};
};

int g;

task fine ()
{
	{
#pragma pp interval before
		g++;
	}
	co_await std::suspend_always{};
	{
#pragma pp interval after
		g++;
#pragma pp point here
	}
}

task awaits ()
{
#pragma pp interval across
	g++;
	co_await std::suspend_always{};
	g++;
}

task yields ()
{
	for (int i = 0; i < 3; i++) {
#pragma pp interval iteration
		co_yield i;
	}
}
template <class T> task in_template (T n)
{
	{
#pragma pp interval closed
		g++;
#pragma pp point here value(n)
	}
	co_yield 1;
#pragma pp interval open
	co_yield 2;
}

task instance ()
{
	auto generic = [] (auto n) -> task {
		{
#pragma pp interval closed
			g += n;
		}
#pragma pp interval open_too
		co_yield n;
	};
	generic (1);
	return in_template (2);
}
/*
expect: 73:12: error: interval 'open' is open where the coroutine may be suspended
expect: 75:1: note: suspended here; end the interval before, or use a span
expect: 84:12: error: interval 'open_too' is open where the coroutine may be suspended
expect: 86:9: note: suspended here; end the interval before, or use a span
expect: 52:12: error: interval 'across' is open where the coroutine may be suspended
expect: 56:1: note: suspended here; end the interval before, or use a span
expect: 61:12: error: interval 'iteration' is open where the coroutine may be suspended
expect: 64:1: note: suspended here; end the interval before, or use a span
*/
