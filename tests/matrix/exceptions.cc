/* SPDX-License-Identifier: MIT */
/*
 * The constructs of C++ with exceptions; classes.cc, in front of them, has what throws. See
 * matrix.h.
 */
#include "matrix.h"

#include <memory>
#include <string>

/* construct: exception_through */
static int through (int x)
{
	I (through)
	int r = may_throw (x);
	P (not_thrown)
	return r;
}

CONSTRUCT (exception_through)
{
	try {
		I (tried)
		through (opaque (1));
		through (opaque (1000));
		P (unreached)
	} catch (int e) {
		I (handler)
		return e;
	}
	return 0;
}

/* construct: rethrown */
CONSTRUCT (rethrown)
{
	try {
		I (outer_try)
		try {
			I (inner_try)
			may_throw (opaque (1001));
		} catch (...) {
			I (inner_handler)
			throw;
		}
	} catch (int e) {
		P (caught_again)
		return e;
	}
	return 0;
}

/* construct: thrown_in_loop */
CONSTRUCT (thrown_in_loop)
{
	int s = 0;
	for (int i = 0; i < 4; i++) {
		I (turn)
		try {
			I (turn_tried)
			if (i == 1)
				continue;
			s += may_throw (i == 2 ? 1000 : i);
		} catch (int) {
			P (turn_caught)
			if (opaque (i) == 2)
				continue;
		}
		P (turn_done)
	}
	return s;
}

/* construct: exception_types */
struct base_error {
	int x;
	virtual ~base_error ()
	{
	}
};
struct other_error : base_error {
};

static int which_handler (int n)
{
	try {
		I (typed_try)
		if (n == 0)
			throw other_error ();
		if (n == 1)
			throw base_error ();
		if (n == 2)
			throw "text";
		return may_throw (n);
	} catch (const other_error &) {
		I (other_handler)
		return 10;
	} catch (const base_error &) {
		I (base_handler)
		return 20;
	} catch (const char *) {
		P (text_handler)
	}
	return 30;
}

CONSTRUCT (exception_types)
{
	return which_handler (0) + which_handler (1) + which_handler (2) +
	       which_handler (opaque (3));
}

/* construct: function_try_block */
static int function_try (int x)
try {
	I (function_try)
	return may_throw (x);
} catch (int e) {
	I (function_catch)
	return -e;
}

CONSTRUCT (function_try_block)
{
	return function_try (opaque (1)) + function_try (opaque (1000));
}

/* construct: constructor_try_block */
struct guarded {
	int x;
	explicit guarded (int y)
	try : x (may_throw (y)) {
		I (guarded_constructor)
		x = may_throw (x);
	} catch (int) {
		I (guarded_caught)
		P (guarded_point)
	}
};

CONSTRUCT (constructor_try_block)
{
	try {
		I (around_guarded)
		guarded a (opaque (1));
		guarded b (opaque (400));
		P (unreached)
		return a.x + b.x;
	} catch (int e) {
		return e;
	}
}

/* construct: failed_construction */
struct holds_two {
	counted a, b;
	holds_two (int x, int y) : a (x), b (y)
	{
		I (holds_two)
	}
};

CONSTRUCT (failed_construction)
{
	try {
		I (around_construction)
		holds_two good (1, 2);
		holds_two bad (opaque (1), 1000);
		P (unreached)
	} catch (int) {
		P (construction_failed)
		return 1;
	}
	return 0;
}

/* construct: destructor_during_unwinding */
struct unwound {
	int x;
	~unwound ()
	{
		I (unwound)
		try {
			I (inside_unwinding)
			may_throw (opaque (1000 + x));
		} catch (int) {
			P (caught_inside)
		}
	}
};

CONSTRUCT (destructor_during_unwinding)
{
	try {
		I (throws_past)
		unwound a = {1};
		{
			I (throws_past_inner)
			unwound b = {2};
			may_throw (opaque (1003) + a.x + b.x);
		}
	} catch (int e) {
		return e;
	}
	return 0;
}

/* construct: cold_throw */
CONSTRUCT (cold_throw)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		I (cold_turn)
		if (__builtin_expect (opaque (i) == 7, 0))
			throw std::string ("never");
		s += i;
	}
	return s;
}

/* construct: noexcept_function */
static int never_throws (int x) noexcept
{
	I (never_throws)
	return may_throw (x);
}

CONSTRUCT (noexcept_function)
{
	return never_throws (opaque (1));
}

/* construct: static_initialisation_that_throws */
static int throws_twice (int n)
{
	static const int value = [] (int m) {
		I (initialising)
		return may_throw (m);
	}(n);
	return value;
}

CONSTRUCT (static_initialisation_that_throws)
{
	int s = 0;
	for (int i : {1000, 1001, 1, 1002})
		try {
			I (try_static)
			s += throws_twice (i);
		} catch (int) {
			P (static_failed)
		}
	return s;
}

/* construct: bad_allocation */
__attribute__ ((noipa)) static int *allocates (int n)
{
	I (allocates)
	if (n > 5)
		throw std::bad_alloc ();
	return new int (n);
}

CONSTRUCT (bad_allocation)
{
	try {
		I (allocating)
		std::unique_ptr<int> first (allocates (opaque (3)));
		P (one_allocated)
		std::unique_ptr<int> second (allocates (opaque (6)));
		P (unreached)
	} catch (const std::bad_alloc &) {
		P (no_memory)
		return 1;
	}
	return 0;
}
