/* SPDX-License-Identifier: MIT */
/*
 * counts.h: how often there was which event, counted by the program itself: what a recording says
 * is compared with it.
 */
#ifndef ATTRIBUTES_COUNTS_H
#define ATTRIBUTES_COUNTS_H

#include <stdbool.h>

/* EVENT of what is called NAME, at a term of TYPE. Texts stay the caller's. */
void count_event (const char *event, const char *name, const char *type, bool cached);
/* A line "EVENT NAME TYPE CACHED COUNT" for each, sorted; the counts are 0 afterwards. */
void print_counts (void);

#endif
