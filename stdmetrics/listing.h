/* SPDX-License-Identifier: MIT */
/*
 * listing.h: the library's sources as ppctl lists them, with what a reading costs on this machine,
 * now.
 */
#ifndef PPI_LISTING_H
#define PPI_LISTING_H

#include <stdbool.h>
#include <stddef.h>

/* Registers the library's sources. 0 or a pp_error. */
int ppi_stdmetrics_init (void);

/* A source; texts are valid while the listing's function runs. */
struct ppi_listed_source {
	const char *name;    /* "elapsed", "papi:EVENT" */
	const char *help;    /* one line */
	const char *unit;    /* "s", "B", "" */
	const char *type;    /* of samples: "integer", "double" */
	const char *reading; /* what one is: "memory", "a system call" ... */
	const char *tried;   /* the name that was measured, where NAME stands for many; else NULL */
	const char *why;     /* this machine lacks it, or NULL */
	bool points, intervals;
	double ns; /* of one reading, the least of several rounds; NaN: not measured */
};

/*
 * Calls FN for the sources called NAMES (N of them; 0: all, in the order of the manual). A name
 * that there is no source of, or that is said wrongly, is told to WRONG, with a sentence. Returns
 * how many were wrong. In a process that measures nothing else: it registers the sources and opens
 * what they need.
 */
size_t ppi_list_sources (const char *const *names, size_t n,
			 void (*fn) (const struct ppi_listed_source *source, void *arg),
			 void (*wrong) (const char *name, const char *why, void *arg), void *arg);

#endif
