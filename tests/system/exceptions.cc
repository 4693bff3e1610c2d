// SPDX-License-Identifier: MIT
// exceptions.cc: C++: exceptions through intervals, at every depth, caught inside and outside,
// thrown in destructors' company; templates and lambdas; threads cancelled inside.
#include "check.h"

#include <pthread.h>
#include <stdexcept>
#include <vector>

// clang-format off
#pragma pp metric levels interval stats(elapsed)
#pragma pp metric outer  interval stats(elapsed)
#pragma pp metric objects interval sumcount(elapsed)
#pragma pp metric sums   point    sumcount(value)
// clang-format on

static thread_local volatile long sink;
static thread_local long begun, ended;

struct guard {
	guard ()
	{
#pragma pp interval constructor(objects)
		begun++;
	}
	~guard ()
	{
#pragma pp interval destructor(objects)
		ended++;
	}
};

NOIPA static void throw_at (int n)
{
#pragma pp interval throw_at(levels)
	guard g;

	if (n == 0)
		throw std::runtime_error ("from the depth");
	throw_at (n - 1);
	sink++;
}

NOIPA static void catch_outside (int n)
{
#pragma pp interval catch_outside(outer)
	try {
		throw_at (n);
	} catch (const std::exception &) {
		sink++;
	}
}

NOIPA static int rethrow (int n)
{
#pragma pp interval rethrow(levels)
	try {
		if (n)
			return rethrow (n - 1);
		throw 42;
	} catch (int x) {
#pragma pp interval handling(outer)
		if (x == 42 && n < 10)
			throw;
		return x;
	}
}

template <typename T> NOIPA static T add (const std::vector<T> &v)
{
#pragma pp interval add(levels)
	T sum{};

	for (const T &x : v) {
#pragma pp interval each(objects)
		if (x < 0)
			continue;
		sum += x;
	}
	auto report = [&] (T x) {
#pragma pp interval lambda(outer)
#pragma pp point given(sums) value(x)
		sink++;
	};
	report (sum);
	return sum;
}

static void test_exceptions ()
{
	double expected = 0;

	for (int i = 0; i < 200; i++) {
		catch_outside (i % 20);
		expected += i % 20 + 1;
	}
	same (pp_count (levels), expected, "an exception ends every interval that it leaves");
	same (pp_count (outer), 200, "the one around the handler ends when it ends");
	same (pp_count (objects), (double) (begun + ended),
	      "constructors and destructors on the way are measured");
	ok (begun == ended && (double) begun == expected, "and run as often as they should");
	same (newly_dropped_in_all (), 0, "exceptions drop nothing");
	pp_reset (nullptr);
	same (rethrow (10), 42, "a rethrown exception arrives");
	same (pp_count (levels), 11, "rethrowing ends every interval once");
	same (pp_count (outer), 11, "intervals in handlers end when their handler throws");
	same (newly_dropped_in_all (), 0, "rethrowing drops nothing");
}

static void test_templates ()
{
	pp_reset (nullptr);
	same (add<int> ({1, 2, -3, 4}), 7, "a template computes what it did without intervals");
	same (add<long> ({1, 2, 3}), 6, "and another instance of it");
	same (pp_count (levels), 2, "instances of a template are sites that are measured");
	same (pp_count (objects), 7, "intervals in a template's loop too");
	same (pp_count (outer), 2, "an interval in a lambda is measured");
	same (pp_sum (sums), 13, "a point in a lambda has its values");
}

static pthread_barrier_t inside;

NOIPA static void wait_for_cancellation (int n)
{
#pragma pp interval cancelled(levels)
	guard g;

	if (n) {
		wait_for_cancellation (n - 1);
	} else {
		pthread_barrier_wait (&inside);
		for (;;)
			pause ();
	}
	sink++;
}

static void *cancelled (void *)
{
	wait_for_cancellation (9);
	return nullptr;
}

static void test_cancellation ()
{
	pp_reset (nullptr);
	forget_drops ();
	pthread_barrier_init (&inside, nullptr, 2);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create (&thread, nullptr, cancelled, nullptr);
		pthread_barrier_wait (&inside);
		pthread_cancel (thread);
		pthread_join (thread, nullptr);
	}
	same (pp_count (levels), 200,
	      "cancellation ends every interval that is open in the thread");
	same (pp_count (objects), 400, "and what its destructors run is measured");
	same (newly_dropped_in_all (), 0, "cancellation drops nothing");
	pthread_barrier_destroy (&inside);
}

static void uncaught_in_thread (int n)
{
	// thrown and caught in several threads at once
	for (int i = 0; i < 500; i++)
		catch_outside ((i + n) % 5);
}

static void *thrower (void *arg)
{
	uncaught_in_thread (*static_cast<int *> (arg));
	return nullptr;
}

static void test_threads ()
{
	pthread_t threads[4];
	int numbers[4] = {0, 1, 2, 3};

	pp_reset (nullptr);
	for (int i = 0; i < 4; i++)
		pthread_create (&threads[i], nullptr, thrower, &numbers[i]);
	for (pthread_t t : threads)
		pthread_join (t, nullptr);
	same (pp_count (outer), 2000, "threads that throw at once are measured");
	same (pp_count (levels), 4 * 100 * (1 + 2 + 3 + 4 + 5), "each of their levels");
	same (newly_dropped_in_all (), 0, "without a drop");
}

int main ()
{
	forget_drops ();
	test_exceptions ();
	test_templates ();
	if (UNDER_TSAN)
		skipped ("cancellation", "ThreadSanitizer of this gcc does not survive it");
	else
		test_cancellation ();
	test_threads ();
	note_drops ();
	return checked ();
}
