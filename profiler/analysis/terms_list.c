/* SPDX-License-Identifier: MIT */
/*
 * terms_list.c: reads queries, and definitions of dimensions; see terms.h.
 *
 *     list       = { dimension [","] } [ "where" condition ]
 *     dimension  = NAME "=" condition | primary
 */
#include "profiler/analysis/terms_int.h"

#include <stdlib.h>
#include <string.h>

/* Is "NAME =" next? Its length then, else 0. */
static size_t definition_length (struct ppi_term_parser *p)
{
	const char *start;
	size_t n;

	ppi_term_skip (p);
	start = p->text + p->at;
	n = ppi_term_word_length (start);
	start += n + strspn (start + n, " \t\n");
	return n && *start == '=' ? n : 0;
}

/* "NAME = EXPRESSION", of whose name are N bytes */
static unsigned definition (struct ppi_term_parser *p, size_t n)
{
	struct ppi_terms *terms = p->terms;
	size_t at = p->at;
	char name[PPI_TERM_WORD];
	unsigned of;

	if (n >= sizeof name)
		return ppi_term_fail (p, at, "this name is too long");
	memcpy (name, p->text + at, n);
	name[n] = '\0';
	if (ppi_term_is_taken (name) || strcmp (name, "where") == 0 || strchr (name, '.'))
		return ppi_term_fail (p, at, "'%s' can't be a dimension's name", name);
	for (unsigned i = 0; i < terms->n_defined; i++)
		if (strcmp (terms->defined[i].name, name) == 0)
			return ppi_term_fail (p, at, "'%s' is there twice", name);
	if (terms->n_defined == PPI_DEFINED_MOST)
		return ppi_term_fail (p, at, "these are more than %d dimensions", PPI_DEFINED_MOST);
	p->at += n;
	ppi_term_takes (p, "=");
	of = ppi_term_condition (p);
	if (of == PPI_NO_TERM)
		return PPI_NO_TERM;
	terms->defined[terms->n_defined].name = strdup (name);
	if (!terms->defined[terms->n_defined].name)
		return ppi_term_fail (p, at, "no memory");
	terms->defined[terms->n_defined++].term = of;
	return of;
}

/* From AT up to the parser's place, without the blanks behind it. */
static char *label_of (const struct ppi_term_parser *p, size_t at, size_t n)
{
	if (!n)
		for (n = p->at - at; n && strchr (" \t\n", p->text[at + n - 1]);)
			n--;
	return strndup (p->text + at, n);
}

static bool dimension (struct ppi_term_parser *p, struct ppi_query_list *out)
{
	size_t n = definition_length (p), at = p->at;
	unsigned term = n ? definition (p, n) : ppi_term_primary (p);

	if (term == PPI_NO_TERM)
		return false;
	if (out->n == PPI_QUERY_DIMS) {
		ppi_term_fail (p, at, "these are more than %d dimensions", PPI_QUERY_DIMS);
		return false;
	}
	out->dim[out->n] = (struct ppi_query_dim){label_of (p, at, n), term};
	if (!out->dim[out->n].label) {
		ppi_term_fail (p, at, "no memory");
		return false;
	}
	out->n++;
	ppi_term_takes (p, ",");
	return true;
}

static bool at_end (struct ppi_term_parser *p)
{
	ppi_term_skip (p);
	if (!p->text[p->at])
		return true;
	ppi_term_fail (p, p->at, "'%.20s' is too much", p->text + p->at);
	return false;
}

bool ppi_terms_list (struct ppi_terms *terms, const char *text, struct ppi_query_list *out,
		     char *why, size_t room)
{
	struct ppi_term_parser p = {.terms = terms, .text = text, .why = why, .room = room};

	*out = (struct ppi_query_list){.n = 0};
	*why = '\0';
	for (ppi_term_skip (&p); text[p.at]; ppi_term_skip (&p)) {
		if (ppi_term_takes (&p, "where")) {
			out->has_where = true;
			out->where = ppi_term_condition (&p);
			return out->where != PPI_NO_TERM && at_end (&p);
		}
		if (!dimension (&p, out))
			return false;
	}
	return true;
}

bool ppi_terms_define (struct ppi_terms *terms, const char *text, char *why, size_t room)
{
	struct ppi_term_parser p = {.terms = terms, .text = text, .why = why, .room = room};
	size_t n = definition_length (&p);

	*why = '\0';
	if (!n) {
		ppi_term_fail (&p, p.at, "NAME = EXPRESSION is expected");
		return false;
	}
	return definition (&p, n) != PPI_NO_TERM && at_end (&p);
}

bool ppi_terms_expression (struct ppi_terms *terms, const char *text, unsigned *term, char *why,
			   size_t room)
{
	struct ppi_term_parser p = {.terms = terms, .text = text, .why = why, .room = room};

	*why = '\0';
	*term = ppi_term_condition (&p);
	return *term != PPI_NO_TERM && at_end (&p);
}
