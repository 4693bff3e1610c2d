/* SPDX-License-Identifier: MIT */
/*
 * engine_program.h: a little program over the stand-in runtime, for the tests of the engine: two
 * sites, two metrics, functions that note what they were told.
 */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "tests/unit/fake_runtime.h"

/* What the program's functions heard */
struct seen {
	int calls, inlines, fires, clears;
	struct pp_violation last;
	char assertion[64], site[128], capture[64];
	char text[PPI_SENTENCE_BYTES];
	double value, average, ratio, samples;
	char order[16];
};

extern struct seen seen;
extern char letter_a[], letter_b[], letter_x[];
extern pp_site *work, *frame;
extern pp_metric *rays, *frame_time;
extern struct pp_abi_callable call_record, inline_record; /* on_call, on_inline */

#define CALLABLE(fn, how)                                                                          \
	{                                                                                          \
		.head = {.size = sizeof (struct pp_abi_callable),                                  \
			 .abi = PP_ABI_VERSION,                                                    \
			 .type = PP_ABI_RECORD_CALLABLE,                                           \
			 .flags = how},                                                            \
		.where = "p.c:1", .function = fn, .name = #fn                                      \
	}

#define SLOW "assertions:\n  slow: {at: f/work, expect: rays.last < 50"

/* Before each test */
void setup (void);
/* For pp_on_assertion: appends the letter ARG to seen.order */
void on_assertion (const struct pp_violation *violation, void *arg);
/* The policy with BODY behind its version, always under the same path */
void load (const char *body);
struct pp_assertion_info state (const char *name);
/* One execution of WORK with LAST rays */
void execute (double last);

#endif
