/* SPDX-License-Identifier: MIT */
/*
 * assertion.h: an assertion, and who does what with it.
 *
 *   marker (any thread)                          owner (the tick, pp_poll, pp_expect), with the
 *                                                runtime's lock
 *   ───────────────────                          ─────────────────────────────────────────────────────────────
 *   evaluate ─► count ─► passes, nothing running: done
 *                  │
 *                  ▼ try the assertion's flag
 *           taken ─┴─ busy: post the outcome ──► steps what is still posted
 *             ▼
 *      posted outcomes, then the own one: step ─► edge ─► inline callables, here
 *                                                   └───► notice ──► actions, history ─► callbacks (lock released)
 *
 * Nobody ever waits for the flag. Outcomes of one thread are stepped in their order; those of
 * several threads in the order they come by the flag or the ring of posts. What fits into no ring
 * is counted (lost, unperformed) and said; counts of checks and violations are exact in any case.
 */
#ifndef PPI_ENGINE_ASSERTION_H
#define PPI_ENGINE_ASSERTION_H

#include "assertions/engine/action.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/capture.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/seen.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/estimate.h"
#include "libmetrics/tables/check.h"
#include "recording/layout.h"

#include <pp.h>

struct ppi_grouped;
struct ppi_growth_check;
struct ppi_kept_tally;
struct ppi_loaded;
struct ppi_sweeping;
struct ppi_threads;

#define PPI_CULPRIT_BYTES 512
#define PPI_REFRESH_NS UINT64_C (50000000) /* of merged values that markers read */
#define PPI_SIDES_NS                                                                               \
	UINT64_C (500000000) /* of what quick checks compared last, for who reads the recording */

struct ppi_assertion {
	/*
	 * the owner looks at these a hundred times a second, however many assertions there are: as
	 * few lines as may be
	 */
	struct ppi_assertion *next;
	struct ppi_program *program;
	char *at; /* pattern or NULL */
	uint64_t every_ns, due_ns, refreshed_ns;
	struct ppi_threads *threads; /* scope: thread; then MACHINE is not used */
	/* of groups, in whose place MACHINE is not used either; NULL: none are linked. Atomic */
	struct ppi_grouped *grouped;
	uint64_t reaped_ns; /* when threads that have ended were looked for */
	struct ppi_action *on_fire, *on_clear;
	size_t n_on_fire, n_on_clear;
	struct ppi_growth_check *growth; /* NULL: the program is the condition */
	unsigned references;             /* of deliveries; with the lock */
	/* in which the program's own statistics were computed; with the lock */
	unsigned users_round;
	bool retired;
	bool is_pending; /* it had no site when that was last told */
	bool has_inline; /* atomic, as HAS_SAMPLES: an action of it may have waited */
	bool told_lost, told_unperformed, told_crowded;
	bool has_samples; /* among on_fire */
	bool has_figures; /* of groups, among what it captures */
	uint8_t severity; /* enum pp_severity */

	/* markers write these */
	uint32_t busy; /* the flag */
	/*
	 * as the chunk says it, where others may write: the state that is shown, and in how many
	 * threads it fires; atomic
	 */
	uint32_t state, firing;
	uint32_t quiet;   /* a pass would change nothing */
	uint64_t samples; /* counted until AFTER is reached */
	uint64_t lost, unperformed;
	/* counts of checks that markers saw to pass, or NULL; atomic */
	struct ppi_kept_tally *kept;
	/* of the sample that the chunk's sides are of; only with KEPT; atomic */
	uint64_t sides_stamp;
	struct ppi_notices notices;
	struct ppi_posts posts;
	struct ppi_machine machine; /* the flag's holder */
	struct ppi_sweeping *sweep; /* or NULL */
	struct ppi_violating_chunk
		*violating;   /* or NULL: none yet; the flag's holder, as the next */
	uint64_t n_violating; /* in it, so far */
	double looks_weight;  /* looks.c, where it is no marker that checks; atomic */
	uint32_t looks_left;
	struct ppi_assertion_chunk *chunk; /* in the region, or SPARE */
	struct ppi_capture_entry *entries;
	struct ppi_rings *rings; /* where the slots of posts and notices are */

	char *name;
	struct ppi_loaded *policy;             /* NULL: of the program's own code */
	const struct ppi_reactions *reactions; /* NULL: it has no actions */
	const struct ppi_policy_assertion *written;
	pp_abi_call_fn call;      /* of #pragma pp expect; atomic */
	bool is_unheard;          /* quiet: true; nobody is told that it fires */
	bool has_fired, was_told; /* in this process; was that said? [lock] */
	/* of an expectation of the program's own, as it says them; NULL: none */
	char *clauses;
	struct ppi_machine_spec spec;
	uint64_t after;
	struct ppi_capture capture[PPI_CAPTURES];
	uint32_t n_captures;
	struct ppi_site_check *checks;
	/* of sites it is no longer checked at; markers may still look at them */
	struct ppi_site_check *detached;

	uint32_t log_tokens;
	uint64_t log_ns, log_suppressed;

	/*
	 * the newest investigation's result: a site's name, or ""; how much of what is too slow;
	 * all of it as a sentence [lock]
	 */
	char culprit[PPI_CULPRIT_BYTES];
	double culprit_share;
	char culprit_text[PPI_CULPRIT_BYTES];

	struct {
		struct ppi_assertion_chunk chunk;
		struct ppi_capture_entry entries[PPI_CAPTURES];
	} spare; /* counts while the region has no room */
};

/* An assertion at one of its sites. */
struct ppi_site_check {
	struct ppi_check check; /* first */
	struct ppi_assertion *assertion;
	pp_site *site;
	double statics[PPI_STATICS]; /* of the site; atomic */
	struct ppi_site_check *next;
};

/* All; with the lock. */
extern struct ppi_assertion *ppi_assertions;

/*
 * An assertion that is in no list yet; NAME and AT are copied, PROGRAM is taken over. NULL: no
 * memory.
 */
struct ppi_assertion *ppi_assertion_create (const char *name, const char *at,
					    struct ppi_program *program);
/* Puts it into the list / takes it out of it [lock]. */
void ppi_assertion_enlist (struct ppi_assertion *a);
void ppi_assertion_unlist (struct ppi_assertion *a);
struct ppi_assertion *ppi_assertion_find (const char *name); /* [lock] */
/*
 * Frees it at once when nothing can know it, else when no marker and no delivery does. [lock] for
 * retire.
 */
void ppi_assertion_destroy (struct ppi_assertion *a);
/*
 * When and how often it fires, and what it captures: figures are taken over. False: no memory.
 */
bool ppi_assertion_take_clauses (struct ppi_assertion *a, struct ppi_policy_assertion *written);
/* Says everything in messages, and clears D. */
void ppi_diagnostics_say (struct ppi_diagnostics *d);
void ppi_assertion_retire (struct ppi_assertion *a);
/* Frees what was retired and is not used any more. Not with the lock, not from a check. */
void ppi_retired_free (void);
/*
 * Evaluates a timed assertion or an expectation with merged values and steps it; LOCKED as in
 * ppi_assertion_saw. The outcome.
 */
enum ppi_outcome ppi_assertion_check_now (struct ppi_assertion *a, uint64_t now_ns, bool locked);
/*
 * When it was linked for the first time: one at a site whose metrics this machine lacks would never
 * be checked, as nothing is sampled there, and would look as if it held. It is unknown from the
 * start [lock].
 */
void ppi_assertion_start (struct ppi_assertion *a, uint64_t now_ns);
/* Performs the assertion's notices [lock]. */
void ppi_assertion_flush (struct ppi_assertion *a, uint64_t now_ns);
void ppi_wake (void);

/*
 * A word in a page that the kernel wipes in every child: 1 in the process whose region the
 * assertions write to. Markers and the program's expectations look first: a child (of _Fork or
 * clone, where no handler runs) must not write into its parent's region.
 */
extern uint32_t *ppi_assertions_alive;

#endif
