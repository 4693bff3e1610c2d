/* SPDX-License-Identifier: MIT */
/*
 * profile.h: what somebody wants of the sampling profiler: a policy by its key `profile`, which is
 * the profiler's (base/part.h), or the environment.
 */
#ifndef PPI_BASE_PROFILE_H
#define PPI_BASE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * What takes samples. The numbers are those of profiles in recordings.
 *
 *   interrupter   signals in each thread: stacks of functions
 *   watcher       a thread of the library that looks at marks: stacks of intervals
 */
enum ppi_sampler { PPI_SAMPLER_INTERRUPTER = 1, PPI_SAMPLER_WATCHER = 2, PPI_SAMPLERS };

/* How the cost of features is found, where that is said. */
enum ppi_features_how { PPI_FEATURES_SAMPLED, PPI_FEATURES_EXACT, PPI_FEATURES_UNSAID };

/*
 * When a sampler looked last, at whatever thread, CLOCK_MONOTONIC; 0: none has in this process.
 * Who measures executions sees by it whether one can have a sample in it. Atomic.
 */
extern uint64_t ppi_looked_ns __attribute__ ((visibility ("hidden")));
/*
 * How many moments there were by which samples are told apart: the ends of executions that were
 * kept, and of profiles. Those before and behind stay two, though they are alike. Atomic.
 */
extern uint64_t ppi_told_apart __attribute__ ((visibility ("hidden")));

#define PPI_SAMPLE_RATE_MOST 10000  /* a second */
#define PPI_SAMPLE_RATE_USUAL 1000u /* where none is said */
#define PPI_SAMPLE_PERIOD(rate) (UINT64_C (1000000000) / (rate))
#define PPI_SAMPLE_PERIOD_LEAST PPI_SAMPLE_PERIOD (PPI_SAMPLE_RATE_MOST)

/* What PP_SAMPLE and `ppctl run --sample` say: "RATE" or "RATE,wall"; false: TEXT is neither. */
static inline bool ppi_sample_text_read (const char *text, uint32_t *rate, bool *is_wall)
{
	size_t digits = strspn (text, "0123456789");
	unsigned long n = digits && digits <= 5 ? strtoul (text, NULL, 10) : 0;

	*rate = (uint32_t) n;
	*is_wall = strcmp (text + digits, ",wall") == 0;
	return n >= 1 && n <= PPI_SAMPLE_RATE_MOST && (*is_wall || !text[digits]);
}

struct ppi_profile_wish {
	enum ppi_sampler sampler;
	uint32_t is_cpu;    /* time is CPU time of each thread, else wall clock */
	uint64_t period_ns; /* from a sample to the next, from PPI_SAMPLE_PERIOD_LEAST on */
	uint64_t for_ns;    /* it ends after this time; 0: with the program */
	uint32_t signal;    /* of the interrupter: the only one that may be used; 0: it chooses */
	/*
	 * enum ppi_features_how; SAMPLED: all features are watched, and nothing else unless SITE
	 * says it; EXACT: they are measured, and none of the samplers has to do with it
	 */
	uint8_t features;
	/* patterns of the sites that are watched; none: all */
	const char *const *site;
	size_t sites;
	/* globs on the names of the threads that are sampled; none: all are */
	const char *const *thread;
	size_t threads;
};

#endif
