/* SPDX-License-Identifier: MIT */
/*
 * scene.c: the composition: a golden knot over a checkered floor, in a ring of glazed and mirroring
 * spheres.
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define TAU 6.2831853f
#define KNOT_SEGMENTS 256
#define KNOT_SIDES 30
#define KNOT_HEIGHT 2.02f
#define RING_RADIUS 3.05f

static struct material material_glazed (float red, float green, float blue)
{
	return (struct material){.colour = {red, green, blue},
				 .diffuse = 0.85f,
				 .reflect = 0.05f,
				 .highlight = 0.7f,
				 .sharpness = 90.0f};
}

static struct material material_metal (float red, float green, float blue, float reflect)
{
	return (struct material){.colour = {red, green, blue},
				 .diffuse = 1.0f - reflect,
				 .reflect = reflect,
				 .tint = 1.0f,
				 .highlight = 0.9f,
				 .sharpness = 140.0f};
}

static void place_spheres (struct scene *scene)
{
	static const float colours[SCENE_SPHERES][3] = {
		{0.62f, 0.03f, 0.03f}, {0.90f, 0.90f, 0.92f}, {0.03f, 0.13f, 0.55f},
		{0.93f, 0.55f, 0.05f}, {0.05f, 0.42f, 0.40f}, {0.90f, 0.90f, 0.92f},
		{0.30f, 0.04f, 0.28f}, {0.85f, 0.80f, 0.70f}, {0.07f, 0.28f, 0.05f},
	};
	static const float radii[SCENE_SPHERES] = {0.62f, 0.80f, 0.52f, 0.40f, 0.66f,
						   0.72f, 0.48f, 0.36f, 0.56f};

	for (int i = 0; i < SCENE_SPHERES; i++) {
		struct sphere *s = &scene->spheres[i];
		const float *c = colours[i];

		s->radius = radii[i];
		s->material = i % 4 == 1 ? material_metal (c[0], c[1], c[2], 0.86f)
					 : material_glazed (c[0], c[1], c[2]);
	}
}

static void place_lights (struct scene *scene)
{
	/* the key light; then two coloured ones that are black until scene_animate turns them on */
	scene->lights[0] = (struct light){.centre = {-4.5f, 7.5f, 4.0f},
					  .edge1 = {1.0f, 0.0f, 0.8f},
					  .edge2 = {0.3f, 0.6f, -0.6f},
					  .colour = {1.95f, 1.75f, 1.45f},
					  .rays = 4};
	scene->lights[1] = (struct light){.centre = {5.5f, 4.5f, 2.5f},
					  .edge1 = {0.0f, 0.0f, 1.1f},
					  .edge2 = {-0.5f, 0.8f, 0.0f},
					  .rays = 2};
	scene->lights[2] = (struct light){.centre = {0.5f, 6.0f, -5.5f},
					  .edge1 = {1.2f, 0.0f, 0.0f},
					  .edge2 = {0.0f, 0.7f, 0.7f},
					  .rays = 2};
}

struct scene *scene_create (void)
{
	struct scene *scene = calloc (1, sizeof *scene);

	if (!scene)
		return NULL;
	scene->mesh = mesh_create_knot (KNOT_SEGMENTS, KNOT_SIDES);
	if (!scene->mesh) {
		free (scene);
		return NULL;
	}
	scene->mesh_material = material_metal (1.00f, 0.68f, 0.28f, 0.72f);
	scene->planes[0].material = (struct material){.colour = {0.62f, 0.57f, 0.49f},
						      .other = {0.07f, 0.08f, 0.11f},
						      .check_size = 1.0f,
						      .diffuse = 0.9f,
						      .reflect = 0.04f,
						      .highlight = 0.25f,
						      .sharpness = 60.0f};
	scene->zenith = vec_make (0.012f, 0.055f, 0.20f);
	scene->horizon = vec_make (0.46f, 0.50f, 0.56f);
	scene->depth_limit = SCENE_DEPTH;
	place_spheres (scene);
	place_lights (scene);
	scene_animate (scene, 0.0f);
	return scene;
}

void scene_destroy (struct scene *scene)
{
	if (!scene)
		return;
	mesh_destroy (scene->mesh);
	free (scene);
}

/*
 * A body that rolls around its own axis by ROLL, leans back by LEAN and is turned by SPIN around
 * the vertical.
 */
static struct placement placement_make (struct vec origin, float roll, float lean, float spin)
{
	float cr = cosf (roll), sr = sinf (roll), cl = cosf (lean), sl = sinf (lean),
	      cs = cosf (spin), ss = sinf (spin);
	struct vec x = {cs, 0.0f, -ss}, y = {ss * sl, cl, cs * sl}, z = {ss * cl, -sl, cs * cl};

	return (struct placement){
		.origin = origin,
		.x = vec_along (vec_scale (x, cr), z, sr),
		.y = y,
		.z = vec_along (vec_scale (z, cr), x, -sr),
	};
}

static struct camera camera_look (struct vec eye, struct vec target, float half_height)
{
	struct camera camera = {.eye = eye, .forward = vec_unit (vec_sub (target, eye))};

	camera.right = vec_unit (vec_cross (camera.forward, vec_make (0.0f, 1.0f, 0.0f)));
	camera.up = vec_scale (vec_cross (camera.right, camera.forward), half_height);
	camera.right = vec_scale (camera.right, half_height);
	return camera;
}

void scene_animate (struct scene *scene, float time)
{
	/* 0 in the first and last third of the film, 1 in its middle */
	float close = smooth_step (0.30f, 0.42f, time) * (1.0f - smooth_step (0.58f, 0.70f, time));
	float angle = -0.55f + 1.0f * time;
	float distance = 8.6f - 3.5f * close, height = 2.9f - 0.9f * close;

	scene->mesh_placement = placement_make (vec_make (0.0f, KNOT_HEIGHT, 0.0f),
						TAU / 3.0f * time, 1.25f, -0.25f + 1.0f * time);
	for (int i = 0; i < SCENE_SPHERES; i++) {
		struct sphere *s = &scene->spheres[i];
		float at = TAU * ((float) i / SCENE_SPHERES + 0.12f * time);

		s->centre = vec_make (RING_RADIUS * sinf (at), s->radius, RING_RADIUS * cosf (at));
	}
	scene->lights[1].colour = vec_scale (vec_make (0.25f, 0.42f, 0.90f), close);
	scene->lights[2].colour = vec_scale (vec_make (0.90f, 0.40f, 0.28f), close);
	scene->camera =
		camera_look (vec_make (distance * sinf (angle), height, distance * cosf (angle)),
			     vec_make (0.0f, 1.45f + 0.45f * close, 0.0f), 0.42f);
}
