/* SPDX-License-Identifier: MIT */
/*
 * investigate.h: where a slowdown comes from. When an assertion at an interval S fires, a metric of
 * the same source is bound for a while to intervals nested in S, and each execution of S says how
 * much of it they took: executions that violate the assertion against those that hold. The interval
 * with the largest part of the difference is followed down, level by level; what was bound is
 * unbound.
 *
 *   candidates of the level, 32 at a time ──► which of them run directly in the last one found, and how much they take (SCAN)
 *           └─► the 32 that take most, all together: parts of violating and of other executions of S (MEASURE)
 *                   └─► one of them is the largest part, and half of what its parent is: the next level; else it is found
 *
 * What runs in what is seen, not guessed: at the end of an interval the thread's innermost open
 * frame is the one around it, and S must be open, too. So it does not matter whether they are
 * nested in the source or by calls, nor in which module they are.
 *
 * Inside markers (investigate_feed.c) a thread adds to a cell of its own; at the end of S, once and
 * only for the outermost of recursive ones, it takes a flag and adds the cell to the sums of the
 * phase. Nobody waits for the flag: an execution that finds it taken is left out. The owner of the
 * tick begins and ends phases (investigate.c). One investigation runs at a time in the process.
 *
 * A level lasts until it has seen enough violating executions, and others, or its time (`for`) is
 * over: where one execution in a thousand violates that takes thousands. One that has seen too few
 * says so, keeps what it has seen, and goes on from there when the assertion fires again.
 *
 * Under a budget (investigate_pace.c), and without one where what is bound runs very often, it
 * measures in bursts. Each thread has an account: the part of its CPU time that the budget leaves
 * for this, at most that of PPI_PACE_BANK_NS; what runs through is bound is paid from it, as it is
 * counted in the cells. Where one is overdrawn all is unbound until there is room again, and then
 * the phase goes on: its sums stay. A burst in which the batch took more than twice what was there,
 * or half of it and no execution of S was whole, was of too many intervals: the next ones are of
 * half as many, in rounds, and where one alone is too many, its executions are sampled, one in 7,
 * 31, 127, 511. Who is too dear even so is left out, and that is said.
 */
#ifndef PPI_INVESTIGATE_H
#define PPI_INVESTIGATE_H

#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/thread/thread.h"

#define PPI_CULPRIT_BATCH 32u /* intervals that are bound at a time, besides the path */
#define PPI_CULPRIT_DEPTH 8u  /* levels */
#define PPI_CULPRIT_CANDIDATES                                                                     \
	4096 /* intervals that are looked at, at most; the nearest in the source come first */
#define PPI_CULPRIT_THREADS 256u
#define PPI_CULPRIT_ENOUGH 8u /* violating executions, and others, that a phase ends with */
#define PPI_CULPRIT_LEAST 2u  /* violating executions that tell something when the time is over */
#define PPI_CULPRIT_SCAN 3u   /* executions of S that a batch is looked at for */
#define PPI_CULPRIT_ALONE 64u /* violating executions without any that holds, that are enough */
#define PPI_CULPRIT_PAUSE 6u  /* times `for`, from the end of one to the next */
#define PPI_CULPRIT_PARTS                                                                          \
	UINT64_C (                                                                                 \
		500000) /* executions of what is bound, after which it goes on in bursts: some 30 ms of cost */
#define PPI_CULPRIT_ROOM                                                                           \
	0.05 /* share of a thread's time that these may take, where there is no budget */
#define PPI_CULPRIT_SHARE 0.5   /* of its parent's part, to be followed */
#define PPI_CULPRIT_SAMPLES 64u /* executions of what is sampled one in many, that are enough */
#define PPI_CULPRIT_STRETCH 5u  /* times `for`, that pauses for the budget may take */
#define PPI_PACE_BANK_NS UINT64_C (50000000)

/* An interval that is bound just now. Freed when no marker can be in it. */
struct ppi_culprit_check {
	struct ppi_check check; /* first */
	struct ppi_investigation *of;
	pp_site *site;
	uint32_t phase;  /* that it belongs to; 0: S and the path, of all */
	uint32_t number; /* of the candidate in its batch */
	uint32_t every;  /* one of its executions in so many is sampled */
	struct ppi_rule *rule;
	struct ppi_culprit_check *next;
};

/* Of violating executions of S, or of the others */
struct ppi_culprit_sums {
	uint32_t executions;
	uint32_t samples;               /* of candidates in them */
	double whole;                   /* of S, in the metric's unit */
	double part[PPI_CULPRIT_BATCH]; /* of each candidate in it */
};

struct ppi_culprit_cell {
	uint32_t tid;    /* atomic */
	uint32_t phase;  /* that PART is of; its thread's own */
	uint32_t parts;  /* how often it came here; atomic, only its thread writes it */
	uint32_t around; /* likewise of S and the path */
	uint32_t samples;
	double part[PPI_CULPRIT_BATCH];
};

/* What a thread may pay, and has paid. */
struct ppi_pace_account {
	uint32_t parts, around; /* that were looked at */
	uint64_t cpu_ns;        /* its thread's clock then; 0: not looked at yet */
	double credit_s;
};

enum ppi_pace_result {
	PPI_PACE_ON,
	PPI_PACE_PAUSED,
	PPI_PACE_TOO_DEAR, /* paused; and the batch, which is of one interval, is to be left out */
	PPI_PACE_GONE,     /* what it is about can't be bound any more */
};

struct ppi_pace {
	uint32_t most; /* intervals that are bound at a time now */
	/* one execution in so many is sampled: where it is one */
	uint32_t every;
	bool is_paused, is_urged;                /* ...; somebody saw that it is too much */
	bool is_slower;                          /* than it would be without a budget */
	uint64_t looked_ns, since_ns, paused_ns; /* last look; of the pause; all pauses */
	/* of S in the phase: when this burst began, and now */
	uint64_t before, executions;
	double others; /* what else the budget is for, as a share */
	/* in this burst for the batch, by the thread that paid most for it */
	double spent_s;
	double sampled_s, skipped_s; /* of an execution; 0: not known yet */
	unsigned too_dear;           /* intervals that are left out; some of them */
	pp_site *dear[PPI_CULPRIT_BATCH];
	struct ppi_pace_account account[PPI_CULPRIT_THREADS]; /* of each cell */
};

struct ppi_investigation {
	/* the owner's [lock] */
	struct ppi_assertion *assertion;
	struct ppi_action *action;
	pp_metric *probe;
	bool has_probe;
	pp_site *site; /* S */
	/* a reload came between: where the next version is to begin; or NULL */
	pp_site *postponed;
	struct ppi_culprit_check *checks; /* of S, the path and the batch */
	pp_site **candidate;              /* of this level, nearest first; malloced */
	size_t n_candidates, next_candidate;
	uint64_t ended_ns; /* 0: never */
	uint64_t level_ns, phase_ns,
		/* when the level and the phase began; candidates that there was no time for */
		unlooked;
	uint32_t level;
	struct {
		pp_site *site;
		double share; /* of what is too slow: 1 is all of it */
	} path[PPI_CULPRIT_DEPTH + 1];
	pp_site *batch[PPI_CULPRIT_BATCH];
	uint32_t n_batch, n_bound; /* ...; those of them that could be bound */
	struct {
		pp_site *site;
		double mean;           /* in an execution of S */
		double share;          /* of what is too slow, where it has been measured; else 0 */
	} found[PPI_CULPRIT_BATCH];    /* by the scan of this level */
	uint32_t n_found, first_found; /* ...; that of the batch, where they are measured */
	uint32_t rounds;               /* that told shares */
	bool is_whole;                 /* one phase measured all that were found */
	bool is_measuring, is_waiting; /* for the flag, to begin PHASE_NUMBER */
	bool is_fresh;                 /* that begins with no sums */
	uint32_t phase_number;
	double statics[PPI_STATICS]; /* of S; before its check is attached */
	struct ppi_pace pace;
	/* what is nested runs so often that it is measured in bursts, without a budget, too */
	bool is_often;
	bool goes_on; /* it ended before it had seen enough: the next one begins where it was */
	uint32_t violating, holding; /* executions that the level has seen */
	/* no execution held: parts of the whole, not of the difference */
	bool by_share;

	/* markers read these; atomic */
	uint32_t phase; /* number of the phase, 0: none */
	pp_site *parent;
	/* markers write these; the flag's holder */
	uint32_t busy;
	struct ppi_culprit_sums slow, fast;
	uint64_t parts;  /* executions of what is bound, in this phase, by the thousand; atomic */
	uint64_t missed; /* executions that found the flag taken, or no cell; atomic */
	struct ppi_culprit_cell cell[PPI_CULPRIT_THREADS];
};

/*
 * NULL: no memory. For an action of ASSERTION's; ppi_investigation_end before it is freed, and
 * nobody is in its checks.
 */
struct ppi_investigation *ppi_investigation_create (struct ppi_assertion *assertion,
						    struct ppi_action *action);
void ppi_investigation_destroy (struct ppi_investigation *v);
/* SITE's assertion has fired. Does nothing where one runs already. [lock] */
void ppi_investigation_begin (struct ppi_investigation *v, pp_site *site, uint64_t now_ns);
/* Unbinds what is bound; nothing is told. [lock] */
void ppi_investigation_end (struct ppi_investigation *v);
/*
 * Its assertion is no longer checked, perhaps because its policy is loaded again. Where the
 * assertion goes on in another version, that has what FROM had, and begins anew with what was
 * interrupted, once it is checked. [lock]
 */
void ppi_investigation_interrupt (struct ppi_investigation *v);
void ppi_investigation_hand_over (struct ppi_investigation *to, struct ppi_investigation *from);
void ppi_investigation_resume (struct ppi_investigation *v, uint64_t now_ns);
/*
 * What is bound by the one that runs costs too much, with all else: it pauses, and goes on with
 * less [lock].
 */
void ppi_investigation_urge (void);
/* Is METRIC that of the one that runs? [lock] */
bool ppi_investigation_measures (const char *metric);

/* ---- investigate_candidates.c, by the owner [lock] ------------------------------------------- */

/*
 * V's candidates are the intervals that may be nested in the last of its path, the nearest first.
 */
void ppi_investigation_gather (struct ppi_investigation *v);

/* ---- investigate_bind.c, by the owner [lock] ------------------------------------------------- */

/*
 * SITE is sampled, and its ends RUN. False: it can't be bound (several sites of that name, code
 * that can't be changed)
 */
bool ppi_culprit_bind (struct ppi_investigation *v, pp_site *site, uint32_t phase, uint32_t number,
		       uint32_t every,
		       void (*run) (struct ppi_check *check, struct ppi_thread *thread,
				    pp_site *site));
/* What belongs to the batch, or (ALL) everything */
void ppi_culprits_unbind (struct ppi_investigation *v, bool all);
/* Frees checks that no marker can be in. Without the lock, not from a check. */
void ppi_culprits_free (void);
/*
 * The batch, as the phase PHASE_NUMBER; with AROUND S and the path, too. False: one of these can't
 * be bound any more.
 */
bool ppi_culprits_bind_batch (struct ppi_investigation *v, bool around);

/* ---- investigate_pace.c, by the owner [lock] ------------------------------------------------- */

void ppi_pace_begin (struct ppi_investigation *v, uint64_t now_ns);
/* Was it left out? */
bool ppi_pace_is_dear (const struct ppi_investigation *v, const pp_site *site);
/* Another round of another level, or of further intervals: they may be cheaper. */
void ppi_pace_next_round (struct ppi_investigation *v);
/*
 * Settles the accounts; pauses, or ends a pause, then with a batch that may be smaller. Not in a
 * batch of bindings.
 */
enum ppi_pace_result ppi_pace_look (struct ppi_investigation *v, uint64_t now_ns);
/* There is too little room to begin with another phase now: what was just bound waits. */
void ppi_pace_wait (struct ppi_investigation *v, uint64_t now_ns);

/* ---- investigate_tell.c, by the owner [lock] ------------------------------------------------- */

/*
 * Tells where it came to, and ends. ITSELF: the share of that interval that is in none inside it;
 * NaN: not known.
 */
void ppi_culprit_describe (struct ppi_investigation *v, double itself, uint64_t now_ns);
/* Likewise, where the level has seen too little. */
void ppi_culprit_nothing (struct ppi_investigation *v, uint64_t now_ns);

/* ---- investigate_feed.c: inside markers ------------------------------------------------------ */

/* At the end of a candidate, and of S */
void ppi_culprit_part (struct ppi_check *check, struct ppi_thread *thread, pp_site *site);
void ppi_culprit_whole (struct ppi_check *check, struct ppi_thread *thread, pp_site *site);
/* At the end of one on the path, which is only counted */
void ppi_culprit_around (struct ppi_check *check, struct ppi_thread *thread, pp_site *site);
/*
 * The owner. Copies the sums; begins phase PHASE, FRESH: with none. False: a marker has the flag
 * just now.
 */
bool ppi_culprit_take (struct ppi_investigation *v, struct ppi_culprit_sums *slow,
		       struct ppi_culprit_sums *fast);
bool ppi_culprit_reset (struct ppi_investigation *v, uint32_t phase, pp_site *parent, bool fresh);

#endif
