/* SPDX-License-Identifier: MIT */
/* attribute.c: see attribute.h. */
#include "attribute.h"
#include "counts.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 17, TEXTS = 1 << 12, ROUNDS = 100 };

enum state { NEVER, RUNNING, KEPT };

struct memo {
	const struct term *node;
	const char *parameter;
	unsigned attribute;
	enum state state;
	outcome is;
};

static struct memo memo[TABLE];
static unsigned memos, attributes, n_texts;
static const char *texts[TEXTS];

static uint64_t mix (uint64_t a, uint64_t b)
{
	uint64_t sum = (a ^ b << 21) * UINT64_C (0x9e3779b97f4a7c15);

	return sum ^ sum >> 32;
}

static void give_up (const char *what, const struct attribute *attribute, const struct term *node)
{
	fprintf (stderr, "attributes: %s: %s at %s\n", what, attribute->name, node->shown);
	exit (1);
}

/* Where the value of ATTRIBUTE at NODE is, or will be. */
static struct memo *memo_of (struct attribute *attribute, const struct term *node,
			     const char *parameter)
{
	uint64_t hash;
	struct memo *m;

	if (!attribute->number)
		attribute->number = ++attributes;
	hash = mix (mix (node->id, attribute->number), (uintptr_t) parameter);
	for (m = &memo[hash % TABLE]; m->node; m = m == &memo[TABLE - 1] ? memo : m + 1)
		if (m->node == node && m->attribute == attribute->number &&
		    m->parameter == parameter)
			return m;
	if (++memos > TABLE / 2)
		give_up ("too many values", attribute, node);
	*m = (struct memo){node, parameter, attribute->number, NEVER, {.number = 0}};
	return m;
}

/* Entries stay where they are: the equation may ask for others meanwhile. */
static outcome until_it_stays (const struct attribute *attribute, struct term *node,
			       const char *parameter, struct memo *m)
{
	m->is = attribute->first;
	for (int i = 0; i < ROUNDS; i++) {
		outcome now = attribute->equation (node, parameter);

		if (now.term == m->is.term)
			return now;
		m->is = now;
	}
	give_up ("no fixed point", attribute, node);
	return m->is;
}

static outcome compute (struct attribute *attribute, struct term *node, const char *parameter,
			struct memo *m)
{
	if (m->state == RUNNING) {
		if (!attribute->is_circular)
			give_up ("a cycle", attribute, node);
		return m->is;
	}
	m->state = RUNNING;
	m->is = attribute->is_circular ? until_it_stays (attribute, node, parameter, m)
				       : attribute->equation (node, parameter);
	m->state = KEPT;
	return m->is;
}

outcome evaluate (struct attribute *attribute, struct term *node, const char *parameter)
{
	struct memo *m = memo_of (attribute, node, parameter);
	outcome is;

	count_event ("AttrEval", attribute->name, constructor_name (node->is), m->state == KEPT);
	{
		/* what is in brackets is computed where somebody wants to know it */
#pragma pp interval AttrEval dim(                                                                  \
	name = attribute->name, type = constructor_name(node->is), subject = node->shown,          \
	cached = m->state == KEPT ? "true" : "false", parameter = parameter,                       \
	circular = attribute->is_circular ? "true" : "false")
		is = m->state == KEPT ? m->is : compute (attribute, node, parameter, m);
	}
	return is;
}

const char *intern (const char *text)
{
	uint64_t hash = 1;
	unsigned at;

	for (const char *c = text; *c; c++)
		hash = mix (hash, (unsigned char) *c);
	for (at = hash % TEXTS; texts[at]; at = (at + 1) % TEXTS)
		if (strcmp (texts[at], text) == 0)
			return texts[at];
	if (++n_texts > TEXTS / 2) {
		fprintf (stderr, "attributes: too many texts\n");
		exit (1);
	}
	return texts[at] = terms_keep (text);
}

void attributes_forget (void)
{
	memset (memo, 0, sizeof memo);
	memset (texts, 0, sizeof texts);
	memos = n_texts = 0;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* The last node among TERM's children before LIMIT, those in lists and options, too; NULL: none. */
static struct term *node_before (struct term *term, const struct term *limit, bool *met)
{
	struct term *last = NULL;

	for (unsigned i = 0; i < term->n && !*met; i++) {
		struct term *child = term->child[i], *inner;

		if (child == limit) {
			*met = true;
		} else if (child->is > None) {
			last = child;
		} else {
			inner = node_before (child, limit, met);
			last = inner ? inner : last;
		}
	}
	return last;
}

outcome chain_in (struct chain *chain, struct term *node)
{
	outcome is = chain->root;
	struct term *before;
	bool met = false;

	if (node->parent) {
		before = node_before (node->parent, node, &met);
		is = before ? evaluate (&chain->out, before, NULL)
			    : evaluate (&chain->in, node->parent, NULL);
	}
	return chain->update ? chain->update (node, is) : is;
}

outcome chain_out (struct chain *chain, struct term *node)
{
	bool met = false;
	struct term *last = node_before (node, NULL, &met);

	return last ? evaluate (&chain->out, last, NULL) : evaluate (&chain->in, node, NULL);
}
