/* SPDX-License-Identifier: MIT */
/*
 * unseen.c: sites with and without barriers, for the site table, the message at load, and ppctl
 * check.
 */
#include <pp.h>

static int depth;
static int read_depth (void)
{
	return depth;
}
__attribute__ ((const)) static int five (void)
{
	return 5;
}
PP_SOURCE_POINT_INT (depth_now, read_depth, "")
#pragma pp metric queue point scalar(read_depth)
#pragma pp metric constant_queue point scalar(five)
#pragma pp metric how_often point count(count)

__attribute__ ((noinline)) void free_one (void);
void free_one (void)
{
#pragma pp point free_one
}

__attribute__ ((noinline)) void free_two (void);
void free_two (void)
{
#pragma pp point free_two(how_often, constant_queue)
}

__attribute__ ((noinline)) void bound (void);
void bound (void)
{
#pragma pp point bound(queue)
}

__attribute__ ((noinline)) void fenced (void);
void fenced (void)
{
#pragma pp point fenced fence
}

int main (void)
{
	for (int i = 0; i < 3; i++) {
		free_one ();
		free_two ();
		bound ();
		fenced ();
	}
	return 0;
}
