/* SPDX-License-Identifier: MIT */
/*
 * em3d.c: an electromagnetic wave in three dimensions, the kind of Olden's em3d (Culler et al.,
 * "Parallel programming in Split-C", 1993). The discrete electric and magnetic fields are the two
 * kinds of nodes of a bipartite graph: what a node of one kind is next depends on some nodes of the
 * other kind, each with a weight. A step updates all electric nodes, then all magnetic ones.
 *
 * Marked: the update of all nodes of one kind, where all of the time goes.
 */
#include "table51.h"

enum { NODES = 2000, DEGREE = 20, STEPS = 3800 };

struct node {
	struct node *next;
	double value;
	const struct node **from; /* the DEGREE nodes of the other kind that it depends on */
	double *weight;
};

/* A list of nodes, in the order of their addresses. */
static struct node *make_nodes (uint64_t *random)
{
	struct node *nodes = table51_allocate (NODES, sizeof *nodes);
	const struct node **from =
		table51_allocate ((size_t) NODES * DEGREE, sizeof (struct node *));
	double *weight = table51_allocate ((size_t) NODES * DEGREE, sizeof *weight);

	for (size_t i = 0; i < NODES; i++) {
		nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
		nodes[i].value = table51_random (random);
		nodes[i].from = from + i * DEGREE;
		nodes[i].weight = weight + i * DEGREE;
	}
	return nodes;
}

/*
 * Every node of NODES gets its neighbours out of OTHERS: most are near in the graph. The weights of
 * a node sum up to less than one, so that the wave fades and no value overflows.
 */
static void connect (struct node *nodes, const struct node *others, uint64_t *random)
{
	for (size_t i = 0; i < NODES; i++)
		for (size_t k = 0; k < DEGREE; k++) {
			double reach = table51_random (random) < 0.9 ? 100 : NODES;
			size_t distance = (size_t) (table51_random (random) * reach);

			nodes[i].from[k] = &others[(i + distance) % NODES];
			nodes[i].weight[k] = table51_random (random) * (2.0 / DEGREE) * 0.99;
		}
}

static void update (struct node *nodes)
{
	PP_INTERVAL (update)
	for (struct node *node = nodes; node != NULL; node = node->next) {
		double value = node->value;

		for (size_t k = 0; k < DEGREE; k++)
			value -= node->weight[k] * node->from[k]->value;
		node->value = value * 0.5;
	}
}

double table51_work (int percent)
{
	uint64_t random = 783;
	struct node *electric = make_nodes (&random), *magnetic = make_nodes (&random);
	double sum = 0;

	connect (electric, magnetic, &random);
	connect (magnetic, electric, &random);
	for (int step = 0; step < STEPS * percent / 100; step++) {
		update (electric);
		update (magnetic);
		/* the source of the wave */
		electric->value += 1;
	}
	for (size_t i = 0; i < NODES; i++)
		sum += electric[i].value - magnetic[i].value;
	return sum;
}
