/* SPDX-License-Identifier: MIT */
/*
 * asked.h: what is asked of the samplers: by the environment (PP_SAMPLE=RATE, the interrupter), a
 * policy (its key `profile`), ppctl, or the program (program.c). Each sampler has one asker at
 * most. All is with the runtime's lock, but where it says something else.
 */
#ifndef PPI_SAMPLER_ASKED_H
#define PPI_SAMPLER_ASKED_H

#include "base/command.h"
#include "base/part.h"
#include "profiler/sampler/sampler.h"

/* What is asked of a sampler. */
struct ppi_profile_asked {
	bool wanted, is_done; /* its time is over */
	const void *owner;    /* the policy; NULL: the environment */
	uint64_t number;      /* another one for each wish */
	uint64_t until_ns;    /* when its time will be over; UINT64_MAX: it has no end */
	struct ppi_profile_wish wish;
	char *globs; /* the wish's of threads, a line each; NULL: all, or no memory */
};

/* In it GLOBS are asked.c's own, to be read with the lock. */
struct ppi_profile_asked ppi_asked (enum ppi_sampler which);
/* Was ever something asked for? Without the lock; false again behind ppi_asked_no_more. */
bool ppi_asked_ever (void);
void ppi_asked_no_more (void);
/* Is something that is not over? */
bool ppi_asked_now (void);
/* The time of wish NUMBER is over: nobody needs marks for it any more. */
void ppi_asked_done (enum ppi_sampler which, uint64_t number);
/* Does ppctl look at the region? Then no file is made for it. */
bool ppi_asked_by_ppctl (const struct ppi_profile_asked *ask);
/* In a child: the profiles of its parent are none of its own. */
void ppi_asked_forget (void);

/* What the part says. */
void ppi_asked_init (void);
extern const struct ppi_part_key ppi_asked_keys[];

#endif
