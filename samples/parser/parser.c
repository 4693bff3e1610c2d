/* SPDX-License-Identifier: MIT */
/*
 * parser.c: a backtracking parser whose profile shows what backtracking costs: which tokens are read
 * again, and under which rule. A rule tries its alternatives in their order, and goes back to where
 * it began when one fails:
 *
 *     statement   assignment | call | declaration
 *     assignment  NAME "=" expression ";"            call        NAME "(" expression ")" ";"
 *     declaration NAME NAME ";"
 *     expression  term "+" expression | term         term        factor "*" term | factor
 *     factor      NUMBER | NAME | "(" expression ")"
 *
 * `expression` reads a whole term before it sees that there is no "+", and then reads it again. So
 * does `term`: a number in N pairs of parentheses is read 4^(N+1) times. The other grammar has what
 * alternatives begin with in front of them, and never goes back:
 *
 *     expression  term [ "+" expression ]            term        factor [ "*" term ]
 *     statement   NAME ( "=" expression | "(" expression ")" | NAME ) ";"
 *
 * Prints what it counted itself: "rule NAME APPLIED FAILED", "token TEXT READ AGAIN".
 */
#include <pp.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPTURED __attribute__ ((unused))

enum { TOKENS = 4096, TEXT = 16 };
enum rule { STATEMENT, ASSIGNMENT, CALL, DECLARATION, EXPRESSION, TERM, FACTOR, RULES };

static const char *const rule_name[RULES] = {"statement",  "assignment", "call",  "declaration",
					     "expression", "term",       "factor"};

/* What is parsed: tokens, up to an empty one. */
static char token[TOKENS][TEXT];
static unsigned n_tokens, at, furthest;

static struct {
	unsigned long applied, failed;
} of_rule[RULES];
static struct {
	unsigned long read, again;
} of_token[TOKENS];

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_wanted (const char *is, const char *wanted)
{
	if (strcmp (wanted, "NUMBER") == 0)
		return isdigit ((unsigned char) *is);
	if (strcmp (wanted, "NAME") == 0)
		return isalpha ((unsigned char) *is);
	return strcmp (is, wanted) == 0;
}

/* Reads the next token, and takes it if it is what is WANTED. */
static bool reads (const char *wanted)
{
	const char *is = token[at];
	CAPTURED const char *read = at < furthest ? "again" : "first";
	bool fits;

	of_token[at].read++;
	of_token[at].again += at < furthest;
	{
#pragma pp interval token dim(token = is, wanted = wanted, place = at, read = read)
		fits = is_wanted (is, wanted);
	}
	furthest = at + 1 > furthest ? at + 1 : furthest;
	at += fits;
	return fits;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool expression (bool is_factored);

static bool assignment (bool is_factored)
{
	return reads ("NAME") && reads ("=") && expression (is_factored) && reads (";");
}

static bool call (bool is_factored)
{
	return reads ("NAME") && reads ("(") && expression (is_factored) && reads (")") &&
	       reads (";");
}

static bool declaration (void)
{
	bool has_type = reads ("NAME");

	return has_type && reads ("NAME") && reads (";");
}

static bool apply (enum rule rule, bool is_factored);

/* Back to FROM, where an alternative has failed. */
static bool back (unsigned from)
{
	at = from;
	return true;
}

static bool statement_of (bool is_factored)
{
	unsigned from = at;

	if (!is_factored)
		return apply (ASSIGNMENT, false) || (back (from) && apply (CALL, false)) ||
		       (back (from) && apply (DECLARATION, false));
	return reads ("NAME") &&
	       (reads ("=")   ? apply (EXPRESSION, true)
		: reads ("(") ? apply (EXPRESSION, true) && reads (")")
			      : reads ("NAME")) &&
	       reads (";");
}

static bool chain_of (enum rule first, const char *sign, enum rule rest, bool is_factored)
{
	unsigned from = at;

	if (is_factored)
		return apply (first, true) && (!reads (sign) || apply (rest, true));
	return (apply (first, false) && reads (sign) && apply (rest, false)) ||
	       (back (from) && apply (first, false));
}

static bool factor_of (bool is_factored)
{
	return reads ("NUMBER") || reads ("NAME") ||
	       (reads ("(") && apply (EXPRESSION, is_factored) && reads (")"));
}

static bool alternatives (enum rule rule, bool is_factored)
{
	switch (rule) {
	case STATEMENT:
		return statement_of (is_factored);
	case ASSIGNMENT:
		return assignment (is_factored);
	case CALL:
		return call (is_factored);
	case DECLARATION:
		return declaration ();
	case EXPRESSION:
		return chain_of (TERM, "+", EXPRESSION, is_factored);
	case TERM:
		return chain_of (FACTOR, "*", TERM, is_factored);
	default:
		return factor_of (is_factored);
	}
}

/* One application is one event: which rule, where it began, how many tokens it took, and whether it fitted. */
static bool apply (enum rule rule, bool is_factored)
{
	CAPTURED const char *name = rule_name[rule];
	unsigned from = at;
	bool fits;

	of_rule[rule].applied++;
	{
#pragma pp interval rule dim(rule = name, place = from)
		fits = alternatives (rule, is_factored);
		pp_dim ("result", fits ? "fits" : "fails");
		pp_dim ("took", fits ? (int) (at - from) : 0);
	}
	of_rule[rule].failed += !fits;
	return fits;
}

static bool expression (bool is_factored)
{
	return apply (EXPRESSION, is_factored);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void split (const char *text)
{
	while (*text) {
		size_t n = isalnum ((unsigned char) *text)
				   ? strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789")
				   : 1;

		if (*text != ' ' && n_tokens < TOKENS - 1 && n < TEXT)
			memcpy (token[n_tokens++], text, n);
		text += n;
	}
}

static int usage (void)
{
	fputs ("usage: parser backtracking|factored TEXT\n"
	       "Parses statements, \"a = (((1)));\", by that grammar. PP_POLICY=policy.yaml "
	       "records "
	       "it.\n",
	       stderr);
	return 2;
}

int main (int argc, char **argv)
{
	bool is_factored = argc == 3 && strcmp (argv[1], "factored") == 0;

	if (argc != 3 || (!is_factored && strcmp (argv[1], "backtracking") != 0))
		return usage ();
	split (argv[2]);
	while (at < n_tokens && apply (STATEMENT, is_factored))
		;
	for (unsigned i = 0; i < RULES; i++)
		if (of_rule[i].applied)
			printf ("rule %s %lu %lu\n", rule_name[i], of_rule[i].applied,
				of_rule[i].failed);
	for (unsigned i = 0; i < n_tokens; i++)
		printf ("token %u:%s %lu %lu\n", i, token[i], of_token[i].read, of_token[i].again);
	if (at == n_tokens)
		return 0;
	fprintf (stderr, "parser: what is at token %u is no statement\n", furthest - 1);
	return 1;
}
