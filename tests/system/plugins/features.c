/* SPDX-License-Identifier: MIT */
/* features.c: modules with contracts between them, and processes in processes, by calls: how often is known. */
#include <pp.h>
#include <time.h>

static void work_ms (double ms)
{
	struct timespec begin, now;

	clock_gettime (CLOCK_MONOTONIC, &begin);
	do
		clock_gettime (CLOCK_MONOTONIC, &now);
	while ((double) (now.tv_sec - begin.tv_sec) * 1e3 +
		       (double) (now.tv_nsec - begin.tv_nsec) / 1e6 <
	       ms);
}

#define NOIPA __attribute__ ((noipa))

/* A begin and its end belong to one function: what nests is called. */
NOIPA static void check (const char *contract, double ms)
{
	pp_feature_begin ("lib.contract", contract);
	work_ms (ms);
	pp_feature_end ("lib.contract");
}

NOIPA static void process (const char *name, double ms)
{
	pp_feature_begin ("vm.task", name);
	work_ms (ms);
	pp_feature_end ("vm.task");
}

NOIPA static void listen (void)
{
	pp_feature_begin ("vm.task", "listener");
	process ("connection 1", 10);
	process ("ground/listener/connection 2", 2);
	pp_feature_end ("vm.task");
}

NOIPA static void turn (void)
{
	pp_feature_begin ("vm.task", "ground");
	for (int i = 0; i < 4; i++)
		check ("mixer -> arrays: i < length", 0.5);
	check ("mixer -> arrays: numbers", 0.5);
	check ("main -> mixer: sounds", 0.5);
	pp_feature_begin ("lib.contract_unchecked", "filter -> arrays: i < length");
	pp_feature_end ("lib.contract_unchecked");
	process ("listener", 1);
	listen ();
	work_ms (5);
	pp_feature_end ("vm.task");
}

int main (void)
{
	for (int i = 0; i < 20; i++)
		turn ();
	return 0;
}
