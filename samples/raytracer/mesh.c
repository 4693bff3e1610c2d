/* SPDX-License-Identifier: MIT */
/*
 * mesh.c: the torus knot's surface.
 *
 * A (2,3) torus knot is the curve ((2 + cos 3φ) cos 2φ, sin 3φ, (2 + cos 3φ) sin 2φ). A tube is
 * swept along it whose radius waves with the angle, so that reflections break up into ribbons:
 * pixels that are expensive for a visible reason.
 */
#include "mesh.h"

#include <stdlib.h>

#define TAU 6.2831853f
#define KNOT_SCALE 0.52f
#define TUBE_RADIUS 0.36f
#define FLUTE_DEPTH 0.11f
#define FLUTES 5.0f
#define FLUTE_TWIST 24.0f /* must be whole, or the tube's ends would not meet */

static struct vec knot_curve (float phi)
{
	float r = 2.0f + cosf (3.0f * phi);

	return vec_scale (
		vec_make (r * cosf (2.0f * phi), sinf (3.0f * phi), r * sinf (2.0f * phi)),
		KNOT_SCALE);
}

/* A point of the tube: PHI along the knot, THETA around the tube. */
static struct vec knot_surface (float phi, float theta)
{
	struct vec here = knot_curve (phi), ahead = knot_curve (phi + 0.01f);
	struct vec tangent = vec_sub (ahead, here);
	/* the curve never comes near the origin, so the position itself is a periodic "outward" */
	struct vec side = vec_unit (vec_cross (tangent, vec_add (here, ahead)));
	struct vec out = vec_unit (vec_cross (side, tangent));
	float radius =
		TUBE_RADIUS * (1.0f + FLUTE_DEPTH * cosf (FLUTES * theta + FLUTE_TWIST * phi));

	return vec_add (here, vec_add (vec_scale (out, radius * cosf (theta)),
				       vec_scale (side, radius * sinf (theta))));
}

static void add_triangle (struct mesh *mesh, const struct vec *points, uint32_t a, uint32_t b,
			  uint32_t c)
{
	struct triangle *t = &mesh->triangles[mesh->triangle_count++];
	struct vec area;

	t->corner = points[a];
	t->edge1 = vec_sub (points[b], points[a]);
	t->edge2 = vec_sub (points[c], points[a]);
	t->normal[0] = a;
	t->normal[1] = b;
	t->normal[2] = c;
	/* its length weighs the triangle's share of the corner's normal */
	area = vec_cross (t->edge1, t->edge2);
	for (int i = 0; i < 3; i++)
		mesh->normals[t->normal[i]] = vec_add (mesh->normals[t->normal[i]], area);
}

static void fill_knot (struct mesh *mesh, struct vec *points, uint32_t segments, uint32_t sides)
{
	for (uint32_t s = 0; s < segments; s++)
		for (uint32_t k = 0; k < sides; k++)
			points[s * sides + k] = knot_surface (TAU * (float) s / (float) segments,
							      TAU * (float) k / (float) sides);
	for (uint32_t s = 0; s < segments; s++)
		for (uint32_t k = 0; k < sides; k++) {
			uint32_t next_s = (s + 1) % segments, next_k = (k + 1) % sides;
			uint32_t a = s * sides + k, b = s * sides + next_k;
			uint32_t c = next_s * sides + k, d = next_s * sides + next_k;

			add_triangle (mesh, points, a, b, c);
			add_triangle (mesh, points, b, d, c);
		}
	for (uint32_t i = 0; i < segments * sides; i++)
		mesh->normals[i] = vec_unit (mesh->normals[i]);
}

struct mesh *mesh_create_knot (uint32_t segments, uint32_t sides)
{
	size_t corners = (size_t) segments * sides;
	struct vec *points = calloc (corners, sizeof *points);
	struct mesh *mesh = calloc (1, sizeof *mesh);

	if (mesh) {
		mesh->normals = calloc (corners, sizeof *mesh->normals);
		mesh->triangles = calloc (2 * corners, sizeof *mesh->triangles);
	}
	if (!points || !mesh || !mesh->normals || !mesh->triangles) {
		free (points);
		mesh_destroy (mesh);
		return NULL;
	}
	fill_knot (mesh, points, segments, sides);
	free (points);
	if (bvh_build (mesh)) {
		mesh_destroy (mesh);
		return NULL;
	}
	return mesh;
}

void mesh_destroy (struct mesh *mesh)
{
	if (!mesh)
		return;
	free (mesh->nodes);
	free (mesh->normals);
	free (mesh->triangles);
	free (mesh);
}

struct vec mesh_normal (const struct mesh *mesh, const struct mesh_hit *hit)
{
	const struct triangle *t = &mesh->triangles[hit->triangle];
	struct vec n = vec_scale (mesh->normals[t->normal[0]], 1.0f - hit->u - hit->v);

	n = vec_along (n, mesh->normals[t->normal[1]], hit->u);
	n = vec_along (n, mesh->normals[t->normal[2]], hit->v);
	return vec_unit (n);
}
