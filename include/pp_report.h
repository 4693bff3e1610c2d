/* SPDX-License-Identifier: MIT */
/*
 * pp_report.h: what the library itself costs; reports and recordings. Part of <pp.h>, whose
 * conventions hold: include that.
 */
#ifndef PP_REPORT_H
#define PP_REPORT_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * What one execution of a site costs, in seconds, as measured on this machine with markers of the
 * library's own in a loop that keeps the processor busy. A program that waits for something else
 * meanwhile pays less.
 */
struct pp_self_cost {
	/*
	 * what lies between its two readings of the clock in an empty interval: what a sample of
	 * `elapsed` has too much. NaN: none is summed up there
	 */
	double inside;
	double sampled; /* all of it, begin and end, when it is sampled */
	double skipped; /* ... when `every` leaves it out */
};
/*
 * Of the one site that NAME means, with what is bound there now. The first time it executes markers
 * with such bindings, on the calling thread: for a millisecond, and one more for each of several
 * metrics. Functions of the program's own are not called, and not in it. The same bindings
 * elsewhere cost the same. What records of events take is in it; what groups, the flight recorder
 * and marks of profiles take is not. PP_ENOENT, PP_EAMBIGUOUS: no such site, or several;
 * PP_EUNAVAILABLE: neither a metric is bound there nor is it recorded. Any thread, not from signal
 * handlers or checks.
 */
int pp_self_cost (const char *site, struct pp_self_cost *out);

/*
 * What `overhead: {budget: …}` of the loaded policies does; of several the smallest holds. It is of
 * metrics: records of events, groups and the flight recorder are neither counted nor throttled.
 */
struct pp_overhead {
	double budget; /* 0.01 is 1 %; NaN: there is none */
	/*
	 * of the time of the thread that pays most, by the last look, a tenth of a second; NaN:
	 * nobody knows yet
	 */
	double share;
	unsigned seldom;  /* bindings that are sampled more seldom than was asked for, now */
	unsigned unbound; /* ... and not at all */
	uint64_t looks;   /* so far; and what was done since the program began: */
	uint64_t raised, taken, eased,
		/* `every` raised, bindings unbound, `every` lowered again, bindings back */
		restored;
};
/* PP_EINVAL: OUT is NULL. Any thread, not from signal handlers or checks. */
int pp_overhead (struct pp_overhead *out);

/* Writes the report of everything measured so far as text. */
int pp_report (FILE *out);

/*
 * Writes the recording to PATH now (what `record:` does at exit and while running): a new file,
 * mode 0600, which replaces only a recording, a regular file of the same user. PATH is taken as it
 * is, without letters after %. PP_EIO: something else is there, also a link, or it can't be
 * written; PP_EINVAL: PATH is NULL, "", or longer than 511 bytes; PP_ENOMEM. Any thread, not from
 * signal handlers or checks; errno stays.
 */
int pp_record (const char *path);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
