/* SPDX-License-Identifier: MIT */
/*
 * mesh.h: a triangle mesh made by formula, and the tree of boxes through which rays find its
 * triangles.
 */
#ifndef RAYTRACER_MESH_H
#define RAYTRACER_MESH_H

#include <stdint.h>

#include "vec.h"

struct triangle {
	struct vec corner, edge1, edge2; /* as the intersection test wants them */
	uint32_t normal[3];              /* of the corners: indices into mesh.normals */
};

/*
 * A box with either two children (COUNT is 0: FIRST and FIRST + 1) or COUNT triangles from FIRST
 * on.
 */
struct bvh_node {
	struct vec low;
	uint32_t first;
	struct vec high;
	uint32_t count;
};

struct mesh {
	struct triangle *triangles; /* in the order of the tree's leaves */
	uint32_t triangle_count;
	struct vec *normals;
	struct bvh_node *nodes; /* nodes[0] is the root */
	uint32_t node_count;
};

struct mesh_hit {
	float distance; /* in: the farthest that counts; out: of the hit */
	uint32_t triangle;
	float u, v; /* barycentric, for the smooth normal */
};

/*
 * A fluted torus knot around the origin, about 3 units across, of 2 × SEGMENTS × SIDES triangles
 * (both at least 3). NULL: no memory.
 */
struct mesh *mesh_create_knot (uint32_t segments, uint32_t sides);
void mesh_destroy (struct mesh *mesh);

/* Sorts the triangles into a tree of boxes. 0, or -1: no memory. mesh_create_knot has done it. */
int bvh_build (struct mesh *mesh);

/*
 * The nearest triangle before HIT->distance on the ray: 1 and HIT filled in, or 0. With ANY the
 * first one found will do, which is all a shadow needs to know. TESTS is raised by the boxes and
 * triangles tested.
 */
int bvh_intersect (const struct mesh *mesh, struct vec origin, struct vec direction, int any,
		   struct mesh_hit *hit, uint64_t *tests);

/* The unit normal at a hit, interpolated between the triangle's corners. */
struct vec mesh_normal (const struct mesh *mesh, const struct mesh_hit *hit);

#endif
