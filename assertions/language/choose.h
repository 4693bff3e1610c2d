/* SPDX-License-Identifier: MIT */
/*
 * choose.h: which of some variants is best, by running the program with each of them for windows of
 * time. It knows neither knobs nor clocks: whoever uses it runs the variant that it wants next, and
 * feeds what was measured.
 *
 * Exploring. Each variant gets one window in turn, so that what drifts drifts for all of them, and
 * each window's figure is one observation (the method of batch means: samples that follow each
 * other are related, windows hardly are). After every round the variants whose 99 % confidence
 * interval lies behind that of another one are left out (successive elimination: Even-Dar, Mannor
 * and Mansour, Action Elimination and Stopping Conditions for the Multi-Armed Bandit and
 * Reinforcement Learning Problems, JMLR 7, 2006). It settles when one is left, or after twelve
 * rounds on the best mean.
 *
 * Settled. A share of the windows goes to the other variants in turn (epsilon-greedy with a
 * schedule instead of dice: Sutton and Barto, Reinforcement Learning, 2018, 2.4 and 2.5; old
 * observations fade). Everything is explored anew when the settled variant degrades against its own
 * figures of when it was chosen, by a one-sided CUSUM (Page, Continuous Inspection Schemes,
 * Biometrika 41, 1954), or when another one turns out to be better beyond the scatter of both. One
 * bad window alone never does it. With windows that scatter by 10 %, 20 % more is noticed after six
 * windows, 50 % more after three, and nothing at all is taken for something once in some 3,600.
 */
#ifndef PPI_CHOOSE_H
#define PPI_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#define PPI_VARIANTS 32

#define PPI_CHOOSE_ROUNDS_MIN 3u /* windows of each variant before one is left out */
#define PPI_CHOOSE_ROUNDS_MAX 12u
#define PPI_CHOOSE_PATIENCE 3u /* windows without samples: then a variant is left out */
#define PPI_CHOOSE_REFERENCE                                                                       \
	16u                /* observations that the settled variant's own figures are made of */
#define PPI_CHOOSE_FADE 8u /* observations that what is said of late is made of */
#define PPI_CHOOSE_SLACK                                                                           \
	0.75 /* of the CUSUM, in standard deviations of a window: smaller shifts are none ... */
#define PPI_CHOOSE_LIMIT 5.0    /* ... and where it says degraded */
#define PPI_CHOOSE_CLIP 2.5     /* what one window is taken for at most, so that three must agree */
#define PPI_CHOOSE_SCATTER 0.01 /* of the mean: windows that differ less are the same */

enum ppi_choosing { PPI_CHOOSE_EXPLORING, PPI_CHOOSE_SETTLED, PPI_CHOOSE_WAITING };

enum ppi_choice {
	PPI_CHOICE_NONE,
	PPI_CHOICE_SETTLED,  /* on BEST */
	PPI_CHOICE_DEGRADED, /* BEST is worse than it was: exploring */
	PPI_CHOICE_BETTER,   /* CURRENT seems to be better than BEST: exploring */
	PPI_CHOICE_WAITING,  /* no variant had any samples */
	PPI_CHOICE_WOKEN,    /* there are samples: exploring */
};

struct ppi_variant {
	uint32_t n;       /* observations that MEAN and M2 are made of */
	double mean, m2;  /* and their squared deviations */
	uint32_t empty;   /* windows without samples, one after the other */
	bool out;         /* of this exploration */
	uint64_t windows; /* with and without samples, ever */
};

/* One thread at a time. */
struct ppi_chooser {
	uint32_t variants, current, best;
	enum ppi_choosing state;
	bool maximise;
	double explore; /* share of the windows while it is settled, 0 … 0.5 */
	struct ppi_variant variant[PPI_VARIANTS];
	uint32_t round;
	/* settled: what BEST was like when it was chosen; of late; how far above */
	double reference, scatter, recent, cusum;
	uint32_t observations;
	double credit;
	uint32_t next_other;
	uint32_t idle; /* waiting: windows on this variant, and after how many the
                    next one is looked at */
	uint32_t idle_limit;
};

/* FIRST is what runs now. VARIANTS from 2 to PPI_VARIANTS. */
void ppi_choose_start (struct ppi_chooser *c, uint32_t variants, uint32_t first, bool maximise,
		       double explore);
/*
 * What a window with variant c->current came to; NaN: too few samples.
 * c->current is what the next window is to be run with.
 */
enum ppi_choice ppi_choose_feed (struct ppi_chooser *c, double value);
/* Half the 99 % confidence interval of the variant's mean; infinite with fewer
 * than two observations. */
double ppi_choose_margin (const struct ppi_variant *v);

#endif
