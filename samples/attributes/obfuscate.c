/* SPDX-License-Identifier: MIT */
/*
 * obfuscate.c: strategies that rewrite PicoJava programs: declarations get short names, uses the
 * names of what they refer to, which attributes tell; and a nested class is dissolved.
 */
#include "attribute.h"
#include "pico.h"
#include "programs.h"
#include "strategy.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 256 };

/* Declarations of the original program, and what they are called now. */
static struct {
	const struct term *declaration;
	char name[16];
} names[NAMES];
static unsigned n_names;

static const char *make_name (const struct term *declaration)
{
	if (n_names == NAMES)
		return pico_declared (declaration);
	names[n_names].declaration = declaration;
	snprintf (names[n_names].name, sizeof names[n_names].name, "n%u", n_names);
	return names[n_names++].name;
}

static const char *name_of (const struct term *declaration)
{
	for (unsigned i = 0; i < n_names; i++)
		if (names[i].declaration == declaration)
			return names[i].name;
	return "$UNDEF$";
}

static bool is_predefined (const struct term *use)
{
	return strcmp (use->child[0]->text, "int") == 0 ||
	       strcmp (use->child[0]->text, "boolean") == 0;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static struct term *decl_renamed (struct term *term)
{
	if (term->is == VarDecl)
		return term_with (term, 1, term_text (make_name (term)));
	return term->is == ClassDecl ? term_with (term, 0, term_text (make_name (term))) : NULL;
}

static struct term *predefined_kept (struct term *term)
{
	return term->is == Use && is_predefined (term) ? term : NULL;
}

static struct term *other_use (struct term *term)
{
	return term->is == Use && !is_predefined (term) ? term : NULL;
}

static struct term *use_renamed (struct term *term)
{
	return term->is == Use ? term_with (term, 0, term_text (name_of (pico_declaration (term))))
			       : NULL;
}

/* A list that begins with the class AA becomes its body's statements, and the list's rest. */
static struct term *class_removed (struct term *term)
{
	struct term *first = term->child[0], *statement[64], *list;
	unsigned n = 0;

	if (term->is != Cons || first->is != ClassDecl || strcmp (first->child[0]->text, "AA") != 0)
		return NULL;
	FOR_LIST (at, first->child[2]->child[0])
	if (n < 64)
		statement[n++] = at->child[0];
	for (list = term->child[1]; n;)
		list = term_new (Cons, statement[--n], list, NULL);
	return list;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void obfuscate (const struct strategy *uses)
{
	const struct strategy *decls =
		named ("obfuscateDecls",
		       topdown ("result", attempt (strategy_rule ("obfuscateDecl", decl_renamed))));
	struct term *program = pico_long_names (), *now;

	n_names = 0;
	terms_adopt (program);
	printf ("%zu terms\n", terms_in (program));
	now = apply (sequence ("obfuscateProgram", decls,
			       named ("obfuscateUses", topdown ("result", attempt (uses)))),
		     program);
	if (now)
		pico_print (now);
}

void program_obfuscate (void)
{
	obfuscate (choice ("<+", strategy_rule ("preservePredefinedUse", predefined_kept),
			   strategy_rule ("obfuscateNormalUse", use_renamed)));
}

void program_obfuscate_less (void)
{
	obfuscate (sequence ("<*", strategy_rule ("preservePredefinedUse", other_use),
			     strategy_rule ("obfuscateNormalUse", use_renamed)));
}

static void remove_class (const struct strategy *at_each)
{
	struct term *program = pico_nested (), *now = apply (topdown ("topdown", at_each), program);

	if (now)
		pico_print (now);
	else
		puts ("it failed");
}

void program_remove_class (void)
{
	remove_class (attempt (strategy_rule ("removeClass", class_removed)));
}

void program_remove_class_wrong (void)
{
	remove_class (strategy_rule ("removeClass", class_removed));
}
