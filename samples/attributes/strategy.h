/* SPDX-License-Identifier: MIT */
/*
 * strategy.h: strategic rewriting: a strategy turns a term into another one, or fails. Rules are
 * functions; operators make strategies of others. Each application is an event, StratEval, with the
 * dimensions name, strategy, subject and type (of the term), and result: "success" or "failure".
 */
#ifndef ATTRIBUTES_STRATEGY_H
#define ATTRIBUTES_STRATEGY_H

#include "term.h"

struct strategy;

/* A rule's term; NULL: it does not match. */
typedef struct term *(*rule_fn) (struct term *term);

/* All live until strategies_free. Names stay the caller's. */
const struct strategy *strategy_rule (const char *name, rule_fn rule);
/* B, of what A made. / A, or where that fails B. */
const struct strategy *sequence (const char *name, const struct strategy *a,
				 const struct strategy *b);
const struct strategy *choice (const char *name, const struct strategy *a,
			       const struct strategy *b);
/* S to each child; fails where it fails for one. Without children nothing happens. */
const struct strategy *all (const struct strategy *s);
/* S, or nothing where that fails. */
const struct strategy *attempt (const struct strategy *s);
/* S at each term of a tree: before its children, AGAIN is what the applications are called; */
const struct strategy *topdown (const char *again, const struct strategy *s);
/* after them: that at the root is called FIRST, the others "bottomup". */
const struct strategy *bottomup (const char *first, const struct strategy *s);
/* S by another name: an application more. */
const struct strategy *named (const char *name, const struct strategy *s);

/* NULL: it failed. */
struct term *apply (const struct strategy *strategy, struct term *term);

void strategies_free (void);

#endif
