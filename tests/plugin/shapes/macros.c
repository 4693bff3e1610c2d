/* SPDX-License-Identifier: MIT */
/* One source for the plugin, for gcc without it and for clang: no compiler may warn. */
#include <pp.h>

PP_METRIC (handling, interval, stats (elapsed))
PP_METRIC (depth, point, sumcount (value))
PP_METRIC (visits, point, count (count))

long begun (int from);
long ended (const long *then, int to);
long now (void);
long since (const long *then);

long begun (int from)
{
	return from;
}

long ended (const long *then, int to)
{
	return to - *then;
}

long now (void)
{
	return 1;
}

long since (const long *then)
{
	return *then;
}

PP_METRIC (given, interval, stats (begun, ended))
PP_METRIC (timing, interval, stats (now, since))

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
	PP_EXPECT_WITH (steady, for (3) cooldown ("2s") capture (handling, given), handling.p99[10s] < 5%)
	PP_UNBIND (handling, serve)
	PP_POINT_DIM (keyed, left = n, twice = n * 2)
	PP_SAMPLE_BEGIN (given, n)
	PP_SAMPLE_BEGIN (timing)
	{
		const char *only_captured = "text";
		int only_payload = n;
		PP_FEATURE (recursion)
		PP_FEATURE_PAYLOAD (sized, only_payload)
		PP_ANTIMARK (recursion)
		PP_INTERVAL_DIM (keyed_interval, left = n)
		PP_DIM_HERE (later = n, twice = n * 2)
		PP_INTERVAL_INLINE (direct, timing)
		PP_POINT_VALUE (text, only_captured)
	}
	PP_SAMPLE_END (timing)
	int only_sampled = n + 1;
	PP_SAMPLE_END (given, only_sampled)
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
	int filled = (handling != NULL) + (depth != NULL) + (visits != NULL) + (given != NULL) + (timing != NULL);
	return serve (1) != 1 || (filled != 0 && filled != 5);
}
