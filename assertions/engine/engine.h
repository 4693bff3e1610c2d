/* SPDX-License-Identifier: MIT */
/*
 * engine.h: loaded policies and their assertions, and who does what with them.
 *
 *   marker (any thread)                          owner (the tick, pp_poll, pp_expect), with the runtime's lock
 *   ───────────────────                          ─────────────────────────────────────────────────────────────
 *   evaluate ─► count ─► passes, nothing running: done
 *                  │
 *                  ▼ try the assertion's flag
 *           taken ─┴─ busy: post the outcome ──► steps what is still posted
 *             ▼
 *      posted outcomes, then the own one: step ─► edge ─► inline callables, here
 *                                                   └───► notice ──► actions, history ─► callbacks (lock released)
 *
 * Nobody ever waits for the flag. Outcomes of one thread are stepped in their order; those of several threads in the
 * order they come by the flag or the ring of posts. What fits into no ring is counted (lost, unperformed) and said;
 * counts of checks and violations are exact in any case.
 */
#ifndef PPI_ENGINE_H
#define PPI_ENGINE_H

#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/knob.h"
#include "libmetrics/runtime.h"
#include "assertions/engine/link.h"
#include "assertions/engine/machine.h"
#include "assertions/language/policy.h"
#include "assertions/engine/threads.h"

#define PPI_POSTS 64u                   /* outcomes that wait for the flag, per assertion; a power of two */
#define PPI_NOTICES 64u                 /* edges that wait for the owner, per assertion; a power of two */
#define PPI_TICK_NS UINT64_C (10000000) /* while there are assertions at sites */
#define PPI_CULPRIT_BYTES 512
#define PPI_REFRESH_NS UINT64_C (50000000) /* of merged values that markers read */
#define PPI_SIDES_NS UINT64_C (500000000)  /* of what quick checks compared last, for who reads the recording */

#define ppi_relaxed(p) __atomic_load_n (p, __ATOMIC_RELAXED)
#define ppi_set_relaxed(p, v) __atomic_store_n (p, v, __ATOMIC_RELAXED)

/* ---- what a thread saw ------------------------------------------------------------------------------------------- */

struct ppi_captured {
	double value, avg, samples;
};

struct ppi_seen {
	uint8_t outcome; /* enum ppi_outcome */
	struct ppi_dimension dimension;
	int thread;
	pp_site *site; /* or NULL */
	uint64_t ns;
	double left, right;
	struct ppi_captured captured[PPI_CAPTURES];
};

/* Many writers, one reader at a time (the flag's holder). A slot's turn says whose it is; see post.c. */
struct ppi_posts {
	uint32_t head, tail;      /* atomic */
	uint32_t done;            /* those before it were stepped; atomic */
	uint32_t turn[PPI_POSTS]; /* atomic */
	struct ppi_seen *slot;    /* PPI_POSTS */
};

/* An edge on its way to the owner. */
struct ppi_notice {
	uint8_t edge;      /* enum ppi_edge */
	bool investigated; /* no edge: an investigation is over */
	bool put_off;      /* seen in a signal handler: the owner calls the inline callables */
	struct ppi_seen seen;
	uint64_t violations, checks, fired;
	uint64_t since_ns; /* when the failures began */
};

/* One writer at a time (the flag's holder), one reader (the lock's holder). */
struct ppi_notices {
	uint32_t head, tail;     /* atomic */
	struct ppi_notice *slot; /* PPI_NOTICES */
};

/* Most assertions hardly ever use theirs: pages that are there when they are touched. */
struct ppi_rings {
	struct ppi_seen posts[PPI_POSTS];
	struct ppi_notice notices[PPI_NOTICES];
};

/* ---- a loaded policy --------------------------------------------------------------------------------------------- */

/* A metric at a pattern: an entry of bind:, or one that a bind action makes. */
struct ppi_slot {
	pp_metric *metric;
	const char *pattern; /* of the policy's tree */
	struct ppi_place place;
	uint32_t every;
	bool permanent; /* of bind: */
	struct ppi_rule *rule;
	uint64_t for_ns;   /* how long it is to be bound, 0: no end */
	uint64_t until_ns; /* when that is over */
	bool over;         /* one of bind: whose time is over */
	bool is_pending;   /* it had no site when that was last told */
	bool until_clear;  /* of a bind action */
};

struct ppi_action {
	const struct ppi_policy_action *written;
	struct ppi_callable *callable;
	struct ppi_knob *knob;
	struct ppi_slot *slots; /* of bind and unbind: metric × patterns */
	size_t n_slots;
	pp_metric *metric;                       /* of sample */
	struct ppi_program *program;             /* of sample */
	struct ppi_investigation *investigation; /* of investigate */
	bool waits;                              /* for a name; then it is none of these */
	bool told;                               /* that it failed */
	uint64_t failed;                         /* how often */
};

/* What actions do, of which the engine knows no more; the room react's. */
struct ppi_reactions {
	void (*perform) (struct ppi_assertion *a, const struct ppi_notice *notice, uint64_t now_ns); /* [lock] */
	void (*destroy) (struct ppi_action *action); /* what it has of its own, with its assertion */
};

struct ppi_assertion {
	/* the owner looks at these a hundred times a second, however many assertions there are: as few lines as may be */
	struct ppi_assertion *next;
	struct ppi_program *program;
	char *at; /* pattern or NULL */
	uint64_t every_ns, due_ns, refreshed_ns;
	struct ppi_threads *threads; /* scope: thread; then MACHINE is not used */
	uint64_t reaped_ns;          /* when threads that have ended were looked for */
	struct ppi_action *on_fire, *on_clear;
	size_t n_on_fire, n_on_clear;
	struct ppi_growth_check *growth; /* NULL: the program is the condition */
	unsigned references;             /* of deliveries; with the lock */
	unsigned users_round;            /* in which the program's own statistics were computed; with the lock */
	bool retired;
	bool is_pending; /* it had no site when that was last told */
	bool has_inline; /* atomic, as HAS_SAMPLES: an action of it may have waited */
	bool told_lost;
	bool has_samples; /* among on_fire */
	uint8_t severity; /* enum pp_severity */

	/* markers write these */
	uint32_t busy; /* the flag */
	/* as the chunk says it, where others may write: the state that is shown, and in how many threads it fires; atomic */
	uint32_t state, firing;
	uint32_t quiet;   /* a pass would change nothing */
	uint64_t samples; /* counted until AFTER is reached */
	uint64_t lost, unperformed;
	struct ppi_kept_tally *kept; /* counts of checks that markers saw to pass, or NULL; atomic */
	uint64_t sides_stamp;        /* of the sample that the chunk's sides are of; only with KEPT; atomic */
	struct ppi_notices notices;
	struct ppi_posts posts;
	struct ppi_machine machine; /* the flag's holder */
	struct ppi_sweeping *sweep; /* or NULL */
	double looks_weight;        /* looks.c, where it is no marker that checks; atomic */
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
	char *clauses;            /* of an expectation of the program's own, as it says them; NULL: none */
	struct ppi_machine_spec spec;
	uint64_t after;
	pp_metric *capture[PPI_CAPTURES];
	uint32_t n_captures;
	struct ppi_site_check *checks;
	struct ppi_site_check *detached; /* of sites it is no longer checked at; markers may still look at them */

	uint32_t log_tokens;
	uint64_t log_ns, log_suppressed;

	/* the newest investigation's result: a site's name, or ""; how much of what is too slow; all of it as a sentence [lock] */
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

struct ppi_loaded {
	struct ppi_loaded *next;
	struct ppi_policy *policy;
	char *file;                 /* its path from the root: the program may change its directory */
	bool is_text;               /* there is no file: it is in the program, and FILE its name */
	bool watched;               /* it is loaded again when that changes */
	struct ppi_file_mark mark;  /* of what was loaded last, or refused */
	struct ppi_file_mark fresh; /* of what was there at the last look, where that is something else */
	pp_metric **metrics;        /* declared by it, in order; NULL: not yet */
	pp_metric **composites;     /* likewise */
	struct ppi_slot *slots;     /* of bind: */
	size_t n_slots;
	uint32_t slots_seen;   /* of actions.c: which changes of slots are in SLOTS_DUE_NS; 0: none */
	uint64_t slots_due_ns; /* when the time of the next one is over */
	struct ppi_assertion **assertions;
	struct ppi_adapt **adapts; /* adapt.h */
	size_t n_adapts;
	struct ppi_policy_counts built; /* of the policy's entries; more come when names do that they wait for */
};

/* All loaded policies and assertions; with the lock. */
extern struct ppi_loaded *ppi_policies;
extern struct ppi_assertion *ppi_assertions;

/* ---- engine.c ---------------------------------------------------------------------------------------------------- */

/* An assertion that is in no list yet; NAME and AT are copied, PROGRAM is taken over. NULL: no memory. */
struct ppi_assertion *ppi_assertion_create (const char *name, const char *at, struct ppi_program *program);
/* Puts it into the list / takes it out of it [lock]. */
void ppi_assertion_enlist (struct ppi_assertion *a);
void ppi_assertion_unlist (struct ppi_assertion *a);
struct ppi_assertion *ppi_assertion_find (const char *name); /* [lock] */
/* Frees it at once when nothing can know it, else when no marker and no delivery does. [lock] for retire. */
void ppi_assertion_destroy (struct ppi_assertion *a);
void ppi_assertion_retire (struct ppi_assertion *a);
/* Frees what was retired and is not used any more. Not with the lock, not from a check. */
void ppi_retired_free (void);
/*
 * Evaluates a timed assertion or an expectation with merged values and steps it; LOCKED as in ppi_assertion_saw. The
 * outcome.
 */
enum ppi_outcome ppi_assertion_check_now (struct ppi_assertion *a, uint64_t now_ns, bool locked);
/*
 * When it was linked for the first time: one at a site whose metrics this machine lacks would never be checked, as nothing
 * is sampled there, and would look as if it held. It is unknown from the start [lock].
 */
void ppi_assertion_start (struct ppi_assertion *a, uint64_t now_ns);
/* Performs the assertion's notices [lock]. */
void ppi_assertion_flush (struct ppi_assertion *a, uint64_t now_ns);
void ppi_wake (void);

/*
 * A word in a page that the kernel wipes in every child: 1 in the process whose region the assertions write to. Markers
 * and the program's expectations look first: a child (of _Fork or clone, where no handler runs) must not write into its
 * parent's region.
 */
extern uint32_t *ppi_assertions_alive;

/* ---- tick.c ------------------------------------------------------------------------------------------------------ */

/* Something was left for the owner of the tick, or the list has changed: it looks at all assertions next time. Any thread, also at markers. */
void ppi_assertions_news (void);
/* How often it has. */
uint64_t ppi_assertions_passes (void);

/* All assertions, where something is due: the engine's tick (libmetrics/part.h). Without the lock. */
uint64_t ppi_assertions_tick_all (uint64_t now_ns);

/* ---- gone.c ------------------------------------------------------------------------------------------------------ */

struct ppi_gone {
	size_t next_at;                 /* where in one the pointer to the next is */
	bool (*is_held) (const void *); /* is it used otherwise? NULL: none is [lock] */
	void (*destroy) (void *);       /* without the lock */
	unsigned patience_ms;           /* for markers that are under way */
};

/* Frees those of *LIST that no marker can be looking at and nobody holds. Not with the lock, not from a check. */
void ppi_gone_free (void **list, const struct ppi_gone *what);

/* ---- post.c ------------------------------------------------------------------------------------------------------ */

void ppi_posts_init (struct ppi_posts *posts);
/* Wait-free (a bounded number of tries); false: no room. */
bool ppi_posts_put (struct ppi_posts *posts, const struct ppi_seen *seen);
bool ppi_posts_take (struct ppi_posts *posts, struct ppi_seen *out);
bool ppi_notices_put (struct ppi_notices *notices, const struct ppi_notice *notice);
bool ppi_notices_take (struct ppi_notices *notices, struct ppi_notice *out);

/*
 * Counts an outcome, steps it or posts it, calls inline callables. SEEN NULL: only steps what is posted. LOCKED: the
 * caller holds the runtime's lock, with which nothing of the user's is called: inline callables are queued. From
 * markers without.
 */
void ppi_assertion_saw (struct ppi_assertion *a, const struct ppi_seen *seen, bool locked);
/* Would a pass of thread TID change nothing? Not while an outcome of its own still waits. */
static inline bool ppi_assertion_is_quiet (const struct ppi_assertion *a, int tid)
{
	/* acquire: who sees that posts were stepped sees what came of it */
	uint32_t done = __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
	bool quiet = a->threads ? ppi_threads_is_idle (a->threads, (uint32_t) tid) : ppi_relaxed (&a->quiet);

	return quiet && ppi_relaxed (&a->posts.head) == done;
}

/* Do outcomes wait to be stepped? */
static inline bool ppi_assertion_has_posts (const struct ppi_assertion *a)
{
	return ppi_relaxed (&a->posts.head) != __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
}

/* The same of every thread, and no outcome waits. */
static inline bool ppi_assertion_is_at_rest (const struct ppi_assertion *a)
{
	uint32_t done = __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
	bool quiet = a->threads ? !ppi_relaxed (&a->threads->used) : ppi_relaxed (&a->quiet);

	return quiet && ppi_relaxed (&a->posts.head) == done;
}

/* Ends the states of threads that have ended; one that fired clears. Now and then, by the owner. */
void ppi_assertion_reap (struct ppi_assertion *a, uint64_t now_ns);
/* Counts a pass that changes nothing. */
void ppi_assertion_passed (struct ppi_assertion *a, double left, double right, struct ppi_dimension dimension);
/* Notes the sides of the newest check. Any thread. */
void ppi_assertion_compared (struct ppi_assertion_chunk *chunk, double left, double right,
			     struct ppi_dimension dimension);
/* Is this sample or check one after the first AFTER? Counts. */
bool ppi_assertion_begun (struct ppi_assertion *a);
/* What was captured at a check that held, which stands for WEIGHT of them. False: somebody has the flag. Any thread. */
bool ppi_assertion_held (struct ppi_assertion *a, const struct ppi_captured *captured, double weight);

/* ---- looks.c ----------------------------------------------------------------------------------------------------- */

/* It held: now and then what it captures is read. Inside a check of THREAD's at SITE; and with merged values, LOCKED as above. */
void ppi_assertion_look (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site);
void ppi_assertion_look_merged (struct ppi_assertion *a, bool locked);

/* ---- check.c ----------------------------------------------------------------------------------------------------- */

/*
 * Attaches the assertion to all sites of its pattern where it isn't yet [lock]. How many it has then, or a pp_error and
 * WHY.
 */
int ppi_assertion_attach (struct ppi_assertion *a, char *why, size_t room);
void ppi_assertion_detach (struct ppi_assertion *a);
/* It is violated: takes the samples of on_fire. Inside markers with ppi_load_at, by the owner with ppi_load_merged. */
void ppi_assertion_sample (const struct ppi_assertion *a, double (*load) (const struct ppi_ref *ref, void *arg),
			   void *arg);

/* What the thread's captured metrics are now: newest and average, here where they are bound here. Inside markers. */
void ppi_assertion_capture (const struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
			    struct ppi_captured *out);

/* ---- sweep.c ----------------------------------------------------------------------------------------------------- */

/* Which thread has which chunk. A bucket of sixteen ids, as in struct ppi_threads; places are never given back. */
struct ppi_sweeping {
	uint32_t tid[PPI_THREADS] __attribute__ ((aligned (64))); /* atomic */
	struct ppi_sweep_chunk *chunk[PPI_THREADS];               /* only its thread's */
	double threshold[PPI_SWEEP_MAX];
	uint32_t thresholds;
};

struct ppi_sweeping *ppi_sweep_create (const double *threshold, uint32_t n);
/* A check with a known result, inside its marker */
void ppi_sweep_add (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
		    const struct ppi_verdict *verdict);
/* The chunks are done with */
void ppi_sweep_end (const struct ppi_assertion *a);
/* Nobody has a chunk any more: in a child, and where another sweep has them */
void ppi_sweep_forget (struct ppi_sweeping *sweep);

/* ---- fires.c ----------------------------------------------------------------------------------------------------- */

/* A has fired: it is counted, and said once [lock]. */
void ppi_fire_tell (struct ppi_assertion *a, const struct ppi_notice *notice);

/* ---- state.c ----------------------------------------------------------------------------------------------------- */

/* CLOCK_MONOTONIC ns as seconds since the start of the program; NaN for 0. */
double ppi_since_start (uint64_t ns);

/* ---- report_text.c ----------------------------------------------------------------------------------------------- */

#define PPI_SENTENCE_BYTES 768

/* Nobody writes into its chunks in the region any more; before it is destroyed. */
void ppi_assertion_end (struct ppi_assertion *a);
/* Gives the assertion its chunk in the region, or its spare one. [lock] */
void ppi_assertion_describe (struct ppi_assertion *a);
/* "assertion frame_slow fired at … (thread 12): …" */
const char *ppi_sentence (const struct ppi_assertion *a, const struct ppi_notice *notice, char *out, size_t room);
/*
 * The violation that callbacks get; CAPTURE has room for PPI_CAPTURES, TEXT, where it is not NULL, for
 * PPI_SENTENCE_BYTES.
 */
void ppi_violation_fill (const struct ppi_assertion *a, const struct ppi_notice *notice, const char *detail,
			 struct pp_capture *capture, char *text, struct pp_violation *out);

#include "assertions/engine/prove.h"

#endif
