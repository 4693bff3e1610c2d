/* SPDX-License-Identifier: MIT */
/*
 * more.c: another file of the program language.c, with the same metrics, and with sites of the same
 * names.
 */
#include "shared.h"

__attribute__ ((noipa)) static int tenfold (int i)
{
#pragma pp interval work(shared_n, shared_time) dim(n = 10 * i)
#pragma pp point step(shared_values) value(i)
	return i;
}

void more_work (int n)
{
	for (int i = 0; i < n; i++)
		tenfold (i);
}
