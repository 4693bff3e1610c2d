/* SPDX-License-Identifier: MIT */
/* fake_overhead.c: bindings whose load a test says, instead of libmetrics/cost/overhead.c. */
#include "fake_runtime.h"
#include "libmetrics/cost/overhead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct fake_load *fake_load (double per_s, double sampled_s, double skipped_s)
{
	struct fake_load *l = &fake.loads[fake.n_loads];

	*l = (struct fake_load){.per_s = per_s,
				.sampled_s = sampled_s,
				.skipped_s = skipped_s,
				.every = 1,
				.asked = true};
	snprintf (l->metric, sizeof l->metric, "m%zu", fake.n_loads);
	snprintf (l->site, sizeof l->site, "site%zu", fake.n_loads);
	fake.n_loads++;
	return l;
}

static double share_of (const struct fake_load *l)
{
	double every = (double) l->every * (l->now.factor ? l->now.factor : 1);

	return l->asked && !l->now.unbound
		       ? l->per_s * (l->sampled_s + (every - 1) * l->skipped_s) / every
		       : 0;
}

double fake_share_of (int thread)
{
	double sum = 0;

	for (size_t i = 0; i < fake.n_loads; i++)
		sum += fake.loads[i].thread == thread ? share_of (&fake.loads[i]) : 0;
	return sum;
}

double fake_share (void)
{
	double most = 0, one;

	for (int thread = 0; thread < FAKE_THREADS; thread++) {
		one = fake_share_of (thread);
		most = one > most ? one : most;
	}
	return most;
}

double ppi_overhead_look (void)
{
	return fake.idle ? NAN : fake_share ();
}

const struct ppi_payment *ppi_overhead_payments (size_t *n)
{
	static struct ppi_payment all[FAKE_MAX];

	*n = 0;
	for (int thread = 0; thread < FAKE_THREADS && !fake.idle; thread++)
		for (size_t i = 0; i < fake.n_loads; i++)
			if (fake.loads[i].thread == thread && share_of (&fake.loads[i]) > 0)
				all[(*n)++] = (struct ppi_payment){
					(uint32_t) thread + 1,
					(struct ppi_binding *) (void *) &fake.loads[i],
					share_of (&fake.loads[i])};
	return all;
}

struct ppi_charge *ppi_overhead_charges (size_t *n)
{
	struct ppi_charge *all = calloc (fake.n_loads + 1, sizeof *all);

	*n = 0;
	for (size_t i = 0; all && i < fake.n_loads; i++) {
		struct fake_load *l = &fake.loads[i];

		if (l->asked)
			all[(*n)++] =
				(struct ppi_charge){.binding = (struct ppi_binding *) (void *) l,
						    .metric = l->metric,
						    .site = l->site,
						    .every = l->every,
						    .now = l->now,
						    .share = share_of (l),
						    .sampled_s = l->sampled_s,
						    .skipped_s = l->skipped_s};
	}
	return all;
}

void ppi_overhead_throttle (struct ppi_binding *binding, const struct ppi_throttle *to)
{
	((struct fake_load *) (void *) binding)->now = *to;
	fake.throttled++;
	if (!fake.batch_depth)
		abort (); /* it takes effect with the batch */
}

void ppi_overhead_throttled (void)
{
	if (fake.batch_depth)
		abort (); /* plans are what they were until its end */
}

void ppi_overhead_release (unsigned *eased, unsigned *restored)
{
	*eased = *restored = 0;
	for (size_t i = 0; i < fake.n_loads; i++) {
		*restored += fake.loads[i].asked && fake.loads[i].now.unbound;
		*eased += fake.loads[i].asked && fake.loads[i].now.factor > 1;
		fake.loads[i].now = (struct ppi_throttle){0};
	}
}

bool ppi_cost_at (const pp_metric *metric, const pp_site *site, struct ppi_cost *out)
{
	(void) metric;
	(void) site;
	if (fake.batch_depth)
		abort ();
	*out = fake.cost;
	return fake.cost.sampled_s > 0;
}

uint64_t ppi_thread_cpu_ns (uint32_t tid)
{
	return (int) tid == fake.gone ? 0 : fake.now_ns;
}

void ppi_overhead_forget (void)
{
}
