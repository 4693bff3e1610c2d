/* SPDX-License-Identifier: MIT */
/* instances_sum.c: instances of several recordings, added up; see instances.h. */
#include "profiler/analysis/instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tells them apart ------------------------------------------------------------------- */

/* NULL is another text than "". */
static void put_text (FILE *key, const char *text)
{
	fputc (text ? 1 : 2, key);
	if (text)
		fputs (text, key);
	fputc (0, key);
}

static void put_value (FILE *key, const struct pp_analysis_named *named)
{
	put_text (key, named->name);
	fprintf (key, "%u ", named->value.type);
	if (named->value.type == PP_ANALYSIS_TEXT)
		put_text (key, named->value.is.text);
	else
		fwrite (&named->value.is, sizeof named->value.is, 1, key);
}

/* All but what is added up; malloced, NULL: no memory. */
static char *key_of (const struct pp_analysis_instance *is, size_t *bytes)
{
	char *text = NULL;
	FILE *key = open_memstream (&text, bytes);

	if (!key)
		return NULL;
	put_text (key, is->feature);
	put_text (key, is->place);
	put_text (key, is->payload);
	put_text (key, is->caller);
	for (size_t i = 0; i < is->n_around; i++)
		put_text (key, is->around[i]);
	for (size_t i = 0; i < is->n_dims; i++)
		put_value (key, &is->dims[i]);
	if (fclose (key) == 0)
		return text;
	free (text);
	return NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* TEXT may be NULL. False: no memory. */
static bool copy_text (struct ppi_instances *out, const char **text)
{
	if (*text)
		*text = ppi_instances_keep (out, *text);
	return *text;
}

static bool copy_around (struct ppi_instances *out, struct pp_analysis_instance *is)
{
	const char **around = ppi_instances_around (out, is->n_around);

	if (!around)
		return false;
	for (size_t i = 0; i < is->n_around; i++) {
		around[i] = is->around[i];
		if (!copy_text (out, &around[i]))
			return false;
	}
	is->around = around;
	return true;
}

static bool copy_dims (struct ppi_instances *out, struct pp_analysis_instance *is)
{
	struct pp_analysis_named *dims = ppi_instances_dims (out, is->n_dims);

	if (!dims)
		return false;
	for (size_t i = 0; i < is->n_dims; i++) {
		dims[i] = is->dims[i];
		if (!copy_text (out, &dims[i].name) || (dims[i].value.type == PP_ANALYSIS_TEXT &&
							!copy_text (out, &dims[i].value.is.text)))
			return false;
	}
	is->dims = dims;
	return true;
}

/* IS lies in OUT, and what it points to elsewhere; false: no memory. */
static bool copy_all (struct ppi_instances *out, struct pp_analysis_instance *is)
{
	return copy_text (out, &is->feature) && copy_text (out, &is->place) &&
	       (!is->payload || copy_text (out, &is->payload)) &&
	       (!is->caller || copy_text (out, &is->caller)) &&
	       (!is->n_around || copy_around (out, is)) && (!is->n_dims || copy_dims (out, is));
}

/* ---- the sum --------------------------------------------------------------------------------- */

static bool add (struct ppi_instances *sum, const struct pp_analysis_instance *is)
{
	size_t bytes = 0;
	char *key = key_of (is, &bytes);
	struct ppi_intern_entry *entry;
	struct pp_analysis_instance *to;
	bool is_new;

	entry = key ? ppi_intern (&sum->keys, key, bytes, &is_new) : NULL;
	free (key);
	if (!entry)
		return false;
	if (is_new) {
		to = ppi_instances_new (sum);
		if (!to)
			return false;
		*to = *is;
		return copy_all (sum, to);
	}
	to = &sum->instance[entry->number - 1];
	to->time_s += is->time_s;
	to->times += is->times;
	return true;
}

bool ppi_instances_add (struct ppi_instances *sum, const struct ppi_instances *more)
{
	for (size_t i = 0; i < more->n; i++)
		if (!add (sum, &more->instance[i]))
			return false;
	return true;
}
