/* SPDX-License-Identifier: MIT */
/*
 * contrast.h: is a metric higher at violations than at all checks, or does it only look so?
 *
 *   51.6 at 168163 violations, 23.1 at 1535900 checks: 2.2 times (95 % 2.1 to 2.3)
 *
 * The ratio of the two averages, never an average of ratios: one value near zero can't dominate it.
 * Its interval is Fieller's for a ratio of means, with the covariance that comes of every violation
 * being a check, too. Where the interval holds 1, no difference is claimed.
 *
 * Time alone makes differences: a metric that grows is high wherever violations are late. So each
 * violation is also compared with the checks that held just before it (NEAR, a running average of
 * the newest). Violations between two of those share what they are compared with, so they are one
 * observation, a run. Where runs don't show at least half of the difference, clearly above none,
 * it is said to be one of time. docs/statistics.md has the formulas and their sources.
 */
#ifndef PPI_BASE_CONTRAST_H
#define PPI_BASE_CONTRAST_H

#include <stdbool.h>
#include <stdint.h>

/* Values of one kind of checks. A check that stands for many has their number as its weight. */
struct ppi_contrast_group {
	uint64_t n;
	double weight, squared_weights; /* sums */
	/* Welford: average, and weighted sum of squared deviations */
	double mean, squares;
};

/*
 * Words of 8 bytes. One writer at a time, which stores each whole; readers copy them as they come.
 */
struct ppi_contrast {
	struct ppi_contrast_group violating, other;
	double unknown_violating, unknown_other; /* weights of checks at which it was not known */
	uint64_t near_n;
	double near;                /* running average of the newest that held */
	uint64_t run_n;             /* violations since the newest that held */
	double run_sum;             /* of what they were above NEAR */
	uint64_t runs, runs_n;      /* those that are over; violations in them */
	double squared_n;           /* Σ n² of runs */
	double sum, squares, mixed; /* Σ s, Σ s², Σ n s: s is a run's RUN_SUM */
};

enum ppi_contrast_verdict {
	PPI_CONTRAST_TOO_FEW,  /* violations, or checks that hold */
	PPI_CONTRAST_NEGATIVE, /* an average below 0: there is no ratio */
	PPI_CONTRAST_NONE,     /* the interval holds 1 */
	PPI_CONTRAST_BY_TIME,  /* there is a difference, but not from the checks around */
	PPI_CONTRAST_HIGHER,
	PPI_CONTRAST_LOWER,
};

/* Fewer violations, or other checks, and nothing is claimed. */
#define PPI_CONTRAST_LEAST 5u
/* Fewer runs, and nobody can tell time from cause. */
#define PPI_CONTRAST_RUNS 5u

struct ppi_contrast_result {
	enum ppi_contrast_verdict verdict;
	uint64_t violations; /* at which it was known */
	/* checks of which its value was kept, violations included */
	uint64_t looked_at;
	double checks;                   /* that these stand for */
	double at_violations, at_checks; /* averages; NaN: of nothing */
	double ratio, low, high;         /* and its 95 % interval; NaN: there is none */
	uint64_t runs;                   /* that were compared with what was near */
};

/* A check, in order. VALUE not finite: it is not known. WEIGHT: checks that this one stands for. */
void ppi_contrast_add (struct ppi_contrast *contrast, bool violates, double value, double weight);
/* FROM is another writer's part. */
void ppi_contrast_merge (struct ppi_contrast *to, const struct ppi_contrast *from);
/* HELD: how many checks held, where that was counted exactly; NaN: as weights say. */
void ppi_contrast_tell (const struct ppi_contrast *contrast, double held,
			struct ppi_contrast_result *out);
/* "higher", "too few" ... */
const char *ppi_contrast_name (enum ppi_contrast_verdict verdict);

#endif
