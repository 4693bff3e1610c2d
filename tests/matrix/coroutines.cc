/* SPDX-License-Identifier: MIT */
/* The constructs of C++20; see matrix.h. */
#include "matrix.h"

#include <compare>
#include <concepts>
#include <coroutine>
#include <exception>
#include <initializer_list>
#include <span>
#include <utility>

struct generator {
	struct promise_type {
		int value = 0;
		std::exception_ptr error;
		generator get_return_object ()
		{
			return generator (
				std::coroutine_handle<promise_type>::from_promise (*this));
		}
		std::suspend_always initial_suspend () noexcept
		{
			return {};
		}
		std::suspend_always final_suspend () noexcept
		{
			return {};
		}
		std::suspend_always yield_value (int v) noexcept
		{
			value = v;
			return {};
		}
		void return_void ()
		{
		}
		void unhandled_exception ()
		{
			error = std::current_exception ();
		}
	};
	explicit generator (std::coroutine_handle<promise_type> h) : handle (h)
	{
	}
	generator (const generator &) = delete;
	~generator ()
	{
		handle.destroy ();
	}
	bool next ()
	{
		handle.resume ();
		if (handle.promise ().error)
			std::rethrow_exception (std::exchange (handle.promise ().error, nullptr));
		return !handle.done ();
	}
	std::coroutine_handle<promise_type> handle;
};

/* construct: coroutine_with_scopes */
/* intervals between suspensions */
static generator counting (int n)
{
	for (int i = 0; i < n; i++) {
		int v;
		{
			I (between_suspensions)
			v = opaque (i);
			P (in_coroutine)
		}
		co_yield v;
	}
	P (coroutine_done)
}

CONSTRUCT (coroutine_with_scopes)
{
	int s = 0;
	generator g = counting (opaque (3));
	I (driving)
	while (g.next ()) {
		I (turn)
		s += g.handle.promise ().value;
	}
	return s;
}

/* construct: coroutine_that_throws */
static generator throwing (int n)
{
	co_yield 1;
	{
		I (throws_in_coroutine)
		if (opaque (n) == 2)
			throw n;
	}
	co_yield 2;
}

CONSTRUCT (coroutine_that_throws)
{
	generator g = throwing (2);
	try {
		I (driving_thrower)
		while (g.next ()) {
			P (yielded)
		}
	} catch (int e) {
		P (coroutine_threw)
		return e;
	}
	return 0;
}

/* construct: coroutine_templates */
template <class T> static generator counting_in (T n)
{
	for (T i = 0; i < n; i++) {
		{
			I (in_coroutine_template)
			V (of_any_type, i)
			if (opaque (static_cast<int> (i)) == 1)
				continue;
			P (not_continued)
		}
		co_yield static_cast<int> (i);
	}
}

CONSTRUCT (coroutine_templates)
{
	long s = 0;
	auto generic = [] (auto n) -> generator {
		{
			I (in_generic_coroutine)
			V (captured_generic, n)
		}
		co_yield static_cast<int> (n) * 10;
		P (generic_done)
	};
	generator a = counting_in (opaque (3)), b = counting_in (2L), c = generic (opaque (4)),
		  d = generic (5L);
	for (generator *one : {&a, &b, &c, &d})
		while (one->next ())
			s = s * 3 + one->handle.promise ().value;
	return s;
}

/* construct: coroutine_calls_ordinary */
static int called_from_coroutine (int x)
{
	I (called_from_coroutine)
	return opaque (x) + 1;
}
static generator calling (int n)
{
	while (n > 0) {
		int v = called_from_coroutine (n--);
		V (coroutine_value, v)
		co_yield v;
	}
}

CONSTRUCT (coroutine_calls_ordinary)
{
	int s = 0;
	generator g = calling (2);
	while (g.next ())
		s += g.handle.promise ().value;
	return s;
}

/* construct: concepts */
template <class T>
concept number = std::integral<T> || std::floating_point<T>;

template <number T> static T constrained (T x)
{
	I (constrained)
	return x + 1;
}
static auto abbreviated (number auto x, auto y)
{
	I (abbreviated)
	if constexpr (requires { y.size (); })
		return x + static_cast<decltype (x)> (y.size ());
	else
		return x;
}

CONSTRUCT (concepts)
{
	int a[] = {1, 2, 3};
	return constrained (opaque (1)) + static_cast<int> (constrained (1.5)) +
	       abbreviated (2, std::span<int> (a)) + abbreviated (3, 1);
}

/* construct: template_lambda */
CONSTRUCT (template_lambda)
{
	auto f = []<class T> (T x) requires std::integral<T>
	{
		I (template_lambda)
		return x * 2;
	};
	return f (opaque (2)) + f (3L);
}

/* construct: consteval_function */
consteval int immediate (int x)
{
	CONSTANT (immediate)
	return x * 3;
}

CONSTRUCT (consteval_function)
{
	I (uses_immediate)
	return immediate (4) + opaque (1);
}

/* construct: spaceship */
struct ordered {
	int x;
	auto operator<=> (const ordered &other) const
	{
		I (spaceship)
		return x <=> other.x;
	}
	bool operator== (const ordered &) const = default;
};

CONSTRUCT (spaceship)
{
	ordered a = {opaque (1)}, b = {2};
	return (a < b) + (a >= b) * 2 + (a == b) * 4;
}

/* construct: likely_and_range_initialiser */
CONSTRUCT (likely_and_range_initialiser)
{
	int s = 0;
	for (int k = opaque (2); int x : {1, 2, 3}) {
		I (range_with_initialiser)
		if (x == k) [[unlikely]] {
			I (unlikely)
			s += 10;
		} else [[likely]]
			s += x;
	}
	return s;
}

/* construct: designated_and_aggregate */
struct aggregate {
	int a = 1, b = 2;
};
static long take (aggregate x)
{
	I (take)
	return x.a * 10 + x.b;
}

CONSTRUCT (designated_and_aggregate)
{
	return take ({.b = opaque (5)}) + take (aggregate (opaque (3), 4));
}

/* construct: lambda_as_template_argument */
template <auto called> static int called_with (int x)
{
	I (called_with)
	return called (x);
}

CONSTRUCT (lambda_as_template_argument)
{
	return called_with<[] (int x) {
		I (lambda_argument)
		return x + 1;
	}> (opaque (3));
}
