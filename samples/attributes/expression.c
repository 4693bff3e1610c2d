/* SPDX-License-Identifier: MIT */
/*
 * expression.c: constant expressions: 3 + 4 * 5 is evaluated by two attributes, and
 * 0 + (1 * (5 + 4) + 0) is simplified by a strategy.
 */
#include "attribute.h"
#include "programs.h"
#include "strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct term *binary (enum constructor is, struct term *a, struct term *b)
{
	return term_new (is, a, b, NULL);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static outcome value_at (struct term *e, const char *parameter);
static outcome iszero_at (struct term *e, const char *parameter);
static struct attribute value_of = {.name = "value", .equation = value_at};
static struct attribute iszero = {.name = "iszero", .equation = iszero_at};

static outcome value_at (struct term *e, const char *parameter)
{
	long a, b;

	(void) parameter;
	if (e->is == Num)
		return (outcome){.number = strtol (e->child[0]->text, NULL, 10)};
	a = evaluate (&value_of, e->child[0], NULL).number;
	b = evaluate (&value_of, e->child[1], NULL).number;
	return (outcome){.number = e->is == Add ? a + b : a * b};
}

static outcome iszero_at (struct term *e, const char *parameter)
{
	(void) parameter;
	return (outcome){.number = evaluate (&value_of, e, NULL).number == 0};
}

void program_value (void)
{
	struct term *e =
		binary (Add, term_number (3), binary (Mul, term_number (4), term_number (5)));

	terms_adopt (e);
	printf ("iszero %s\n", evaluate (&iszero, e, NULL).number ? "true" : "false");
	printf ("value %ld\n", evaluate (&value_of, e, NULL).number);
}

/* ---- a strategy ------------------------------------------------------------------------------ */

static bool is_number (const struct term *e, const char *digits)
{
	return e->is == Num && strcmp (e->child[0]->text, digits) == 0;
}

/* Each term has one case at least: nothing to be done is one of them. */
static struct term *simplified (struct term *e)
{
	struct term *a = e->child[0], *b = e->child[1];

	if (e->is == Add && is_number (a, "0"))
		return b;
	if (e->is == Add && is_number (b, "0"))
		return a;
	if (e->is == Mul && is_number (a, "1"))
		return b;
	if (e->is == Mul && is_number (b, "1"))
		return a;
	if (e->is == Mul && (is_number (a, "0") || is_number (b, "0")))
		return term_number (0);
	return e;
}

static void print_expression (const struct term *e)
{
	if (e->is == Num) {
		fputs (e->child[0]->text, stdout);
		return;
	}
	fputs ("(", stdout);
	print_expression (e->child[0]);
	fputs (e->is == Add ? " + " : " * ", stdout);
	print_expression (e->child[1]);
	fputs (")", stdout);
}

void program_optimise (void)
{
	const struct strategy *optimise =
		bottomup ("optimise", strategy_rule ("simplify", simplified));
	struct term *e = binary (Add, term_number (0),
				 binary (Add,
					 binary (Mul, term_number (1),
						 binary (Add, term_number (5), term_number (4))),
					 term_number (0)));

	print_expression (apply (optimise, e));
	putchar ('\n');
}
