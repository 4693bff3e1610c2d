/* SPDX-License-Identifier: MIT */
/*
 * voronoi.c: the Voronoi diagram of many points, the kind of Olden's voronoi, by dividing and
 * merging the Delaunay triangulation, its dual, in the quad-edge structure of L. Guibas and J.
 * Stolfi, "Primitives for the manipulation of general subdivisions and the computation of Voronoi
 * diagrams" (1985).
 *
 * Marked: the triangulation of a block of neighbouring points, and the merging of such parts. With
 * TABLE51_WORST instead the making of an edge, a routine of 20 instructions.
 */
#include "table51.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 8192, BLOCK = 128 };

struct point {
	double x, y;
};

/*
 * A quarter of an edge: the number of the edge × 4, and the quarter: 0 and 2 are the edge in both
 * directions, 1 and 3 those of the dual between its faces. Deleted ones are used again, so three
 * for each point suffice.
 */
typedef uint32_t quarter;
static quarter next_of[POINTS * 3 * 4]; /* the next one counter-clockwise from the same origin */
static const struct point *origin_of[POINTS * 3 * 4];
/* the first never used; a list of deleted ones through next_of, 0 is the end */
static quarter edges_end, unused;
static long edges_count;

static quarter turned (quarter e)
{
	return (e & ~3U) | ((e + 1) & 3);
}

static quarter turned_back (quarter e)
{
	return (e & ~3U) | ((e + 3) & 3);
}

static quarter reverse (quarter e)
{
	return e ^ 2;
}

static const struct point *origin (quarter e)
{
	return origin_of[e];
}

static const struct point *end (quarter e)
{
	return origin_of[e ^ 2];
}

/* The neighbours of an edge: around its origin, and around the face on its left or right. */
static quarter origin_next (quarter e)
{
	return next_of[e];
}

static quarter origin_previous (quarter e)
{
	return turned (next_of[turned (e)]);
}

static quarter left_next (quarter e)
{
	return turned (next_of[turned_back (e)]);
}

static quarter right_previous (quarter e)
{
	return next_of[reverse (e)];
}

static quarter make_edge (const struct point *from, const struct point *to)
{
#ifdef TABLE51_WORST
	PP_INTERVAL (make)
#endif
	quarter e = unused;

	if (e != 0) {
		unused = next_of[e];
	} else {
		e = edges_end;
		edges_end += 4;
	}
	edges_count++;
	next_of[e] = e;
	next_of[e + 1] = e + 3;
	next_of[e + 2] = e + 2;
	next_of[e + 3] = e + 1;
	origin_of[e] = from;
	origin_of[e + 2] = to;
	return e;
}

/*
 * Joins the rings of A and B around their origins, or parts them, and those of the faces likewise.
 */
static void splice (quarter a, quarter b)
{
	quarter dual_a = turned (next_of[a]), dual_b = turned (next_of[b]);
	quarter was = next_of[a], dual_was = next_of[dual_a];

	next_of[a] = next_of[b];
	next_of[b] = was;
	next_of[dual_a] = next_of[dual_b];
	next_of[dual_b] = dual_was;
}

/* A new edge from the end of A to the origin of B, with the same face on the left. */
static quarter bridge (quarter a, quarter b)
{
	quarter e = make_edge (end (a), origin (b));

	splice (e, left_next (a));
	splice (reverse (e), b);
	return e;
}

static void delete_edge (quarter e)
{
	splice (e, origin_previous (e));
	splice (reverse (e), origin_previous (reverse (e)));
	e &= ~3U;
	origin_of[e] = NULL;
	next_of[e] = unused;
	unused = e;
	edges_count--;
}

/* Do A, B, C turn to the left? */
static inline int turns_left (const struct point *a, const struct point *b, const struct point *c)
{
	return (b->x - a->x) * (c->y - a->y) > (b->y - a->y) * (c->x - a->x);
}

static int right_of (const struct point *p, quarter e)
{
	return turns_left (p, end (e), origin (e));
}

static int left_of (const struct point *p, quarter e)
{
	return turns_left (p, origin (e), end (e));
}

/* Is D inside the circle through A, B, C, which turn to the left? */
static int in_circle (const struct point *a, const struct point *b, const struct point *c,
		      const struct point *d)
{
	double ax = a->x - d->x, ay = a->y - d->y, bx = b->x - d->x, by = b->y - d->y,
	       cx = c->x - d->x, cy = c->y - d->y;
	double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;

	return aa * (bx * cy - by * cx) - bb * (ax * cy - ay * cx) + cc * (ax * by - ay * bx) > 0;
}

/*
 * A triangulation: its hull's edges at the leftmost and at the rightmost point, the one
 * counter-clockwise, the other clockwise.
 */
struct part {
	quarter left, right;
};

static struct part two_or_three (const struct point *p, size_t count)
{
	quarter a = make_edge (&p[0], &p[1]), b, c;

	if (count == 2)
		return (struct part){a, reverse (a)};
	b = make_edge (&p[1], &p[2]);
	splice (reverse (a), b);
	if (turns_left (&p[0], &p[1], &p[2])) {
		bridge (b, a);
	} else if (turns_left (&p[0], &p[2], &p[1])) {
		c = bridge (b, a);
		return (struct part){reverse (c), c};
	}
	return (struct part){a, reverse (b)};
}

/*
 * The lower of the two edges that both hulls will have in common; moves what were the inner hull
 * edges there.
 */
static quarter common_tangent (quarter *left, quarter *right)
{
	for (;;)
		if (left_of (origin (*right), *left))
			*left = left_next (*left);
		else if (right_of (origin (*left), *right))
			*right = right_previous (*right);
		else
			return bridge (reverse (*right), *left);
}

/*
 * The next edge on the left, of those above BASE, whose triangle with it holds no other point of
 * the left part; deletes those that fail.
 */
static quarter left_candidate (quarter base)
{
	quarter e = origin_next (reverse (base));

	if (right_of (end (e), base))
		while (in_circle (end (base), origin (base), end (e), end (origin_next (e)))) {
			quarter next = origin_next (e);

			delete_edge (e);
			e = next;
		}
	return e;
}

static quarter right_candidate (quarter base)
{
	quarter e = origin_previous (base);

	if (right_of (end (e), base))
		while (in_circle (end (base), origin (base), end (e), end (origin_previous (e)))) {
			quarter next = origin_previous (e);

			delete_edge (e);
			e = next;
		}
	return e;
}

/* Sews both parts together from below. */
static struct part merge (struct part left, struct part right)
{
	quarter left_inner = left.right, right_inner = right.left;
	quarter base = common_tangent (&left_inner, &right_inner);

	if (origin (left_inner) == origin (left.left))
		left.left = reverse (base);
	if (origin (right_inner) == origin (right.right))
		right.right = base;
	for (;;) {
		quarter l = left_candidate (base), r = right_candidate (base);
		int l_valid = right_of (end (l), base), r_valid = right_of (end (r), base);

		if (!l_valid && !r_valid)
			return (struct part){left.left, right.right};
		if (!l_valid || (r_valid && in_circle (end (l), origin (l), origin (r), end (r))))
			base = bridge (r, reverse (base));
		else
			base = bridge (reverse (base), reverse (l));
	}
}

static struct part triangulate (const struct point *points, size_t count)
{
	if (count <= 3)
		return two_or_three (points, count);
	return merge (triangulate (points, count / 2),
		      triangulate (points + count / 2, count - count / 2));
}

static struct part triangulate_block (const struct point *points, size_t count)
{
#ifndef TABLE51_WORST
	PP_INTERVAL (block)
#endif
	return triangulate (points, count);
}

static struct part merge_blocks (struct part left, struct part right)
{
#ifndef TABLE51_WORST
	PP_INTERVAL (merge)
#endif
	return merge (left, right);
}

static struct part triangulate_all (const struct point *points, size_t count)
{
	struct part left, right;

	if (count <= BLOCK)
		return triangulate_block (points, count);
	left = triangulate_all (points, count / 2);
	right = triangulate_all (points + count / 2, count - count / 2);
	return merge_blocks (left, right);
}

static int compare (const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

double table51_work (int percent)
{
	const int diagrams = percent < 2 ? 1 : percent / 2;
	struct point *points = table51_allocate (POINTS, sizeof *points);
	double sum = 0;

	for (int i = 0; i < diagrams; i++) {
		uint64_t random = 1985 + (uint64_t) i;

		for (size_t k = 0; k < POINTS; k++) {
			points[k].x = table51_random (&random);
			points[k].y = table51_random (&random);
		}
		qsort (points, POINTS, sizeof *points, compare);
		edges_end = 4; /* none is 0 */
		unused = 0;
		edges_count = 0;
		triangulate_all (points, POINTS);
		for (quarter e = 4; e < edges_end; e += 4)
			if (origin (e) != NULL)
				sum += hypot (end (e)->x - origin (e)->x,
					      end (e)->y - origin (e)->y);
		sum += (double) edges_count;
	}
	return sum;
}
