/* SPDX-License-Identifier: MIT */
/*
 * module.h: what libpp and its module libpp-profile.so agree on. The module makes results of a
 * process's own profile, from an image of its live region, and prints them. It is a file of its own
 * so that only programs that want that load libdw; it exports one symbol, PPI_PROFILE_SYMBOL, and
 * calls nothing of libpp.
 */
#ifndef PPI_ANALYSIS_MODULE_H
#define PPI_ANALYSIS_MODULE_H

#include "base/module.h"
#include "profiler/analysis/span.h"

#include <pp.h>
#include <stddef.h>

#define PPI_PROFILE_MODULE_VERSION 3
#define PPI_PROFILE_FILE "libpp-profile.so"
#define PPI_PROFILE_SYMBOL "pp_profile_module"

struct ppi_samples;

struct ppi_profile_module {
	struct ppi_module_head head;
	/*
	 * The samples that an IMAGE of a region of BYTES has of SPAN. TELL gets objects whose names
	 * can't be had, and why, as often as that happens. 0, or PP_ENOMEM, or PP_EIO with WHY. One
	 * at a time.
	 */
	int (*read) (const void *image, size_t bytes, enum pp_profile_by by,
		     const struct ppi_samples_span *span,
		     void (*tell) (const char *path, const char *why), struct ppi_samples **out,
		     char *why, size_t room);
	void (*forget) (struct ppi_samples *samples);
	/* As of pp_samples_each. */
	int (*each) (const struct ppi_samples *samples, const char *key,
		     int (*fn) (const struct pp_profile_sample *sample, void *arg), void *arg);
	/*
	 * The result has SAMPLES from now on, which are freed with it, or where there is no memory.
	 */
	int (*make) (struct ppi_samples *samples, enum pp_profile_by by,
		     struct pp_profile_result **out);
	void (*release) (struct pp_profile_result *result);
	int (*print) (const struct pp_profile_result *result,
		      const struct pp_profile_options *options, FILE *out);
	/*
	 * The tables of pp_profile_events, from the recording at PATH: what DIMENSIONS asks for, or
	 * with NULL the shell on a terminal, else by event. Chunks of streams up to number BEHIND
	 * are of before, and the total time begins at SINCE_NS (CLOCK_MONOTONIC). 0, or an error
	 * with WHY.
	 */
	int (*events) (const char *path, const char *dimensions, uint32_t behind, uint64_t since_ns,
		       FILE *in, FILE *out, char *why, size_t room);
};

int ppi_module_events (const char *path, const char *dimensions, uint32_t behind, uint64_t since_ns,
		       FILE *in, FILE *out, char *why, size_t room);

#endif
