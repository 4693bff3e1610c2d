/* SPDX-License-Identifier: MIT */
/*
 * shop.c: a program with one of everything that ppctl sites lists; with an argument it reports on
 * itself.
 */
#include <pp.h>

#pragma pp metric queued point sumcount(value)
#pragma pp metric handling interval bounded_series(elapsed, size = 100)

PP_KNOB_INT (workers, 4, 1, 8, 1);
PP_KNOB_DOUBLE (limit, 0.5, 0, 1, 0.25);
PP_KNOB_ENUM (order, 1, (first, fairest, cheapest));

static void set_queues (int64_t n)
{
	(void) n;
}
PP_KNOB_INT (queues, 2, 1, 16, 1, set_queues);

static void tell (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
}
PP_CALLABLE (tell)

static int64_t length (void)
{
	return 1;
}
PP_SOURCE_POINT_INT (queue_length, length, "")

static inline int serve (int x)
{
#pragma pp interval serve(handling) group(hot, net)
	return x * 3;
}

int main (int argc, char **argv)
{
	int sum = 0;

	(void) argv;
	if (argc > 2)
		(void) pp_span_end (pp_span_begin (pp_span_site ("checkout")));
	for (int i = 0; i < 4 * argc; i++) {
#pragma pp point queue(queued) value(i)
		sum += serve (i) + serve (sum);
	}
#pragma pp expect fast : handling.avg < 10s
#pragma pp expect steady : handling.avg < 20s for (3) cooldown(2 s)
	return argc > 1 ? pp_report (stdout) : sum < 0;
}
