/* SPDX-License-Identifier: MIT */
/*
 * contract.c: the checked interface of arrays. It is written once for arrays of every kind, so it
 * asks each element of the array itself. What it takes is the feature array.contract, and its
 * instances are who called what under which contract.
 */
#define MODULE "array"
#include "array.h"

#include "array_int.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void broken (const char *blame, const char *promise)
{
	fprintf (stderr, "synth: contract broken: %s: %s\n", blame, promise);
	exit (1);
}

static void check_is (const char *blame, int is_so, const char *promise)
{
	if (!is_so)
		broken (blame, promise);
}

/* No NaN is either. */
static int is_sample (double x)
{
	return x >= -16 && x <= 16;
}

void array_check (const char *blame, const struct array *array)
{
	PP_FEATURE_PAYLOAD (array.contract, blame)
	check_is (blame, array != NULL && array->magic == ARRAY_MAGIC, "this is an array");
	for (size_t i = 0; i < array->length; i++)
		check_is (blame, is_sample (array->at (array, i)),
			  "each element is a number from -16 to 16");
}

struct array *array_checked_build (const char *blame, size_t length, array_proc *proc,
				   const void *arg)
{
	struct array *array;

	check_is (blame, proc != NULL, "there is a function");
	array = array_inner_build (length, proc, arg);
	array_check (blame, array);
	return array;
}

struct array *array_checked_append (const char *blame, struct array *const *parts, size_t count)
{
	struct array *array;

	check_is (blame, count > 0, "the list is not empty");
	for (size_t i = 0; i < count; i++)
		array_check (blame, parts[i]);
	array = array_inner_append (parts, count);
	array_check (blame, array);
	return array;
}

struct array *array_checked_repeat (const char *blame, const struct array *array, size_t length)
{
	struct array *repeated;

	array_check (blame, array);
	check_is (blame, array->length > 0, "there is something to repeat");
	repeated = array_inner_repeat (array, length);
	array_check (blame, repeated);
	return repeated;
}

struct array *array_checked_scale (const char *blame, const struct array *array, double factor)
{
	struct array *scaled;

	array_check (blame, array);
	check_is (blame, is_sample (factor), "the factor is a number from -16 to 16");
	scaled = array_inner_scale (array, factor);
	array_check (blame, scaled);
	return scaled;
}

struct array *array_checked_add (const char *blame, const struct array *a, const struct array *b)
{
	struct array *sum;

	array_check (blame, a);
	array_check (blame, b);
	check_is (blame, a->length == b->length, "both are equally long");
	sum = array_inner_add (a, b);
	array_check (blame, sum);
	return sum;
}

void array_checked_read (const char *blame, const struct array *array, size_t from, size_t count,
			 double *out)
{
	{
		PP_FEATURE_PAYLOAD (array.contract, blame)
		check_is (blame, array != NULL && array->magic == ARRAY_MAGIC, "this is an array");
		check_is (blame, from <= array->length && count <= array->length - from,
			  "so many elements are there");
	}
	array_inner_read (array, from, count, out);
	{
		PP_FEATURE_PAYLOAD (array.contract, blame)
		for (size_t i = 0; i < count; i++)
			check_is (blame, is_sample (out[i]),
				  "each element is a number from -16 to 16");
	}
}
