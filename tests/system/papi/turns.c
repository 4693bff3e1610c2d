/* SPDX-License-Identifier: MIT */
/*
 * turns.c: five events of a processor that counts two at a time (fake_papi.c), declared one after
 * the other while others are measured.
 */
#include <pp.h>
#include <pthread.h>
#include <stdio.h>

struct fake_calls {
	int reads, multiplexed, created, destroyed;
};
extern struct fake_calls fake_calls;
void fake_work (void);

#pragma pp metric zero interval stats(papi : FAKE_0)
#pragma pp metric one interval stats(papi : FAKE_1)

static void body (void)
{
#pragma pp interval body(zero, one)
	fake_work ();
	fake_work ();
}

static pp_metric *more[3];

static void declare (void)
{
	static const char *const text[] = {"interval stats(papi:FAKE_2)",
					   "interval stats(papi:FAKE_3)",
					   "interval stats(papi:FAKE_4)"};
	static const char *const name[] = {"two", "three", "four"};

	for (int i = 0; i < 3; i++)
		if (pp_metric_new (&more[i], name[i], text[i]) != 0 ||
		    pp_bind (more[i], "body/body", 1) != 1)
			printf ("%s can't be bound: %s\n", name[i],
				more[i] ? pp_unavailable (more[i]) : "");
}

/* The others are declared inside an interval, whose samples must not jump. */
static void grow (void)
{
#pragma pp interval grow(zero)
	fake_work ();
	declare ();
	body ();
	fake_work ();
}

static void *thread (void *arg)
{
	for (int i = 0; i < 10; i++)
		body ();
	return arg;
}

static double at (const pp_metric *m, const char *name, enum pp_statistic statistic)
{
	pp_site *site = NULL;

	return pp_site_find (name, &site) == 0 ? pp_stat (m, site, statistic) : -1;
}

int main (void)
{
	int before;

	for (int i = 0; i < 10; i++)
		body ();
	printf ("reads for two events at ten executions: %d\n", fake_calls.reads);
	printf ("multiplexed: %d\n", fake_calls.multiplexed);
	grow ();
	printf ("grow %g\n", at (zero, "grow/grow", PP_STAT_SUM));
	before = fake_calls.reads;
	for (int i = 0; i < 10; i++)
		body ();
	printf ("reads for five events at ten executions: %d\n", fake_calls.reads - before);
	for (int i = 0; i < 20; i++) {
		pthread_t t;

		pthread_create (&t, NULL, thread, NULL);
		pthread_join (t, NULL);
	}
	printf ("zero %g %g\n", at (zero, "body/body", PP_STAT_MIN),
		at (zero, "body/body", PP_STAT_MAX));
	printf ("one %g %g\n", pp_min (one), pp_max (one));
	for (int i = 0; i < 3; i++)
		printf ("%s %g %g %g\n", pp_metric_name (more[i]), pp_min (more[i]),
			pp_max (more[i]), pp_count (more[i]));
	printf ("sets of ended threads: %d\n", fake_calls.created - fake_calls.destroyed - 1);
	return 0;
}
