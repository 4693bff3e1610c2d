/* SPDX-License-Identifier: MIT */
/*
 * Whole functions as features and antimarks of the rules, however small: a comparator is the user's code inside of a library's
 * function, and which of several functions are one feature the rules say.
 */
/* flags: -Wall -Wextra */
#include <stdlib.h>

static int calls;

static int by_number (const void *a, const void *b)
{
	calls++;
	return *(const int *) a - *(const int *) b;
}

static inline int check_range (int x)
{
	return x > 0;
}

/* expect: B main/lib.sorting B by_number/lib.sorting E by_number/lib.sorting E main/lib.sorting */
/* expect: B check_range/lib.checks E check_range/lib.checks */
int main (void)
{
	int two[] = {2, 1};

	qsort (two, 2, sizeof *two, by_number);
	return !(check_range (two[0]) && calls == 1);
}

/* report: by_number: antimark lib.sorting, features.yaml:6 */
/* report: check_range: feature lib.checks, features.yaml:7 */
/* report: main: feature lib.sorting, features.yaml:4 */
