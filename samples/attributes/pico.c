/* SPDX-License-Identifier: MIT */
/* pico.c: see pico.h. */
#include "pico.h"

#include <stdio.h>

static struct term *use (const char *name)
{
	return term_new (Use, term_text (name), NULL, NULL);
}

static struct term *dot (const char *object, const char *name)
{
	return term_new (Dot, use (object), use (name), NULL);
}

static struct term *variable (const char *type, const char *name)
{
	return term_new (VarDecl, use (type), term_text (name), NULL);
}

static struct term *assign (struct term *to, struct term *from)
{
	return term_new (AssignStmt, to, from, NULL);
}

static struct term *block (struct term *list)
{
	return term_new (Block, list, NULL, NULL);
}

static struct term *class_of (const char *name, const char *super, struct term *list)
{
	struct term *none = super ? term_new (Some, use (super), NULL, NULL)
				  : term_new (None, NULL, NULL, NULL);

	return term_new (ClassDecl, term_text (name), none, block (list));
}

/*
 * class A { int y; AA a; y = a.x; class AA { int x; } class BB extends AA { BB b; b.y = b.x; } }
 * b.y is wrong: neither BB nor AA has a y.
 */
static struct term *nested_class (void)
{
	return class_of (
		"A", NULL,
		term_list (variable ("int", "y"), variable ("AA", "a"),
			   assign (use ("y"), dot ("a", "x")),
			   class_of ("AA", NULL, term_list (variable ("int", "x"), LIST_END)),
			   class_of ("BB", "AA",
				     term_list (variable ("BB", "b"),
						assign (dot ("b", "y"), dot ("b", "x")), LIST_END)),
			   LIST_END));
}

struct term *pico_nested (void)
{
	return term_new (Program, block (term_list (nested_class (), LIST_END)), NULL, NULL);
}

struct term *pico_many (unsigned count)
{
	struct term *list = term_new (Nil, NULL, NULL, NULL);

	while (count--)
		list = term_new (Cons, nested_class (), list, NULL);
	return term_new (Program, block (list), NULL, NULL);
}

struct term *pico_long_names (void)
{
	struct term *nested = class_of ("NestedClass", NULL,
					term_list (variable ("int", "item"),
						   assign (use ("avar"), use ("item")), LIST_END));
	struct term *a_long =
		class_of ("ALongClassName", NULL,
			  term_list (variable ("int", "avar"), variable ("int", "bvar"), nested,
				     variable ("NestedClass", "object"),
				     assign (dot ("object", "item"), use ("bvar")), LIST_END));
	struct term *another = class_of (
		"AnotherClassName", NULL,
		term_list (variable ("int", "avar"), variable ("ALongClassName", "object"),
			   assign (use ("avar"), dot ("object", "bvar")), LIST_END));

	return term_new (Program, block (term_list (a_long, another, LIST_END)), NULL, NULL);
}

bool pico_is_declaration (const struct term *term)
{
	return term->is >= ClassDecl && term->is <= VarDecl;
}

const char *pico_declared (const struct term *term)
{
	return !pico_is_declaration (term) ? NULL : term->child[term->is == VarDecl ? 1 : 0]->text;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_access (const struct term *access)
{
	if (access->is == Dot) {
		print_access (access->child[0]);
		putchar ('.');
		print_access (access->child[1]);
	} else {
		fputs (access->child[0]->text, stdout);
	}
}

static void print_block (const struct term *block, unsigned depth);

static void print_statement (const struct term *s, unsigned depth)
{
	printf ("%*s", (int) (2 * depth), "");
	switch (s->is) {
	case ClassDecl:
		printf ("class %s ", s->child[0]->text);
		if (s->child[1]->is == Some) {
			fputs ("extends ", stdout);
			print_access (s->child[1]->child[0]);
			putchar (' ');
		}
		print_block (s->child[2], depth);
		return;
	case VarDecl:
		print_access (s->child[0]);
		printf (" %s;\n", s->child[1]->text);
		return;
	case WhileStmt:
		fputs ("while ", stdout);
		print_access (s->child[0]);
		putchar ('\n');
		print_statement (s->child[1], depth + 1);
		return;
	default:
		print_access (s->child[0]);
		fputs (" = ", stdout);
		print_access (s->child[1]);
		fputs (";\n", stdout);
	}
}

static void print_block (const struct term *block, unsigned depth)
{
	fputs ("{\n", stdout);
	FOR_LIST (at, block->child[0])
	print_statement (at->child[0], depth + 1);
	printf ("%*s}\n", (int) (2 * depth), "");
}

void pico_print (const struct term *program)
{
	print_block (program->child[0], 0);
}
