/* SPDX-License-Identifier: MIT */
/* policy_late.c: entries of a policy that wait for names; see checker.h. */
#include "assertions/language/checker.h"

#include <stdlib.h>
#include <string.h>

void ppi_policy_waits_free (struct ppi_policy_wait *waits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free (waits[i].name);
	free (waits);
}

static const struct ppi_policy_wait *find (const struct ppi_policy_wait *waits, size_t n,
					   enum ppi_name_kind kind, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (waits[i].kind == kind && strcmp (waits[i].name, name) == 0)
			return &waits[i];
	return NULL;
}

/* False: no memory */
static bool add_wait (struct ppi_policy *policy, enum ppi_name_kind kind, const char *name,
		      bool is_noted)
{
	struct ppi_policy_wait *more =
		reallocarray (policy->waits, policy->n_waits + 1, sizeof *more);
	char *copy = more ? strdup (name) : NULL;

	if (more)
		policy->waits = more;
	if (!copy)
		return false;
	more[policy->n_waits++] = (struct ppi_policy_wait){kind, copy, is_noted};
	return true;
}

/* q1 and q2 are two names, not one and a mistyped one. */
static bool same_but_digits (const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a >= '0' && *a <= '9')
			a++;
		while (*b >= '0' && *b <= '9')
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

/*
 * Is it worth waiting for? What is nearly a name that there is was mistyped. Statistics, operators
 * and assertions of others are asked for by a word in an expression, where a mistake is likelier
 * than one that comes later.
 */
static bool may_come (const struct ppi_checker *c, enum ppi_name_kind kind, const char *name)
{
	char nearest[128];

	switch (kind) {
	case PPI_NAME_SITE:
		return true;
	case PPI_NAME_METRIC:
	case PPI_NAME_SOURCE:
	case PPI_NAME_KNOB:
	case PPI_NAME_CALLABLE:
		return !ppi_name_nearest (&c->names.names, kind, name, nearest, sizeof nearest) ||
		       !ppi_is_mistyped (name, nearest) || same_but_digits (name, nearest);
	case PPI_NAME_ASSERTION:
	case PPI_NAME_OPERATOR:
	case PPI_NAME_STATISTIC:
		break;
	}
	return false;
}

void ppi_checker_missing (struct ppi_checker *c, struct ppi_place place, enum ppi_name_kind kind,
			  const char *name, const char *message)
{
	/* what is said of sites holds for those that come, too: nothing has to wait for one */
	bool is_site = kind == PPI_NAME_SITE;
	const struct ppi_policy_wait *waited = find (c->waited, c->n_waited, kind, name);

	c->missing += !is_site;
	/*
	 * one that something waits for is waited for still, whatever has come since that is near it
	 */
	if (!c->names.outer->grows || (!waited && !may_come (c, kind, name))) {
		ppi_diagnose (c->d, place, "%s", message);
		return;
	}
	if (!is_site && find (c->policy->waits, c->policy->n_waits, kind, name))
		return;
	if (!is_site && !add_wait (c->policy, kind, name, waited && waited->is_noted))
		ppi_diagnose (c->d, place, "no memory");
	if (!waited && !(kind == PPI_NAME_METRIC && c->names.outer->has_unknown_metrics))
		ppi_diagnose_warning (c->d, place, "this waits: %s", message);
}

struct ppi_checked ppi_checker_begin (const struct ppi_checker *c)
{
	return (struct ppi_checked){c->missing, c->d->errors};
}

bool ppi_checker_end (struct ppi_checker *c, const struct ppi_checked *checked, bool *refused)
{
	*refused = c->again && c->d->errors > checked->errors;
	if (*refused)
		c->d->errors = checked->errors;
	return *refused || c->missing > checked->missing;
}

/* ---- setting aside --------------------------------------------------------------------------- */

/* ARRAY[AT] comes before those from TO on. BYTES: of one; TMP has room for it. */
static void move_up (void *array, size_t to, size_t at, size_t bytes, void *tmp)
{
	char *base = array;

	if (to == at)
		return;
	memcpy (tmp, base + at * bytes, bytes);
	memmove (base + (to + 1) * bytes, base + to * bytes, (at - to) * bytes);
	memcpy (base + to * bytes, tmp, bytes);
}

/* Those of ARRAY from FROM on that wait come last, and no longer count; the order stays. */
#define SET_ASIDE(ARRAY, N, LATE, FROM)                                                            \
	do {                                                                                       \
		__typeof__ (*(ARRAY)) tmp_;                                                        \
		size_t to_ = (FROM);                                                               \
                                                                                                   \
		for (size_t i_ = (FROM); i_ < (N); i_++)                                           \
			if (!(ARRAY)[i_].waits)                                                    \
				move_up ((ARRAY), to_++, i_, sizeof *(ARRAY), &tmp_);              \
		(LATE) = (N) -to_;                                                                 \
		(N) = to_;                                                                         \
	} while (0)

static void set_aside (struct ppi_policy *policy, const struct ppi_policy_counts *from)
{
	SET_ASIDE (policy->metrics, policy->n_metrics, policy->late.metrics, from->metrics);
	SET_ASIDE (policy->composites, policy->n_composites, policy->late.composites,
		   from->composites);
	SET_ASIDE (policy->binds, policy->n_binds, policy->late.binds, from->binds);
	SET_ASIDE (policy->assertions, policy->n_assertions, policy->late.assertions,
		   from->assertions);
	SET_ASIDE (policy->adapts, policy->n_adapts, policy->late.adapts, from->adapts);
}

static void take_back (struct ppi_policy *policy)
{
	policy->n_metrics += policy->late.metrics;
	policy->n_composites += policy->late.composites;
	policy->n_binds += policy->late.binds;
	policy->n_assertions += policy->late.assertions;
	policy->n_adapts += policy->late.adapts;
}

static void run (struct ppi_checker *c, const struct ppi_names *outer)
{
	ppi_policy_names_open (&c->names, c->policy, outer);
	ppi_checker_run (c);
	ppi_policy_names_close (&c->names);
	set_aside (c->policy, &c->from);
}

void ppi_policy_check (struct ppi_policy *policy, const struct ppi_names *outer,
		       struct ppi_diagnostics *d)
{
	struct ppi_checker c = {.policy = policy, .d = d};

	if (!ppi_policy_imply (policy, outer))
		ppi_diagnose (d, (struct ppi_place){0, 0}, "no memory");
	run (&c, outer);
}

bool ppi_policy_wait_is_over (const struct ppi_policy *policy, const struct ppi_names *outer)
{
	for (size_t i = 0; i < policy->n_waits; i++)
		if (ppi_name_is_there (outer, policy->waits[i].kind, policy->waits[i].name))
			return true;
	return false;
}

void ppi_policy_check_late (struct ppi_policy *policy, const struct ppi_names *outer,
			    struct ppi_diagnostics *d)
{
	struct ppi_checker c = {.policy = policy,
				.d = d,
				.again = true,
				.from = {policy->n_metrics, policy->n_composites, policy->n_binds,
					 policy->n_assertions, policy->n_adapts},
				.waited = policy->waits,
				.n_waited = policy->n_waits};

	policy->waits = NULL;
	policy->n_waits = 0;
	take_back (policy);
	run (&c, outer);
	ppi_policy_waits_free ((struct ppi_policy_wait *) (uintptr_t) c.waited, c.n_waited);
}
