/* SPDX-License-Identifier: MIT */
/*
 * terms_plugin.c: dimensions and formatters of the user's own, from objects that ppctl has loaded;
 * see <pp_analysis.h>.
 */
#include "profiler/analysis/terms_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4095, USES_MOST = 64 };

const struct pp_analysis_dimension *ppi_terms_dimension (const struct ppi_terms *terms,
							 const char *name, const char **plugin)
{
	const struct ppi_query_source *source = terms->source;

	for (size_t i = 0; i < source->n_plugins; i++)
		for (size_t k = 0; k < source->plugin[i]->n_dimensions; k++) {
			const struct pp_analysis_dimension *is = &source->plugin[i]->dimensions[k];

			*plugin = source->plugin[i]->name;
			if (strcmp (is->name, name) == 0)
				return is;
		}
	return NULL;
}

bool ppi_terms_is_name (const char *name)
{
	static const char *const words[] = {"true", "false", "where", "and", "or", "not"};
	bool is_word = false;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		is_word |= strcmp (name, words[i]) == 0;
	return !is_word && *name && ppi_term_word_length (name) == strlen (name) &&
	       !strchr (name, '.') && strlen (name) < PPI_TERM_WORD && !ppi_term_is_taken (name);
}

/* ---- what a dimension uses ------------------------------------------------------------------- */

static unsigned read_use (struct ppi_term_parser *p, size_t at,
			  const struct pp_analysis_dimension *dimension, const char *plugin,
			  const char *text)
{
	char why[256] = "";
	struct ppi_term_parser use = {.terms = p->terms,
				      .text = text,
				      .nested = p->nested,
				      .in_late = p->in_late,
				      .why = why,
				      .room = sizeof why};
	unsigned of = ppi_term_condition (&use);

	ppi_term_skip (&use);
	if (of != PPI_NO_TERM && text[use.at])
		of = ppi_term_fail (&use, use.at, "this is too much");
	return of == PPI_NO_TERM ? ppi_term_fail (p, at, "%s of %s uses '%.40s': %s",
						  dimension->name, plugin, text, why)
				 : of;
}

/* The terms of what it uses; NULL: what is wrong was told. */
static unsigned *read_uses (struct ppi_term_parser *p, size_t at,
			    const struct pp_analysis_dimension *dimension, const char *plugin,
			    uint32_t *n)
{
	const char *const *text = dimension->uses;
	unsigned *use;

	for (*n = 0; text && *n <= USES_MOST && text[*n];)
		++*n;
	if (*n > USES_MOST) {
		ppi_term_fail (p, at, "%s of %s uses more than %d values", dimension->name, plugin,
			       USES_MOST);
		return NULL;
	}
	use = calloc (*n + 1, sizeof *use);
	if (!use)
		ppi_term_fail (p, at, "no memory");
	for (uint32_t i = 0; use && i < *n; i++) {
		use[i] = read_use (p, at, dimension, plugin, text[i]);
		if (use[i] != PPI_NO_TERM)
			continue;
		free (use);
		return NULL;
	}
	return use;
}

uint32_t ppi_term_make (struct ppi_term_parser *p, size_t at,
			const struct pp_analysis_dimension *dimension, const char *plugin)
{
	struct ppi_terms *terms = p->terms;
	uint32_t n;
	unsigned *use;

	for (uint32_t i = 0; i < terms->n_made; i++)
		if (terms->made[i].dimension == dimension)
			return i;
	for (uint32_t i = 0; i < terms->n_busy; i++)
		if (terms->busy[i] == dimension)
			return ppi_term_fail (p, at, "%s of %s uses itself", dimension->name,
					      plugin);
	if (terms->n_made + terms->n_busy == PPI_MADE_MOST)
		return ppi_term_fail (p, at, "these are more than %d dimensions of plug-ins",
				      PPI_MADE_MOST);
	terms->busy[terms->n_busy++] = dimension;
	use = read_uses (p, at, dimension, plugin, &n);
	terms->n_busy--;
	if (!use)
		return UINT32_MAX;
	/* behind all that it uses */
	terms->made[terms->n_made] = (struct ppi_made){dimension, plugin, use, n};
	return terms->n_made++;
}

const struct ppi_made *ppi_terms_made (const struct ppi_terms *terms, uint32_t *n)
{
	*n = terms->n_made;
	return terms->made;
}

void ppi_terms_free_made (struct ppi_terms *terms)
{
	for (uint32_t i = 0; i < terms->n_made; i++)
		free (terms->made[i].use);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *take_text (struct ppi_terms *terms, const char *text, struct ppi_value *out)
{
	char cut[TEXT_MOST + 1];
	size_t n = text ? strnlen (text, TEXT_MOST) : 0;
	uint32_t id;

	if (!text)
		return NULL;
	/* read as far only as it counts */
	memcpy (cut, text, n);
	cut[n] = '\0';
	id = ppi_terms_intern (terms, cut);
	if (id == PPI_NO_TEXT)
		return "gives more different texts than there is room for";
	*out = (struct ppi_value){.type = PP_ABI_VALUE_STRING, .bits = id};
	return NULL;
}

const char *ppi_terms_take (struct ppi_terms *terms, const struct pp_analysis_value *value,
			    struct ppi_value *out)
{
	double real;

	*out = (struct ppi_value){.type = PP_ABI_VALUE_NONE};
	switch (value->type) {
	case PP_ANALYSIS_MISSING:
		return NULL;
	case PP_ANALYSIS_INTEGER:
		*out = (struct ppi_value){.type = PP_ABI_VALUE_INT,
					  .bits = (uint64_t) value->is.integer};
		return NULL;
	case PP_ANALYSIS_POINTER:
		*out = (struct ppi_value){.type = PP_ABI_VALUE_POINTER,
					  .bits = (uint64_t) value->is.integer};
		return NULL;
	case PP_ANALYSIS_REAL:
		real = value->is.real + 0.0; /* -0 is 0: equal numbers are one value */
		if (isnan (real))
			return NULL;
		out->type = PP_ABI_VALUE_DOUBLE;
		memcpy (&out->bits, &real, sizeof real);
		return NULL;
	case PP_ANALYSIS_TEXT:
		return take_text (terms, value->is.text, out);
	default:
		return "gives a value of a type that there is not";
	}
}

void ppi_terms_give (const struct ppi_terms *terms, struct ppi_value value,
		     struct pp_analysis_value *out)
{
	*out = (struct pp_analysis_value){.type = PP_ANALYSIS_MISSING};
	switch (value.type) {
	case PP_ABI_VALUE_INT:
	case PPI_VALUE_TRUTH:
		*out = pp_analysis_integer ((int64_t) value.bits);
		break;
	case PP_ABI_VALUE_POINTER:
		*out = pp_analysis_integer ((int64_t) value.bits);
		out->type = PP_ANALYSIS_POINTER;
		break;
	case PP_ABI_VALUE_DOUBLE:
	case PPI_VALUE_LARGE:
		*out = pp_analysis_real (ppi_value_number (value));
		break;
	case PP_ABI_VALUE_STRING:
		*out = pp_analysis_text (ppi_terms_text (terms, value.bits));
		break;
	default:
		break;
	}
}

/* ---- formatters ------------------------------------------------------------------------------ */

static const struct pp_analysis_formatter *formatter_of (const struct ppi_query_source *source,
							 const char *label)
{
	for (;;) {
		if (strncmp (label, "parent.", 7) == 0)
			label += 7;
		else if (strncmp (label, "root.", 5) == 0)
			label += 5;
		else
			break;
	}
	for (size_t i = 0; i < source->n_plugins; i++)
		for (size_t k = 0; k < source->plugin[i]->n_formatters; k++)
			if (strcmp (source->plugin[i]->formatters[k].dimension, label) == 0)
				return &source->plugin[i]->formatters[k];
	return NULL;
}

const char *ppi_terms_format (const struct ppi_terms *terms, const char *label,
			      struct ppi_value value, char *out, size_t room)
{
	const struct pp_analysis_formatter *formatter = formatter_of (terms->source, label);
	struct pp_analysis_value given;

	ppi_terms_give (terms, value, &given);
	if (!formatter || given.type == PP_ANALYSIS_MISSING)
		return ppi_value_text (terms, value, out, room);
	*out = '\0';
	formatter->format (&given, out, room);
	out[room - 1] = '\0';
	return out;
}
