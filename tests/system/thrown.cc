// SPDX-License-Identifier: MIT
// thrown.cc: exceptions that functions of the program's own throw where a marker has called them.
// Compiled with -fnon-call-exceptions, without which GCC takes no exception out of what is no call.
#include "check.h"

int64_t throwing_begin ();
int64_t throwing_end (const int64_t *begin);

// clang-format off
#pragma pp metric thrown interval sumcount(throwing_begin, throwing_end)
#pragma pp metric around interval sumcount(elapsed)
// clang-format on

static volatile long sink;
static int at;

NOIPA int64_t throwing_begin ()
{
	if (at == 1)
		throw 1;
	return 3;
}

NOIPA int64_t throwing_end (const int64_t *begin)
{
	if (at == 2)
		throw 2;
	return *begin;
}

NOIPA static void leaf ()
{
#pragma pp interval leaf(thrown)
	sink++;
}

NOIPA static void deep (int n)
{
#pragma pp interval deep(around)
	if (n)
		deep (n - 1);
	else
		leaf ();
	sink++;
}

int main ()
{
	int wrong = 0, rounds = 300;

	for (int i = 0; i < rounds; i++) {
		int caught = 0;

		at = i % 3;
		try {
			deep (i % 7);
		} catch (int x) {
			caught = x;
		}
		wrong += caught != at;
	}
	at = 0;
	same (wrong, 0,
	      "what measuring functions throw arrives at those who called the function with the "
	      "marker");
	same (pp_count (thrown), rounds / 3, "such executions have no sample, the others do");
	same (pp_sum (thrown), rounds, "and theirs");
	ok (pp_count (around) > rounds, "intervals around are measured all the time");
	return checked ();
}
