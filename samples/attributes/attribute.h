/* SPDX-License-Identifier: MIT */
/*
 * attribute.h: attributes of the nodes of a tree, evaluated when they are asked for, and kept: a
 * dynamically scheduled attribute grammar. An attribute is a function of a node, and perhaps of a
 * parameter; its equation asks for others, at this node or elsewhere.
 *
 * Each evaluation is an event, AttrEval, with the dimensions name, type and subject (of the node),
 * parameter, circular, and cached: whether the value was there already.
 */
#ifndef ATTRIBUTES_ATTRIBUTE_H
#define ATTRIBUTES_ATTRIBUTE_H

#include "term.h"

#include <stdint.h>

typedef union {
	struct term *term;
	const struct scope *scope; /* of who has such values */
	long number;
} outcome;

struct attribute {
	const char *name;
	outcome (*equation) (struct term *node, const char *parameter);
	bool is_circular; /* evaluated again until its value stays; at first it is FIRST */
	outcome first;
	unsigned number; /* set at the first evaluation */
};

/* PARAMETER: one of intern's, or NULL. An attribute that depends on itself ends the program. */
outcome evaluate (struct attribute *attribute, struct term *node, const char *parameter);

/* The same address for the same text. */
const char *intern (const char *text);

/* All values are forgotten; so are texts. */
void attributes_forget (void);

/*
 * A chain: a value that is threaded through the tree, depth first, from left to right: what comes
 * into a node from its parent or what is left of it, and what goes out of it again.
 */
struct chain {
	struct attribute in, out; /* their equations call chain_in and chain_out */
	outcome root;             /* what comes into the root */
	/* what becomes of the value where it comes into NODE; NULL: it stays */
	outcome (*update) (struct term *node, outcome in);
};

outcome chain_in (struct chain *chain, struct term *node);
outcome chain_out (struct chain *chain, struct term *node);

#endif
