/* SPDX-License-Identifier: MIT */
/*
 * recent.c: counts of assertions over recent time, a.violations.share[1s]. The owner notes them
 * sixteen times a window, so a window is up to a sixteenth longer than written; while less has
 * passed it is all since the expression was linked. Whoever evaluates the expression reads the
 * value of the last look.
 */
#include "assertions/engine/link.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTS (PPI_RECENT_STEPS + 4)

static struct ppi_recent_moment moment_of (const struct ppi_assertion_chunk *chunk, uint64_t now_ns)
{
	return (struct ppi_recent_moment){now_ns, ppi_load (&chunk->violations),
					  ppi_load (&chunk->checks) +
						  ppi_assertion_quick_passes (chunk),
					  ppi_load (&chunk->fired)};
}

static const struct ppi_recent_moment *newest (const struct ppi_recent *r)
{
	return &r->moment[(r->head + MOMENTS - 1) % MOMENTS];
}

static void note (struct ppi_recent *r, const struct ppi_recent_moment *now)
{
	r->moment[r->head] = *now;
	r->head = (r->head + 1) % MOMENTS;
	r->n += r->n < MOMENTS;
}

/* The newest moment that is a window ago, else the oldest there is */
static const struct ppi_recent_moment *begin_of (const struct ppi_recent *r, uint64_t now_ns,
						 uint64_t window_ns)
{
	const struct ppi_recent_moment *m = newest (r);

	for (uint32_t i = 1; i <= r->n; i++) {
		m = &r->moment[(r->head + MOMENTS - i) % MOMENTS];
		if (now_ns - m->ns >= window_ns)
			break;
	}
	return m;
}

static double value_of (int property, const struct ppi_recent_moment *from,
			const struct ppi_recent_moment *to)
{
	double violations = (double) (to->violations - from->violations),
	       checks = (double) (to->checks - from->checks);

	switch (property) {
	case PPI_ASSERTION_VIOLATIONS:
		return violations;
	case PPI_ASSERTION_CHECKS:
		return checks;
	case PPI_ASSERTION_FIRED:
		return (double) (to->fired - from->fired);
	case PPI_ASSERTION_RATE:
		/* 0/0 at first: unknown */
		return violations / ((double) (to->ns - from->ns) * 1e-9);
	default:
		return violations / checks;
	}
}

static void look (struct ppi_ref *ref, uint64_t now_ns)
{
	const struct ppi_assertion_chunk *chunk = ref->target;
	struct ppi_recent *r = ref->recent;
	struct ppi_recent_moment now;
	double value = NAN;

	if (chunk && r) {
		now = moment_of (chunk, now_ns);
		if (r->counts != chunk)
			r->n = 0; /* another assertion, or another process */
		r->counts = chunk;
		if (!r->n || now_ns - newest (r)->ns >= ref->window_ns / PPI_RECENT_STEPS)
			note (r, &now);
		value = value_of (ref->property, begin_of (r, now_ns, ref->window_ns), &now);
	}
	__atomic_store (&ref->cache, &value, __ATOMIC_RELAXED);
}

void ppi_recent_link (struct ppi_ref *ref)
{
	if (!ref->recent)
		ref->recent = calloc (1, sizeof *ref->recent);
	look (ref, ppi_now_ns ());
}

uint64_t ppi_recent_look (struct ppi_program *program, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		uint64_t step = ref->window_ns / PPI_RECENT_STEPS;

		if (!ref->recent)
			continue;
		look (ref, now_ns);
		if (now_ns + step < next)
			next = now_ns + step;
	}
	return next;
}
