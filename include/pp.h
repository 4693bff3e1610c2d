/* SPDX-License-Identifier: MIT */
/*
 * pp.h: performance as a property of the program.
 *
 *     #include <pp.h>
 *
 *     #pragma pp metric handling interval stats(elapsed)
 *
 *     void serve (struct request *r)
 *     {
 *     #pragma pp interval serve(handling)      // from here to the end of the block, on every way out
 *             handle (r);
 *     }
 *     ...
 *     printf ("%g s on average\n", pp_avg (handling));
 *
 * Compiled with gcc -fplugin=ppgcc.so and linked with `pkg-config --libs pp`. An interval or point that nothing is
 * bound to is a NOP. The macros PP_METRIC, PP_INTERVAL, ... are the same forms for sources that must also build
 * without the plugin: there they are nothing, and statistics are NaN.
 *
 * Conventions, unless a declaration says otherwise:
 *  - Functions return 0 or a negative enum pp_error; results come through out-parameters. errno is left as it was.
 *  - Statistics return a double in seconds, bytes or plain counts, and NaN while there is no sample.
 *  - Every function may be called from any thread, and none from a signal handler. After fork the child starts with
 *    empty data of its own; what it calls works.
 *  - Strings that go in are copied; strings that come out live as long as the object they name.
 *  - Nothing here ends the program, throws, or blocks longer than a short internal lock, or 2 ms in which a statistic waits for
 *    a thread that lost its processor in the middle of a sample.
 */
#ifndef PP_H
#define PP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pp_abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* exported by libpp, also where the including code is built with -fvisibility=hidden */
#pragma GCC visibility push(default)

/* ---- errors ------------------------------------------------------------------------------------------------------ */

enum pp_error {
	PP_OK = 0,
	PP_EINVAL = -1,     /* an argument makes no sense */
	PP_ENOENT = -2,     /* no such metric, site, policy ... */
	PP_EAMBIGUOUS = -3, /* a plain name that several sites answer to */
	PP_EKIND = -4,  /* a point metric for an interval, or the reverse; a value metric for a site without value */
	PP_ENOMEM = -5, /* no memory */
	PP_EEXIST = -6, /* declared before, and differently */
	PP_EUNAVAILABLE = -7, /* this machine or kernel does not have it */
	PP_EPOLICY = -8,      /* the policy has errors; they were printed, and nothing changed */
	PP_EIO = -9,          /* a file could not be read or written */
	PP_ECODE = -10,       /* the code at a marker could not be changed */
	PP_ESTATE = -11,      /* not possible now: ended twice, unloading what is not loaded ... */
};

/*
 * The error's text, in English, never NULL; for a number that is no pp_error, "unknown error". Any thread, signal-
 * safe.
 */
const char *pp_strerror (int error);

/* ---- metrics and their statistics -------------------------------------------------------------------------------- */

typedef struct pp_metric pp_metric;
typedef struct pp_site pp_site;

/* The statistics an accumulator may have. One table (docs/statistics.md) says which accumulator has which. */
enum pp_statistic {
	PP_STAT_COUNT, /* samples; over the window for a bounded_series */
	PP_STAT_SUM,   /* of the samples; over the window for a bounded_series */
	PP_STAT_AVG,   /* sum / count */
	PP_STAT_MIN,
	PP_STAT_MAX,
	PP_STAT_VARIANCE,        /* of the population: sum (x - avg)² / count */
	PP_STAT_STDDEV,          /* its root */
	PP_STAT_LAST,            /* the sample with the newest end */
	PP_STAT_TOTAL,           /* the sum since start or reset, also for a bounded_series */
	PP_STAT_N,               /* the samples since start or reset, also for a bounded_series */
	PP_STAT_ESTIMATED_COUNT, /* executions: n × every */
	PP_STAT_P50,             /* quantiles: the least sample that half of them, 90 % ... do not exceed */
	PP_STAT_P90,
	PP_STAT_P95,
	PP_STAT_P99,
	PP_STAT_P999, /* 99.9 % */
	PP_STAT_LOST, /* samples that the accumulator had no room for */
	PP_STAT_RATE, /* executions per second since start or reset */
	PP_STATISTICS
};

/* The metric called NAME, or NULL. */
pp_metric *pp_metric_find (const char *name);

/*
 * Declares a metric as the pragma does: pp_metric_new (&m, "handling", "interval stats(elapsed)"); or a composite one, "expr(EXPRESSION)", whose
 * value is computed from others' whenever it is asked for: "expr(misses.sum / work.total)". Declaring it
 * again with the same text finds the same metric. PP_EINVAL where the declaration can't be read, PP_EEXIST where
 * NAME exists with another declaration, PP_EUNAVAILABLE where this machine lacks the source. OUT may be NULL.
 */
int pp_metric_new (pp_metric **out, const char *name, const char *declaration);

/* The metric's name. */
const char *pp_metric_name (const pp_metric *metric);

/*
 * Can this machine measure NAME, a metric of the program or a policy, or a source as a metric names it ("cycles", "papi:PAPI_L1_DCM")? 1: yes, 0:
 * no, PP_ENOENT: there is no such thing, PP_EINVAL: a source's argument makes no sense. TEXT (of ROOM bytes, or NULL and 0) gets a sentence: for a
 * metric the source that is in use, and where that is a fallback why; for a source what it counts; else the reason. Takes the
 * library's lock, may open counters to try them; from any thread, but not from a signal handler.
 */
int pp_available (const char *name, char *text, size_t room);

/* NULL when the metric can be measured on this machine, else the reason as a sentence. */
const char *pp_unavailable (const pp_metric *metric);

/*
 * One statistic over all threads, of all sites (SITE is NULL) or of one. NaN: no sample, no such statistic, or
 * METRIC is NULL.
 *
 * This and all statistics below, unless they say otherwise: from any thread, any number at once, also in callbacks and in functions that are called at markers. Without a
 * lock; only quantiles and variance of a histogram allocate. A sample that another thread takes meanwhile is in it as a whole or not at all. A thread
 * that lost its processor in the middle of a sample is waited for, 2 ms at most, but not at markers; where it still stands there, part of
 * that sample may be in the result, which PP_DROP_TORN counts. Not from signal handlers: a sample that the handler interrupted can't become whole, and
 * memory may be asked for. A child of fork sees its own samples. No cancellation point.
 */
double pp_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

/*
 * The same of the calling thread alone, its signal handlers included: what assertions at sites look at. Never waits. NaN also of composite metrics.
 */
double pp_thread_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

/* pp_stat over all sites and threads, by name. */
double pp_avg (const pp_metric *metric);
double pp_sum (const pp_metric *metric);
double pp_count (const pp_metric *metric);
double pp_min (const pp_metric *metric);
double pp_max (const pp_metric *metric);
double pp_stddev (const pp_metric *metric);
double pp_variance (const pp_metric *metric);
double pp_last (const pp_metric *metric);
double pp_total (const pp_metric *metric);
/* Executions per second since the metric was declared or reset. */
double pp_rate (const pp_metric *metric);
/*
 * The quantile Q (0 … 1) of a histogram: the least sample that at least the share Q of all samples do not exceed, with a
 * relative error below 1 %; 0 and 1 are the minimum and the maximum, exactly. NaN: no sample, no histogram, Q out of
 * range, or samples were lost for want of memory (PP_STAT_LOST).
 */
double pp_quantile (const pp_metric *metric, double q);
/* The newest sample of a series, all threads: pp_last under the name that series are used with. */
double pp_series_last (const pp_metric *metric);

/*
 * Copies at most ROOM samples of a series, the calling thread's, site by site and oldest first, in the metric's unit. Returns how
 * many there are (may exceed ROOM), or a negative pp_error: PP_EKIND where the metric keeps no series.
 */
long pp_series_copy (const pp_metric *metric, double *out, size_t room);

/* Samples that lie behind each other in memory, oldest first. Sample × SCALE is in the metric's unit. */
struct pp_series_piece {
	const pp_site *site; /* NULL: of pp_sample */
	const void *samples; /* long, or double where IS_DOUBLE */
	size_t n;
	int is_double;
	double scale;
};

/*
 * Shows the calling thread's series where it lies, without a copy: calls FN for each piece, site by site and oldest first, until it
 * returns non-zero. The samples stay as they are until this thread takes another sample of METRIC. Returns how many samples
 * were shown, or PP_EKIND, PP_EINVAL.
 */
long pp_series_view (const pp_metric *metric, int (*fn) (const struct pp_series_piece *piece, void *arg), void *arg);

/*
 * Of the calling thread's series: the average of the newest K samples at each site; the exponentially weighted moving
 * average e ← e + ALPHA (x - e), 0 < ALPHA ≤ 1, from the oldest sample that is kept, and of several sites their mean.
 * NaN: no samples, no series. Both read the whole series.
 */
double pp_moving_avg (const pp_metric *metric, size_t k);
double pp_ewma (const pp_metric *metric, double alpha);

/*
 * The one number that METRIC's name stands for in expressions: of a composite metric its value now, of a scalar the last sample, of a count how many; NaN for
 * all others, and where it is unknown. A composite's pp_stat (.., PP_STAT_LAST) and pp_last are the same, and with a site what was measured there. As
 * pp_stat, of each metric that the expression speaks of, one after the other; where it speaks of statistics of the program's own, as pp_stat_named.
 */
double pp_get (const pp_metric *metric);

/*
 * A statistic of the last SECONDS, 0.001 to 86,400,000, that has a window of time (docs/statistics.md), as m.p99[10s] in expressions. The first call for a
 * length makes METRIC keep that window too, for good; it begins then. At most 16 lengths for a metric. NaN: unknown, or no such window.
 * As pp_stat; the first call for a length takes the library's lock: not at markers.
 */
double pp_stat_over (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic, double seconds);

/*
 * Statistics of the program's own: a function of a snapshot, which is everything that is kept of a metric, merged over threads at one moment.
 *
 *     static double gini (const pp_snapshot *s, void *arg) { const double *x; size_t n = pp_snapshot_samples (s, &x); ... }
 *     PP_STATISTIC (gini, 0)                                       or   pp_statistic_new ("gini", gini, NULL, 0);
 *
 * Then m.gini may stand in expressions that are checked by time, all(m.gini) in those at sites, pp_stat_named (m, NULL, "gini") says it, and reports have it for
 * every metric for which it is not NaN. POWER is that of the metric's unit: 0 a plain number, 1 as avg, 2 as variance. The function is called on any
 * thread, also several at once, never at a marker and never with the library's lock; not for a metric without samples. It must not keep the snapshot.
 */
typedef struct pp_snapshot pp_snapshot;
typedef double (*pp_statistic_fn) (const pp_snapshot *snapshot, void *arg);
/* NAME is an identifier. PP_EEXIST: another has it, or the library. For good: FN must not be in a module that is closed. */
int pp_statistic_new (const char *name, pp_statistic_fn fn, void *arg, int power);
/*
 * A statistic by its name, the library's ("avg") or the program's; NaN: there is none of that name. One of the program's takes the library's lock and
 * allocates, and then calls the function without the lock, on this thread: not at markers.
 */
double pp_stat_named (const pp_metric *metric, const pp_site *site, const char *name);
/* What a snapshot has: its metric, the library's statistics, any quantile of a histogram, the samples of a series in the metric's unit, in no order. */
const pp_metric *pp_snapshot_metric (const pp_snapshot *snapshot);
double pp_snapshot_stat (const pp_snapshot *snapshot, enum pp_statistic statistic);
double pp_snapshot_quantile (const pp_snapshot *snapshot, double q);
size_t pp_snapshot_samples (const pp_snapshot *snapshot, const double **samples);

/* Adds a sample in the metric's unit, from anywhere; it counts as one of the calling thread at no site. */
int pp_sample (pp_metric *metric, double sample);

/*
 * How the readings at an interval's begin and end combine: option `operator` of metrics. The library's own are difference, which
 * is what is taken where nothing is said, ratio (end / begin), max and last (the reading at the end). Yours gets both in the metric's unit
 * and returns the sample, NaN for none. It runs at the interval's end, on its thread: no locks, no allocation, no exceptions.
 */
typedef double (*pp_operator_fn) (double begin, double end);
/*
 * Registers FN as operator NAME, an identifier, for metrics that are declared from now on; PP_OPERATOR (FN) does it before main, and lets ppctl
 * know it. PP_EEXIST: there is another of that name. For good: FN must not be in a module that is closed.
 */
int pp_operator_new (const char *name, pp_operator_fn fn);

/* Forgets all samples of METRIC (NULL: of all metrics), in every thread. */
int pp_reset (pp_metric *metric);

/* ---- sites and bindings ------------------------------------------------------------------------------------------ */

/*
 * The site a name means: "i1", "serve/i1", "server.c:serve/i1", "libfoo.so!server.c:serve/i1". PP_EAMBIGUOUS where
 * several sites answer; the candidates are printed.
 */
int pp_site_find (const char *name, pp_site **out);

/* The site's full name, module!file:function/site. */
const char *pp_site_name (const pp_site *site);

/* Calls FN for each site that PATTERN matches (NULL: all) until it returns non-zero; returns that, or 0. */
int pp_site_each (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg);

/*
 * Binds METRIC to every site that PATTERN matches now: names, globs ("trace_*" stops at "/", "**" does not),
 * "group:G", "file:GLOB", "fn:GLOB". A plain name must mean one site. EVERY: one execution in EVERY is sampled, 1
 * means all, 0 what the metric's declaration says. Takes effect at each site's next execution. Returns the number of sites, PP_ENOENT when there is
 * none, PP_EKIND, PP_ECODE (nothing is bound then).
 */
int pp_bind (pp_metric *metric, const char *pattern, unsigned every);

/* Undoes pp_bind; the samples stay. Returns the number of sites that the metric was bound to. */
int pp_unbind (pp_metric *metric, const char *pattern);

/*
 * Points and intervals as calls, for languages and places that pragmas don't reach. Where NAME is a literal, and for an
 * interval its begin and end are in one function, the plugin makes markers of them, which cost nothing while nothing
 * is bound. All others are these functions: the site NAME, without file and function, exists from the first call on; a
 * pp_end closes the newest open interval of that name in this thread, in the function that began it or deeper. A value
 * is computed at every execution.
 */
void pp_begin (const char *name);
void pp_end (const char *name);
void pp_point (const char *name);
void pp_point_int (const char *name, int64_t value);
void pp_point_double (const char *name, double value);

/*
 * Spans: intervals that begin and end in different functions, threads or callbacks, held together by a token.
 *
 *     static pp_site *request;                         request = pp_span_site ("request");
 *     conn->span = pp_span_begin (request);            in one callback
 *     ...
 *     pp_span_end (conn->span);                        in another, in any thread
 *
 * They feed the metrics and assertions that are bound to the site, as its executions do; the sample belongs to the thread that ends the span.
 * What a source reads of its own thread (CPU time, page faults of the thread) means nothing where that is another one. open_age and in_flight see open spans.
 * While nothing is bound to the site a begin is a call and a test, and gives PP_SPAN_NONE, whose end does nothing.
 */
typedef uint64_t pp_span;
#define PP_SPAN_NONE ((pp_span) 0)

/* The interval NAME that has no code, as pp_begin (NAME) has it; made at the first call. For good. NULL: no room for it, counted. */
pp_site *pp_span_site (const char *name);
/*
 * SITE is pp_span_site's, or any interval of the source (pp_site_find); NULL does nothing. At most 1,048,576 spans are open at a time, 131,072 of metrics
 * that keep values between begin and end (functions); 64 bytes each, or 512. Beyond that, or when the live region is full, the span is not measured and counted (PP_DROP_POOL).
 * Metrics of captured values have no sample: a span captures nothing. No lock; any thread, also in signal handlers.
 */
pp_span pp_span_begin (pp_site *site);
/*
 * Ends a span, once: PP_ESTATE, and PP_DROP_SPAN is counted, where it has ended before or TOKEN is none of this process; a child of
 * fork has none of its parent's. A span whose site was unbound meanwhile has no sample (PP_DROP_DISABLED). Any thread, also in signal handlers.
 */
int pp_span_end (pp_span token);

/* Why something was not measured. */
enum pp_drop {
	PP_DROP_LONGJMP,     /* frames whose end was jumped over */
	PP_DROP_DISABLED,    /* frames whose site was disabled, or enabled anew, inside */
	PP_DROP_UNMATCHED,   /* ends without a begin: enabled inside */
	PP_DROP_DEPTH,       /* intervals nested deeper than 1,024 */
	PP_DROP_POOL,        /* no room in the live region just then */
	PP_DROP_FORK,        /* executed in a child that had no region yet */
	PP_DROP_SIGNAL,      /* a handler inside a handler inside a marker */
	PP_DROP_UNKNOWN,     /* the source had no value (a counter that failed) */
	PP_DROP_UNAVAILABLE, /* what the thread needs for the source could not be opened (no descriptor free) */
	PP_DROP_SPAN,        /* ends of spans that had ended before, or of tokens that are none */
	PP_DROP_TORN, /* nothing was: figures that were read while a thread stood still in the middle of a sample */
	PP_DROPS
};

/* How many were dropped for this cause, in all threads since the start. Takes the library's lock. */
uint64_t pp_dropped (enum pp_drop cause);
/* The cause's name: "longjmp" ... */
const char *pp_drop_name (enum pp_drop cause);

/* ---- policies and assertions ------------------------------------------------------------------------------------- */

/*
 * Loads a policy. All its errors are printed, each with file:line:column and the line; a policy with errors changes
 * nothing (PP_EPOLICY). Loading the same path again replaces it: unchanged metrics keep their data.
 */
int pp_policy_load (const char *path);
/*
 * The same of a policy in the program itself: TEXT, which is copied. NAME stands where a path would: in messages (NAME:line:column), for loading it again,
 * which replaces it, and for pp_policy_unload. No file is looked at, so pp_policy_reload passes over it.
 */
int pp_policy_load_text (const char *name, const char *text);
int pp_policy_unload (const char *path);
/*
 * Loads every policy again whose file changed since it was loaded or refused. Returns how many were replaced, or the last
 * policy's pp_error that could not be: its former version stays. Policies with `reload: true`, and all with
 * PP_POLICY_WATCH=1 in the environment, are looked at twice a second by the library's thread or pp_poll.
 */
int pp_policy_reload (void);

enum pp_state { PP_STATE_OK, PP_STATE_PENDING, PP_STATE_FIRING, PP_STATE_UNKNOWN };
/* How bad it is when an assertion does not hold: `severity:` of policies. */
enum pp_severity { PP_SEVERITY_INFO, PP_SEVERITY_WARNING, PP_SEVERITY_ERROR, PP_SEVERITY_CRITICAL };

/* A metric that a policy wanted captured with a violation. */
struct pp_capture {
	const char *metric;
	double value;   /* of the execution that violated, in the metric's unit; NaN unknown */
	double avg;     /* of this thread at this site so far */
	double ratio;   /* value / avg */
	double samples; /* how many there were so far; NaN unknown */
};

/* What a callback is told. Valid during the call. */
struct pp_violation {
	uint32_t size; /* of this structure; newer libraries append */
	int clears;    /* 0: it fires, 1: it holds again */
	const char *assertion;
	const char *expression;
	const char *site;    /* full name, or NULL for a timed assertion */
	int thread;          /* kernel id of the thread that saw it */
	double left, right;  /* both sides of the (last) comparison; NaN where there is none */
	uint64_t violations; /* so far */
	uint64_t checks;     /* so far */
	double seconds;      /* since the start of the program */
	size_t captures;
	const struct pp_capture *capture;
	const char *detail; /* a sentence that tells more: of growth: the fit; NULL: there is none */
	enum pp_severity severity;
	int repeats;      /* 1: it fires still, and goes on being violated (`repeat: true`) */
	double since;     /* when the failures began that made it fire, in seconds since the start */
	uint64_t fired;   /* how often it has, this time included */
	const char *text; /* all that as a sentence; NULL in inline callables, whose marker shall not wait for it */
	int investigated; /* 1: no violation, but the result of `investigate` is there, in DETAIL; REPEATS is 1 then, too */
	/*
	 * Full name of the interval inside SITE that the newest investigation found most of the slowdown in, and how much of it; NULL and NaN: none, and in
	 * inline callables.
	 */
	const char *culprit;
	double culprit_share; /* 0 … 1 */
};

typedef void (*pp_callback) (const struct pp_violation *violation, void *arg);

/*
 * Calls FN (violation, ARG) when the assertion fires and when it clears, on the library's thread or, where
 * PP_THREADS=0, by pp_poll. Several callbacks are called in the order they came. The assertion may be loaded later.
 * FN = NULL takes ARG's callbacks of that name away.
 */
int pp_on_assertion (const char *name, pp_callback fn, void *arg);

/* A snapshot of an assertion. Times are seconds since the start of the program. */
struct pp_assertion_info {
	enum pp_state state; /* with `scope: thread` the worst of all threads' */
	uint64_t checks, passes, violations, unknowns, fired, cleared;
	double left, right; /* of the newest check; NaN unknown */
	enum pp_severity severity;
	double since;                           /* when this state began; NaN: it was never another */
	double last_fired, last_cleared;        /* NaN: it never did */
	double first_violation, last_violation; /* NaN: there was none */
	uint64_t lost;       /* outcomes and edges that found no room: not stepped, or their actions not performed */
	int per_thread;      /* 1: `scope: thread` */
	unsigned threads;    /* that fire now, where per_thread */
	uint64_t suppressed; /* lines that its log actions did not write, for there were too many */
};
/* PP_ENOENT: no assertion of that name is loaded. */
int pp_assertion_state (const char *name, struct pp_assertion_info *out);
/*
 * Calls FN with each assertion that was loaded when it was called, until it returns non-zero; returns that, or 0, or
 * PP_ENOMEM. FN may load and unload policies.
 */
int pp_assertion_each (int (*fn) (const char *name, const struct pp_assertion_info *info, void *arg), void *arg);
/*
 * The full name of the interval that the assertion's newest investigation found most of the slowdown in, copied to OUT (of ROOM bytes, or NULL and
 * 0), and how much of it, 0 … 1, to SHARE (or NULL). PP_ENOENT: no such assertion, or none was found.
 */
int pp_assertion_culprit (const char *name, char *out, size_t room, double *share);
/* "ok", "pending", "firing", "unknown"; "info", "warning", "error", "critical"; "?" for other numbers. */
const char *pp_state_name (enum pp_state state);
const char *pp_severity_name (enum pp_severity severity);

/*
 * The value of knob NAME now. PP_ENOENT: there is no such knob, or its module was closed. The program's own code reads a
 * knob faster with pp_knob_int and pp_knob_double, below. Of a knob of words it is the word's place, from 0.
 */
int pp_knob_get (const char *name, double *value);
/*
 * Sets it, or turns it by so many of its own steps, within its range, as actions of policies do. The policy that a knob
 * belongs to goes on turning it, and gives it back as it was before the policy came. 1: its value changed, 0: it was so
 * already, or at its limit; PP_EINVAL: not a number.
 */
int pp_knob_set (const char *name, double value);
int pp_knob_step (const char *name, double steps);
/*
 * The word of a knob of words (PP_KNOB_ENUM) now, as long as its module is there; NULL: there is no such knob, or it has no words. Setting
 * it by a word: PP_EINVAL where it has none of that name.
 */
const char *pp_knob_word (const char *name);
int pp_knob_set_word (const char *name, const char *word);

/* An adaptation (`adapt:` of a policy) of a knob: it tries the values, or has settled on the best, or waits for samples. */
enum pp_adapt_state { PP_ADAPT_EXPLORING, PP_ADAPT_SETTLED, PP_ADAPT_WAITING };
struct pp_adapt_info {
	enum pp_adapt_state state;
	int maximise;       /* 1: what is adapted for is to be large, 0: small */
	double current;     /* the knob's value that is tried now */
	double best;        /* that it has settled on; NaN: it has not */
	double newest;      /* what is adapted for, over the last window; NaN: too few samples */
	uint64_t windows;   /* that have ended */
	uint64_t settled;   /* how often it has */
	uint64_t degraded;  /* how often what it had settled on became worse, and all were tried again */
	uint64_t better;    /* how often another one turned out to be better, and likewise */
	uint64_t empty;     /* windows with too few samples */
	uint64_t disturbed; /* windows in which somebody else turned the knob: they do not count */
	double since;       /* when this state began, in seconds since the start of the program; NaN: with the policy */
	unsigned variants;
};
/* A value that is tried. */
struct pp_adapt_variant {
	double value;     /* of the knob */
	double mean;      /* what is adapted for, with it, of late; NaN: no samples */
	double margin;    /* half the 99 % confidence interval of that; NaN: fewer than two windows */
	uint64_t windows; /* that ran with it */
	int is_out; /* 1: left out of the rest of this trial: others are better, or there are no samples with it */
};
/* Of the adaptation of KNOB; PP_ENOENT: no policy has one. */
int pp_adapt_state (const char *knob, struct pp_adapt_info *out);
/* Its values, at most ROOM of them to OUT; returns how many there are, at most 32. */
long pp_adapt_variants (const char *knob, struct pp_adapt_variant *out, size_t room);
/* "exploring", "settled", "waiting"; "?" for other numbers. */
const char *pp_adapt_state_name (enum pp_adapt_state state);

/*
 * Checks EXPRESSION here and now under NAME: 1 it holds, 0 it does not, 2 unknown, or a negative pp_error. The same
 * name and expression again is the same assertion; it fires and clears like one of a policy, so pp_on_assertion
 * hears of it.
 */
int pp_expect (const char *name, const char *expression);
/*
 * The same, with CLAUSES of a policy's assertion that say when it fires, with commas between: "for: 3, clear: 5, cooldown: 2s, after: 100,
 * repeat: true, severity: error, scope: thread, capture: [faults, misses]", each of which may be left out. After makes the first so many
 * checks mere answers. With scope: thread each thread that checks it has a state of its own. Other clauses than the first time, or none
 * (""), under the same name: PP_EEXIST; NULL: whichever it has. Wrong ones: PP_EINVAL; what is wrong is said once, on stderr.
 */
int pp_expect_with (const char *name, const char *expression, const char *clauses);

/*
 * Runs what is due on the calling thread: timed assertions and queued callbacks; returns how many callbacks ran. For
 * programs that want no thread of the library (PP_THREADS=0) or callbacks in their own event loop.
 */
int pp_poll (void);
/*
 * A descriptor that is readable when pp_poll has callbacks to run; owned by the library. From the first call on,
 * callbacks are no longer called on the library's thread.
 */
int pp_poll_fd (void);

/* ---- what the library itself costs -------------------------------------------------------------------------------- */

/*
 * What one execution of a site costs, in seconds, as measured on this machine with markers of the library's own in a loop that keeps the processor busy. A program that
 * waits for something else meanwhile pays less.
 */
struct pp_self_cost {
	double inside; /* what lies between its two readings of the clock in an empty interval: what a sample of `elapsed` has too much. NaN: none is summed up there */
	double sampled; /* all of it, begin and end, when it is sampled */
	double skipped; /* ... when `every` leaves it out */
};
/*
 * Of the one site that NAME means, with what is bound there now. The first time it executes markers with such bindings for up to 16 ms, on the calling
 * thread; functions of the program's own are not called, and not in it. The same bindings elsewhere cost the same. PP_ENOENT, PP_EAMBIGUOUS: no such
 * site, or several; PP_EUNAVAILABLE: nothing is bound there. Any thread, not from signal handlers or checks.
 */
int pp_self_cost (const char *site, struct pp_self_cost *out);

/* What `overhead: {budget: …}` of the loaded policies does; of several the smallest holds. */
struct pp_overhead {
	double budget; /* 0.01 is 1 %; NaN: there is none */
	double share; /* of the time of the thread that pays most, by the last look, a tenth of a second; NaN: nobody knows yet */
	unsigned seldom;  /* bindings that are sampled more seldom than was asked for, now */
	unsigned unbound; /* ... and not at all */
	uint64_t looks;   /* so far; and what was done since the program began: */
	uint64_t raised, taken, eased,
		restored; /* `every` raised, bindings unbound, `every` lowered again, bindings back */
};
/* PP_EINVAL: OUT is NULL. Any thread, not from signal handlers or checks. */
int pp_overhead (struct pp_overhead *out);

/* Writes the report of everything measured so far as text. */
int pp_report (FILE *out);

/* Writes the recording to PATH now (what `record:` does at exit and while running). */
int pp_record (const char *path);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/* ---- static records: knobs, callables, sources (at file scope) --------------------------------------------------- */

#define PP_CONCAT_(a, b) a##b
#define PP_CONCAT(a, b) PP_CONCAT_ (a, b)
#define PP_STRING_(x) #x
#define PP_STRING(x) PP_STRING_ (x)
#define PP_WHERE __FILE__ ":" PP_STRING (__LINE__)

#ifdef __cplusplus
#define PP_EXTERN_C extern "C"
#else
#define PP_EXTERN_C extern
#endif

#define PP_RECORD_SECTION __attribute__ ((section (PP_ABI_SECTION_RECORDS), used))

/* Where this file uses such a macro, its module is registered before main even without the plugin. */
PP_EXTERN_C const char pp_records_begin[] __asm__("__start_pp_records") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_records_end[] __asm__("__stop_pp_records") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_sites_begin[] __asm__("__start_pp_sites") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_sites_end[] __asm__("__stop_pp_sites") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_guards_begin[] __asm__("__start_pp_guards") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_guards_end[] __asm__("__stop_pp_guards") __attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_estimates_begin[] __asm__("__start_pp_estimates")
	__attribute__ ((weak, visibility ("hidden")));
PP_EXTERN_C const char pp_estimates_end[] __asm__("__stop_pp_estimates") __attribute__ ((weak, visibility ("hidden")));

#define PP_REGISTER_(id)                                                                                               \
	static const struct pp_abi_module PP_CONCAT (pp_module_, id) = {                                               \
		sizeof (struct pp_abi_module),                                                                         \
		PP_ABI_VERSION,                                                                                        \
		sizeof (struct pp_abi_marker),                                                                         \
		pp_sites_begin,                                                                                        \
		pp_sites_end,                                                                                          \
		pp_guards_begin,                                                                                       \
		pp_guards_end,                                                                                         \
		pp_records_begin,                                                                                      \
		pp_records_end,                                                                                        \
		pp_estimates_begin,                                                                                    \
		pp_estimates_end,                                                                                      \
	};                                                                                                             \
	__attribute__ ((constructor, no_instrument_function)) static void PP_CONCAT (pp_register_, id) (void)          \
	{                                                                                                              \
		pp_rt_register (&PP_CONCAT (pp_module_, id));                                                          \
	}                                                                                                              \
	__attribute__ ((destructor, no_instrument_function)) static void PP_CONCAT (pp_unregister_, id) (void)         \
	{                                                                                                              \
		pp_rt_unregister (&PP_CONCAT (pp_module_, id));                                                        \
	}

#define PP_HEAD_(type, kind) PP_HEAD_FLAGS_ (type, kind, 0)
#define PP_HEAD_FLAGS_(type, kind, flags)                                                                              \
	{                                                                                                              \
		sizeof (struct type), PP_ABI_VERSION, kind, flags, offsetof (struct type, name), 0, __LINE__, 0, 0     \
	}

/*
 * A tunable that policies may turn: PP_KNOB_INT (antialias, 4, 1, 8, 1) has value 4, range 1..8, step 1. Read it with
 * pp_knob_int (antialias), one relaxed atomic load; other files say PP_KNOB_EXTERN (antialias) first.
 */
#define PP_KNOB_INT(NAME, INITIAL, MIN, MAX, STEP)                                                                     \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_INT, {(INITIAL)}, {(MIN)}, {(MAX)}, {(STEP)}, 0, 0)

/* The same with doubles; read with pp_knob_double (NAME). */
#define PP_KNOB_DOUBLE(NAME, INITIAL, MIN, MAX, STEP)                                                                  \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_DOUBLE, PP_DOUBLE_ (INITIAL), PP_DOUBLE_ (MIN), PP_DOUBLE_ (MAX),           \
			 PP_DOUBLE_ (STEP), 0, 0)

/*
 * A choice of 1 to 32 words: PP_KNOB_ENUM (filter, 1, box, linear, cubic) is linear at first. pp_knob_int (filter) is the word's place: box 0,
 * linear 1, cubic 2; a step goes to the next word. Words are letters, digits and _; macros among them are not expanded.
 */
#define PP_KNOB_ENUM(NAME, INITIAL, ...)                                                                               \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_ENUM, {(INITIAL)}, {0}, {PP_WORDS_ (__VA_ARGS__) - 1}, {1}, 0, #__VA_ARGS__)

/*
 * The same with a function that is told each new value: void SETTER (int64_t), of doubles void SETTER (double). It is called
 * after the value has changed, never twice at a time and never inside a marker: on the library's thread, by pp_poll, or where
 * the program turns the knob itself, by pp_knob_set and pp_knob_step. It is told the newest value; one that was
 * replaced before anybody came to tell it is left out. It may use all of this library. It must not throw.
 */
#define PP_KNOB_INT_SETTER(NAME, INITIAL, MIN, MAX, STEP, SETTER)                                                      \
	PP_KNOB_SETTER_ (NAME, SETTER, i)                                                                              \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_INT, {(INITIAL)}, {(MIN)}, {(MAX)}, {(STEP)}, pp_knob_set_##NAME, 0)
#define PP_KNOB_DOUBLE_SETTER(NAME, INITIAL, MIN, MAX, STEP, SETTER)                                                   \
	PP_KNOB_SETTER_ (NAME, SETTER, d)                                                                              \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_DOUBLE, PP_DOUBLE_ (INITIAL), PP_DOUBLE_ (MIN), PP_DOUBLE_ (MAX),           \
			 PP_DOUBLE_ (STEP), pp_knob_set_##NAME, 0)
#define PP_KNOB_ENUM_SETTER(NAME, INITIAL, SETTER, ...)                                                                \
	PP_KNOB_SETTER_ (NAME, SETTER, i)                                                                              \
	PP_KNOB_RECORD_ (NAME, PP_ABI_KNOB_ENUM, {(INITIAL)}, {0}, {PP_WORDS_ (__VA_ARGS__) - 1}, {1},                 \
			 pp_knob_set_##NAME, #__VA_ARGS__)

#define PP_KNOB_SETTER_(NAME, SETTER, FIELD)                                                                           \
	static void pp_knob_set_##NAME (const union pp_abi_number *value)                                              \
	{                                                                                                              \
		SETTER (value->FIELD);                                                                                 \
	}

#define PP_KNOB_RECORD_(NAME, TYPE, INITIAL, MIN, MAX, STEP, SETTER, WORDS)                                            \
	PP_KNOB_EXTERN (NAME);                                                                                         \
	PP_RECORD_SECTION struct pp_abi_knob pp_knob_##NAME = {PP_HEAD_ (pp_abi_knob, PP_ABI_RECORD_KNOB),             \
							       PP_WHERE,                                               \
							       TYPE,                                                   \
							       {0},                                                    \
							       INITIAL,                                                \
							       INITIAL,                                                \
							       MIN,                                                    \
							       MAX,                                                    \
							       STEP,                                                   \
							       #NAME,                                                  \
							       SETTER,                                                 \
							       WORDS};                                                 \
	PP_REGISTER_ (knob_##NAME)

#define PP_DOUBLE_(x)                                                                                                  \
	{                                                                                                              \
		.d = (x)                                                                                               \
	}

/* How many arguments, 1 to 32 */
#define PP_WORDS_(...)                                                                                                 \
	PP_WORDS_COUNT_ (__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13,  \
			 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PP_WORDS_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20,     \
			a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, N, ...)                            \
	N

#define PP_KNOB_EXTERN(NAME) PP_EXTERN_C struct pp_abi_knob pp_knob_##NAME
#define pp_knob_int(NAME) __atomic_load_n (&pp_knob_##NAME.value.i, __ATOMIC_RELAXED)
#define pp_knob_double(NAME)                                                                                           \
	(__extension__({                                                                                               \
		double pp_value_;                                                                                      \
		__atomic_load (&pp_knob_##NAME.value.d, &pp_value_, __ATOMIC_RELAXED);                                 \
		pp_value_;                                                                                             \
	}))

/*
 * A function void FN (const struct pp_violation *, void *) that policies may call by name, on the library's
 * thread.
 */
#define PP_CALLABLE(FN) PP_CALLABLE_ (FN, 0)
/* The same, called at once by the thread that saw the violation, after its frame is closed. FN must not throw. */
#define PP_CALLABLE_INLINE(FN) PP_CALLABLE_ (FN, PP_ABI_CALLABLE_INLINE)
#define PP_CALLABLE_(FN, FLAGS)                                                                                        \
	PP_RECORD_SECTION static struct pp_abi_callable pp_callable_##FN = {                                           \
		{sizeof (struct pp_abi_callable), PP_ABI_VERSION, PP_ABI_RECORD_CALLABLE, FLAGS,                       \
		 offsetof (struct pp_abi_callable, name), 0, __LINE__, 0, 0},                                          \
		PP_WHERE,                                                                                              \
		FN,                                                                                                    \
		#FN};                                                                                                  \
	PP_REGISTER_ (callable_##FN)

/*
 * PP_OPERATOR (FN): a pp_operator_fn that metrics may name as operator=FN, from before main on. See pp_operator_new.
 */
#define PP_OPERATOR(FN) PP_FUNCTION_ (operator_, FN, pp_operator_fn, PP_ABI_RECORD_OPERATOR, 0)
/* PP_STATISTIC (FN, POWER): a pp_statistic_fn, from before main on. See pp_statistic_new. */
#define PP_STATISTIC(FN, POWER) PP_FUNCTION_ (statistic_, FN, pp_statistic_fn, PP_ABI_RECORD_STATISTIC, POWER)
#define PP_FUNCTION_(KIND, FN, TYPE, RECORD, FLAGS)                                                                    \
	static __attribute__ ((unused)) TYPE const pp_##KIND##type_##FN = FN;                                          \
	PP_RECORD_SECTION static struct pp_abi_function pp_##KIND##FN = {                                              \
		PP_HEAD_FLAGS_ (pp_abi_function, RECORD, FLAGS), PP_WHERE, (void (*) (void)) FN, #FN};                 \
	PP_REGISTER_ (KIND##FN)

/*
 * A source that policies may name: PP_SOURCE_POINT_INT (queue_length, get_queue_length, "") takes int64_t
 * get_queue_length (void); PP_SOURCE_INTERVAL_INT (NAME, BEGIN, END, UNIT) takes int64_t BEGIN (void) and int64_t
 * END (const int64_t *begin); _DOUBLE the same with double. The unit is "s", "B" or "".
 */
#define PP_SOURCE_POINT_INT(NAME, FN, UNIT) PP_SOURCE_POINT_ (NAME, FN, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_PLAIN_, 0)
#define PP_SOURCE_POINT_DOUBLE(NAME, FN, UNIT)                                                                         \
	PP_SOURCE_POINT_ (NAME, FN, UNIT, double, PP_ABI_SAMPLE_DOUBLE, PP_PLAIN_, 0)
#define PP_SOURCE_INTERVAL_INT(NAME, BEGIN, END, UNIT)                                                                 \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_PLAIN_, 0)
#define PP_SOURCE_INTERVAL_DOUBLE(NAME, BEGIN, END, UNIT)                                                              \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, double, PP_ABI_SAMPLE_DOUBLE, PP_PLAIN_, 0)
/*
 * The same for functions that are marked PP_FAST, with integer samples: they are called without keeping the program's vector
 * registers, which is most of what a call costs.
 */
#define PP_FAST_SOURCE(NAME, FN, UNIT)                                                                                 \
	PP_SOURCE_POINT_ (NAME, FN, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_FAST, PP_FAST_FLAG_)
#define PP_FAST_SOURCE_INTERVAL(NAME, BEGIN, END, UNIT)                                                                \
	PP_SOURCE_INTERVAL_ (NAME, BEGIN, END, UNIT, int64_t, PP_ABI_SAMPLE_INT, PP_FAST, PP_FAST_FLAG_)
/*
 * PP_FAST int64_t queue_length (void) { return length; }
 *
 * promises that the function uses general registers only: no floating point, no vectors, and no calls but of functions
 * that are PP_FAST too. GCC compiles it so, and the plugin reports calls and registers that break the promise; a function that
 * is defined in a file which is compiled without the plugin is believed. A metric declared with such functions (#pragma pp metric m interval
 * sumcount(begin, end)) is as fast as PP_FAST_SOURCE. Without the plugin and on other CPUs such sources are ordinary ones.
 */
#if defined(__PPGCC__) && defined(__x86_64__)
/* sanitizers would put calls into them */
#define PP_FAST __attribute__ ((target ("general-regs-only"), pp_fast, no_sanitize ("address", "thread", "undefined")))
#define PP_FAST_FLAG_ PP_ABI_SOURCE_FAST
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define PP_FAST __attribute__ ((target ("general-regs-only")))
#define PP_FAST_FLAG_ 0
#else
#define PP_FAST
#define PP_FAST_FLAG_ 0
#endif
#define PP_PLAIN_
#define PP_SOURCE_POINT_(NAME, FN, UNIT, TYPE, SAMPLE, ATTRIBUTE, FLAGS)                                               \
	ATTRIBUTE static void pp_source_begin_##NAME (void *out, const void *begin)                                    \
	{                                                                                                              \
		(void) begin;                                                                                          \
		*(TYPE *) out = FN ();                                                                                 \
	}                                                                                                              \
	PP_SOURCE_RECORD_ (NAME, 0, UNIT, TYPE, SAMPLE, FLAGS)
#define PP_SOURCE_INTERVAL_(NAME, BEGIN, END, UNIT, TYPE, SAMPLE, ATTRIBUTE, FLAGS)                                    \
	ATTRIBUTE static void pp_source_begin_##NAME (void *out, const void *begin)                                    \
	{                                                                                                              \
		(void) begin;                                                                                          \
		*(TYPE *) out = BEGIN ();                                                                              \
	}                                                                                                              \
	ATTRIBUTE static void pp_source_end_##NAME (void *out, const void *begin)                                      \
	{                                                                                                              \
		*(TYPE *) out = END ((const TYPE *) begin);                                                            \
	}                                                                                                              \
	PP_SOURCE_RECORD_ (NAME, pp_source_end_##NAME, UNIT, TYPE, SAMPLE, FLAGS)
#define PP_SOURCE_RECORD_(NAME, END, UNIT, TYPE, SAMPLE, FLAGS)                                                        \
	PP_RECORD_SECTION static struct pp_abi_source pp_source_##NAME = {                                             \
		PP_HEAD_FLAGS_ (pp_abi_source, PP_ABI_RECORD_SOURCE, FLAGS),                                           \
		PP_WHERE,                                                                                              \
		pp_source_begin_##NAME,                                                                                \
		END,                                                                                                   \
		SAMPLE,                                                                                                \
		sizeof (TYPE),                                                                                         \
		{0},                                                                                                   \
		#NAME,                                                                                                 \
		UNIT};                                                                                                 \
	PP_REGISTER_ (source_##NAME)

/* ---- the pragmas as macros --------------------------------------------------------------------------------------- */

/*
 * At file scope:
 *
 *   PP_METRIC (NAME, interval, stats(elapsed))
 *
 * In functions, without a semicolon; METRICs may be left out:
 *
 *   PP_POINT (NAME, METRIC, ...)                       a point
 *   PP_POINT_VALUE (NAME, EXPR, METRIC, ...)           ... that captures EXPR
 *   PP_POINT_DIM (NAME, KEY=EXPR, ...)                 ... with dimensions
 *   PP_INTERVAL (NAME, METRIC, ...)                    an interval, to the end of the block
 *   PP_INTERVAL_DIM (NAME, KEY=EXPR, ...)              ... with dimensions
 *   PP_INTERVAL_INLINE (NAME, METRIC, ...)             ... that calls its metrics' functions in the code itself
 *   PP_FEATURE (NAME)  PP_FEATURE_PAYLOAD (NAME, EXPR) the rest of the block is an instance of feature NAME
 *   PP_ANTIMARK (NAME)                                 ... and user code inside it
 *   PP_SAMPLE_BEGIN (METRIC, ARG, ...)                 measuring with functions that take arguments
 *   PP_SAMPLE_END (METRIC, ARG, ...)
 *   PP_BIND (METRIC, SITE)  PP_UNBIND (METRIC, SITE)
 *   PP_EXPECT (NAME, EXPRESSION)
 *   PP_EXPECT_WITH (NAME, CLAUSES, EXPRESSION)         ... with clauses: for (3) clear (5) cooldown ("2s"), times in quotes
 *
 * Before a function's declaration:
 *
 *   PP_INTERVAL_FUNCTION ("NAME")                      its whole body is an interval; more strings may follow:
 *                                                      "METRIC, ..." and "GROUP, ..."
 *   PP_IGNORE                                          never instrument this function from outside
 *
 * Without the plugin they are nothing, and EXPR is not computed.
 */
#ifdef __PPGCC__
#define PP_PRAGMA_(...) _Pragma (#__VA_ARGS__)
#define PP_METRIC(NAME, KIND, ...) PP_PRAGMA_ (pp metric NAME KIND __VA_ARGS__)
#define PP_POINT(...) PP_PRAGMA_ (pp point : __VA_ARGS__)
#define PP_POINT_VALUE(NAME, ...) PP_PRAGMA_ (pp point : NAME = __VA_ARGS__)
#define PP_POINT_DIM(NAME, ...) PP_PRAGMA_ (pp point NAME dim (__VA_ARGS__))
#define PP_INTERVAL(...) PP_PRAGMA_ (pp interval : __VA_ARGS__)
#define PP_INTERVAL_DIM(NAME, ...) PP_PRAGMA_ (pp interval NAME dim (__VA_ARGS__))
#define PP_INTERVAL_INLINE(NAME, ...) PP_PRAGMA_ (pp interval NAME (__VA_ARGS__) inline)
#define PP_FEATURE(NAME) PP_PRAGMA_ (pp feature NAME)
#define PP_FEATURE_PAYLOAD(NAME, EXPR) PP_PRAGMA_ (pp feature NAME payload (EXPR))
#define PP_ANTIMARK(NAME) PP_PRAGMA_ (pp antimark NAME)
#define PP_SAMPLE_BEGIN(...) PP_PRAGMA_ (pp sample_begin : __VA_ARGS__)
#define PP_SAMPLE_END(...) PP_PRAGMA_ (pp sample_end : __VA_ARGS__)
#define PP_BIND(METRIC, SITE) PP_PRAGMA_ (pp bind METRIC to SITE)
#define PP_UNBIND(METRIC, SITE) PP_PRAGMA_ (pp unbind METRIC from SITE)
#define PP_EXPECT(NAME, ...) PP_PRAGMA_ (pp expect NAME : #__VA_ARGS__)
#define PP_EXPECT_WITH(NAME, CLAUSES, ...) PP_PRAGMA_ (pp expect NAME : #__VA_ARGS__ CLAUSES)
#define PP_INTERVAL_FUNCTION(...) __attribute__ ((pp_interval (__VA_ARGS__)))
#define PP_IGNORE __attribute__ ((pp_ignore))
#else
/* Uses the variables in EXPR, so that no compiler says they are unused, and computes nothing. */
#define PP_UNUSED_(...) PP_UNUSED_FIRST_ (__VA_ARGS__, 0)
#define PP_UNUSED_FIRST_(EXPR, ...) (void) sizeof (1 ? (EXPR) : (EXPR));
#define PP_METRIC(NAME, KIND, ...) __attribute__ ((unused)) static pp_metric *const NAME = 0;
#define PP_POINT(...)
#define PP_POINT_VALUE(NAME, ...) PP_UNUSED_ (__VA_ARGS__)
#define PP_POINT_DIM(NAME, ...)
#define PP_INTERVAL(...)
#define PP_INTERVAL_DIM(NAME, ...)
#define PP_INTERVAL_INLINE(NAME, ...)
#define PP_FEATURE(NAME)
#define PP_FEATURE_PAYLOAD(NAME, EXPR) PP_UNUSED_ (EXPR)
#define PP_ANTIMARK(NAME)
#define PP_SAMPLE_BEGIN(...)
#define PP_SAMPLE_END(...)
#define PP_BIND(METRIC, SITE)
#define PP_UNBIND(METRIC, SITE)
#define PP_EXPECT(NAME, ...)
#define PP_EXPECT_WITH(NAME, CLAUSES, ...)
#define PP_INTERVAL_FUNCTION(...)
#define PP_IGNORE
#endif

#endif
