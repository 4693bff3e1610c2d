/* SPDX-License-Identifier: MIT */
/* knob.h: knobs of the program, and who turns them. */
#ifndef PPI_KNOB_H
#define PPI_KNOB_H

#include "assertions/engine/assertions.h"
#include "assertions/language/policy.h"

struct ppi_loaded;

/* A knob of the program. Never freed: it may come again with its module. */
struct ppi_knob {
	struct ppi_knob *next;
	char name[PP_ABI_NAME_BYTES];
	struct pp_abi_knob *record;     /* NULL while its module is away */
	double shadow;                  /* its value, for expressions; NaN while away; atomic */
	const struct ppi_loaded *owner; /* the policy that turns it */
	union pp_abi_number before;     /* its word when the owner came */
	bool has_before;
	uint64_t turned_ns;           /* of the last turn, 0: never */
	struct ppi_knob_chunk *chunk; /* or NULL */
	char *words;                  /* of a knob of words: as its record has them */
	char *word[PPI_KNOB_WORDS];   /* each */
	bool untold;                  /* its setter is to be called */
	int told_by;                  /* ... by this thread, which is about to; 0: by any */
	uint64_t told_ns;             /* when its setter last returned, 0: never; atomic */
	bool relaxed;                 /* the last turn was that of a clear */
	/* how often in a row what a clear turned was turned back by a fire */
	uint32_t swings;
	bool waits; /* a turn that its dwell keeps waiting */
	struct ppi_turn {
		bool set;     /* to VALUE; else by so many steps */
		bool relaxes; /* on_clear */
		double value;
		uint64_t min_dwell_ns; /* 0: none */
		char by[96];           /* "assertion a" */
	} waiting;
};

struct ppi_knob *ppi_knob_find (const char *name);
struct ppi_knob *ppi_knob_first (void);
double ppi_knob_value (const struct ppi_knob *knob);
/*
 * Turns by steps or sets; clamps. False: nothing changed (at its limit, away), or it waits for its
 * dwell. A turn that waits is replaced by a later one; one of a clear that waits and a fire of the
 * same assertion, or the reverse, cancel each other out. What a clear turned and a fire soon turned
 * back is turned by a clear only after twice the dwell, the next time four times, up to 64 times.
 * [lock]
 */
bool ppi_knob_turn (struct ppi_knob *knob, const struct ppi_turn *turn, uint64_t now_ns);
/*
 * Sets the knob NAME to VALUE, a number or one of its words, for a person: BY, "ppctl (process 5)".
 * Clamped; knows no dwell, and no policy takes it back. 0, or PP_ENOENT, PP_EINVAL; WHAT says what
 * it is now, or why not. Calls setters, as pp_knob_set.
 */
int ppi_knob_set_by_hand (const char *name, const char *value, const char *by, char *what,
			  size_t room);
/*
 * Calls setters that are due, one after the other and by one thread at a time. Without the lock,
 * not in a marker.
 */
void ppi_knobs_tell (void);
/*
 * When the setter of KNOB last returned; NOW_NS where it is about to be called, or runs. 0: never
 * [lock].
 */
uint64_t ppi_knob_told_ns (const struct ppi_knob *knob, uint64_t now_ns);
/*
 * The module of KNOB is about to go: who is in its setter comes out first. Waits a second at most,
 * as the setter may want the lock. [lock]
 */
void ppi_knob_wait_for_setter (const struct ppi_knob *knob);
/* In a child: whoever was in a setter is in the parent. */
void ppi_knobs_forget_teller (void);
/* The owner came, changed or went (restored). [lock] */
void ppi_knob_own (struct ppi_knob *knob, const struct ppi_loaded *owner,
		   const struct ppi_loaded *former);
void ppi_knobs_disown (const struct ppi_loaded *owner);

#endif
