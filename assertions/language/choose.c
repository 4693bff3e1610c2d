/* SPDX-License-Identifier: MIT */
/* choose.c: see choose.h. Inside, less is better: what is to be as large as
 * possible is fed with its sign changed. */
#include "assertions/language/choose.h"

#include <math.h>
#include <string.h>

/* Student's t, two-sided 99 %, by degrees of freedom */
static double student (uint32_t freedom)
{
	static const double t[] = {INFINITY, 63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499,
				   3.355,    3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947};

	return freedom < sizeof t / sizeof *t ? t[freedom] : 2.947;
}

double ppi_choose_margin (const struct ppi_variant *v)
{
	if (v->n < 2)
		return INFINITY;
	return student (v->n - 1) * sqrt (v->m2 / (v->n - 1) / v->n);
}

static double scatter_of (const struct ppi_variant *v)
{
	double least = PPI_CHOOSE_SCATTER * fabs (v->mean),
	       own = v->n > 1 ? sqrt (v->m2 / (v->n - 1)) : 0;

	return own > least ? own : least;
}

/* Welford's recurrence; with KEEP observations already, old ones fade to make
 * room for this one */
static void observe (struct ppi_variant *v, double y, uint32_t keep)
{
	double by = y - v->mean;

	if (v->n >= keep) {
		v->m2 *= (double) (keep - 1) / v->n;
		v->n = keep - 1;
	}
	v->n++;
	v->mean += by / v->n;
	v->m2 += by * (y - v->mean);
}

static void explore (struct ppi_chooser *c, uint32_t first)
{
	for (uint32_t i = 0; i < c->variants; i++)
		c->variant[i] = (struct ppi_variant){.windows = c->variant[i].windows};
	c->state = PPI_CHOOSE_EXPLORING;
	c->current = first;
	c->round = 0;
}

void ppi_choose_start (struct ppi_chooser *c, uint32_t variants, uint32_t first, bool maximise,
		       double share)
{
	memset (c, 0, sizeof *c);
	c->variants = variants;
	c->maximise = maximise;
	c->explore = share;
	c->best = first;
	explore (c, first);
}

/* ---- exploring
 * ---------------------------------------------------------------------------------------------------
 */

/* The next one of this round; false: it is over. Rounds begin with the variant
 * that ran when all of it began. */
static bool next_of_round (struct ppi_chooser *c)
{
	for (uint32_t i = (c->current + 1) % c->variants; i != c->best; i = (i + 1) % c->variants)
		if (!c->variant[i].out) {
			c->current = i;
			return true;
		}
	return false;
}

/* Leaves out what is behind another one; how many are left, and the best of
 * them */
static uint32_t eliminate (struct ppi_chooser *c, uint32_t *best)
{
	double least = INFINITY;
	uint32_t left = 0;

	for (uint32_t i = 0; i < c->variants; i++)
		if (!c->variant[i].out)
			least = fmin (least,
				      c->variant[i].mean + ppi_choose_margin (&c->variant[i]));
	for (uint32_t i = 0; i < c->variants; i++) {
		struct ppi_variant *v = &c->variant[i];

		v->out = v->out || v->mean - ppi_choose_margin (v) > least;
		if (v->out)
			continue;
		if (!left++ || v->mean < c->variant[*best].mean)
			*best = i;
	}
	return left;
}

/* Of all variants, as a share of their means: a few observations of one alone
 * say little of it */
static double common_scatter (const struct ppi_chooser *c)
{
	double squares = 0, freedom = 0;

	for (uint32_t i = 0; i < c->variants; i++) {
		const struct ppi_variant *v = &c->variant[i];

		if (v->n < 2 || v->mean == 0)
			continue;
		squares += v->m2 / (v->mean * v->mean);
		freedom += v->n - 1;
	}
	return freedom > 0 ? sqrt (squares / freedom) : 0;
}

/* What V is like now is what it is compared with from now on */
static void take_reference (struct ppi_chooser *c, const struct ppi_variant *v)
{
	c->reference = v->mean;
	c->scatter = fmax (scatter_of (v), common_scatter (c) * fabs (v->mean));
	c->observations = v->n;
}

static enum ppi_choice settle (struct ppi_chooser *c, uint32_t best)
{
	struct ppi_variant *v = &c->variant[best];

	c->state = PPI_CHOOSE_SETTLED;
	c->best = c->current = best;
	c->recent = v->mean;
	c->cusum = c->credit = 0;
	c->next_other = best;
	for (uint32_t i = 0; i < c->variants; i++)
		c->variant[i].empty = 0;
	take_reference (c, v);
	return PPI_CHOICE_SETTLED;
}

static uint32_t least_windows (const struct ppi_chooser *c)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < c->variants; i++)
		if (!c->variant[i].out && c->variant[i].n < least)
			least = c->variant[i].n;
	return least;
}

static enum ppi_choice wait (struct ppi_chooser *c)
{
	c->state = PPI_CHOOSE_WAITING;
	c->current = c->best;
	c->idle = 0;
	c->idle_limit = PPI_CHOOSE_PATIENCE;
	return PPI_CHOICE_WAITING;
}

static enum ppi_choice feed_exploring (struct ppi_chooser *c, double y)
{
	struct ppi_variant *v = &c->variant[c->current];
	uint32_t best, first, left = 0;

	if (isnan (y)) {
		v->out = ++v->empty >= PPI_CHOOSE_PATIENCE;
	} else {
		v->empty = 0;
		observe (v, y, UINT32_MAX);
	}
	if (next_of_round (c))
		return PPI_CHOICE_NONE;
	c->round++;
	for (uint32_t i = 0; i < c->variants; i++)
		left += !c->variant[i].out;
	if (!left)
		return wait (c);
	if (least_windows (c) >= PPI_CHOOSE_ROUNDS_MIN) {
		best = c->best;
		left = eliminate (c, &best);
		if (left == 1 || least_windows (c) >= PPI_CHOOSE_ROUNDS_MAX)
			return settle (c, best);
	}
	first = c->best;
	while (c->variant[first].out)
		first = (first + 1) % c->variants;
	c->current = first;
	return PPI_CHOICE_NONE;
}

/* ---- settled
 * -----------------------------------------------------------------------------------------------------
 */

/* The next window goes to the best, or to another one where its share says so
 */
static void choose_next (struct ppi_chooser *c)
{
	c->current = c->best;
	c->credit += c->explore;
	if (c->credit < 1)
		return;
	c->credit -= 1;
	c->next_other = (c->next_other + 1) % c->variants;
	if (c->next_other == c->best)
		c->next_other = (c->next_other + 1) % c->variants;
	c->current = c->next_other;
}

/*
 * Compares with its own figures of when it was chosen. The first windows after
 * that still belong to them, unless they are far off: a scatter that is made of
 * three figures is not known well enough for more.
 */
static bool is_degraded (struct ppi_chooser *c, double y)
{
	struct ppi_variant *v = &c->variant[c->best];
	bool is_known = c->observations >= PPI_CHOOSE_REFERENCE;
	double z = (y - c->reference) / (c->scatter * sqrt (1 + 1.0 / c->observations));

	if (!is_known)
		z = z > 6 && y - c->reference > 0.25 * fabs (c->reference) ? z : 0;
	z = z > PPI_CHOOSE_CLIP ? PPI_CHOOSE_CLIP : z;
	c->cusum = fmax (0, c->cusum + z - PPI_CHOOSE_SLACK);
	c->recent += (y - c->recent) / PPI_CHOOSE_FADE;
	if (!is_known && z <= 0) {
		observe (v, y, UINT32_MAX);
		take_reference (c, v);
	} else if (is_known) {
		observe (v, y, PPI_CHOOSE_REFERENCE);
	}
	return c->cusum > PPI_CHOOSE_LIMIT;
}

/* A window with another variant: is that below the best, by more than its windows scatter? */
static bool is_better (const struct ppi_chooser *c, const struct ppi_variant *v, double y)
{
	double scatter = fmax (scatter_of (v), c->scatter);

	if (y < c->recent - 4 * c->scatter)
		return true;
	/* small differences that go on */
	return v->n >= PPI_CHOOSE_ROUNDS_MIN &&
	       v->mean < c->recent - 4 * scatter * sqrt (1.0 / v->n + 1.0 / PPI_CHOOSE_FADE);
}

static enum ppi_choice feed_settled (struct ppi_chooser *c, double y)
{
	struct ppi_variant *v = &c->variant[c->current];
	uint32_t was = c->current;
	bool again;

	if (isnan (y)) {
		/* nothing runs; that the best one itself stopped everything is found by
     * looking at all of them */
		if (was == c->best && ++v->empty >= 8 * PPI_CHOOSE_PATIENCE)
			return wait (c);
		choose_next (c);
		return PPI_CHOICE_NONE;
	}
	v->empty = 0;
	if (was == c->best) {
		again = is_degraded (c, y);
	} else {
		observe (v, y, PPI_CHOOSE_REFERENCE);
		again = is_better (c, v, y);
	}
	if (!again) {
		choose_next (c);
		return PPI_CHOICE_NONE;
	}
	explore (c, c->best);
	return was == c->best ? PPI_CHOICE_DEGRADED : PPI_CHOICE_BETTER;
}

/* Nothing runs with any variant: the one that was best, and now and then the
 * next one, in case that it stops everything */
static enum ppi_choice feed_waiting (struct ppi_chooser *c, double y)
{
	if (!isnan (y)) {
		c->best = c->current;
		explore (c, c->current);
		return PPI_CHOICE_WOKEN;
	}
	if (++c->idle < c->idle_limit)
		return PPI_CHOICE_NONE;
	c->idle = 0;
	if (c->idle_limit < 64)
		c->idle_limit *= 2;
	c->current = (c->current + 1) % c->variants;
	return PPI_CHOICE_NONE;
}

enum ppi_choice ppi_choose_feed (struct ppi_chooser *c, double value)
{
	double y = c->maximise ? -value : value;

	c->variant[c->current].windows++;
	if (isinf (y))
		y = NAN;
	switch (c->state) {
	case PPI_CHOOSE_EXPLORING:
		return feed_exploring (c, y);
	case PPI_CHOOSE_SETTLED:
		return feed_settled (c, y);
	default:
		return feed_waiting (c, y);
	}
}
