/* SPDX-License-Identifier: MIT */
/*
 * unseen.h: marks and intervals that their threads did not note. What ran in one is taken for that
 * of whatever is around it, so shares are wrong by an amount that nobody knows.
 */
#ifndef PPCTL_UNSEEN_H
#define PPCTL_UNSEEN_H

#include <pp.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_recording;

/* How many for CAUSE, at most; 0 for causes that take no mark or interval away. */
uint64_t ppctl_unseen (const struct ppi_recording *recording, enum pp_drop cause);
/* Adds them to N, which has them by cause. */
void ppctl_unseen_add (const struct ppi_recording *recording, uint64_t n[PP_DROPS]);
/* TEXT says "depth 1978, pool at most 2"; how many in all. */
uint64_t ppctl_unseen_say (const uint64_t n[PP_DROPS], char *text, size_t room);
/* Both, of one recording. */
uint64_t ppctl_unseen_text (const struct ppi_recording *recording, char *text, size_t room);

#endif
