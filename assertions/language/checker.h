/* SPDX-License-Identifier: MIT */
/*
 * checker.h: between policy_check.c, policy_check_adapts.c, policy_check_captures.c,
 * policy_metric.c and policy_late.c, which hold a policy against what exists.
 *
 * What it says of a metric, source, knob or function that there is not is no error where there may
 * be more names later (a metric that main declares, a knob of a module that is loaded then), unless
 * it is nearly a name that there is: that entry waits. It is told at the first place, is set aside
 * behind the others of its kind, and is checked again when a name that the policy waits for
 * appears. An action waits alone, the rest of its assertion goes on.
 */
#ifndef PPI_CHECKER_H
#define PPI_CHECKER_H

#include "assertions/language/policy_names.h"

struct ppi_checker {
	struct ppi_policy *policy;
	struct ppi_policy_names names;
	struct ppi_diagnostics *d;
	const struct ppi_yaml *expression;
	/* so far: names that there are not, and metrics that can't be told because of that */
	size_t missing;
	/* those before were checked another time, and all is well with them */
	struct ppi_policy_counts from;
	/* they were: an error refuses its entry, and no other */
	bool again;
	const struct ppi_policy_wait *waited; /* then: what was waited for, and told */
	size_t n_waited;
};

/* How things were before an entry was checked. */
struct ppi_checked {
	size_t missing, errors;
};

struct ppi_checked ppi_checker_begin (const struct ppi_checker *c);
/*
 * Behind it: does the entry wait? *REFUSED: it has waited, and now there is an error in it: it
 * waits for good.
 */
bool ppi_checker_end (struct ppi_checker *c, const struct ppi_checked *checked, bool *refused);

/* Is there such a name? Else that is told. */
bool ppi_checker_need (struct ppi_checker *c, const struct ppi_yaml *name, enum ppi_name_kind kind);
/* Is the metric one whose declaration is wrong, or waits? Then nothing more is said about it. */
bool ppi_checker_is_broken (struct ppi_checker *c, const char *name);
/* Is NAME a metric with a newest sample? Else it is told what is impossible without one: DOING. */
bool ppi_checker_has_last (struct ppi_checker *c, const struct ppi_yaml *name, const char *doing);
/*
 * There is no such name, and MESSAGE says so: an error, or something to wait for, told once for
 * each name.
 */
void ppi_checker_missing (struct ppi_checker *c, struct ppi_place place, enum ppi_name_kind kind,
			  const char *name, const char *message);
/* Is there such a knob, which is no other policy's? Else that is told. */
bool ppi_checker_is_knob_free (struct ppi_checker *c, const struct ppi_yaml *name);
/*
 * Does the expression use a metric whose declaration is wrong? Its unit and statistics are not
 * known then.
 */
bool ppi_checker_uses_broken (struct ppi_checker *c, const char *text);
/* Tell what is wrong with C->expression, at its place. */
struct ppi_expr_errors ppi_checker_errors (struct ppi_checker *c);

/* All of it, from C->from on: policy_check.c, and what that asks the other files for */
void ppi_checker_run (struct ppi_checker *c);
void ppi_check_metrics (struct ppi_checker *c);
void ppi_check_adapts (struct ppi_checker *c);
/* Behind the condition, which says what groups there are. */
void ppi_check_captures (struct ppi_checker *c, struct ppi_policy_assertion *a);

#endif
