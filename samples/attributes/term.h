/* SPDX-License-Identifier: MIT */
/*
 * term.h: trees of an abstract syntax: what attributes are evaluated at, and strategies rewrite.
 *
 * A term is a constructor and its children; texts, lists and options are terms, too, so that a
 * strategy that goes through a whole tree sees each of them: a list is CONS (first, rest) or NIL, an
 * option SOME (x) or NONE. Terms never change: rewriting makes new ones, which share what is the
 * same. All of them live until terms_free.
 */
#ifndef ATTRIBUTES_TERM_H
#define ATTRIBUTES_TERM_H

#include <stdbool.h>
#include <stddef.h>

#define CONSTRUCTORS(X)                                                                            \
	X (Text)                                                                                   \
	X (Cons)                                                                                   \
	X (Nil)                                                                                    \
	X (Some)                                                                                   \
	X (None)                                                                                   \
	X (Num)                                                                                    \
	X (Add)                                                                                    \
	X (Mul)                                                                                    \
	X (Program)                                                                                \
	X (Block)                                                                                  \
	X (ClassDecl)                                                                              \
	X (PrimitiveDecl)                                                                          \
	X (UnknownDecl)                                                                            \
	X (VarDecl)                                                                                \
	X (AssignStmt)                                                                             \
	X (WhileStmt)                                                                              \
	X (Use)                                                                                    \
	X (Dot)                                                                                    \
	X (BooleanLiteral)

enum constructor {
#define X(name) name,
	CONSTRUCTORS (X)
#undef X
};

enum { CHILDREN = 3 };

struct term {
	enum constructor is;
	unsigned id;       /* from 1, in the order in which terms were made */
	const char *text;  /* of a Text */
	const char *shown; /* "Num(3)" where there are texts and nothing else in it, else "Add" */
	/* in the tree of the last terms_adopt; lists, options and texts are nobody's parent */
	struct term *parent;
	struct term *child[CHILDREN];
	unsigned n;
};

const char *constructor_name (enum constructor is);

/* Children are those up to the first NULL. */
struct term *term_new (enum constructor is, struct term *a, struct term *b, struct term *c);
struct term *term_text (const char *text);
struct term *term_number (long value);
/* A list of the terms up to LIST_END. */
#define LIST_END ((struct term *) NULL)
struct term *term_list (struct term *first, ...) __attribute__ ((sentinel));
/* The same term with another child. */
struct term *term_with (const struct term *term, unsigned child, struct term *now);

/* Tells each node of the tree who its parent is. */
void terms_adopt (struct term *root);
size_t terms_in (const struct term *root);
bool terms_equal (const struct term *a, const struct term *b);
unsigned terms_made (void);
void terms_free (void);

/* Bytes that live as long as terms do; TEXT for as long. */
void *terms_room (size_t bytes);
const char *terms_keep (const char *text);

#define FOR_LIST(at, list) for (struct term *at = (list); at->is == Cons; at = at->child[1])

#endif
