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
 *                                                   └───► notice ──► actions, event ─► callbacks (lock released)
 *
 * Nobody ever waits for the flag. Outcomes of one thread are stepped in their order; those of several threads in the
 * order they come by the flag or the ring of posts. What fits into no ring is counted (lost, unperformed) and said;
 * counts of checks and violations are exact in any case.
 */
#ifndef PPI_ENGINE_H
#define PPI_ENGINE_H

#include "assertions.h"
#include "growth_check.h"
#include "libmetrics/runtime.h"
#include "machine.h"
#include "policy.h"

#define PPI_POSTS 64u                     /* outcomes that wait for the flag, per assertion; a power of two */
#define PPI_NOTICES 64u                   /* edges that wait for the owner, per assertion; a power of two */
#define PPI_TICK_NS UINT64_C (10000000)   /* while there are assertions at sites */
#define PPI_WATCH_NS UINT64_C (500000000) /* between looks at policies' files */
#define PPI_CULPRIT_BYTES 512
#define PPI_REFRESH_NS UINT64_C (50000000) /* of merged values that markers read */

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

/* ---- threads.c --------------------------------------------------------------------------------------------------- */

/*
 * The machines of scope: thread, of those threads whose machine is not as good as new. Sixteen ids are one cache line and
 * one bucket, in which a thread has its place. Only the flag's holder writes; a marker looks for its own id, whose place
 * changes by outcomes of its own only.
 */
#define PPI_THREADS 1024u
#define PPI_THREADS_BUCKET 16u

struct ppi_threads {
	uint32_t tid[PPI_THREADS] __attribute__ ((aligned (64))); /* 0: free; atomic */
	uint32_t idle[PPI_THREADS];                               /* a pass would change nothing; atomic */
	struct ppi_machine machine[PPI_THREADS];
	uint32_t in_state[4]; /* how many, by enum pp_state */
	uint32_t used;        /* atomic */
};

struct ppi_threads *ppi_threads_create (void);
bool ppi_threads_is_idle (const struct ppi_threads *threads, uint32_t tid);
/* The place of TID, made where there is none; -1: its bucket is full. */
int ppi_threads_take (struct ppi_threads *threads, uint32_t tid);
/* After a step at PLACE, where the state was BEFORE: counts, and frees a place that is as good as new. The worst state. */
enum pp_state ppi_threads_stepped (struct ppi_threads *threads, int place, enum pp_state before,
				   const struct ppi_machine_spec *spec, uint64_t now_ns);
void ppi_threads_free_place (struct ppi_threads *threads, uint32_t place);
enum pp_state ppi_threads_worst (const struct ppi_threads *threads);

/* ---- registries -------------------------------------------------------------------------------------------------- */

/* A knob of the program. Never freed: it may come again with its module. */
struct ppi_knob {
	struct ppi_knob *next;
	char name[PP_ABI_NAME_BYTES];
	struct pp_abi_knob *record;     /* NULL while its module is away */
	double shadow;                  /* its value, for expressions; NaN while away; atomic */
	const struct ppi_loaded *owner; /* the policy that turns it */
	union pp_abi_number before;     /* its word when the owner came */
	bool has_before;
	uint64_t turned_ns;           /* of the last turn, 0: never */
	struct ppi_knob_chunk *chunk; /* or NULL */
	char *words;                  /* of a knob of words: as its record has them */
	char *word[PPI_KNOB_WORDS];   /* each */
	bool untold;                  /* its setter is to be called */
	uint64_t told_ns;             /* when its setter last returned, 0: never; atomic */
	bool relaxed;                 /* the last turn was that of a clear */
	uint32_t swings;              /* how often in a row what a clear turned was turned back by a fire */
	bool waits;                   /* a turn that its dwell keeps waiting */
	struct ppi_turn {
		bool set;     /* to VALUE; else by so many steps */
		bool relaxes; /* on_clear */
		double value;
		uint64_t min_dwell_ns; /* 0: none */
		char by[96];           /* "assertion a" */
	} waiting;
};

/* A function of the program. Never freed. */
struct ppi_callable {
	struct ppi_callable *next;
	char name[PP_ABI_NAME_BYTES];
	pp_abi_call_fn function; /* NULL while its module is away; atomic */
	const struct pp_abi_callable *record;
	bool inlined; /* called by the thread that saw it */
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
	bool told;                               /* that it failed */
	uint64_t failed;                         /* how often */
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
	bool has_inline;
	bool told_lost;
	bool has_samples; /* among on_fire */
	uint8_t severity; /* enum pp_severity */

	/* markers write these */
	uint32_t busy;    /* the flag */
	uint32_t quiet;   /* a pass would change nothing */
	uint64_t samples; /* counted until AFTER is reached */
	uint64_t lost, unperformed;
	struct ppi_kept_tally *kept; /* counts of checks that markers saw to pass, or NULL; atomic */
	uint64_t sides_stamp;        /* of the sample that the chunk's sides are of; only with KEPT; atomic */
	struct ppi_notices notices;
	struct ppi_posts posts;
	struct ppi_machine machine;        /* the flag's holder */
	struct ppi_sweeping *sweep;        /* or NULL */
	struct ppi_assertion_chunk *chunk; /* in the region, or SPARE */
	struct ppi_capture_entry *entries;
	struct ppi_rings *rings; /* where the slots of posts and notices are */

	char *name;
	struct ppi_loaded *policy; /* NULL: of the program's own code */
	const struct ppi_policy_assertion *written;
	pp_abi_call_fn call; /* of #pragma pp expect; atomic */
	char *clauses;       /* of an expectation of the program's own, as it says them; NULL: none */
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
	struct ppi_assertion **assertions;
	struct ppi_adapt **adapts; /* adapt.h */
	size_t n_adapts;
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
/*
 * In such a child: makes everything its own. Ordinary context, without the lock; the first thing that this room's API
 * does.
 */
void ppi_assertions_revive (void);

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
void ppi_assertion_passed (struct ppi_assertion *a, double left, double right);
/* Is this sample or check one after the first AFTER? Counts. */
bool ppi_assertion_begun (struct ppi_assertion *a);

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

/* ---- prove.c ----------------------------------------------------------------------------------------------------- */

struct ppi_op;
struct ppi_quick;
/* The terms that prove that PROGRAM is true at markers that take the samples of OPS; false: there are none. Its references are linked. [lock] */
bool ppi_program_prove (const struct ppi_program *program, const struct ppi_op *ops, unsigned n_ops,
			struct ppi_quick *out);
/* The same for an assertion, which gets a tally where it has none yet [lock]. */
bool ppi_assertion_quick (struct ppi_assertion *a, const struct ppi_op *ops, unsigned n_ops, struct ppi_quick *out);
/* It was checked the whole way, passed, and that changed nothing: next time markers may see so by themselves. Inside a check. */
void ppi_assertion_open (struct ppi_assertion *a, struct ppi_thread *thread);
/* It is no longer at rest, or no longer checked: the whole way from now on. Anywhere. */
void ppi_assertion_close (struct ppi_assertion *a);
/* With the chunk, which both have [lock]. */
void ppi_tally_hand_over (struct ppi_assertion *to, struct ppi_assertion *from);
/* Inside a check of A's at SITE: is there a new sample of anything that its condition reads? */
bool ppi_assertion_has_news (const struct ppi_assertion *a, const struct ppi_thread *thread, const pp_site *site);
/* A new chunk has to say where its tally is [lock]. */
void ppi_tally_describe (struct ppi_assertion *a);
/* Its counts are in the chunk, and its tally is free for another one. When no marker can be in its checks. */
void ppi_tally_release (struct ppi_assertion *a);
/* Passes that are not in the chunk's counts. Any thread, no lock. */
uint64_t ppi_assertion_quick_passes (const struct ppi_assertion_chunk *chunk);
/* Inside a check: both sides are now of the thread's newest sample at SITE. */
void ppi_assertion_evaluated (struct ppi_assertion *a, const struct ppi_thread *thread, const pp_site *site);
/* Renews the chunk's sides where a marker has seen a newer check to pass [lock]. */
void ppi_assertion_look_at_sides (struct ppi_assertion *a);

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
/* Nobody has a chunk any more: in a child */
void ppi_sweep_forget (struct ppi_sweeping *sweep);

/* ---- link.c ------------------------------------------------------------------------------------------------------ */

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
double ppi_load_merged (const struct ppi_ref *ref, void *arg);
/*
 * The program's own statistics that it asks for: are there any; calls them, for the values that evaluation reads. They are functions of the
 * program's: without the lock.
 */
bool ppi_asks_users (const struct ppi_program *program);
void ppi_refresh_users (struct ppi_program *program);
/* Renews what markers read from caches. */
void ppi_refresh (struct ppi_program *program);
/* The names that exist in the running program [lock], without those of the policy that is being replaced (or NULL). */
struct ppi_runtime_names {
	struct ppi_names names;
	const struct ppi_loaded *without;
};
void ppi_runtime_names_init (struct ppi_runtime_names *names, const struct ppi_loaded *without);

/* ---- composite.c ------------------------------------------------------------------------------------------------- */

/*
 * Declares the composite metric NAME [lock], with POLICY's own composites in its expression beside those that are declared (NULL: none). PP_EEXIST: NAME
 * is another metric, PP_EINVAL: the expression is wrong. A reference of *OUT is the caller's.
 */
int ppi_composite_declare (const char *name, const char *text, const char *where, const struct ppi_policy *policy,
			   pp_metric **out, char *why, size_t room);
/*
 * What a captured metric is now: at a marker (AT), or merged, at SITE or (NULL) everywhere. Newest sample, average and number; of a composite metric
 * its value and, for the average, its expression with averages in the place of newest samples.
 */
struct ppi_captured ppi_capture_now (const pp_metric *metric, const struct ppi_at *at, const pp_site *site);
/* Finds what composite metrics' names mean now [lock]. */
void ppi_composites_link (void);
void ppi_composites_init (void);

struct ppi_dimension ppi_composite_dimension (const pp_metric *metric);

/* ---- figures.c --------------------------------------------------------------------------------------------------- */

void ppi_figures_after_fork (void);

/* ---- recent.c ---------------------------------------------------------------------------------------------------- */

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
 * Looks at the counts that the expression wants recent ones of, and renews their values [lock]. When it wants to look
 * again; UINT64_MAX: there are none.
 */
uint64_t ppi_recent_look (struct ppi_program *program, uint64_t now_ns);

/* ---- actions.c --------------------------------------------------------------------------------------------------- */

/* The actions of a notice [lock]. */
void ppi_actions_perform (struct ppi_assertion *a, const struct ppi_notice *notice, uint64_t now_ns);
/* An investigation of A at SITE is over: it is noted, logged and delivered [lock]. */
void ppi_investigated (struct ppi_assertion *a, pp_site *site, uint64_t now_ns);
/* Destroys rules of bindings whose time is over; returns when the next one's is. [lock] */
uint64_t ppi_slots_expire (struct ppi_loaded *loaded, uint64_t now_ns);

/* ---- jobs.c ------------------------------------------------------------------------------------------------------ */

/* What may be slow and is done by the owner without the lock */
enum ppi_job_kind { PPI_JOB_FILE, PPI_JOB_SYSLOG, PPI_JOB_REPORT, PPI_JOB_SIGNAL };

/*
 * [lock] PATH and TEXT are copied and may be NULL; %p in PATH is the process id. NUMBER: of syslog the priority, of
 * signals the signal; THREAD: the thread it is for, 0: the process. False: it is dropped and counted, too many wait.
 */
bool ppi_job_add (enum ppi_job_kind kind, const char *path, const char *text, int number, int thread);
void ppi_jobs_run (void); /* without the lock */
void ppi_jobs_after_fork (void);

/* ---- knob.c ------------------------------------------------------------------------------------------------------ */

extern const struct ppi_record_handler ppi_knob_handler;
struct ppi_knob *ppi_knob_find (const char *name);
struct ppi_knob *ppi_knob_first (void);
double ppi_knob_value (const struct ppi_knob *knob);
/*
 * Turns by steps or sets; clamps. False: nothing changed (at its limit, away), or it waits for its dwell. A turn that waits is
 * replaced by a later one; one of a clear that waits and a fire of the same assertion, or the reverse, cancel each other
 * out. What a clear turned and a fire soon turned back is turned by a clear only after twice the dwell, the next time four
 * times, up to 64 times. [lock]
 */
bool ppi_knob_turn (struct ppi_knob *knob, const struct ppi_turn *turn, uint64_t now_ns);
/* Performs turns whose dwell is over; when the next one's is. [lock] */
uint64_t ppi_knobs_tick (uint64_t now_ns);
/* Calls setters that are due, one after the other and by one thread at a time. Without the lock, not in a marker. */
void ppi_knobs_tell (void);
/* When the setter of KNOB last returned; NOW_NS where it is about to be called, or runs. 0: never [lock]. */
uint64_t ppi_knob_told_ns (const struct ppi_knob *knob, uint64_t now_ns);
/* The owner came, changed or went (restored). [lock] */
void ppi_knob_own (struct ppi_knob *knob, const struct ppi_loaded *owner, const struct ppi_loaded *former);
void ppi_knobs_disown (const struct ppi_loaded *owner);
void ppi_knobs_refresh (void);
void ppi_knobs_after_fork (void);

/* ---- callback.c -------------------------------------------------------------------------------------------------- */

extern const struct ppi_record_handler ppi_callable_handler;
struct ppi_callable *ppi_callable_find (const char *name);
struct ppi_callable *ppi_callable_first (void);
/* Calls the assertion's inline callables for an edge, on this thread. DETAIL: of the violation, or NULL. */
void ppi_inline_calls (struct ppi_assertion *a, const struct ppi_notice *notice, const char *detail);
/* Is this thread in an inline callable? */
bool ppi_in_inline (void);
/* Queues a call of CALLABLE, or of the callbacks (NULL), for an edge [lock]. */
void ppi_delivery_add (struct ppi_assertion *a, const struct ppi_notice *notice, struct ppi_callable *callable);
/* The same for its inline callables, where they can't be called at once. */
void ppi_delivery_add_inline (struct ppi_assertion *a, const struct ppi_notice *notice);
bool ppi_callbacks_exist (const char *name); /* NULL: any. [lock] */
/* Delivers what is queued; how many functions were called. Without the lock. POLLED: by pp_poll. */
int ppi_deliver (bool polled);
void ppi_callbacks_after_fork (void);
void ppi_callbacks_fini (void);

/* ---- expect.c ---------------------------------------------------------------------------------------------------- */

extern const struct ppi_record_handler ppi_expect_handler;
/* Compiles expectations whose module is complete now [lock]. */
void ppi_expects_compile (void);

/* ---- build.c ----------------------------------------------------------------------------------------------------- */

/*
 * Everything that has no effect on the program but declared metrics [lock]. 0, PP_EPOLICY (D has the errors),
 * PP_ENOMEM.
 */
int ppi_loaded_build (struct ppi_loaded *loaded, struct ppi_diagnostics *d);
/* Takes all of it back, when it was never attached. Frees LOADED. [lock] */
void ppi_loaded_unbuild (struct ppi_loaded *loaded);
/* Frees LOADED but not its assertions. */
void ppi_loaded_destroy (struct ppi_loaded *loaded);
/* Gives its metrics back, so that they can be declared anew; declares them again. [lock] */
void ppi_loaded_release_metrics (struct ppi_loaded *loaded);
void ppi_loaded_declare_again (struct ppi_loaded *loaded);

/* ---- exchange.c -------------------------------------------------------------------------------------------------- */

/*
 * Makes LOADED's rules and checks and takes FORMER's (or NULL) away, in one batch; what both have goes on. 0, or PP_EPOLICY (D has the
 * errors) with everything as it was. [lock]
 */
int ppi_loaded_exchange (struct ppi_loaded *loaded, struct ppi_loaded *former, struct ppi_diagnostics *d);
/* Takes its rules and checks away, in a batch of the caller's [lock]. */
void ppi_loaded_detach (struct ppi_loaded *loaded);
/* Steps what was posted and performs what is noticed [lock]. */
void ppi_loaded_flush (struct ppi_loaded *loaded);

/* ---- load.c ------------------------------------------------------------------------------------------------------ */

void ppi_policies_fini (void);
struct ppi_loaded *ppi_loaded_find (const char *path); /* [lock] */
/* Loads FILE under its name PATH if that is loaded still, else PP_ENOENT. Without the lock. */
int ppi_policy_load_again (const char *path, const char *file);

/* ---- budget.c ---------------------------------------------------------------------------------------------------- */

/* Policies came or went: a budget holds from now on, or none any more, and then everything is sampled as asked for [lock], not in a batch. */
void ppi_budget_changed (uint64_t now_ns);
/* Looks and acts when it is time; when it wants to look again [lock], not in a batch. */
uint64_t ppi_budget_tick (uint64_t now_ns);
bool ppi_budget_exists (void); /* [lock] */
void ppi_budget_after_fork (void);

/* ---- watch.c ----------------------------------------------------------------------------------------------------- */

/*
 * Looks for changed files of policies that want it, and loads them again; of all where another process asked for it. Ordinary context, without the lock. When it
 * wants to look again; UINT64_MAX: never.
 */
uint64_t ppi_policies_watch (uint64_t now_ns);
/* Does it say so, or the environment? */
bool ppi_policy_wants_watch (const struct ppi_policy *policy);
/* New sites: attaches assertions to them [lock]. */
void ppi_policies_new_module (void);

/* ---- state.c ----------------------------------------------------------------------------------------------------- */

/* CLOCK_MONOTONIC ns as seconds since the start of the program; NaN for 0. */
double ppi_since_start (uint64_t ns);

/* ---- report_text.c ----------------------------------------------------------------------------------------------- */

#define PPI_SENTENCE_BYTES 768

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

#endif
