/* SPDX-License-Identifier: MIT */
/*
 * names.c: name analysis of PicoJava by attributes that are looked up: to what does a use of a name
 * refer? The equations are those of the JastAdd example that the literature describes: a use asks
 * the statements, blocks and classes around it, a qualified one the type of what qualifies it.
 */
#include "attribute.h"
#include "pico.h"
#include "programs.h"

#include <stdio.h>
#include <string.h>

#define ATTRIBUTE(name)                                                                            \
	static outcome name##_at (struct term *node, const char *parameter);                       \
	static struct attribute name = {#name, name##_at, false, {.number = 0}, 0};

ATTRIBUTE (decl)
ATTRIBUTE (lookup)
ATTRIBUTE (localLookup)
ATTRIBUTE (remoteLookup)
ATTRIBUTE (unknownDecl)
ATTRIBUTE (tipe)
ATTRIBUTE (superClass)
ATTRIBUTE (isUnknown)
ATTRIBUTE (isSubtypeOf)
ATTRIBUTE (predefined)
static outcome hasCycle_at (struct term *node, const char *parameter);
static struct attribute hasCycle = {"hasCycle", hasCycle_at, true, {.number = 1}, 0};

static struct term *term_of (struct attribute *attribute, struct term *node, const char *parameter)
{
	return evaluate (attribute, node, parameter).term;
}

static outcome term_value (struct term *term)
{
	return (outcome){.term = term};
}

static bool is_unknown (struct term *declaration)
{
	return evaluate (&isUnknown, declaration, NULL).number;
}

static outcome isUnknown_at (struct term *node, const char *parameter)
{
	(void) parameter;
	return (outcome){.number = node->is == UnknownDecl};
}

/* ---- what a use refers to -------------------------------------------------------------------- */

static outcome decl_at (struct term *node, const char *parameter)
{
	(void) parameter;
	return term_value (node->is == Dot
				   ? term_of (&decl, node->child[1], NULL)
				   : term_of (&lookup, node, intern (node->child[0]->text)));
}

/* In the superclass of the class around BLOCK, or where the class is. */
static struct term *from_class (struct term *class_decl, const char *name)
{
	struct term *super = term_of (&superClass, class_decl, NULL);

	if (super && !is_unknown (term_of (&remoteLookup, super, name)))
		return term_of (&remoteLookup, term_of (&superClass, class_decl, NULL), name);
	return term_of (&lookup, class_decl, name);
}

static struct term *from_statement (struct term *node, const char *name)
{
	struct term *local;

	if (node->parent->is != Block)
		return term_of (&lookup, node->parent, name);
	local = term_of (&localLookup, node->parent, name);
	return is_unknown (local) ? term_of (&lookup, node->parent, name) : local;
}

static outcome lookup_at (struct term *node, const char *name)
{
	struct term *parent = node->parent, *type;

	switch (node->is) {
	case Block:
		return term_value (parent->is == Program ? term_of (&localLookup, parent, name)
							 : from_class (parent, name));
	case ClassDecl:
	case VarDecl:
	case AssignStmt:
	case WhileStmt:
		return term_value (from_statement (node, name));
	case Use:
		if (parent->is != Dot || parent->child[1] != node)
			return term_value (term_of (&lookup, parent, name));
		type = term_of (&tipe, term_of (&decl, parent->child[0], NULL), NULL);
		return term_value (term_of (&remoteLookup, type, name));
	default:
		return term_value (term_of (&lookup, parent, name));
	}
}

/* ---- declarations of a block, a class, the program ------------------------------------------- */

/* A list of them. They are in no tree: what they ask of their parent is not asked. */
static outcome predefined_at (struct term *node, const char *parameter)
{
	(void) node, (void) parameter;
	return term_value (term_list (term_new (UnknownDecl, term_text ("$unknown"), NULL, NULL),
				      term_new (PrimitiveDecl, term_text ("boolean"), NULL, NULL),
				      term_new (PrimitiveDecl, term_text ("int"), NULL, NULL),
				      LIST_END));
}

static outcome localLookup_at (struct term *node, const char *name)
{
	struct term *list =
		node->is == Program ? term_of (&predefined, node, NULL) : node->child[0];

	FOR_LIST (at, list)
	if (pico_is_declaration (at->child[0]) && strcmp (pico_declared (at->child[0]), name) == 0)
		return term_value (at->child[0]);
	return term_value (term_of (&unknownDecl, node, NULL));
}

static outcome remoteLookup_at (struct term *node, const char *name)
{
	struct term *super;

	if (node->is != ClassDecl)
		return term_value (term_of (&unknownDecl, node, NULL));
	if (!is_unknown (term_of (&localLookup, node->child[2], name)))
		return term_value (term_of (&localLookup, node->child[2], name));
	super = term_of (&superClass, node, NULL);
	if (super && !is_unknown (term_of (&remoteLookup, super, name)))
		return term_value (
			term_of (&remoteLookup, term_of (&superClass, node, NULL), name));
	return term_value (term_of (&unknownDecl, node, NULL));
}

/* Asked for upwards; what is in no tree is predefined, and a primitive type has no members. */
static outcome unknownDecl_at (struct term *node, const char *parameter)
{
	(void) parameter;
	if (node->is == Program)
		return term_value (term_of (&localLookup, node, intern ("$unknown")));
	return term_value (node->parent ? term_of (&unknownDecl, node->parent, NULL) : node);
}

/* ---- types ----------------------------------------------------------------------------------- */

static outcome tipe_at (struct term *node, const char *parameter)
{
	(void) parameter;
	switch (node->is) {
	case ClassDecl:
	case PrimitiveDecl:
	case UnknownDecl:
		return term_value (node);
	case VarDecl:
		return term_value (term_of (&tipe, term_of (&decl, node->child[0], NULL), NULL));
	case Use:
		return term_value (term_of (&tipe, term_of (&decl, node, NULL), NULL));
	case Dot:
		return term_value (term_of (&tipe, node->child[1], NULL));
	default:
		return term_value (term_of (&unknownDecl, node, NULL));
	}
}

static outcome superClass_at (struct term *node, const char *parameter)
{
	struct term *super = node->child[1];

	(void) parameter;
	if (super->is == None || term_of (&decl, super->child[0], NULL)->is != ClassDecl ||
	    evaluate (&hasCycle, node, NULL).number)
		return term_value (NULL);
	return term_value (term_of (&decl, super->child[0], NULL));
}

/* Circular: true until it is known to be false. */
static outcome hasCycle_at (struct term *node, const char *parameter)
{
	struct term *super = node->child[1];

	(void) parameter;
	if (super->is == None)
		return (outcome){.number = 0};
	super = term_of (&decl, super->child[0], NULL);
	return super->is == ClassDecl ? evaluate (&hasCycle, super, NULL) : (outcome){.number = 0};
}

/* Is NODE, a type, one whose values may be assigned to the class that PARAMETER names? */
static outcome isSubtypeOf_at (struct term *node, const char *parameter)
{
	struct term *super;

	if (node->is == UnknownDecl || strcmp (parameter, "$unknown") == 0 ||
	    strcmp (node->child[0]->text, parameter) == 0)
		return (outcome){.number = 1};
	super = node->is == ClassDecl ? term_of (&superClass, node, NULL) : NULL;
	return super ? evaluate (&isSubtypeOf, super, parameter) : (outcome){.number = 0};
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static bool is_qualified (const struct term *use)
{
	return use->parent->is == Dot && use->parent->child[1] == use;
}

static const char *wrong_of (struct term *node)
{
	struct term *to;

	if (node->is == AssignStmt) {
		to = term_of (&tipe, node->child[0], NULL);
		if (!evaluate (&isSubtypeOf, term_of (&tipe, node->child[1], NULL),
			       intern (to->child[0]->text))
			     .number)
			return "a value of another type is assigned";
	} else if (node->is == ClassDecl) {
		if (evaluate (&hasCycle, node, NULL).number)
			return "a class is its own superclass";
	} else if (node->is == Use && is_unknown (term_of (&decl, node, NULL))) {
		if (!is_qualified (node) ||
		    !is_unknown (term_of (&tipe, node->parent->child[0], NULL)))
			return "unknown name";
	}
	return NULL;
}

unsigned pico_check (struct term *node, bool print)
{
	unsigned wrong = 0;
	const char *what;

	for (unsigned i = 0; i < node->n; i++)
		wrong += pico_check (node->child[i], print);
	what = wrong_of (node);
	if (what && print)
		printf ("%s: %s\n", what, node->shown);
	return wrong + (what != NULL);
}

struct term *pico_declaration (struct term *access)
{
	return term_of (&decl, access, NULL);
}

void program_names (void)
{
	struct term *program = pico_nested ();

	terms_adopt (program);
	pico_check (program, true);
}

/* As many nodes, and evaluations, as a compiler for Oberon-0 met in 54 test programs. */
void program_load (void)
{
	struct term *program = pico_many (98);

	terms_adopt (program);
	for (unsigned round = 0; round < 6; round++)
		pico_check (program, false);
	printf ("%zu nodes\n", terms_in (program));
}
