/* SPDX-License-Identifier: MIT */
/* growth.c: see growth.h. */
#include "assertions/language/growth.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Fits settle within three or four rounds; each is a sum over the bins */
enum { ROUNDS = 12 };

#define LIKELIHOOD_RATIO                                                                           \
	12.0 /* 2 ln of the ratio that makes a difference: chance gives it one time in 2,000 */
#define MATTERS 0.03       /* of the value */
#define SCATTER_LEAST 1e-6 /* data without any noise would make every difference certain */

static const char *const names[] = {
#define X(id, name) name,
	PPI_GROWTH_CLASSES (X)
#undef X
};

const char *ppi_growth_name (enum ppi_growth_class class)
{
	return names[class];
}

double ppi_growth_function (enum ppi_growth_class class, double n)
{
	switch (class) {
	case PPI_GROWTH_CONSTANT:
	case PPI_GROWTH_CLASS_COUNT:
		break;
	case PPI_GROWTH_LOG:
		return log2 (n);
	case PPI_GROWTH_LINEAR:
		return n;
	case PPI_GROWTH_LINEARITHMIC:
		return n * log2 (n);
	case PPI_GROWTH_QUADRATIC:
		return n * n;
	case PPI_GROWTH_CUBIC:
		return n * n * n;
	}
	return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * TEXT without blanks, in small letters, ² and ³ as ^2 and ^3, without O( ) around it; false: too
 * long
 */
static bool normalise (const char *text, char *out, size_t room)
{
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		if (isspace ((unsigned char) *p))
			continue;
		if (n + 3 > room)
			return false;
		if ((unsigned char) p[0] == 0xc2 &&
		    ((unsigned char) p[1] == 0xb2 || (unsigned char) p[1] == 0xb3)) {
			out[n++] = '^';
			out[n++] = (unsigned char) *++p == 0xb2 ? '2' : '3';
		} else if (*p != '*') {
			out[n++] = (char) tolower ((unsigned char) *p);
		}
	}
	out[n] = 0;
	if (n > 3 && strncmp (out, "o(", 2) == 0 && out[n - 1] == ')') {
		out[n - 1] = 0;
		memmove (out, out + 2, n - 2);
	}
	return true;
}

int ppi_growth_parse (const char *text)
{
	char wanted[32], name[32];

	if (!normalise (text, wanted, sizeof (wanted)))
		return -1;
	for (int i = 0; i < PPI_GROWTH_CLASS_COUNT; i++)
		if (normalise (names[i], name, sizeof (name)) && strcmp (name, wanted) == 0)
			return i;
	return -1;
}

/* ---- bins ------------------------------------------------------------------------------------ */

static size_t bin_of (double n)
{
	int octave;
	double fraction = frexp (n, &octave); /* n = fraction · 2^octave, 0.5 <= fraction < 1 */
	size_t i = (size_t) (octave - 1) * 8 + (size_t) ((fraction - 0.5) * 16);

	return i < PPI_GROWTH_BINS ? i : PPI_GROWTH_BINS - 1;
}

static void fade (struct ppi_growth *g)
{
	g->pairs /= 2;
	for (size_t i = 0; i < PPI_GROWTH_BINS; i++) {
		g->bin[i].pairs /= 2;
		g->bin[i].deviations /= 2;
	}
}

void ppi_growth_add (struct ppi_growth *g, double n, double value)
{
	struct ppi_growth_bin *bin;
	double log_value, step;

	if (!(n >= 1) || !(value > 0) || isinf (n) || isinf (value)) {
		g->unusable++;
		return;
	}
	if (g->pairs >= PPI_GROWTH_PAIRS_MAX)
		fade (g);
	bin = &g->bin[bin_of (n)];
	log_value = log (value);
	g->pairs++;
	bin->pairs++;
	bin->n += (log (n) - bin->n) / bin->pairs;
	step = log_value - bin->value;
	bin->value += step / bin->pairs;
	bin->deviations += step * (log_value - bin->value);
}

/* ---- fits ------------------------------------------------------------------------------------ */

/* A bin that holds something, for one class */
struct point {
	double weight, f, value;
};

/*
 * Least squares of (value - a - b f) / fitted, neither negative. F is at most 1: nothing overflows.
 */
static void solve (const struct point *points, size_t count, const double *fitted, double *a,
		   double *b)
{
	double w = 0, wf = 0, wff = 0, wv = 0, wfv = 0, determinant;

	for (size_t i = 0; i < count; i++) {
		const struct point *p = &points[i];
		double weight = p->weight / (fitted[i] * fitted[i]);

		w += weight;
		wf += weight * p->f;
		wff += weight * p->f * p->f;
		wv += weight * p->value;
		wfv += weight * p->f * p->value;
	}
	determinant = w * wff - wf * wf;
	*b = determinant > 1e-12 * w * wff ? (w * wfv - wf * wv) / determinant : 0;
	*a = (wv - *b * wf) / w;
	if (*b < 0) {
		*b = 0;
		*a = wv / w;
	} else if (*a < 0) {
		*a = 0;
		*b = wfv / wff;
	}
}

static double unexplained_by (const struct point *points, size_t count, const double *fitted)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double miss = log (points[i].value / fitted[i]);

		sum += points[i].weight * miss * miss;
	}
	return sum;
}

/*
 * Each round fits relative to the curve of the round before, which in the limit is least squares of
 * logarithms; a round that makes it worse is the last, its curve is not taken.
 */
static struct ppi_growth_fit fit_class (const struct point *points, size_t count)
{
	struct ppi_growth_fit best = {0, 0, INFINITY};
	double fitted[PPI_GROWTH_BINS];

	for (size_t i = 0; i < count; i++)
		fitted[i] = points[i].value;
	for (int round = 0; round < ROUNDS; round++) {
		double a, b, unexplained;

		solve (points, count, fitted, &a, &b);
		for (size_t i = 0; i < count; i++) {
			fitted[i] = a + b * points[i].f;
			if (!(fitted[i] > 0))
				return best; /* log n alone at n = 1 */
		}
		unexplained = unexplained_by (points, count, fitted);
		if (!(unexplained < best.unexplained))
			return best;
		best = (struct ppi_growth_fit){a, b, unexplained};
	}
	return best;
}

/* Is what SMALLER leaves so much less that it is neither chance nor a trifle? */
static bool explains_better (double smaller, double larger, double inside, double pairs)
{
	double least = pairs * SCATTER_LEAST * SCATTER_LEAST;

	if (!(smaller < larger) || larger - smaller <= pairs * MATTERS * MATTERS)
		return false;
	return pairs * log ((inside + larger + least) / (inside + smaller + least)) >
	       LIKELIHOOD_RATIO;
}

void ppi_growth_fit (const struct ppi_growth *g, struct ppi_growth_result *out)
{
	struct point points[PPI_GROWTH_BINS];
	double n[PPI_GROWTH_BINS], inside = 0, least = INFINITY;
	size_t count = 0;

	memset (out, 0, sizeof (*out));
	for (size_t i = 0; i < PPI_GROWTH_BINS; i++) {
		const struct ppi_growth_bin *bin = &g->bin[i];

		/* what has faded to less than a pair says nothing any more */
		if (bin->pairs < 0.5)
			continue;
		n[count] = exp (bin->n);
		points[count++] = (struct point){bin->pairs, 0, exp (bin->value)};
		inside += bin->deviations;
	}
	out->pairs = g->pairs;
	if (!count)
		return;
	out->least_n = n[0];
	out->most_n = n[count - 1];
	out->scatter = g->pairs > (double) count ? sqrt (inside / (g->pairs - (double) count)) : 0;
	if (g->pairs < PPI_GROWTH_PAIRS_MIN || count < PPI_GROWTH_BINS_MIN ||
	    out->most_n < PPI_GROWTH_RANGE_MIN * out->least_n)
		return;
	for (int class = 0; class < PPI_GROWTH_CLASS_COUNT; class ++) {
		double scale = ppi_growth_function ((enum ppi_growth_class) class, out->most_n);

		for (size_t i = 0; i < count; i++)
			points[i].f = scale > 0 ? ppi_growth_function (
							  (enum ppi_growth_class) class, n[i]) /
							  scale
						: 0;
		out->fit[class] = fit_class (points, count);
		out->fit[class].b = scale > 0 ? out->fit[class].b / scale : 0;
		if (out->fit[class].unexplained < least)
			least = out->fit[class].unexplained;
	}
	out->known = isfinite (least);
	for (int class = 0; class < PPI_GROWTH_CLASS_COUNT; class ++)
		if (!explains_better (least, out->fit[class].unexplained, inside, g->pairs)) {
			out->best = (enum ppi_growth_class) class;
			break;
		}
}
