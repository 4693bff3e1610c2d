/* SPDX-License-Identifier: MIT */
/*
 * pp_site.h: sites, what is bound to them, the same as calls, spans, and what was dropped. Part of
 * <pp.h>, whose conventions hold: include that.
 */
#ifndef PP_SITE_H
#define PP_SITE_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The site a name means: "i1", "serve/i1", "server.c:serve/i1", "libfoo.so!server.c:serve/i1".
 * PP_EAMBIGUOUS where several sites answer; the candidates are printed.
 */
int pp_site_find (const char *name, pp_site **out);

/* The site's full name, module!file:function/site. */
const char *pp_site_name (const pp_site *site);

/*
 * Calls FN for each site that PATTERN matches (NULL: all) until it returns non-zero; returns that,
 * or 0.
 */
int pp_site_each (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg);

/*
 * Binds METRIC to every site that PATTERN matches now: names, globs ("trace_*" stops at "/", "**"
 * does not), "group:G", "file:GLOB", "fn:GLOB". A plain name must mean one site. EVERY: one
 * execution in EVERY is sampled, 1 means all, 0 what the metric's declaration says. Takes effect at
 * each site's next execution. Returns the number of sites, PP_ENOENT when there is none, PP_EKIND,
 * PP_ECODE (nothing is bound then).
 */
int pp_bind (pp_metric *metric, const char *pattern, unsigned every);

/*
 * Undoes pp_bind; the samples stay. Returns the number of sites that the metric was bound to,
 * PP_ENOENT where that is none, PP_EKIND where the site is inline and can't be unbound.
 */
int pp_unbind (pp_metric *metric, const char *pattern);

/*
 * Points and intervals as calls, for languages and places that pragmas don't reach. Where NAME is a
 * literal, and for an interval its begin and end are in one function, the plugin makes markers of
 * them, which cost nothing while nothing is bound. All others are these functions: the site NAME,
 * without file and function, exists from the first call on; a pp_end closes the newest open
 * interval of that name in this thread, in the function that began it or deeper. A value is
 * computed at every execution.
 */
void pp_begin (const char *name);
void pp_end (const char *name);
void pp_point (const char *name);
void pp_point_int (const char *name, int64_t value);
void pp_point_double (const char *name, double value);

/*
 * Features and antimarks as calls: #pragma pp feature and antimark for C without the plugin, and
 * for Fortran. NAME is "library.feature"; without a dot the library is the program. They pair as
 * pp_begin and pp_end do. PAYLOAD says which instance of the feature runs: a text, which is copied,
 * or NULL: the file and line of the call do, in C and C++. The type of a feature's first payload
 * decides, one of the other type is as good as none. Cost nothing but the call and a look-up while
 * nobody watches. docs/features.md
 */
void pp_feature_begin (const char *name, const char *payload);
#ifndef __PPGCC__
#define pp_feature_begin(name, payload)                                                            \
	(pp_feature_begin) ((name), pp_payload_or ((payload), PP_WHERE))
static inline const char *pp_payload_or (const char *payload, const char *place)
{
	return payload ? payload : place;
}
#endif
void pp_feature_begin_int (const char *name, int64_t payload);
void pp_feature_end (const char *name);
void pp_antimark_begin (const char *name);
void pp_antimark_end (const char *name);

/*
 * Switches features on (1) or off (0) whose names, library.feature, the glob NAME matches: what is
 * off is neither sampled nor measured nor recorded, its marks and antimarks are NOPs again. Of
 * those that come later, too. The newest word about a feature counts, this or a policy's
 * (`features:`). It takes effect at each mark's next execution; marks that are open then are
 * dropped. Returns how many marks there are now, PP_EINVAL, PP_ENOMEM. Any thread, not in signal
 * handlers.
 */
int pp_feature_enable (const char *name, int on);

/*
 * Spans: intervals that begin and end in different functions, threads or callbacks, held together
 * by a token.
 *
 *     static pp_site *request;                         request = pp_span_site ("request");
 *     conn->span = pp_span_begin (request);            in one callback
 *     ...
 *     pp_span_dim (conn->span, "status", status);      what is known later (pp_event.h)
 *     pp_span_end (conn->span);                        in another, in any thread
 *
 * They feed the metrics and assertions that are bound to the site, as its executions do; the sample
 * belongs to the thread that ends the span. What a source reads of its own thread (CPU time, page
 * faults of the thread) means nothing where that is another one. open_age and in_flight see open
 * spans. While nothing is bound to the site a begin is a call and a test, and gives PP_SPAN_NONE,
 * whose end does nothing.
 */
typedef uint64_t pp_span;
#define PP_SPAN_NONE ((pp_span) 0)

/*
 * The interval NAME that has no code, as pp_begin (NAME) has it; made at the first call. For good.
 * NULL: no room for it, counted.
 */
pp_site *pp_span_site (const char *name);
/*
 * SITE is pp_span_site's, or any interval of the source (pp_site_find); NULL does nothing. At most
 * 1,048,576 spans are open at a time, 131,072 of metrics that keep values between begin and end
 * (functions); 64 bytes each, or 512. Beyond that, or when the live region is full, the span is not
 * measured and counted (PP_DROP_POOL). Metrics of captured values have no sample: a span captures
 * nothing. No lock; any thread, also in signal handlers.
 */
pp_span pp_span_begin (pp_site *site);
/*
 * Ends a span, once: PP_ESTATE, and PP_DROP_SPAN is counted, where it has ended before or TOKEN is
 * none of this process; a child of fork has none of its parent's. A span whose site was unbound
 * meanwhile has no sample (PP_DROP_DISABLED). Any thread, also in signal handlers.
 */
int pp_span_end (pp_span token);

/*
 * Fibres (coroutines with stacks of their own: ucontext, Boost.Context, a switch by hand). An
 * interval that is open on a fibre's stack is measured to its end, by elapsed time with what the
 * thread did while the fibre was suspended. A program that says so leaves that out:
 *
 *     uint64_t since = pp_fibre_suspend ();
 *     switch_to (other);                               others run on the thread
 *     pp_fibre_resume (since);                         this one goes on
 *
 * The clock of all intervals and features that are open on this stack stands still between the two,
 * of pragmas and of pp_begin, `elapsed`, open_age and what features measure; what is recorded of
 * them begins so much later. That of spans and of pp_event_begin, which belong to no stack, goes
 * on. Other sources (CPU time, counters) have what the thread did meanwhile. Both are called on
 * the fibre's stack and in the same thread: in another one nothing is open that could be meant. A
 * token that is none of pp_fibre_suspend's before does nothing. No lock, nothing allocated, time
 * proportional to what is open; not in signal handlers.
 */
uint64_t pp_fibre_suspend (void);
void pp_fibre_resume (uint64_t suspended);

/*
 * Why something was not measured: PP_DROP_LONGJMP ..., its name, and what reports say behind how
 * many there were. Of PP_DROP_TORN nothing is missing, but what was read may not be exact.
 * docs/manual.md is compared with this.
 */
#define PP_DROP_CAUSES(X)                                                                          \
	X (LONGJMP, "longjmp", "intervals whose end was jumped over (longjmp)")                    \
	X (DISABLED, "disabled", "intervals that were unbound, or bound anew, while open")         \
	X (UNMATCHED, "unmatched", "ends without a begin: bound while open")                       \
	X (DEPTH, "depth", "intervals and marks nested deeper than 1,024")                         \
	X (POOL, "pool", "for want of room in the live region")                                    \
	X (FORK, "fork", "in children that had no region yet")                                     \
	X (SIGNAL, "signal", "in signal handlers inside signal handlers")                          \
	X (UNKNOWN, "unknown", "samples whose source had no value")                                \
	X (UNAVAILABLE, "unavailable", "samples whose source could not be opened in their thread") \
	X (SPAN, "span", "ends of spans that had ended, or never begun")                           \
	X (TORN, "torn",                                                                           \
	   "figures that were read while a thread stood still in the middle of a sample")          \
	X (HISTORY, "history",                                                                     \
	   "of the oldest entries of the history, whose place newer ones took")                    \
	X (STREAM, "stream",                                                                       \
	   "entries of streams, since the recording was slower than their writers")                \
	X (STRINGS, "strings",                                                                     \
	   "strings of dimensions that are recorded as \"other\": there were too many different "  \
	   "ones")                                                                                 \
	X (NESTING, "nesting", "events that were open when one that was begun before them ended")  \
	X (OPEN, "open", "events that were still open when their thread or the process ended")

enum pp_drop {
#define PP_DROP_(id, name, sentence) PP_DROP_##id,
	PP_DROP_CAUSES (PP_DROP_)
#undef PP_DROP_
		PP_DROPS
};

/*
 * How many were dropped for this cause, in all threads since the start. Takes the library's lock.
 */
uint64_t pp_dropped (enum pp_drop cause);
/* The cause's name: "longjmp" ... */
const char *pp_drop_name (enum pp_drop cause);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
