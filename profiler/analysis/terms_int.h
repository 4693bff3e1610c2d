/* SPDX-License-Identifier: MIT */
/* terms_int.h: what terms.c, terms_parse.c and terms_value.c share. */
#ifndef PPI_ANALYSIS_TERMS_INT_H
#define PPI_ANALYSIS_TERMS_INT_H

#include "profiler/analysis/terms.h"

#include <pp_analysis.h>

/* Operators and functions: id, word, how many operands. */
#define PPI_TERM_OPERATORS(X)                                                                      \
	X (OR, "or", 2)                                                                            \
	X (AND, "and", 2)                                                                          \
	X (NOT, "not", 1)                                                                          \
	X (EQUAL, "=", 2)                                                                          \
	X (UNEQUAL, "!=", 2)                                                                       \
	X (LESS, "<", 2)                                                                           \
	X (AT_MOST, "<=", 2)                                                                       \
	X (MORE, ">", 2)                                                                           \
	X (AT_LEAST, ">=", 2)                                                                      \
	X (LIKE, "~", 2)                                                                           \
	X (ADD, "+", 2)                                                                            \
	X (SUBTRACT, "-", 2)                                                                       \
	X (MULTIPLY, "*", 2)                                                                       \
	X (DIVIDE, "/", 2)                                                                         \
	X (REMAINDER, "%", 2)                                                                      \
	X (NEGATE, "-", 1)

#define PPI_TERM_FUNCTIONS(X)                                                                      \
	X (LOG2, "log2", 1)   /* ⌊log2 x⌋ */                                                   \
	X (LOG10, "log10", 1) /* ⌊log10 x⌋ */                                                  \
	X (FLOOR, "floor", 1)                                                                      \
	X (ROUND, "round", 1)                                                                      \
	X (ABS, "abs", 1)                                                                          \
	X (MIN, "min", 2)                                                                          \
	X (MAX, "max", 2)                                                                          \
	X (HASH, "hash", 1)                                                                        \
	X (HAS, "has", 1)                                                                          \
	X (LENGTH, "length", 1)

/* What is known of every record. */
#define PPI_TERM_DERIVED(X)                                                                        \
	X (EVENT, "event")                                                                         \
	X (LOCATION, "location")                                                                   \
	X (DEPENDS, "depends-on")                                                                  \
	X (DEPENDENCIES, "dependencies")                                                           \
	X (THREAD, "thread")                                                                       \
	X (SITE, "site")                                                                           \
	X (DEPTH, "depth")                                                                         \
	X (TIME, "time")                                                                           \
	X (BEGIN, "begin")

enum ppi_term_op {
	PPI_TERM_CONSTANT,
	PPI_TERM_SLOT,   /* A: which */
	PPI_TERM_MADE,   /* A: which of those that are made */
	PPI_TERM_PARENT, /* A of its parent */
	PPI_TERM_ROOT,   /* A of the outermost record around it */
#define X(id, word, n) PPI_TERM_##id,
	PPI_TERM_OPERATORS (X) PPI_TERM_FUNCTIONS (X)
#undef X
#define X(id, word) PPI_TERM_##id,
		PPI_TERM_DERIVED (X)
#undef X
};

struct ppi_term {
	enum ppi_term_op op;
	unsigned a, b; /* terms; of DEPENDS and DEPENDENCIES, A: which of the late ones */
	struct ppi_value constant;
	/* of LIKE: the text that was compared last, and whether it was like that */
	uint64_t last;
	bool was_like;
};

struct ppi_named_term {
	char *name;
	unsigned term;
};

enum {
	PPI_TERMS_MOST = 512,
	PPI_SLOTS_MOST = 64,
	PPI_LATE_MOST = 4,
	PPI_DEFINED_MOST = 32,
	PPI_MADE_MOST = 16
};

/* Ids of texts that were made here have this bit. */
#define PPI_OWN_TEXT UINT32_C (0x80000000)

struct ppi_terms {
	const struct ppi_query_source *source;
	struct ppi_term term[PPI_TERMS_MOST];
	unsigned n;
	uint32_t slot[PPI_SLOTS_MOST];
	bool seen[PPI_SLOTS_MOST];
	uint32_t n_slots;
	struct ppi_late_term late[PPI_LATE_MOST];
	unsigned n_late;
	struct ppi_named_term defined[PPI_DEFINED_MOST];
	unsigned n_defined;
	struct ppi_made made[PPI_MADE_MOST];
	uint32_t n_made;
	const struct pp_analysis_dimension *busy[PPI_MADE_MOST]; /* what these use is read now */
	uint32_t n_busy;
	uint32_t root, inner, leaf; /* texts */
	/* texts made here, and an open-addressed table of their numbers + 1 */
	char **own;
	uint32_t n_own, own_room;
	uint32_t *own_slot;
	uint32_t own_slots;
	/* texts of sites by their ids, + 1 */
	uint32_t *site;
	uint32_t sites;
	/* keys that records have, once they were looked for: texts, which end with NULL */
	const char **key;
	uint32_t n_keys;
};

/* ---- reading -------------------------------------------------------------------------------- */

enum { PPI_TERM_WORD = 128 };

struct ppi_term_parser {
	struct ppi_terms *terms;
	const char *text;
	size_t at;
	unsigned nested;
	bool in_late;
	char *why;
	size_t room;
};

/* No term: what is wrong was told. */
#define PPI_NO_TERM UINT32_MAX

/* Tells what is wrong at AT, unless something was told. */
unsigned ppi_term_fail (struct ppi_term_parser *p, size_t at, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));
void ppi_term_skip (struct ppi_term_parser *p);
/* How long the word at TEXT is; 0: there is none. Dots are part of it. */
size_t ppi_term_word_length (const char *text);
/* Takes SIGN, or the word, where it stands next. */
bool ppi_term_takes (struct ppi_term_parser *p, const char *sign);
unsigned ppi_term_condition (struct ppi_term_parser *p);
unsigned ppi_term_primary (struct ppi_term_parser *p);
/* Is NAME a function, or a derived dimension? */
bool ppi_term_is_taken (const char *name);

/* ---- plug-ins ------------------------------------------------------------------------------- */

/* The dimension of a plug-in's that is called NAME; NULL: there is none. */
const struct pp_analysis_dimension *ppi_terms_dimension (const struct ppi_terms *terms,
							 const char *name, const char **plugin);
/* Its values are wanted: the number of what is made, UINT32_MAX: what is wrong was told. */
uint32_t ppi_term_make (struct ppi_term_parser *p, size_t at,
			const struct pp_analysis_dimension *dimension, const char *plugin);
void ppi_terms_free_made (struct ppi_terms *terms);

/* ---- keys ----------------------------------------------------------------------------------- */

/* Which of NAMES, which end with NULL, is NAME mistyped? NULL: none. */
const char *ppi_terms_meant (const char *name, const char *const *names);
/* Fills in the keys that records have; false: no memory. */
bool ppi_terms_look_for_keys (struct ppi_terms *terms);
/* Is NAME among them? */
bool ppi_terms_is_key (struct ppi_terms *terms, const char *name);

#endif
