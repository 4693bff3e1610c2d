/* SPDX-License-Identifier: MIT */
/*
 * array.c: signals as arrays. Of one kind the elements are stored; of the other they are those of a
 * shorter array, over and over.
 */
#define MODULE "array"
#include "array.h"

#include "array_int.h"

#include <stdio.h>
#include <stdlib.h>

static double at_stored (const struct array *array, size_t index)
{
	return array->samples[index];
}

static double at_repeated (const struct array *array, size_t index)
{
	return array->of->at (array->of, index % array->of->length);
}

static struct array *new_array (size_t length, size_t stored)
{
	struct array *array = malloc (sizeof *array + stored * sizeof *array->samples);

	if (array == NULL) {
		fprintf (stderr, "synth: no memory for a signal of %zu samples\n", length);
		exit (1);
	}
	*array = (struct array){ARRAY_MAGIC, length, at_stored, NULL, (double *) (array + 1)};
	return array;
}

size_t array_length (const struct array *array)
{
	return array->length;
}

void array_free (struct array *array)
{
	array->magic = 0;
	free (array);
}

struct array *array_inner_build (size_t length, array_proc *proc, const void *arg)
{
	struct array *array = new_array (length, length);

	for (size_t i = 0; i < length; i++)
		array->samples[i] = proc (i, arg);
	return array;
}

struct array *array_inner_append (struct array *const *parts, size_t count)
{
	size_t length = 0;
	struct array *array;

	for (size_t i = 0; i < count; i++)
		length += parts[i]->length;
	array = new_array (length, length);
	length = 0;
	for (size_t i = 0; i < count; i++) {
		array_inner_read (parts[i], 0, parts[i]->length, array->samples + length);
		length += parts[i]->length;
	}
	return array;
}

struct array *array_inner_repeat (const struct array *of, size_t length)
{
	struct array *array = new_array (length, 0);

	array->at = at_repeated;
	array->of = of;
	return array;
}

struct array *array_inner_scale (const struct array *array, double factor)
{
	struct array *scaled = new_array (array->length, array->length);

	array_inner_read (array, 0, array->length, scaled->samples);
	for (size_t i = 0; i < array->length; i++)
		scaled->samples[i] *= factor;
	return scaled;
}

struct array *array_inner_add (const struct array *a, const struct array *b)
{
	struct array *sum = new_array (a->length, a->length);

	array_inner_read (b, 0, b->length, sum->samples);
	if (a->at == at_stored)
		for (size_t i = 0; i < a->length; i++)
			sum->samples[i] += a->samples[i];
	else
		for (size_t i = 0; i < a->length; i++)
			sum->samples[i] += a->at (a, i);
	return sum;
}

/* In pieces: as much of what is repeated as follows without a break. */
void array_inner_read (const struct array *array, size_t from, size_t count, double *out)
{
	size_t piece;

	for (; array->at == at_repeated && count > 0; from += piece, out += piece, count -= piece) {
		size_t at = from % array->of->length;

		piece = array->of->length - at < count ? array->of->length - at : count;
		array_inner_read (array->of, at, piece, out);
	}
	for (size_t i = 0; i < count; i++)
		out[i] = array->samples[from + i];
}
