/* SPDX-License-Identifier: MIT */
/* One source for the plugin, for gcc without it and for clang: no compiler may warn. */
#include <pp.h>

PP_METRIC (handling, interval, stats (elapsed))
PP_METRIC (depth, point, sumcount (value))
PP_METRIC (visits, point, count (count))

int serve (int n);
int serve (int n)
{
	PP_INTERVAL (serve, handling)
	if (n == 0)
		return 0;
	PP_POINT (again)
	PP_POINT (bound, visits)
	PP_POINT_VALUE (left, n)
	PP_POINT_VALUE (left_bound, n - 1, depth)
	PP_BIND (handling, serve)
	PP_EXPECT (fast, handling@serve <= 5ms and handling.p99[10s] < 5%)
	PP_UNBIND (handling, serve)
	return serve (n - 1) + 1;
}

PP_INTERVAL_FUNCTION ("whole", "handling", "g") int whole (int n);
int whole (int n)
{
	return n;
}

PP_INTERVAL_FUNCTION ("named") static inline int named (int n)
{
	return n;
}

PP_IGNORE int left_alone (int n);
int left_alone (int n)
{
	return n;
}

int main (void)
{
	if (whole (0) || named (0) || left_alone (0))
		return 2;
	return handling == NULL && depth == NULL && visits == NULL ? serve (1) - 1 : 1;
}
