/* SPDX-License-Identifier: MIT */
/*
 * bvh.c: a tree of bounding boxes over the mesh's triangles.
 *
 * Each box is split where the surface area heuristic expects rays to do the least work: the
 * triangles' centres are put into BINS slices along each axis, and of the borders between slices
 * the cheapest is taken. Nodes are 32 bytes and children lie side by side, so a step down costs one
 * cache line.
 */
#include "mesh.h"

#include <stdlib.h>

#define BINS 12
#define LEAF_TRIANGLES 4u /* no more than this are never split */
#define STACK_DEPTH 64
#define FARTHEST 1e30f

struct box {
	struct vec low, high;
};

struct split {
	int axis; /* -1: none is worth while */
	float position;
	float cost;
};

static const struct box empty_box = {{FARTHEST, FARTHEST, FARTHEST},
				     {-FARTHEST, -FARTHEST, -FARTHEST}};

static struct vec vec_min (struct vec a, struct vec b)
{
	return vec_make (a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static struct vec vec_max (struct vec a, struct vec b)
{
	return vec_make (a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static float vec_axis (struct vec a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static struct box box_join (struct box a, struct box b)
{
	return (struct box){vec_min (a.low, b.low), vec_max (a.high, b.high)};
}

static float box_area (struct box b)
{
	struct vec d = vec_sub (b.high, b.low);

	return d.x < 0.0f ? 0.0f : d.x * d.y + d.y * d.z + d.z * d.x;
}

static struct box triangle_box (const struct triangle *t)
{
	struct vec b = vec_add (t->corner, t->edge1), c = vec_add (t->corner, t->edge2);

	return (struct box){vec_min (t->corner, vec_min (b, c)),
			    vec_max (t->corner, vec_max (b, c))};
}

static float triangle_centre (const struct triangle *t, int axis)
{
	struct box b = triangle_box (t);

	return 0.5f * (vec_axis (b.low, axis) + vec_axis (b.high, axis));
}

/* The cheapest border between two of the slices along AXIS, if it beats BEST. */
static struct split better_split (const struct triangle *t, uint32_t count, int axis,
				  struct box centres, struct split best)
{
	float low = vec_axis (centres.low, axis), width = vec_axis (centres.high, axis) - low;
	struct box bins[BINS], left = empty_box, right = empty_box;
	uint32_t counts[BINS] = {0}, left_count = 0;
	float right_cost[BINS] = {0};

	if (width <= 0.0f)
		return best;
	for (int i = 0; i < BINS; i++)
		bins[i] = empty_box;
	for (uint32_t i = 0; i < count; i++) {
		int bin = (int) ((float) BINS * (triangle_centre (&t[i], axis) - low) / width);

		bin = bin >= BINS ? BINS - 1 : bin;
		counts[bin]++;
		bins[bin] = box_join (bins[bin], triangle_box (&t[i]));
	}
	for (int i = BINS - 1, n = 0; i > 0; i--) {
		n += (int) counts[i];
		right = box_join (right, bins[i]);
		right_cost[i] = (float) n * box_area (right);
	}
	for (int i = 1; i < BINS; i++) {
		float cost;

		left_count += counts[i - 1];
		left = box_join (left, bins[i - 1]);
		cost = (float) left_count * box_area (left) + right_cost[i];
		if (left_count > 0 && left_count < count && cost < best.cost)
			best = (struct split){axis, low + width * (float) i / (float) BINS, cost};
	}
	return best;
}

/* Moves the triangles before the split to the front; returns how many there are. */
static uint32_t partition (struct triangle *t, uint32_t count, struct split split)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++)
		if (triangle_centre (&t[i], split.axis) < split.position) {
			struct triangle swap = t[i];

			t[i] = t[left];
			t[left++] = swap;
		}
	return left;
}

static void build_node (struct mesh *mesh, uint32_t index, uint32_t first, uint32_t count,
			int depth)
{
	struct bvh_node *node = &mesh->nodes[index];
	struct triangle *t = mesh->triangles + first;
	struct box bounds = empty_box, centres = empty_box;
	struct split split = {-1, 0.0f, 0.0f};
	uint32_t left;

	for (uint32_t i = 0; i < count; i++) {
		struct vec c = vec_make (triangle_centre (&t[i], 0), triangle_centre (&t[i], 1),
					 triangle_centre (&t[i], 2));

		bounds = box_join (bounds, triangle_box (&t[i]));
		centres = box_join (centres, (struct box){c, c});
	}
	*node = (struct bvh_node){bounds.low, first, bounds.high, count};
	if (count <= LEAF_TRIANGLES || depth >= STACK_DEPTH - 2)
		return;
	split.cost = (float) count * box_area (bounds);
	for (int axis = 0; axis < 3; axis++)
		split = better_split (t, count, axis, centres, split);
	if (split.axis < 0)
		return;
	left = partition (t, count, split);
	if (left == 0 || left == count) /* rounding put every centre on one side */
		return;
	node->first = mesh->node_count;
	node->count = 0;
	mesh->node_count += 2;
	build_node (mesh, node->first, first, left, depth + 1);
	build_node (mesh, node->first + 1, first + left, count - left, depth + 1);
}

int bvh_build (struct mesh *mesh)
{
	mesh->nodes = aligned_alloc (
		64, (2 * (size_t) mesh->triangle_count * sizeof *mesh->nodes + 63) / 64 * 64);
	if (!mesh->nodes)
		return -1;
	mesh->node_count = 1;
	build_node (mesh, 0, 0, mesh->triangle_count, 0);
	return 0;
}

/* Where the ray enters the box, or FARTHEST if it misses it or enters beyond LIMIT. */
static inline float box_entry (const struct bvh_node *node, struct vec origin, struct vec inverse,
			       float limit)
{
	float x0 = (node->low.x - origin.x) * inverse.x, x1 = (node->high.x - origin.x) * inverse.x;
	float y0 = (node->low.y - origin.y) * inverse.y, y1 = (node->high.y - origin.y) * inverse.y;
	float z0 = (node->low.z - origin.z) * inverse.z, z1 = (node->high.z - origin.z) * inverse.z;
	float in = fmaxf (fmaxf (x0 < x1 ? x0 : x1, y0 < y1 ? y0 : y1),
			  fmaxf (z0 < z1 ? z0 : z1, 0.0f));
	float out = fminf (fminf (x0 > x1 ? x0 : x1, y0 > y1 ? y0 : y1),
			   fminf (z0 > z1 ? z0 : z1, limit));

	return in <= out ? in : FARTHEST;
}

static inline int triangle_hit (const struct triangle *t, struct vec origin, struct vec direction,
				struct mesh_hit *hit)
{
	struct vec p = vec_cross (direction, t->edge2), s = vec_sub (origin, t->corner), q;
	float det = vec_dot (t->edge1, p), inverse, u, v, distance;

	if (fabsf (det) < 1e-12f)
		return 0;
	inverse = 1.0f / det;
	u = vec_dot (s, p) * inverse;
	if (u < 0.0f || u > 1.0f)
		return 0;
	q = vec_cross (s, t->edge1);
	v = vec_dot (direction, q) * inverse;
	distance = vec_dot (t->edge2, q) * inverse;
	if (v < 0.0f || u + v > 1.0f || distance <= 0.0f || distance >= hit->distance)
		return 0;
	hit->distance = distance;
	hit->u = u;
	hit->v = v;
	return 1;
}

static int leaf_hit (const struct mesh *mesh, const struct bvh_node *leaf, struct vec origin,
		     struct vec direction, struct mesh_hit *hit)
{
	int found = 0;

	for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++)
		if (triangle_hit (&mesh->triangles[i], origin, direction, hit)) {
			hit->triangle = i;
			found = 1;
		}
	return found;
}

int bvh_intersect (const struct mesh *mesh, struct vec origin, struct vec direction, int any,
		   struct mesh_hit *hit, uint64_t *tests)
{
	struct vec inverse = vec_make (1.0f / direction.x, 1.0f / direction.y, 1.0f / direction.z);
	const struct bvh_node *node = mesh->nodes, *stack[STACK_DEPTH];
	int depth = 0, found = 0;

	++*tests;
	if (box_entry (node, origin, inverse, hit->distance) >= FARTHEST)
		return 0;
	for (;;) {
		if (node->count) {
			*tests += node->count;
			found |= leaf_hit (mesh, node, origin, direction, hit);
			if (found && any)
				return 1;
		} else {
			const struct bvh_node *near = &mesh->nodes[node->first], *far = near + 1;
			float near_at = box_entry (near, origin, inverse, hit->distance);
			float far_at = box_entry (far, origin, inverse, hit->distance);

			*tests += 2;
			if (far_at < near_at) {
				const struct bvh_node *swap = near;
				float swap_at = near_at;

				near = far, far = swap;
				near_at = far_at, far_at = swap_at;
			}
			if (far_at < FARTHEST)
				stack[depth++] = far;
			if (near_at < FARTHEST) {
				node = near;
				continue;
			}
		}
		if (depth == 0)
			return found;
		node = stack[--depth];
	}
}
