/* SPDX-License-Identifier: MIT */
/*
 * expr_parse.h: what the two halves of the parser share: operators (expr_parse.c) and names
 * (expr_names.c).
 */
#ifndef PPI_EXPR_PARSE_H
#define PPI_EXPR_PARSE_H

#include "assertions/language/expr.h"

struct ppi_parser {
	const char *text, *p;
	struct ppi_tree *tree;
	const struct ppi_expr_errors *errors;
	const struct ppi_names *names;
	unsigned nesting;
	bool failed, no_memory;
	/*
	 * of a composite metric's expression, which is read in the place of its name: who reads it,
	 * the name, where that stands
	 */
	const struct ppi_parser *outer;
	const char *name;
	uint32_t at;
};

static inline uint32_t ppi_parse_offset (const struct ppi_parser *ps, const char *p)
{
	return ps->outer ? ps->at : (uint32_t) (p - ps->text);
}

#define PPI_PARSE_FAIL(ps, at, ...)                                                                \
	do {                                                                                       \
		if (!(ps)->failed)                                                                 \
			ppi_expr_error ((ps)->errors, ppi_parse_offset (ps, at), __VA_ARGS__);     \
		(ps)->failed = true;                                                               \
	} while (0)

struct ppi_node *ppi_parse_node (struct ppi_parser *ps, enum ppi_node_kind kind, const char *at);
/* What stands at P, for "expected X, found Y". Returns OUT. */
const char *ppi_parse_standing (const char *p, char *out, size_t room);
/* C must be next, blanks before it allowed. AFTER completes "expected 'C' AFTER". */
bool ppi_parse_expect (struct ppi_parser *ps, char c, const char *after);

/* All of the text; NULL after an error. */
struct ppi_node *ppi_parse_whole (struct ppi_parser *ps);
/*
 * At a name; behind "knob(" and "all(" that began at AT; at a quoted site [from, end), with DOT
 * behind its quote.
 */
struct ppi_node *ppi_parse_named (struct ppi_parser *ps);
struct ppi_node *ppi_parse_knob (struct ppi_parser *ps, const char *at);
struct ppi_node *ppi_parse_all (struct ppi_parser *ps, const char *at);
struct ppi_node *ppi_parse_any (struct ppi_parser *ps, const char *at);
struct ppi_node *ppi_parse_baseline (struct ppi_parser *ps, const char *at);
struct ppi_node *ppi_parse_site (struct ppi_parser *ps, const char *at, const char *from,
				 const char *end, const char *dot);

/* ---- between expr_names.c and expr_groups.c -------------------------------------------------- */

/*
 * A node for a reference; its texts are the caller's to copy. NULL: no memory, or too large; that
 * was told.
 */
struct ppi_ref *ppi_parse_reference (struct ppi_parser *ps, enum ppi_ref_kind kind, const char *at,
				     struct ppi_node **node);
char *ppi_parse_copy (struct ppi_parser *ps, const char *from, const char *to);
/* ".WORD" and "[10s]" of a metric at ps->p. */
bool ppi_parse_statistic (struct ppi_parser *ps, struct ppi_ref *ref);
/* "{KEY = VALUE, …}" at ps->p, of REF, which is of that group then. */
bool ppi_parse_group (struct ppi_parser *ps, struct ppi_ref *ref);

#endif
