/* SPDX-License-Identifier: MIT */
/*
 * intersect.c: rays against the whole scene: the few spheres and planes one by one, the mesh
 * through its tree.
 */
#include "scene.h"

#include <stddef.h>

/* Rays start a little off the surface that they leave, or rounding would let it shadow itself. */
#define NEAREST 1e-3f
#define HORIZON 400.0f

/* Where the ray enters (or, from inside, leaves) the sphere, or a negative number. */
static float sphere_distance (const struct sphere *s, struct vec origin, struct vec direction)
{
	struct vec to = vec_sub (s->centre, origin);
	float along = vec_dot (to, direction);
	float inside = s->radius * s->radius - vec_dot (to, to) + along * along;
	float half;

	if (inside < 0.0f)
		return -1.0f;
	half = sqrtf (inside);
	return along - half > NEAREST ? along - half : along + half;
}

static float plane_distance (const struct plane *p, struct vec origin, struct vec direction)
{
	return fabsf (direction.y) < 1e-6f ? -1.0f : (p->height - origin.y) / direction.y;
}

static struct vec into_mesh (const struct placement *p, struct vec v)
{
	return vec_make (vec_dot (v, p->x), vec_dot (v, p->y), vec_dot (v, p->z));
}

static struct vec out_of_mesh (const struct placement *p, struct vec v)
{
	return vec_along (vec_along (vec_scale (p->x, v.x), p->y, v.y), p->z, v.z);
}

static int mesh_intersect (struct ray_context *ctx, struct vec origin, struct vec direction,
			   int any, struct mesh_hit *hit)
{
	const struct placement *p = &ctx->scene->mesh_placement;
	struct vec start = into_mesh (p, vec_sub (origin, p->origin));

	return bvh_intersect (ctx->scene->mesh, start, into_mesh (p, direction), any, hit,
			      &ctx->intersections);
}

int scene_intersect (struct ray_context *ctx, struct vec origin, struct vec direction,
		     struct hit *hit)
{
	const struct scene *scene = ctx->scene;
	struct vec start = vec_along (origin, direction, NEAREST);
	struct mesh_hit mesh_hit = {.distance = HORIZON};
	const struct sphere *sphere = NULL;

	hit->material = NULL;
	ctx->intersections += SCENE_SPHERES + SCENE_PLANES;
	for (int i = 0; i < SCENE_PLANES; i++) {
		float d = plane_distance (&scene->planes[i], start, direction);

		if (d > NEAREST && d < mesh_hit.distance) {
			mesh_hit.distance = d;
			hit->material = &scene->planes[i].material;
			hit->normal = vec_make (0.0f, direction.y < 0.0f ? 1.0f : -1.0f, 0.0f);
		}
	}
	for (int i = 0; i < SCENE_SPHERES; i++) {
		float d = sphere_distance (&scene->spheres[i], start, direction);

		if (d > NEAREST && d < mesh_hit.distance) {
			mesh_hit.distance = d;
			sphere = &scene->spheres[i];
		}
	}
	if (mesh_intersect (ctx, start, direction, 0, &mesh_hit)) {
		hit->material = &scene->mesh_material;
		hit->normal =
			out_of_mesh (&scene->mesh_placement, mesh_normal (scene->mesh, &mesh_hit));
		sphere = NULL;
	}
	hit->distance = mesh_hit.distance;
	hit->position = vec_along (start, direction, hit->distance);
	if (sphere) {
		hit->material = &sphere->material;
		hit->normal =
			vec_scale (vec_sub (hit->position, sphere->centre), 1.0f / sphere->radius);
	}
	return hit->material != NULL;
}

/* The planes are the floor: no light shines from below it, so it shadows nothing. */
int scene_occluded (struct ray_context *ctx, struct vec origin, struct vec direction,
		    float distance)
{
	const struct scene *scene = ctx->scene;
	struct mesh_hit mesh_hit = {.distance = distance};

	for (int i = 0; i < SCENE_SPHERES; i++) {
		float d = sphere_distance (&scene->spheres[i], origin, direction);

		ctx->intersections++;
		if (d > NEAREST && d < distance)
			return 1;
	}
	return mesh_intersect (ctx, origin, direction, 1, &mesh_hit);
}
