/* SPDX-License-Identifier: MIT */
/*
 * kinds.c: what PP_DIM takes in C beside plain variables: members of few bits, volatile texts,
 * functions.
 */
#include <pp.h>
#include <stdbool.h>

enum shade { DARK, LIGHT = 3 };

static struct few {
	unsigned low : 3;
	int less : 5;
	unsigned long long wide : 40;
	long long wide_less : 40;
	bool is : 1;
	enum shade shade : 4;
} few = {5, -7, 1ull << 39, -(1ll << 38), true, LIGHT};

static int function (void)
{
	return 0;
}

int main (void)
{
	const volatile char *constant = "constant";
	volatile char text[] = "text";
	int64_t id = pp_event_begin ("kinds", PP_DIM ("low", few.low), PP_DIM ("less", few.less),
				     PP_DIM ("wide", few.wide), PP_DIM ("wide_less", few.wide_less),
				     PP_DIM ("is", few.is), PP_DIM ("shade", few.shade));
	bool found = PP_DIM ("function", function).value == (uintptr_t) function &&
		     PP_DIM ("none", (void *) 0).type == PP_ABI_VALUE_POINTER;

	pp_event_end (id, PP_DIM ("constant", constant), PP_DIM ("text", text),
		      PP_DIM ("found", found));
	return 0;
}
