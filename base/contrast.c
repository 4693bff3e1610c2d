/* SPDX-License-Identifier: MIT */
/* contrast.c: see contrast.h. No lock, no allocation: also inside markers. */
#include "base/contrast.h"

#include <math.h>
#include <stddef.h>

#define NORMAL 1.959963984540054 /* its 97.5 % quantile */
#define NEAREST 16u              /* checks that NEAR is the average of, about */
#define ROUNDING 1e-9            /* two averages that differ by less are equal */

/* ---- adding ---------------------------------------------------------------------------------- */

typedef uint64_t word __attribute__ ((may_alias));

/* The sums are copied by readers while they are written: each word is stored whole. */
static void store (struct ppi_contrast *where, const struct ppi_contrast *c)
{
	word *to = (word *) where;
	const word *from = (const word *) c;

	_Static_assert(sizeof *c % 8 == 0, "words");
	for (size_t i = 0; i < sizeof *c / 8; i++)
		__atomic_store_n (&to[i], from[i], __ATOMIC_RELAXED);
}

static void add_value (struct ppi_contrast_group *g, double value, double weight)
{
	double by = value - g->mean;

	g->n++;
	g->weight += weight;
	g->squared_weights += weight * weight;
	g->mean += by * (weight / g->weight);
	g->squares += weight * by * (value - g->mean);
}

/* The run is over: a check held, or nothing more comes. */
static void end_run (struct ppi_contrast *c)
{
	double n = (double) c->run_n;

	if (!c->run_n)
		return;
	c->runs++;
	c->runs_n += c->run_n;
	c->squared_n += n * n;
	c->sum += c->run_sum;
	c->squares += c->run_sum * c->run_sum;
	c->mixed += n * c->run_sum;
	c->run_n = 0;
	c->run_sum = 0;
}

static void add_violating (struct ppi_contrast *c, double value)
{
	add_value (&c->violating, value, 1);
	if (!c->near_n)
		return; /* nothing held before it */
	c->run_n++;
	c->run_sum += value - c->near;
}

static void add_other (struct ppi_contrast *c, double value, double weight)
{
	add_value (&c->other, value, weight);
	end_run (c);
	c->near_n++;
	c->near += (value - c->near) / (double) (c->near_n < NEAREST ? c->near_n : NEAREST);
}

void ppi_contrast_add (struct ppi_contrast *contrast, bool violates, double value, double weight)
{
	struct ppi_contrast c = *contrast;

	if (!isfinite (value))
		*(violates ? &c.unknown_violating : &c.unknown_other) += weight;
	else if (violates)
		add_violating (&c, value);
	else
		add_other (&c, value, weight);
	store (contrast, &c);
}

/* Chan's */
static void merge_group (struct ppi_contrast_group *to, const struct ppi_contrast_group *from)
{
	double weight = to->weight + from->weight, by = from->mean - to->mean;

	if (!from->n)
		return;
	to->squares += from->squares + by * by * to->weight * (from->weight / weight);
	to->mean += by * (from->weight / weight);
	to->weight = weight;
	to->squared_weights += from->squared_weights;
	to->n += from->n;
}

void ppi_contrast_merge (struct ppi_contrast *to, const struct ppi_contrast *from)
{
	struct ppi_contrast other = *from;

	end_run (to);
	end_run (&other);
	merge_group (&to->violating, &other.violating);
	merge_group (&to->other, &other.other);
	to->unknown_violating += other.unknown_violating;
	to->unknown_other += other.unknown_other;
	to->near_n = 0; /* what comes next is near to neither */
	to->runs += other.runs;
	to->runs_n += other.runs_n;
	to->squared_n += other.squared_n;
	to->sum += other.sum;
	to->squares += other.squares;
	to->mixed += other.mixed;
}

/* ---- telling --------------------------------------------------------------------------------- */

/*
 * Student's t, two-sided 95 %, by Fisher's expansion around the normal's: within 0.3 % from 4
 * degrees of freedom
 */
static double student (double freedom)
{
	const double z = NORMAL, z2 = z * z, v = freedom < 4 ? 4 : freedom;
	double t = z * (z2 + 1) / (4 * v);

	t += z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v);
	t += z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
	return z + t;
}

/* How many equal weights would tell as much */
static double size_of (const struct ppi_contrast_group *g)
{
	return g->weight * (g->weight / g->squared_weights);
}

/* Variance of the average */
static double error_of (const struct ppi_contrast_group *g)
{
	return g->squares / g->weight / (size_of (g) - 1);
}

/*
 * Fieller's interval of V / (S V + (1 - S) O), the averages of violations and of the others, which
 * are independent: all R for which V - R (S V + (1 - S) O) is as near to 0 as chance brings it.
 * False: chance brings it to 0 for any large R.
 */
static bool fieller (const struct ppi_contrast_result *r, double s, double error_v, double error_o,
		     double t, double *low, double *high)
{
	double a = r->at_checks * r->at_checks -
		   t * t * (s * s * error_v + (1 - s) * (1 - s) * error_o);
	double b = r->at_violations * r->at_checks - t * t * s * error_v;
	double c = r->at_violations * r->at_violations - t * t * error_v;
	double root = sqrt (fmax (0, b * b - a * c));

	if (!(a > 0) || !isfinite (b) || !isfinite (c))
		return false;
	*low = (b - root) / a;
	*high = (b + root) / a;
	return true;
}

/* Welch's and Satterthwaite's degrees of freedom of a sum of two variances */
static double freedom_of (double x, double n_x, double y, double n_y)
{
	double all = (x + y) * (x + y), each = x * x / (n_x - 1) + y * y / (n_y - 1);

	return each > 0 ? all / each : n_x + n_y;
}

static void find_interval (const struct ppi_contrast *c, double share,
			   struct ppi_contrast_result *r)
{
	double error_v = error_of (&c->violating), error_o = error_of (&c->other);
	double of_v = (1 - r->ratio * share) * (1 - r->ratio * share) * error_v;
	double of_o = r->ratio * r->ratio * (1 - share) * (1 - share) * error_o;
	double t = student (freedom_of (of_v, size_of (&c->violating), of_o, size_of (&c->other)));

	if (!fieller (r, share, error_v, error_o, t, &r->low, &r->high))
		r->low = r->high = NAN;
}

/*
 * Is what the runs show in the direction of WHOLE, the difference of the averages, clearly so, and
 * half of it at least?
 */
static bool is_near_too (const struct ppi_contrast *c, double whole)
{
	double n = (double) c->runs_n, runs = (double) c->runs, mean = c->sum / n;
	double squares = c->squares - 2 * mean * c->mixed + mean * mean * c->squared_n;
	double error = sqrt (fmax (0, squares) * runs / (runs - 1)) / n;

	if (whole < 0)
		mean = -mean;
	return mean - student (runs - 1) * error > 0 && mean >= 0.5 * fabs (whole);
}

static enum ppi_contrast_verdict judge (const struct ppi_contrast *c,
					const struct ppi_contrast_result *r)
{
	if (c->violating.n < PPI_CONTRAST_LEAST || c->other.n < PPI_CONTRAST_LEAST ||
	    size_of (&c->other) < 2)
		return PPI_CONTRAST_TOO_FEW;
	if (r->at_violations < 0 || c->other.mean < 0)
		return PPI_CONTRAST_NEGATIVE;
	/* also where there is no interval */
	if (!(r->low > 1 + ROUNDING || r->high < 1 - ROUNDING))
		return PPI_CONTRAST_NONE;
	if (c->runs >= PPI_CONTRAST_RUNS && !is_near_too (c, c->violating.mean - c->other.mean))
		return PPI_CONTRAST_BY_TIME;
	return r->ratio > 1 ? PPI_CONTRAST_HIGHER : PPI_CONTRAST_LOWER;
}

void ppi_contrast_tell (const struct ppi_contrast *contrast, double held,
			struct ppi_contrast_result *out)
{
	struct ppi_contrast c = *contrast;
	double violations = (double) c.violating.n, others = isnan (held) ? c.other.weight : held,
	       share;

	end_run (&c);
	out->violations = c.violating.n;
	out->looked_at = c.violating.n + c.other.n;
	out->checks = violations + (c.other.n ? others : 0);
	share = violations / out->checks;
	out->at_violations = c.violating.n ? c.violating.mean : NAN;
	out->at_checks = !c.violating.n ? c.other.mean
			 : c.other.n    ? share * c.violating.mean + (1 - share) * c.other.mean
					: c.violating.mean;
	if (!out->looked_at)
		out->at_checks = NAN;
	out->ratio = out->at_checks != 0 ? out->at_violations / out->at_checks : NAN;
	out->low = out->high = NAN;
	out->runs = c.runs;
	if (c.violating.n >= PPI_CONTRAST_LEAST && c.other.n >= PPI_CONTRAST_LEAST &&
	    size_of (&c.other) >= 2)
		find_interval (&c, share, out);
	out->verdict = judge (&c, out);
}

const char *ppi_contrast_name (enum ppi_contrast_verdict verdict)
{
	static const char *const names[] = {
		[PPI_CONTRAST_TOO_FEW] = "too few", [PPI_CONTRAST_NEGATIVE] = "negative",
		[PPI_CONTRAST_NONE] = "none",       [PPI_CONTRAST_BY_TIME] = "by time",
		[PPI_CONTRAST_HIGHER] = "higher",   [PPI_CONTRAST_LOWER] = "lower",
	};

	return (unsigned) verdict < sizeof names / sizeof *names ? names[verdict] : "?";
}
