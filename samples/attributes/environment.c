/* SPDX-License-Identifier: MIT */
/*
 * environment.c: name analysis of PicoJava the other way round: an environment, what is declared
 * and seen, is threaded through the tree by a chain, and a use looks into the one that reaches it.
 * It is compared with what the look-ups of names.c find.
 */
#include "attribute.h"
#include "pico.h"
#include "programs.h"

#include <stdio.h>
#include <string.h>

/* What is seen at a node: a declaration, and then all that is seen farther out. */
struct scope {
	struct term *declaration;
	const struct scope *outer;
};

static outcome env_in_at (struct term *node, const char *parameter);
static outcome env_out_at (struct term *node, const char *parameter);
static outcome enter (struct term *node, outcome in);
static struct chain env = {
	.in = {.name = "env_in", .equation = env_in_at},
	.out = {.name = "env_out", .equation = env_out_at},
	.update = enter,
};

static outcome env_in_at (struct term *node, const char *parameter)
{
	(void) parameter;
	return chain_in (&env, node);
}

static outcome env_out_at (struct term *node, const char *parameter)
{
	(void) parameter;
	return chain_out (&env, node);
}

static const struct scope *find (const struct scope *scope, const char *name)
{
	while (scope && strcmp (pico_declared (scope->declaration), name) != 0)
		scope = scope->outer;
	return scope;
}

static const struct scope *with (const struct scope *outer, struct term *declaration)
{
	struct scope *scope = terms_room (sizeof *scope);

	*scope = (struct scope){declaration, outer};
	return scope;
}

/* Classes of the same tree only have bodies; cycles end after as many classes as terms. */
static const struct scope *with_members (const struct scope *scope, const struct scope *outer,
					 struct term *class_decl, unsigned most)
{
	const struct scope *super = NULL;

	if (class_decl->child[1]->is == Some && most)
		super = find (outer, class_decl->child[1]->child[0]->child[0]->text);
	if (super && super->declaration->is == ClassDecl)
		scope = with_members (scope, outer, super->declaration, most - 1);
	FOR_LIST (at, class_decl->child[2]->child[0])
	if (pico_is_declaration (at->child[0]))
		scope = with (scope, at->child[0]);
	return scope;
}

/* In a block all of it is seen, and what its class inherits; behind it, what was before. */
static outcome enter (struct term *node, outcome in)
{
	if (node->is != Block)
		return in;
	if (node->parent->is == ClassDecl)
		return (outcome){
			.scope = with_members (in.scope, in.scope, node->parent, terms_made ())};
	FOR_LIST (at, node->child[0])
	if (pico_is_declaration (at->child[0]))
		in.scope = with (in.scope, at->child[0]);
	return in;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void compare (struct term *node, unsigned *uses, unsigned *same)
{
	const struct scope *seen;
	struct term *is;

	for (unsigned i = 0; i < node->n; i++)
		compare (node->child[i], uses, same);
	if (node->is != Use || (node->parent->is == Dot && node->parent->child[1] == node))
		return;
	is = pico_declaration (node);
	if (is->is == PrimitiveDecl)
		return;
	seen = find (evaluate (&env.in, node, NULL).scope, node->child[0]->text);
	++*uses;
	*same += seen && seen->declaration == is;
}

void program_environment (void)
{
	struct term *program = pico_nested ();
	unsigned uses = 0, same = 0;

	terms_adopt (program);
	compare (program, &uses, &same);
	printf ("%u of %u uses refer to the same declaration\n", same, uses);
}
