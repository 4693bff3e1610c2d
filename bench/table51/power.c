/* SPDX-License-Identifier: MIT */
/*
 * power.c: prices in a power network, the kind of Olden's power, after S. Lumetta, L. Murphy, X.
 * Li, D. Culler and I. Khalil, "Decentralized optimal power pricing" (1993). The network is a tree:
 * feeders, laterals, branches, customers. The price at the root goes down the tree and rises with
 * what the lines lose; every customer asks for what is best at its price; demand goes up the tree,
 * with the losses; the root moves its price until that meets what power costs to make.
 *
 * Marked: a lateral, with its branches and customers.
 */
#include "table51.h"

#include <math.h>

enum { FEEDERS = 10, LATERALS = 20, BRANCHES = 5, CUSTOMERS = 10 };

/* Active and reactive, of power and of its price. */
struct pair {
	double p, q;
};

struct line {
	double r, x; /* resistance and reactance */
	struct pair price, demand;
};

struct branch {
	struct line line;
	struct pair customers[CUSTOMERS]; /* what each asks for */
};

struct lateral {
	struct line line;
	struct branch branches[BRANCHES];
};

struct feeder {
	struct line line;
	struct lateral laterals[LATERALS];
};

/*
 * What the customer asks for: the maximum of log (1 + p) + log (1 + q) / 2 - price × demand - (p² +
 * q²) / 20, each by Newton's method from what it was before. Returns how far it moved.
 */
static double optimise (struct pair *demand, const struct pair *price)
{
	double moved = 0;

	for (int i = 0; i < 4; i++) {
		double p = demand->p, q = demand->q;
		double slope_p = 1 / (1 + p) - price->p - p / 10,
		       slope_q = 0.5 / (1 + q) - price->q - q / 10;
		double bend_p = -1 / ((1 + p) * (1 + p)) - 0.1,
		       bend_q = -0.5 / ((1 + q) * (1 + q)) - 0.1;

		demand->p = fmax (0, p - slope_p / bend_p);
		demand->q = fmax (0, q - slope_q / bend_q);
		moved += fabs (demand->p - p) + fabs (demand->q - q);
	}
	return moved;
}

/*
 * The price behind LINE: before it, and what its loss of one more unit costs at the demand of last
 * time.
 */
static void set_price (struct line *line, const struct pair *before)
{
	double loss_p = 2 * line->r * line->demand.p, loss_q = 2 * line->x * line->demand.q;

	line->price.p = before->p * (1 + loss_p) + before->q * loss_q;
	line->price.q = before->q * (1 + loss_q) + before->p * loss_p;
}

/*
 * What must go into LINE so that DEMAND comes out: both losses depend on what goes in, so by a
 * fixed point.
 */
static void set_demand (struct line *line, const struct pair *demand)
{
	struct pair in = *demand;

	for (int i = 0; i < 3; i++) {
		double square = in.p * in.p + in.q * in.q;

		in.p = demand->p + line->r * square;
		in.q = demand->q + line->x * square;
	}
	line->demand = in;
}

static double compute_branch (struct branch *branch, const struct pair *price)
{
	struct pair sum = {0, 0};
	double moved = 0;

	set_price (&branch->line, price);
	for (int i = 0; i < CUSTOMERS; i++) {
		moved += optimise (&branch->customers[i], &branch->line.price);
		sum.p += branch->customers[i].p;
		sum.q += branch->customers[i].q;
	}
	set_demand (&branch->line, &sum);
	return moved;
}

static double compute_lateral (struct lateral *lateral, const struct pair *price)
{
	PP_INTERVAL (lateral)
	struct pair sum = {0, 0};
	double moved = 0;

	set_price (&lateral->line, price);
	for (int i = 0; i < BRANCHES; i++) {
		moved += compute_branch (&lateral->branches[i], &lateral->line.price);
		sum.p += lateral->branches[i].line.demand.p;
		sum.q += lateral->branches[i].line.demand.q;
	}
	set_demand (&lateral->line, &sum);
	return moved;
}

static double compute_feeder (struct feeder *feeder, const struct pair *price)
{
	struct pair sum = {0, 0};
	double moved = 0;

	set_price (&feeder->line, price);
	for (int i = 0; i < LATERALS; i++) {
		moved += compute_lateral (&feeder->laterals[i], &feeder->line.price);
		sum.p += feeder->laterals[i].line.demand.p;
		sum.q += feeder->laterals[i].line.demand.q;
	}
	set_demand (&feeder->line, &sum);
	return moved;
}

static void make_line (struct line *line, double size, uint64_t *random)
{
	line->r = size * (0.5 + table51_random (random));
	line->x = size * (0.5 + table51_random (random)) / 2;
}

static struct feeder *make_network (void)
{
	struct feeder *feeders = table51_allocate (FEEDERS, sizeof *feeders);
	uint64_t random = 1993;

	for (int i = 0; i < FEEDERS; i++) {
		make_line (&feeders[i].line, 1e-5, &random);
		for (int k = 0; k < LATERALS; k++) {
			struct lateral *lateral = &feeders[i].laterals[k];

			make_line (&lateral->line, 1e-4, &random);
			for (int m = 0; m < BRANCHES; m++)
				make_line (&lateral->branches[m].line, 1e-3, &random);
		}
	}
	return feeders;
}

double table51_work (int percent)
{
	struct feeder *feeders = make_network ();
	struct pair price = {0.4, 0.2}, demand = {0, 0};
	double moved = 0;

	for (int step = 0; step < 3 * percent; step++) {
		demand = (struct pair){0, 0};
		moved = 0;
		for (int i = 0; i < FEEDERS; i++) {
			moved += compute_feeder (&feeders[i], &price);
			demand.p += feeders[i].line.demand.p;
			demand.q += feeders[i].line.demand.q;
		}
		/* half the way to what the last unit costs to make */
		price.p = (price.p + 0.2 + demand.p * 3e-5) / 2;
		price.q = (price.q + 0.1 + demand.q * 3e-5) / 2;
	}
	return demand.p + demand.q + price.p + moved;
}
