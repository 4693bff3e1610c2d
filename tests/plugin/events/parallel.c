/* SPDX-License-Identifier: MIT */
/* flags: -fopenmp */
/* OpenMP regions; one thread each, so that the sequence is known. */
#include "events.h"

int main (void)
{
	long s = 0;
#pragma omp parallel num_threads(1)
	{
		I (parallel)
#pragma omp for reduction(+ : s)
		for (int i = 0; i < 4; i++) {
			P (iteration)
			s += i;
		}
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
	I (serial)
#pragma omp parallel for num_threads(1) reduction(+ : s)
	for (int i = 0; i < 3; i++) {
		I (parallel_for)
		s += opaque (i);
	}
	return s == 4;
}
