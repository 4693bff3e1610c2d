/* SPDX-License-Identifier: MIT */
/* deep.c: for tests/system/events.sh: 1,500 executions inside each other, of which a thread keeps 1,024. */
#include <pp.h>

static int deep (int n)
{
#pragma pp interval deep dim(n = n)
	return n < 1500 ? deep (n + 1) + 1 : 0;
}

int main (void)
{
	return deep (1) != 1499;
}
