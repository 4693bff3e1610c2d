/* SPDX-License-Identifier: MIT */
/*
 * render.h: prints profiles. Those that show the call graph take a profile, those that show stacks
 * the samples. All write to OUT, whose errors the caller looks at; false: no memory.
 */
#ifndef PPI_ANALYSIS_RENDER_H
#define PPI_ANALYSIS_RENDER_H

#include "profiler/analysis/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* Columns of a line of the text before a name with its source. */
#define PPI_RENDER_BEFORE 30

struct ppi_render_options {
	unsigned truncate_source;    /* columns of a name with its source; 0: all of it */
	double hide_self, hide_subs; /* shares, 0 … 1; see ppi_profile_hides */
	enum ppi_profile_order order;
};

#define PPI_RENDER_DEFAULTS                                                                        \
	{                                                                                          \
		.truncate_source = 50, .hide_self = 0.01, .hide_subs = 0.02,                       \
		.order = PPI_ORDER_TOPOLOGICAL                                                     \
	}

/* A table with an entry for each node, its callers above and its callees below it. */
bool ppi_render_text (const struct ppi_profile *profile, const struct ppi_render_options *options,
		      FILE *out);
/*
 * `procedure calls seconds average percent`, by self time, behind the summary of CPU time and what
 * is missing; calls are samples.
 */
bool ppi_render_chicken (const struct ppi_profile *profile,
			 const struct ppi_render_options *options, FILE *out);
/* A directed graph for Graphviz; nodes are the redder the more self time they have. */
bool ppi_render_dot (const struct ppi_profile *profile, const struct ppi_render_options *options,
		     FILE *out);
/* One JSON object that ppi_profile_from_json reads. */
bool ppi_render_json (const struct ppi_profile *profile, const struct ppi_render_options *options,
		      FILE *out);

/*
 * A line for each stack: functions with ';' between, and the time that was spent there, in whole
 * microseconds.
 */
bool ppi_render_collapsed (const struct ppi_samples *samples, FILE *out);
/*
 * https://www.speedscope.app/file-format-schema.json: a profile of type "sampled" for each thread.
 */
bool ppi_render_speedscope (const struct ppi_samples *samples, FILE *out);
/* The protocol buffer of google/pprof (profile.proto), not compressed. */
bool ppi_render_pprof (const struct ppi_samples *samples, FILE *out);

/* TEXT inside the quotes of a string of Graphviz's. */
void ppi_put_dot_text (const char *text, FILE *out);
/* TEXT as a JSON string, with its quotes; what is no UTF-8 becomes U+FFFD. */
void ppi_put_json_text (const char *text, FILE *out);

/*
 * Reads what ppi_render_json wrote. False: WHY says what is wrong. OUT is freed by
 * ppi_profile_clear, also then.
 */
bool ppi_profile_from_json (const char *path, struct ppi_profile *out, char *why, size_t room);

/* "torn" ..., and the sentence about N of them, which begins behind that number */
const char *ppi_sample_loss_name (unsigned loss);
const char *ppi_sample_loss_sentence (unsigned loss, uint64_t n);
/* "± 3.1": by how many points a share of PROFILE may be off, at most. Returns OUT. */
#define PPI_MARGIN_BYTES 32
const char *ppi_profile_margin_text (const struct ppi_profile *profile, char out[PPI_MARGIN_BYTES]);
/* "  CPU time that was sampled: 5 ms of 9 ms, 44.4 % unaccounted for", and why, where it is known. */
void ppi_profile_sampled_put (const struct ppi_profile *profile, FILE *out);
/* A line for each cause of LOST, PPI_SAMPLE_LOSSES of them, of which there were any. */
void ppi_sample_losses_put (const uint64_t *lost, FILE *out);

#endif
