/* SPDX-License-Identifier: MIT */
/* "#pragma pp dim": mistakes that show only once it is known what is around. */
#include <pp.h>

#pragma pp metric timing interval stats(elapsed)
static int now (void) { return 1; }
static int since (const int *then) { return *then; }
#pragma pp metric own interval stats(now, since)

int nowhere (int x)
{
#pragma pp dim n=x
	return x;
}

int before (int x)
{
#pragma pp dim (first=x, second=2)
#pragma pp interval i
	return x;
}

int behind (int x)
{
	{
#pragma pp interval i
		x++;
	}
#pragma pp dim n=x
	return x;
}

int in_feature (int x)
{
#pragma pp feature lib.f
#pragma pp dim n=x
	return x;
}

int in_calls (int x)
{
	pp_begin ("calls");
#pragma pp dim n=x
	pp_end ("calls");
	return x;
}

int in_inline (int x)
{
#pragma pp interval i(own) inline
#pragma pp dim n=x
	return x;
}

int good (int x, const char *text)
{
#pragma pp interval i(timing)
	PP_DIM_HERE (n = x, text = text)
	{
#pragma pp feature lib.f
#pragma pp dim (n=x)
	}
#pragma pp dim dim=x
	return x;
}

/*
expect: 12:12: error: dimension 'n' is in no interval: '#pragma pp dim' belongs to the interval of this function that it stands in
expect: 18:12: error: dimension 'first' is in no interval: '#pragma pp dim' belongs to the interval of this function that it stands in
expect: 29:12: error: dimension 'n' is in no interval: '#pragma pp dim' belongs to the interval of this function that it stands in
expect: 36:12: error: dimension 'n' is in no interval: '#pragma pp dim' belongs to the interval of this function that it stands in
expect: 43:12: error: dimension 'n' is in no interval: '#pragma pp dim' belongs to the interval of this function that it stands in
expect: 51:12: error: interval 'i' is 'inline': it is measured by the code itself and has no dimensions
*/
