/* SPDX-License-Identifier: MIT */
/* The constructs of OpenMP in C, most also in C++; see matrix.h. */
#include "matrix.h"

#include <omp.h>

/* construct: parallel_region c++ */
CONSTRUCT (parallel_region)
{
	long s = 0;
#pragma omp parallel num_threads(1)
	{
		I (parallel)
		s += opaque (3);
#pragma omp single
		{
			I (single)
			s++;
		}
#pragma omp critical
		{
			I (critical)
			V (sum, s)
		}
	}
	return s;
}

/* construct: parallel_threads c++ sorted */
CONSTRUCT (parallel_threads)
{
	long s = 0;
#pragma omp parallel num_threads(3) reduction(+ : s)
	{
		I (threads)
		P (in_thread)
		s += opaque (1);
	}
	return s > 0;
}

/* construct: parallel_for c++ */
CONSTRUCT (parallel_for)
{
	long s = 0;
#pragma omp parallel for num_threads(1) reduction(+ : s)
	for (int i = 0; i < 4; i++) {
		I (iteration)
		if (i == 1)
			continue;
		s += opaque (i);
		P (iteration_end)
	}
	return s;
}

/* construct: parallel_for_threads c++ sorted */
CONSTRUCT (parallel_for_threads)
{
	long s = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic, 2) reduction(+ : s)
	for (int i = 0; i < 20; i++) {
		I (shared_iteration)
		V (iteration_number, i)
		s += opaque (i);
	}
	return s;
}

/* construct: schedules c++ */
CONSTRUCT (schedules)
{
	long s = 0;
#pragma omp parallel num_threads(1)
	{
#pragma omp for schedule(guided)
		for (int i = 0; i < 3; i++) {
			I (guided)
			s += opaque (i);
		}
#pragma omp for schedule(runtime) nowait
		for (int i = 0; i < 3; i++) {
			I (runtime)
			s += opaque (i);
		}
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			I (ordered_loop)
#pragma omp ordered
			{
				I (ordered_part)
				s += i;
			}
		}
	}
	return s;
}

/* construct: collapsed c++ */
CONSTRUCT (collapsed)
{
	long s = 0;
#pragma omp parallel for collapse(2) num_threads(1) lastprivate(s)
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++) {
			I (collapsed)
			V (collapsed_value, i * 10 + j)
			s = opaque (i + j);
		}
	return s;
}

/* construct: sections c++ */
CONSTRUCT (sections)
{
	long s = 0;
#pragma omp parallel sections num_threads(1) reduction(+ : s)
	{
#pragma omp section
		{
			I (first_section)
			s += opaque (1);
		}
#pragma omp section
		{
			I (second_section)
			s += opaque (2);
		}
	}
	return s;
}

/* construct: tasks c++ */
CONSTRUCT (tasks)
{
	long s = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
	{
		I (around_tasks)
		for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i) shared(s) if (0)
			{
				I (task)
				V (task_number, i)
#pragma omp atomic
				s += opaque (i);
			}
		}
#pragma omp taskwait
	}
	return s;
}

/* construct: deferred_tasks c++ sorted */
CONSTRUCT (deferred_tasks)
{
	long s = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i) shared(s)
		{
			I (deferred)
			V (deferred_number, i)
#pragma omp atomic
			s += opaque (i);
		}
	}
	return s;
}

/* construct: task_recursion c++ sorted */
static long task_fib (int n)
{
	I (task_fib)
	if (n < 2)
		return n;
	long a, b;
#pragma omp task shared(a)
	a = task_fib (n - 1);
#pragma omp task shared(b)
	{
		I (right_branch)
		b = task_fib (n - 2);
	}
#pragma omp taskwait
	return a + b;
}

CONSTRUCT (task_recursion)
{
	long r = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	r = task_fib (5);
	return r;
}

/* construct: taskloop c++ sorted */
CONSTRUCT (taskloop)
{
	long s = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(2) reduction(+ : s)
	for (int i = 0; i < 6; i++) {
		I (taskloop)
		s += opaque (i);
	}
	return s;
}

/* construct: simd c++ */
CONSTRUCT (simd)
{
	static int a[32];
	long s = 0;
#pragma omp simd reduction(+ : s)
	for (int i = 0; i < 32; i++) {
		a[i] = i;
		s += a[i] * 2;
	}
	I (behind_simd)
#pragma omp parallel for simd num_threads(1)
	for (int i = 0; i < 32; i++)
		a[i] += 1;
	return s + a[31];
}

/* construct: master_and_barrier c++ */
CONSTRUCT (master_and_barrier)
{
	long s = 0;
#pragma omp parallel num_threads(1)
	{
		I (with_barrier)
#pragma omp master
		{
			I (master)
			s += opaque (2);
		}
#pragma omp barrier
		P (behind_barrier)
	}
	return s;
}

/* construct: nested_parallel c++ */
CONSTRUCT (nested_parallel)
{
	long s = 0;
	I (serial)
#pragma omp parallel num_threads(1)
	{
		I (level_one)
#pragma omp parallel num_threads(1)
		{
			I (level_two)
			s += opaque (2);
		}
		P (back_in_one)
	}
	return s;
}

/* construct: target c++ */
CONSTRUCT (target)
{
	int a[4] = {1, 2, 3, 4};
	long s = 0;
	I (around_target)
#pragma omp target map(tofrom : a) map(tofrom : s) if (0)
	{
		for (int i = 0; i < 4; i++)
			s += a[i];
	}
	return s;
}

/* construct: private_variables c++ */
CONSTRUCT (private_variables)
{
	int x = opaque (3), y = 4, z = 0;
#pragma omp parallel num_threads(1) firstprivate(x) private(y) shared(z)
	{
		y = 7;
		I (with_private)
		V (private_value, x + y)
#pragma omp critical(name)
		z += x + y;
	}
	V (shared_value, y)
	return z;
}

/* construct: cancellation c++ */
CONSTRUCT (cancellation)
{
	long s = 0;
#pragma omp parallel num_threads(1)
	{
#pragma omp for reduction(+ : s)
		for (int i = 0; i < 4; i++) {
			{
				I (before_cancel)
				s += opaque (i);
			}
#pragma omp cancel for if (i == 100)
			P (not_cancelled)
		}
	}
	return s;
}

/* construct: loop_in_function_in_region c++ */
static long orphaned (int n)
{
	static long s;
#pragma omp for
	for (int i = 0; i < n; i++) {
		I (orphaned)
		s += opaque (i);
	}
	return s;
}

CONSTRUCT (loop_in_function_in_region)
{
	long r = 0;
#pragma omp parallel num_threads(1)
	{
		I (calls_orphaned)
		r = orphaned (3);
	}
	return r;
}
