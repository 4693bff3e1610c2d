/* SPDX-License-Identifier: MIT */
/*
 * scene.h: what is to be seen: materials, bodies, lights, camera, and how they move.
 */
#ifndef RAYTRACER_SCENE_H
#define RAYTRACER_SCENE_H

#include <stdint.h>

#include "mesh.h"
#include "vec.h"

#define SCENE_SPHERES 9
#define SCENE_PLANES 1
#define SCENE_LIGHTS 3

struct material {
	struct vec colour;
	struct vec other; /* a checkered material's second colour */
	float check_size; /* in units of length; 0: one colour */
	float diffuse;    /* share of the light that is scattered */
	float reflect;    /* share that is mirrored at a right angle; towards grazing it grows */
	float tint;       /* 0: white reflections (glaze), 1: in the material's colour (metal) */
	float highlight;  /* of the lights themselves */
	float sharpness;  /* exponent of the highlight */
};

struct sphere {
	struct vec centre;
	float radius;
	struct material material;
};

/* The points whose height is HEIGHT: y points up. */
struct plane {
	float height;
	struct material material;
};

/* A rectangle that shines: its four corners are centre ± edge1 ± edge2. */
struct light {
	struct vec centre, edge1, edge2;
	struct vec colour; /* black: switched off, and no shadow rays are spent on it */
	int rays;          /* shadow rays per shaded point */
};

struct camera {
	/* right and up span the picture's half height at distance 1 */
	struct vec eye, forward, right, up;
};

/*
 * The mesh is turned, not rebuilt: rays are turned the other way into its space. Unit axes, seen
 * from the world.
 */
struct placement {
	struct vec origin, x, y, z;
};

#define SCENE_DEPTH 5 /* reflections in reflections that are followed */

struct scene {
	struct sphere spheres[SCENE_SPHERES];
	struct plane planes[SCENE_PLANES];
	struct light lights[SCENE_LIGHTS];
	struct mesh *mesh;
	struct placement mesh_placement;
	struct material mesh_material;
	struct camera camera;
	struct vec zenith, horizon; /* the sky's colours */
	int depth_limit;            /* of reflections in reflections */
};

/* The scene as it is before it moves; NULL: no memory. */
struct scene *scene_create (void);
void scene_destroy (struct scene *scene);

/*
 * Moves everything to TIME, from 0 (first frame) to 1 (last). Around the middle the camera is close
 * to the knot and two more lights shine: those frames are about three times the work of the first
 * and the last ones.
 */
void scene_animate (struct scene *scene, float time);

/* ---- rays: one context per thread ------------------------------------------------------------ */

struct hit {
	float distance;
	struct vec position, normal;
	const struct material *material;
};

/* What a thread knows while it traces one pixel. The counts are what the pixel's points report. */
struct ray_context {
	const struct scene *scene;
	/* random, one pair per pixel: where on the lights its shadow rays begin */
	float shift1, shift2;
	uint32_t sample;        /* which of the pixel's samples is being traced */
	uint64_t shadow_rays;   /* sent from shaded points to lights */
	uint64_t intersections; /* tests of a ray against a box, triangle, sphere or plane */
};

/* What the ray meets first: 1 and HIT, or 0. DIRECTION has length 1. */
int scene_intersect (struct ray_context *ctx, struct vec origin, struct vec direction,
		     struct hit *hit);
/* Is anything on the way from ORIGIN along DIRECTION before DISTANCE? */
int scene_occluded (struct ray_context *ctx, struct vec origin, struct vec direction,
		    float distance);

/* The light, linear RGB, that comes to ORIGIN from DIRECTION (length 1). */
struct vec shade_ray (struct ray_context *ctx, struct vec origin, struct vec direction);

#endif
