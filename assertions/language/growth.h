/* SPDX-License-Identifier: MIT */
/*
 * growth.h: how a cost grows with a size. Pairs (n, value) are gathered in bins of n; a fit says
 * which of the usual growth classes explains them best.
 *
 * Values scatter by a factor rather than by an amount, and one that was interrupted is a thousand
 * times the others. So everything is done on logarithms: a bin keeps the mean and the squared
 * deviations of ln value (Welford's recurrence), and value = a + b f(n), a and b not negative, is
 * fitted to the bins' geometric means by least squares of ln value, iteratively reweighted. What a
 * class leaves unexplained between the bins is compared with the scatter inside them by the
 * likelihood ratio of normal errors.
 */
#ifndef PPI_GROWTH_H
#define PPI_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_GROWTH_CLASSES(X)                                                                      \
	X (CONSTANT, "1")                                                                          \
	X (LOG, "log n")                                                                           \
	X (LINEAR, "n")                                                                            \
	X (LINEARITHMIC, "n log n")                                                                \
	X (QUADRATIC, "n^2")                                                                       \
	X (CUBIC, "n^3")

/* From flat to steep */
enum ppi_growth_class {
#define X(id, name) PPI_GROWTH_##id,
	PPI_GROWTH_CLASSES (X)
#undef X
		PPI_GROWTH_CLASS_COUNT
};

#define PPI_GROWTH_OCTAVES 64
#define PPI_GROWTH_BINS                                                                            \
	(8 * PPI_GROWTH_OCTAVES) /* 8 an octave: n within one differ by less than 9 % */
#define PPI_GROWTH_PAIRS_MIN 30  /* for a fit, with */
#define PPI_GROWTH_BINS_MIN 5    /* as many bins that hold something, and */
#define PPI_GROWTH_RANGE_MIN 4   /* the largest n so many times the smallest */
#define PPI_GROWTH_PAIRS_MAX                                                                       \
	(1 << 17) /* then all pairs so far count half: what was long ago fades */

struct ppi_growth_bin {
	double pairs;      /* weight */
	double n;          /* mean of ln n */
	double value;      /* mean of ln value */
	double deviations; /* Σ (ln value - mean)² */
};

/* All zero is empty. One thread at a time. */
struct ppi_growth {
	double pairs;
	uint64_t unusable; /* pairs with n < 1 or value <= 0, or not finite */
	struct ppi_growth_bin bin[PPI_GROWTH_BINS];
};

/* value = a + b f(n) */
struct ppi_growth_fit {
	double a, b;
	double unexplained; /* Σ over pairs of (ln value of the bin - ln of the fitted value)² */
};

struct ppi_growth_result {
	bool known; /* enough pairs over a wide enough range */
	enum ppi_growth_class best;
	double pairs, least_n, most_n;
	/* standard deviation of ln value inside the bins: about the relative noise */
	double scatter;
	struct ppi_growth_fit fit[PPI_GROWTH_CLASS_COUNT];
};

/* Adds a pair. Constant time, no allocation. */
void ppi_growth_add (struct ppi_growth *g, double n, double value);

/*
 * Fits every class. BEST is the flattest class that no steeper or flatter one explains better:
 * better by more than chance (a likelihood ratio of e^6 to 1) and by more than 3 % of the value,
 * root mean square. Ordinary context, some ten thousand floating-point operations.
 */
void ppi_growth_fit (const struct ppi_growth *g, struct ppi_growth_result *out);

/* f(n) of a class; n >= 1. */
double ppi_growth_function (enum ppi_growth_class class, double n);
const char *ppi_growth_name (enum ppi_growth_class class);
/* The class that TEXT names: "n log n", also "n^2", "n²", "O(n)"; -1: none. Blanks don't matter. */
int ppi_growth_parse (const char *text);

#endif
