/* SPDX-License-Identifier: MIT */
/* features_list.c: the list of features and what each is made of; see features.h. */
#include "profiler/analysis/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* *ARRAY of elements of BYTES has room for one more than N; false: no memory. */
static bool make_room (void *array, size_t *room, size_t n, size_t bytes)
{
	void **at = array, *grown;
	size_t more = *room ? 2 * *room : 16;

	if (n < *room)
		return true;
	grown = reallocarray (*at, more, bytes);
	if (!grown)
		return false;
	*at = grown;
	*room = more;
	return true;
}

struct ppi_feature *ppi_features_of (struct ppi_features *all, const char *name)
{
	char *copy;

	/* who adds them by name has the newest at the end */
	for (size_t i = all->features; i-- > 0;)
		if (strcmp (all->feature[i].name, name) == 0)
			return &all->feature[i];
	copy = strdup (name);
	if (!copy ||
	    !make_room (&all->feature, &all->features_room, all->features, sizeof *all->feature)) {
		free (copy);
		return NULL;
	}
	all->feature[all->features] = (struct ppi_feature){.name = copy};
	return &all->feature[all->features++];
}

bool ppi_feature_add (struct ppi_feature *feature, const struct ppi_feature_part *part)
{
	struct ppi_feature_part copy = *part;

	copy.name = strdup (part->name);
	copy.payload = part->payload ? strdup (part->payload) : NULL;
	if (!copy.name || !copy.payload != !part->payload ||
	    !make_room (&feature->part, &feature->parts_room, feature->parts, sizeof copy)) {
		free (copy.name);
		free (copy.payload);
		return false;
	}
	feature->part[feature->parts++] = copy;
	feature->time += part->time;
	feature->raw += part->raw;
	feature->doubt += part->doubt;
	feature->times += part->times;
	return true;
}

/* ---- their order ----------------------------------------------------------------------------- */

static int compare_part_names (const void *a, const void *b)
{
	return strcmp (((const struct ppi_feature_part *) a)->name,
		       ((const struct ppi_feature_part *) b)->name);
}

static int compare_times (double a, double b)
{
	return a > b ? -1 : a < b;
}

/*
 * By the time that is shown, which is without what marks take. Where nothing is left of several by
 * what was read, then by how often each was seen.
 */
static int compare (const struct ppi_feature_part *a, const struct ppi_feature_part *b)
{
	int order = compare_times (a->time, b->time);

	if (!order)
		order = compare_times (a->raw, b->raw);
	if (order)
		return order;
	return a->times > b->times ? -1 : a->times < b->times;
}

static int compare_parts (const void *a, const void *b)
{
	const struct ppi_feature_part *x = a, *y = b;
	int order = compare (x, y);

	return order ? order : compare_part_names (a, b);
}

struct ppi_feature_part ppi_feature_whole (const struct ppi_feature *feature)
{
	return (struct ppi_feature_part){.time = feature->time,
					 .raw = feature->raw,
					 .doubt = feature->doubt,
					 .chance = feature->chance,
					 .times = feature->times};
}

static int compare_features (const void *a, const void *b)
{
	const struct ppi_feature *x = a, *y = b;
	const struct ppi_feature_part whole_x = ppi_feature_whole (x),
				      whole_y = ppi_feature_whole (y);
	int order = compare (&whole_x, &whole_y);

	return order ? order : strcmp (x->name, y->name);
}

static void join_parts (struct ppi_feature *feature)
{
	size_t n = 0;

	if (!feature->parts)
		return;
	qsort (feature->part, feature->parts, sizeof *feature->part, compare_part_names);
	for (size_t i = 0; i < feature->parts; i++) {
		struct ppi_feature_part *part = &feature->part[i],
					*last = n ? &feature->part[n - 1] : NULL;

		if (!last || strcmp (last->name, part->name) != 0) {
			feature->part[n++] = *part;
			continue;
		}
		last->time += part->time;
		last->raw += part->raw;
		last->doubt += part->doubt;
		last->chance = hypot (last->chance, part->chance);
		last->squares += part->squares;
		last->times += part->times;
		free (part->name);
		free (part->payload);
	}
	feature->parts = n;
	qsort (feature->part, n, sizeof *feature->part, compare_parts);
}

void ppi_features_finish (struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++)
		join_parts (&all->feature[i]);
	if (all->features)
		qsort (all->feature, all->features, sizeof *all->feature, compare_features);
}

void ppi_features_clear (struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++) {
		for (size_t k = 0; k < all->feature[i].parts; k++) {
			free (all->feature[i].part[k].name);
			free (all->feature[i].part[k].payload);
		}
		free (all->feature[i].part);
		free (all->feature[i].name);
	}
	free (all->feature);
	free (all->program);
	*all = (struct ppi_features){.program = NULL};
}

double ppi_features_off (const struct ppi_features *features, const struct ppi_feature_part *part)
{
	double total = features->total, all = part->doubt + part->chance;

	if (!(total > 0) || (!features->is_exact && !features->times))
		return (double) NAN;
	return fmin (1, all / total + part->time / total * features->doubt / total);
}
