/* SPDX-License-Identifier: MIT */
/*
 * computed.c: intervals that computed gotos leave, stay in and may leave. Compilers run no cleanup
 * there, so that there is no plugin-free build to compare with; the programs count for themselves.
 */
#include "check.h"

#pragma pp metric inside interval count(count)
#pragma pp metric around interval count(count)

enum { INCREMENT, DECREMENT, STOP };

NOIPA static int leaves (int which)
{
	static void *const target[] = {&&first, &&second};

	{
#pragma pp interval left(inside)
		goto *target[which];
	}
first:
	return 1;
second:
	return 2;
}

NOIPA static int stays (int which)
{
	static void *const target[] = {&&first, &&second};
	int r = 0;

	{
#pragma pp interval all(around)
		goto *target[which];
	first:
		r++;
	second:
		r++;
	}
	return r;
}

/*
 * Each operation is an interval that is left by the jump to the next one, which may leave the one
 * around too.
 */
NOIPA static int interpreted (const unsigned char *code)
{
	static void *const target[] = {&&increment, &&decrement, &&stop};
	int r = 0;

	{
#pragma pp interval program(around)
		goto *target[*code];
	increment : {
#pragma pp interval increment(inside)
		r++;
		goto *target[*++code];
	}
	decrement : {
#pragma pp interval decrement(inside)
		r--;
		goto *target[*++code];
	}
	}
stop:
	return r;
}

static void test_leaving (void)
{
	pp_reset (NULL);
	ok (leaves (0) == 1 && leaves (1) == 2,
	    "a computed goto out of an interval goes where it would without");
	same (pp_count (inside), 2, "a computed goto that can only leave an interval ends it");
}

static void test_staying (void)
{
	pp_reset (NULL);
	ok (stays (0) == 2 && stays (1) == 1,
	    "a computed goto within an interval goes where it would without");
	same (pp_count (around), 2, "a computed goto within an interval does not end it");
}

static void test_both (void)
{
	static const unsigned char code[] = {INCREMENT, INCREMENT, DECREMENT, INCREMENT, STOP},
				   nothing[] = {STOP};

	pp_reset (NULL);
	ok (interpreted (code) == 2 && interpreted (nothing) == 0,
	    "an interpreter of computed gotos computes what it would without");
	same (pp_count (inside), 4,
	      "each operation of an interpreter is an interval that the jump to the next one ends");
	same (pp_count (around), 2,
	      "a computed goto ends the intervals around when it leaves them, and only then");
}

int main (void)
{
	uint64_t dropped = 0;

	test_leaving ();
	test_staying ();
	test_both ();
	for (int cause = 0; cause < PP_DROPS; cause++)
		dropped += pp_dropped ((enum pp_drop) cause);
	ok (dropped == 0, "no interval that a computed goto left stays open");
	return checked ();
}
