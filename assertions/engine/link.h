/* SPDX-License-Identifier: MIT */
/*
 * link.h: what the references of expressions mean in the running program: metrics, sites,
 * composites, counts of assertions over the last while.
 */
#ifndef PPI_LINK_H
#define PPI_LINK_H

#include "assertions/language/policy.h"
#include "libmetrics/thread/thread.h"

struct ppi_captured;

struct ppi_assertion;
struct ppi_loaded;

/* Finds what the references of all expressions mean now [lock]. */
void ppi_link_all (void);
/* True: one of them means something else than before. */
bool ppi_link (struct ppi_program *program);
/* ... of the expressions of its samples */
void ppi_link_samples (struct ppi_assertion *a);
/* Gives the windows back that it asked metrics for. When no marker evaluates it any more. */
void ppi_unlink (struct ppi_program *program);
/* The value of a reference: at a site (ARG: struct ppi_at), or merged. */
struct ppi_at {
	struct ppi_thread *thread;
	pp_site *site;
	const double *statics; /* by enum ppi_static; atomic */
};
double ppi_load_at (const struct ppi_ref *ref, void *arg);
/*
 * As at a site, and of the thread at all sites what has no sample at this one: what captures note.
 */
double ppi_load_near (const struct ppi_ref *ref, void *arg);
double ppi_load_merged (const struct ppi_ref *ref, void *arg);
/*
 * The program's own statistics that it asks for: are there any; calls them, for the values that
 * evaluation reads. They are functions of the program's: without the lock.
 */
bool ppi_asks_users (const struct ppi_program *program);
void ppi_refresh_users (struct ppi_program *program);
/* Renews what markers read from caches. */
void ppi_refresh (struct ppi_program *program);

/* ---- composite.c ----------------------------------------------------------------------------- */

/*
 * Declares the composite metric NAME [lock], with POLICY's own composites in its expression beside
 * those that are declared (NULL: none). PP_EEXIST: NAME is another metric, PP_EINVAL: the
 * expression is wrong. A reference of *OUT is the caller's.
 */
int ppi_composite_declare (const char *name, const char *text, const char *where,
			   const struct ppi_policy *policy, pp_metric **out, char *why,
			   size_t room);
/*
 * What a composite metric that is captured is now: at a marker (AT), or merged, at SITE or (NULL)
 * everywhere. Its value and, for the average, its expression with averages in the place of newest
 * samples.
 */
struct ppi_captured ppi_composite_now (const pp_metric *metric, const struct ppi_at *at,
				       const pp_site *site);
/* Finds what composite metrics' names mean now [lock]. */
void ppi_composites_link (void);

/*
 * Does anybody but the policy of BESIDE's file speak of the composite metric NAME? Its text is in
 * the place of its name there. WHO gets whoever it is. [lock]
 */
bool ppi_composite_is_used (const char *name, const struct ppi_loaded *beside, char *who,
			    size_t room);
struct ppi_dimension ppi_composite_dimension (const pp_metric *metric);

/* ---- recent.c -------------------------------------------------------------------------------- */

#define PPI_RECENT_STEPS 16u /* a window's ends are known to that part of it */

/* Counts of an assertion at moments of the last while, newest at HEAD - 1. [lock] */
struct ppi_recent {
	const void *counts; /* whose they are */
	uint32_t head, n;
	struct ppi_recent_moment {
		uint64_t ns, violations, checks, fired;
	} moment[PPI_RECENT_STEPS + 4];
};

/* Makes room for the window of a reference to an assertion's counts [lock]. */
void ppi_recent_link (struct ppi_ref *ref);
/*
 * Looks at the counts that the expression wants recent ones of, and renews their values [lock].
 * When it wants to look again; UINT64_MAX: there are none.
 */
uint64_t ppi_recent_look (struct ppi_program *program, uint64_t now_ns);

#endif
