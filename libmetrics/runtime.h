/* SPDX-License-Identifier: MIT */
/*
 * runtime.h: what libmetrics offers the rooms behind it (assertions, libpp). The other headers of this folder are
 * its own business.
 *
 * One lock (ppi_lock) guards registries: modules, sites, metrics, bindings, rules, checks. Functions marked [lock]
 * expect it to be held by the caller; the others take it. No callback of a user's is ever called with it held.
 * Markers never take it.
 */
#ifndef PPI_RUNTIME_H
#define PPI_RUNTIME_H

#include "estimate.h"
#include "recording.h"
#include "source.h"
#include "types.h"

/* ---- lock, clock, messages --------------------------------------------------------------------------------------- */

void ppi_lock (void); /* recursive */
void ppi_unlock (void);

/* CLOCK_MONOTONIC in ns. Tests replace it with ppi_clock_set and advance time by hand (NULL: the real one). */
uint64_t ppi_now_ns (void);
void ppi_clock_set (uint64_t (*clock) (void));

/* Seconds of one tick of the counter that elapsed intervals read. */
double ppi_seconds_per_tick (void);
/* Converts a tick reading to CLOCK_MONOTONIC ns. */
uint64_t ppi_ticks_to_ns (uint64_t ticks);

/*
 * A message to the user, "pp: " before it, one line: on the stderr of the start, or in the file of PP_LOG (message.h).
 * With the lock it is written when that is given back, else now; never waits. A test may take it (NULL: as before).
 * printf-like. Ordinary context, any thread.
 */
void ppi_message (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void ppi_message_set (void (*sink) (const char *line, void *arg), void *arg);

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

/* What a composite metric is, for those who don't know expressions. */
struct ppi_computed {
	/* Its value now: of everything merged, or of what was measured at SITE. Any thread, no lock. */
	double (*value) (const struct ppi_computed *self, const pp_site *site);
	uint8_t unit; /* enum ppi_unit; PLAIN where it has another dimension */
};
/*
 * Who makes one for pp_metric_new (.., "expr(TEXT)"): declares it [lock], 0 or a pp_error with a sentence in WHY. NULL: nobody.
 */
void ppi_computed_maker_set (int (*make) (const char *name, const char *text, pp_metric **out, char *why, size_t room));

/* A declaration, from a pragma, pp_metric_new or a policy. */
struct ppi_metric_spec {
	const char *name;
	uint8_t kind;                      /* enum pp_abi_site_kind */
	uint8_t accumulator;               /* enum ppi_accumulator */
	const char *source;                /* "elapsed", "papi:X", a user source's name */
	uint8_t scope;                     /* enum ppi_scope */
	bool corrected;                    /* samples of elapsed without what their own markers take */
	uint64_t size;                     /* of a bounded_series, 1 … 2^20 */
	uint32_t every;                    /* default for its bindings, 0 = 1 */
	uint64_t window_ns;                /* that its statistics are over; 0: since the start */
	pp_abi_sample_fn begin, end;       /* a user's functions, or NULL */
	uint8_t sample_type, result_bytes; /* of those */
	const char *combine; /* how an interval's readings combine; NULL: difference, as the source has it */
	bool has_arguments;  /* its functions take some: only the program's code can call them */
	bool is_fast;        /* its functions use general registers only */
	bool is_const;       /* its functions neither read nor write memory of the program's */
	const struct ppi_computed *
		computed; /* of a composite metric, whose SOURCE is its expression and which has no KIND; lives for good */
	const char *where;    /* "file:line:column" for messages */
	const char *fallback; /* sources to use instead, with commas between, in this order; or NULL */
	bool optional;        /* nobody need be told that this machine lacks it; no part of what is the same metric */
};

/*
 * Declares a metric [lock]. The same spec again is the same metric (one more reference); another spec under the same
 * name is PP_EEXIST with both places in WHY. A source that this machine lacks is no error: the metric exists,
 * unavailable says why. An unknown source is PP_ENOENT with a suggestion in WHY.
 */
int ppi_metric_declare (const struct ppi_metric_spec *spec, pp_metric **out, char *why, size_t room);
/*
 * Gives a reference back [lock]. The metric and its data stay until the process ends (rebinding goes on); but without
 * references its name may be declared differently, which makes another metric.
 */
void ppi_metric_release (pp_metric *metric);
/*
 * METRIC has its name again, which was declared differently since it was released, and in vain: nobody declares that other one any
 * more. Its data are as they were; to be declared again [lock].
 */
void ppi_metric_restore (pp_metric *metric);
/* Runs prepare of the sources in LIST, which has commas between. */
void ppi_fallback_prepare (const char *list);
/* Is there a part of what is read of an execution that is its own, scope: self? */
bool ppi_has_self (enum ppi_accumulator accumulator, const struct ppi_source *source);
/* Calls FN for every operator's name, the library's first, until it returns true [lock]; whether it did. */
bool ppi_operator_each (bool (*fn) (const char *name, void *arg), void *arg);
/* Does SOURCE say something at a begin and at an end that can be combined? */
bool ppi_operator_reads (const struct ppi_source *source);
/* The unit of what operator NAME makes of readings of UNIT. */
enum ppi_unit ppi_operator_unit (const char *name, enum ppi_unit unit);
/* The spec of a metric, for comparing and reporting. */
const struct ppi_metric_spec *ppi_metric_spec_of (const pp_metric *metric);
uint32_t ppi_metric_id (const pp_metric *metric);
/* By how many it is declared now [lock]. */
uint32_t ppi_metric_users (const pp_metric *metric);
enum ppi_unit ppi_metric_unit (const pp_metric *metric);
/* Calls FN for each metric [lock]. */
void ppi_metric_each (void (*fn) (pp_metric *metric, void *arg), void *arg);

/* ---- sites ------------------------------------------------------------------------------------------------------- */

/* The one site that a plain name means [lock]: PP_ENOENT, or PP_EAMBIGUOUS with the candidates in WHY. */
int ppi_site_find_plain (const char *name, pp_site **out, char *why, size_t room);
uint32_t ppi_site_id (const pp_site *site);
enum pp_abi_site_kind ppi_site_kind_of (const pp_site *site);
/* Does PATTERN (suffix match at component borders, globs, group:, file:, fn:, module:) match? Pure. */
bool ppi_site_matches (const pp_site *site, const char *pattern);
/*
 * The same of a PATTERN of names; LITERALLY: as it is, wildcards and all, as "f(char*)/a" is a
 * name.
 */
bool ppi_site_is_called (const pp_site *site, const char *pattern, bool literally);
/*
 * May PATTERN with its wildcards be a site's name as it is? Then sites that it means literally are
 * all that it means.
 */
bool ppi_pattern_may_be_literal (const char *pattern);
/* Does PATTERN have the form of a pattern at all? On false WHY says what is wrong with it. */
bool ppi_pattern_valid (const char *pattern, char *why, size_t room);
/* A plain name, that must mean one site, or a pattern that may mean many? */
bool ppi_pattern_is_plain (const char *pattern);
/*
 * Before either of the next two is asked for: from now on every execution of the site is seen, also one that is only counted or not sampled. Takes
 * the lock.
 */
void ppi_site_watch (pp_site *site);
/*
 * Seconds since the begin of the oldest open execution of the site in any thread, 0 when none is open, NaN when nothing is bound there, or when
 * those that are open have no known begin; how many are open.
 */
double ppi_site_open_age (const pp_site *site);
uint64_t ppi_site_in_flight (const pp_site *site);
/* What the compiler knows of the site's copies that are there now. It looks through whole tables: ask once. */
struct ppi_statics ppi_site_statics (const pp_site *site);

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

/*
 * A rule binds METRIC to every site that PATTERN matches, now and when sites appear later (dlopen), until it is
 * destroyed. A binding that several rules (or pp_bind, or the source) ask for is one binding and ends with the last
 * of them. [lock] Returns how many sites it matches now (0: pending) or a negative error (nothing changed):
 * PP_EKIND, PP_EAMBIGUOUS, PP_ECODE, with a sentence in WHY.
 */
struct ppi_rule;
int ppi_rule_create (pp_metric *metric, const char *pattern, uint32_t every, struct ppi_rule **out, char *why,
		     size_t room);
void ppi_rule_destroy (struct ppi_rule *rule);
/* Sites the rule binds now [lock]. */
unsigned ppi_rule_sites (const struct ppi_rule *rule);

/*
 * Several rule_create / rule_destroy / check_attach between begin and end change the code once, with one barrier;
 * they take effect at the end [lock]. Nests.
 */
void ppi_batch_begin (void);
int ppi_batch_end (void);

struct ppi_thread;

/* ---- statistics -------------------------------------------------------------------------------------------------- */

/*
 * Merged over threads; SITE NULL: over all sites. NaN: unknown. Scaled to the metric's unit. Any thread, no lock
 * needed.
 */
double ppi_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

/*
 * Statistics of the program's own, by number from 0: that of NAME, or -1, and the power of the metric's unit that it has; its name, NULL: there is none;
 * its value, which takes the lock and calls the program's function without it: not where the lock is held.
 */
int ppi_users_statistic (const char *name, int *power);
const char *ppi_users_statistic_name (unsigned number);
int ppi_users_statistic_power (unsigned number);
double ppi_users_stat (const pp_metric *metric, const pp_site *site, unsigned number);

/* [lock] Makes what pp_sample needs for METRIC, so that it may be called inside a check. 0 or PP_ENOMEM. */
int ppi_sample_prepare (pp_metric *metric);

/*
 * METRIC over the last NS nanoseconds, 1 ms at least [lock]: from now on its samples are kept for that too, until the window is
 * released as often as it was acquired. 0, or PP_EINVAL, PP_ENOMEM with a sentence in WHY. A window is never freed.
 */
struct ppi_window;
int ppi_window_acquire (pp_metric *metric, uint64_t ns, struct ppi_window **out, char *why, size_t room);
void ppi_window_release (struct ppi_window *window);
/* As ppi_stat and ppi_thread_stat, over the window; statistics for which ppi_statistic_has_window. */
double ppi_window_stat (const struct ppi_window *window, const pp_site *site, enum pp_statistic statistic);
double ppi_window_thread_stat (struct ppi_thread *thread, const struct ppi_window *window, const pp_site *site,
			       enum pp_statistic statistic);

/* METRIC's windows that there ever were, one after another (NULL: the first) [lock]; how long one is; does anybody ask for it now? */
const struct ppi_window *ppi_window_next (const pp_metric *metric, const struct ppi_window *after);
uint64_t ppi_window_ns (const struct ppi_window *window);
bool ppi_window_is_used (const struct ppi_window *window);

/* The sites that METRIC is bound to now, at most ROOM of them to OUT; how many there are [lock]. */
size_t ppi_metric_sites (const pp_metric *metric, const pp_site **out, size_t room);
/* Makes the chunk that tells readers of the metric [lock]. 0 or PP_ENOMEM. */
int ppi_metric_describe (pp_metric *metric);

/* ---- what the runtime itself costs --------------------------------------------------------------------------------- */

/* Of one execution of a site, in seconds of a thread's time. */
struct ppi_cost {
	double inside_s; /* what lies between its two readings of the clock, in an empty interval; NaN: none is summed up */
	double sampled_s; /* all of it, begin and end, with everything sampled */
	double skipped_s; /* ... and nothing (every: N) */
};

/* For tests: costs of sites instead of measured ones; false: unknown. Before any is asked for. */
typedef bool ppi_cost_fn (const pp_site *site, struct ppi_cost *out);
void ppi_cost_inject (ppi_cost_fn *fn);
/* What METRIC's part is in an execution of SITE, with the checks there; measured first where nobody has. False: unknown. [lock], ordinary context, not in a batch. */
bool ppi_cost_at (const pp_metric *metric, const pp_site *site, struct ppi_cost *out);
/* The CPU time of a thread of this process by its kernel id; 0: it is gone. A system call. */
uint64_t ppi_thread_cpu_ns (uint32_t tid);
/* For tests: the CPU time of threads by kernel id, in ns, 0: it is gone; NULL: the kernel's. */
void ppi_thread_cpu_set (uint64_t (*fn) (uint32_t tid));

/* What keeps a binding from being sampled as often as was asked for. All zero: nothing. Its owner's (assertions). */
struct ppi_throttle {
	uint32_t factor;   /* one in so many of those that would be sampled; 0 is 1 */
	bool unbound;      /* none of them */
	bool briefly;      /* unbound only until the next change, which follows at once */
	double share;      /* what it cost before that, as in struct ppi_charge */
	uint64_t again_ns; /* when it may be tried again */
	uint64_t hold_ns;  /* how long it had to wait for that */
};

/* A binding, and what it costs. */
struct ppi_charge {
	struct ppi_binding *binding;
	const char *metric, *site; /* live as long as the process */
	uint32_t every;            /* asked for */
	struct ppi_throttle now;
	double share;                /* of the CPU time of the thread that pays most for it, since the last look */
	double sampled_s, skipped_s; /* its part of an execution of the site */
	bool alone;                  /* nothing else is sampled at the site */
	struct ppi_throttle was;     /* the caller's */
};

/* What one thread paid for one binding since the last look, as a share of its CPU time. */
struct ppi_payment {
	uint32_t thread; /* its kernel id */
	struct ppi_binding *binding;
	double share;
};

/*
 * What the markers cost since the last look, as a share of the CPU time of the thread that pays most; threads that ran for less than 1 ms
 * don't count. NaN: nobody knows (the first look, or nothing ran). Calibrates what it meets for the first time. [lock],
 * ordinary context, not in a batch.
 */
double ppi_overhead_look (void);
/* All of the newest look, those of a thread together; until the next look, or until all is forgotten [lock]. */
const struct ppi_payment *ppi_overhead_payments (size_t *n);
/* Every binding that somebody asks for, throttled or not [lock]. Malloced; NULL: none, or no memory. */
struct ppi_charge *ppi_overhead_charges (size_t *n);
/* Throttles a binding from the end of the batch on [lock]. */
void ppi_overhead_throttle (struct ppi_binding *binding, const struct ppi_throttle *to);
/*
 * Behind that batch: from now on samples cost what they do with the new factors. By what they cost at the look before, one that is eased would be charged twice [lock].
 */
void ppi_overhead_throttled (void);
/* Takes back all that is throttled, whether somebody asks for it now or not, and counts what was asked for. Not in a batch [lock]. */
void ppi_overhead_release (unsigned *eased, unsigned *restored);
/* Forgets the last look. [lock] */
void ppi_overhead_forget (void);

/* ---- checks: what assertions do at a site ------------------------------------------------------------------------ */

/*
 * Runs after an execution of SITE in which at least one metric was sampled: on that thread, its frame closed, all
 * registers saved, not in a nested signal handler. It must not lock, allocate, call the system or throw; user code
 * that a check calls (inline callables) is not measured by the markers it runs through while FIRED recursion is
 * prevented by the caller (see ppi_thread_in_check).
 */
struct ppi_op;
struct ppi_quick;
struct ppi_check {
	void (*run) (struct ppi_check *check, struct ppi_thread *thread, pp_site *site);
	/*
	 * How markers that take the samples of OPS can see that it passes and changes nothing (quick.h) [lock]; false: they can't. May be
	 * NULL.
	 */
	bool (*quick) (struct ppi_check *check, const struct ppi_op *ops, unsigned n_ops, struct ppi_quick *out);
	struct ppi_check *next; /* the runtime's */
	uint64_t ticks;         /* that RUN takes, measured now and then; 0: not yet. The runtime's; atomic */
};

/* Attaches to a site [lock]; a site with a check but no binding is not enabled. */
int ppi_check_attach (pp_site *site, struct ppi_check *check);
/* Detaches [lock]. When ppi_quiesce has returned, no thread runs CHECK any more. */
void ppi_check_detach (pp_site *site, struct ppi_check *check);
/* What QUICK of its checks says has changed: markers of SITE take it up with the batch [lock]. */
void ppi_check_touch (pp_site *site);
/*
 * Waits (bounded, ms) until every thread that was inside a marker has left it. false: one has not. Not from a
 * check.
 */
bool ppi_quiesce (unsigned timeout_ms);

/*
 * The calling thread's own samples of METRIC at SITE (NULL: at all sites), inside a check. O(1) statistics only.
 * NaN: unknown.
 */
double ppi_thread_stat (struct ppi_thread *thread, const pp_metric *metric, const pp_site *site,
			enum pp_statistic statistic);
/*
 * Inside a check: has METRIC a sample of the execution of SITE that is checked (1), or is its newest one of an earlier execution (0, `every`)? -1: it is not
 * measured there, or only counted.
 */
int ppi_thread_sampled (const struct ppi_thread *thread, const pp_metric *metric, const pp_site *site);
/*
 * Inside a check: is PARENT (NULL: any) the innermost interval that is open in the thread just now, and OUTER open too, as that one or as one of
 * the 64 around it?
 */
bool ppi_thread_is_inside (const struct ppi_thread *thread, const pp_site *parent, const pp_site *outer);
int ppi_thread_id (const struct ppi_thread *thread);
/*
 * Does a signal's handler run on the calling thread? On x86-64 true where one does; it may be true where one did. Elsewhere, and where a sandbox refuses
 * process_vm_readv, only handlers on the signal stack are seen. Some microseconds; any context.
 */
bool ppi_in_handler (void);
/* Has the thread of this process with kernel id TID ended? One system call; ordinary context. */
bool ppi_thread_is_gone (uint32_t tid);

/*
 * Everything that must be there before a module registers; does nothing the second time. libpp, or a test,
 * provides it.
 */
void ppi_runtime_start (void);

/* ---- static records, modules ------------------------------------------------------------------------------------- */

/*
 * Who takes records of a type (knobs, callables, expectations belong to assertions). ADD is called [lock] for each
 * record of a module that registers, also for those registered before; REMOVE when the module goes (dlclose): nobody
 * may touch the record after it.
 */
struct ppi_record_handler {
	void (*add) (struct pp_abi_record *record);
	void (*remove) (struct pp_abi_record *record);
};
void ppi_record_handler_set (enum pp_abi_record_type type, const struct ppi_record_handler *handler);
bool ppi_has_modules (void);

/* ---- the live region --------------------------------------------------------------------------------------------- */

/*
 * A zeroed chunk of BYTES (rounded up) with its type still PPI_CHUNK_NONE: fill it, then ppi_region_publish. From
 * ordinary context it grows the region; from a marker (ppi_region_alloc_fast) it only takes what is there. NULL: no
 * room, counted as PP_DROP_POOL.
 */
void *ppi_region_alloc (size_t bytes);
/* The same for who can do without: that there is no room is not counted. */
void *ppi_region_try_alloc (size_t bytes);
void *ppi_region_alloc_fast (size_t bytes);
/* The same in a check, where vector registers are saved: what was given back (ppi_region_retire) first, if nobody has the lock. */
void *ppi_region_alloc_marker (size_t bytes);
void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id);
/*
 * What CHUNK, of BYTES, was about has ended. The newest 64 of those stay, for reports; the memory of older ones is given out again
 * by ppi_region_alloc. Of this process's region, and nobody writes there any more. Takes the lock.
 */
void ppi_region_retire (void *chunk, size_t bytes);
/* The same for a chunk that says nothing any more: its memory is given out again at once. */
void ppi_region_give_back (void *chunk, size_t bytes);
struct ppi_region_header *ppi_region_header (void);
/*
 * Where recording goes, a pattern of recording_file.h; the live file gets a name and the first copy is
 * made at once; but with REPLACE false what is there already stays until ppi_recording_copy, so that a policy that turns out
 * to be refused has replaced nothing. 0 or an error, after which all is as it was: WHY says what stands in its way, and
 * PP_EEXIST that OVERWRITE would help. [lock]
 */
int ppi_recording_start (const char *pattern, bool overwrite, bool replace, char *why, size_t room);
/* As it was before the last start; a file that it made is removed. [lock] */
void ppi_recording_revert (void);
/* Could it be begun there, by what is there now? Errors as of a start. */
int ppi_recording_check (const char *pattern, bool overwrite, char *why, size_t room);
bool ppi_recording_wanted (void);
/* Where the recording goes, cut off at ROOM bytes; "": there is none. Takes the lock. */
void ppi_recording_path (char *out, size_t room);
/*
 * Copies the region to the recording's path now; FINISHED marks it complete.
 */
int ppi_recording_copy (bool finished);
/* Appends an entry to the history. TEXT may be NULL. Not from markers. */
void ppi_history (enum ppi_history_kind kind, const char *name, const char *text, const double *values,
		  unsigned n_values);

#endif
