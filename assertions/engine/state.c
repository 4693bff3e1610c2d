/* SPDX-License-Identifier: MIT */
/* state.c: assertions as the program sees them. */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/state.h"
#include "base/atomic.h"
#include "base/lock.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"
#include "recording/names.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pp_state_name (enum pp_state state)
{
	return ppi_state_name (state);
}

const char *pp_severity_name (enum pp_severity severity)
{
	return ppi_severity_name (severity);
}

double ppi_since_start (uint64_t ns)
{
	const struct ppi_region_header *header = ppi_region_header ();

	return header && ns ? (double) (int64_t) (ns - header->start_ns) * 1e-9 : NAN;
}

/* [lock] */
static void fill (struct ppi_assertion *a, struct pp_assertion_info *out)
{
	const struct ppi_assertion_chunk *chunk = a->chunk;
	uint64_t quick = ppi_assertion_quick_passes (chunk);

	ppi_assertion_saw (a, NULL, true);
	ppi_assertion_look_at_sides (a);
	*out = (struct pp_assertion_info){
		.state = (enum pp_state) ppi_load (&a->state),
		.passes = ppi_load (&chunk->passes) + quick,
		.violations = ppi_load (&chunk->violations),
		.checks = ppi_load (&chunk->checks) + quick,
		.unknowns = ppi_load (&chunk->unknowns),
		.fired = ppi_load (&chunk->fired),
		.cleared = ppi_load (&chunk->cleared),
		.severity = (enum pp_severity) a->severity,
		.since = ppi_since_start (ppi_load (&chunk->since_ns)),
		.last_fired = ppi_since_start (ppi_load (&chunk->fired_ns)),
		.last_cleared = ppi_since_start (ppi_load (&chunk->cleared_ns)),
		.suppressed = ppi_load (&chunk->suppressed),
		.first_violation = ppi_since_start (ppi_load (&chunk->first_ns)),
		.last_violation = ppi_since_start (ppi_load (&chunk->last_ns)),
		.lost = ppi_load (&a->lost) + ppi_load (&a->unperformed),
		.per_thread = a->threads != NULL,
		.threads = ppi_load (&a->firing),
	};
	__atomic_load (&chunk->left, &out->left, __ATOMIC_RELAXED);
	__atomic_load (&chunk->right, &out->right, __ATOMIC_RELAXED);
}

int pp_assertion_state (const char *name, struct pp_assertion_info *out)
{
	struct ppi_assertion *a;

	if (!name || !out)
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	a = ppi_assertion_find (name);
	if (a)
		fill (a, out);
	ppi_unlock ();
	return a ? PP_OK : PP_ENOENT;
}

int pp_assertion_culprit (const char *name, char *out, size_t room, double *share)
{
	struct ppi_assertion *a;
	int result = PP_ENOENT;

	if (!name || (!out && room))
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	a = ppi_assertion_find (name);
	if (a && *a->culprit) {
		if (room)
			snprintf (out, room, "%s", a->culprit);
		if (share)
			*share = a->culprit_share;
		result = PP_OK;
	}
	ppi_unlock ();
	return result;
}

struct one {
	char *name;
	struct pp_assertion_info info;
};

/* All of them as they are now, malloced */
static struct one *snapshot (size_t *n, size_t *wanted)
{
	struct one *list;

	*n = *wanted = 0;
	ppi_lock ();
	for (const struct ppi_assertion *a = ppi_assertions; a; a = a->next)
		++*wanted;
	list = calloc (*wanted + 1, sizeof *list);
	for (struct ppi_assertion *a = ppi_assertions; list && a; a = a->next) {
		list[*n].name = strdup (a->name);
		fill (a, &list[*n].info);
		*n += list[*n].name != NULL;
	}
	ppi_unlock ();
	return list;
}

int pp_assertion_each (int (*fn) (const char *name, const struct pp_assertion_info *info,
				  void *arg),
		       void *arg)
{
	int result = 0, saved = errno;
	struct one *list;
	size_t n, wanted;

	if (!fn)
		return PP_EINVAL;
	ppi_assertions_revive ();
	list = snapshot (&n, &wanted);
	errno = saved;
	if (n < wanted)
		result = PP_ENOMEM;
	for (size_t i = 0; i < n && !result; i++)
		result = fn (list[i].name, &list[i].info, arg);
	for (size_t i = 0; i < n; i++)
		free (list[i].name);
	free (list);
	return result;
}
