/* SPDX-License-Identifier: MIT */
/*
 * tsp.c: a short tour through many towns, the kind of Olden's tsp, after R. M. Karp, "Probabilistic
 * analysis of partitioning algorithms for the traveling-salesman problem in the plane" (1977). A
 * tree parts the towns by x and y in turn; within a small part a tour grows by the closest-point
 * heuristic; on the way up two tours and the town that parted them are joined where that costs
 * least.
 *
 * Marked: the tour of a small part, and the joining of two.
 */
#include "table51.h"

#include <math.h>

enum { LEVELS = 14, SMALL = 127 };

struct town {
	double x, y;
	struct town *left, *right;    /* of the tree */
	struct town *next, *previous; /* of the tour, a ring */
	size_t size;                  /* of the tree below and this */
};

struct box {
	double x0, x1, y0, y1;
};

/*
 * A tree of LEVELS levels within BOX; a town parts the box near the middle, in the longer
 * direction.
 */
static struct town *make_tree (int levels, struct box box, struct town **room, uint64_t *random)
{
	struct town *town;
	struct box low = box, high = box;

	if (levels == 0)
		return NULL;
	town = (*room)++;
	town->x = box.x0 + (box.x1 - box.x0) * (0.4 + 0.2 * table51_random (random));
	town->y = box.y0 + (box.y1 - box.y0) * (0.4 + 0.2 * table51_random (random));
	if (box.x1 - box.x0 > box.y1 - box.y0) {
		low.x1 = high.x0 = town->x;
		town->y = box.y0 + (box.y1 - box.y0) * table51_random (random);
	} else {
		low.y1 = high.y0 = town->y;
		town->x = box.x0 + (box.x1 - box.x0) * table51_random (random);
	}
	town->left = make_tree (levels - 1, low, room, random);
	town->right = make_tree (levels - 1, high, room, random);
	town->size = ((size_t) 1 << levels) - 1;
	return town;
}

static double distance (const struct town *a, const struct town *b)
{
	double x = a->x - b->x, y = a->y - b->y;

	return sqrt (x * x + y * y);
}

/* All towns of the tree as a list through `next`, in front of LIST. */
static struct town *make_list (struct town *tree, struct town *list)
{
	if (tree == NULL)
		return list;
	tree->next = make_list (tree->right, list);
	return make_list (tree->left, tree);
}

static void insert_behind (struct town *place, struct town *town)
{
	town->next = place->next;
	town->previous = place;
	place->next->previous = town;
	place->next = town;
}

/* Where the way becomes longer by less: in front of PLACE or behind it. */
static void insert_beside (struct town *place, struct town *town)
{
	double behind = distance (town, place->next) - distance (place, place->next);
	double before = distance (town, place->previous) - distance (place, place->previous);

	insert_behind (behind < before ? place : place->previous, town);
}

static struct town *closest (struct town *tour, const struct town *to)
{
	struct town *best = tour, *town = tour;
	double least = INFINITY;

	do {
		double x = town->x - to->x, y = town->y - to->y, square = x * x + y * y;

		if (square < least) {
			least = square;
			best = town;
		}
		town = town->next;
	} while (town != tour);
	return best;
}

/* The closest-point heuristic: every town goes beside the one of the tour that is closest. */
static struct town *small_tour (struct town *tree)
{
	PP_INTERVAL (small)
	struct town *list = make_list (tree, NULL), *tour = list;

	list = list->next;
	tour->next = tour->previous = tour;
	while (list != NULL) {
		struct town *town = list;

		list = list->next;
		insert_beside (closest (tour, town), town);
	}
	return tour;
}

/*
 * Both tours with TOWN between them: of the four ways to open the rings beside the towns that are
 * closest to it the shortest.
 */
static struct town *join (struct town *a, struct town *b, struct town *town)
{
	PP_INTERVAL (join)
	struct town *from = closest (a, town), *to = closest (b, town), *from_next, *to_previous;
	double here = distance (from, from->next), there = distance (to, to->previous);

	/* the cheaper end of each ring */
	if (distance (town, from->previous) - distance (from, from->previous) <
	    distance (town, from->next) - here)
		from = from->previous;
	if (distance (town, to->next) - distance (to, to->next) <
	    distance (town, to->previous) - there)
		to = to->next;
	from_next = from->next;
	to_previous = to->previous;
	from->next = town;
	town->previous = from;
	town->next = to;
	to->previous = town;
	to_previous->next = from_next;
	from_next->previous = to_previous;
	return town;
}

static struct town *make_tour (struct town *tree)
{
	if (tree->size <= SMALL)
		return small_tour (tree);
	return join (make_tour (tree->left), make_tour (tree->right), tree);
}

double table51_work (int percent)
{
	const int tours = percent < 2 ? 1 : percent * 3 / 4;
	struct town *towns = table51_allocate ((size_t) 1 << LEVELS, sizeof *towns);
	double length = 0;

	for (int i = 0; i < tours; i++) {
		uint64_t random = 31 + (uint64_t) i;
		struct town *room = towns, *tour, *town;

		tour = town =
			make_tour (make_tree (LEVELS, (struct box){0, 1, 0, 1}, &room, &random));
		do {
			length += distance (town, town->next);
			town = town->next;
		} while (town != tour);
	}
	return length;
}
