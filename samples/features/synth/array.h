/* SPDX-License-Identifier: MIT */
/*
 * array.h: signals as arrays, with a checked interface: whoever passes an array over it, either
 * way, promises that each of its elements is a sample, a finite number from -16 to 16, and the
 * library looks. A broken promise ends the program with the contract and who broke it.
 *
 *     #define MODULE "drum"
 *     #include "array.h"
 *     sum = array_add (a, b);         drum -> array: array_add (array array -> array)
 *
 * What is checked is a feature, array.contract, whose instances are such texts. A module that
 * defines ARRAY_TRUSTED is within the boundary: its calls are not checked, and are marks of
 * array.contract_unchecked that hold nothing, so that a graph of modules has them.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <pp.h>
#include <stddef.h>

/* Arrays are never changed; who made one frees it, and never one that others are made of. */
struct array;

#define ARRAY_BLAME(CONTRACT) MODULE " -> array: " CONTRACT
#define ARRAY_TRUST(CONTRACT) array_unchecked (ARRAY_BLAME (CONTRACT))

#ifdef ARRAY_TRUSTED
#define array_build(LENGTH, PROC, ARG)                                                             \
	(ARRAY_TRUST ("array_build (length (index -> sample) -> array)"),                          \
	 array_inner_build (LENGTH, PROC, ARG))
#define array_append(PARTS, COUNT)                                                                 \
	(ARRAY_TRUST ("array_append ((listof array) -> array)"), array_inner_append (PARTS, COUNT))
#define array_repeat(ARRAY, LENGTH)                                                                \
	(ARRAY_TRUST ("array_repeat (array length -> array)"), array_inner_repeat (ARRAY, LENGTH))
#define array_scale(ARRAY, FACTOR)                                                                 \
	(ARRAY_TRUST ("array_scale (array sample -> array)"), array_inner_scale (ARRAY, FACTOR))
#define array_add(A, B) (ARRAY_TRUST ("array_add (array array -> array)"), array_inner_add (A, B))
#define array_read(ARRAY, FROM, COUNT, OUT)                                                        \
	(ARRAY_TRUST ("array_read (array index count -> samples)"),                                \
	 array_inner_read (ARRAY, FROM, COUNT, OUT))
#else
/* LENGTH elements, each what PROC makes of its index and ARG. */
#define array_build(LENGTH, PROC, ARG)                                                             \
	array_checked_build (ARRAY_BLAME ("array_build (length (index -> sample) -> array)"),      \
			     LENGTH, PROC, ARG)
/* One behind the other: COUNT of them, at least one. */
#define array_append(PARTS, COUNT)                                                                 \
	array_checked_append (ARRAY_BLAME ("array_append ((listof array) -> array)"), PARTS, COUNT)
/* LENGTH elements, those of ARRAY over and over. They stay ARRAY's: it must live as long. */
#define array_repeat(ARRAY, LENGTH)                                                                \
	array_checked_repeat (ARRAY_BLAME ("array_repeat (array length -> array)"), ARRAY, LENGTH)
#define array_scale(ARRAY, FACTOR)                                                                 \
	array_checked_scale (ARRAY_BLAME ("array_scale (array sample -> array)"), ARRAY, FACTOR)
/* Of arrays of the same length. */
#define array_add(A, B) array_checked_add (ARRAY_BLAME ("array_add (array array -> array)"), A, B)
/* COUNT elements from index FROM on, to OUT. */
#define array_read(ARRAY, FROM, COUNT, OUT)                                                        \
	array_checked_read (ARRAY_BLAME ("array_read (array index count -> samples)"), ARRAY,      \
			    FROM, COUNT, OUT)
#endif

typedef double array_proc (size_t index, const void *arg);

size_t array_length (const struct array *array);
void array_free (struct array *array);

/* The contract "ARRAY is an array of samples", for interfaces of other modules. */
void array_check (const char *blame, const struct array *array);
/* ... and that nobody looks. */
static inline void array_unchecked (const char *blame)
{
	PP_FEATURE_PAYLOAD (array.contract_unchecked, blame)
}

struct array *array_checked_build (const char *blame, size_t length, array_proc *proc,
				   const void *arg);
struct array *array_checked_append (const char *blame, struct array *const *parts, size_t count);
struct array *array_checked_repeat (const char *blame, const struct array *array, size_t length);
struct array *array_checked_scale (const char *blame, const struct array *array, double factor);
struct array *array_checked_add (const char *blame, const struct array *a, const struct array *b);
void array_checked_read (const char *blame, const struct array *array, size_t from, size_t count,
			 double *out);

struct array *array_inner_build (size_t length, array_proc *proc, const void *arg);
struct array *array_inner_append (struct array *const *parts, size_t count);
struct array *array_inner_repeat (const struct array *array, size_t length);
struct array *array_inner_scale (const struct array *array, double factor);
struct array *array_inner_add (const struct array *a, const struct array *b);
void array_inner_read (const struct array *array, size_t from, size_t count, double *out);

#endif
