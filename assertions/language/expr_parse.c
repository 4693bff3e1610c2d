/* SPDX-License-Identifier: MIT */
/*
 * expr_parse.c: recursive descent over the text itself. The grammar, loosest first:
 *
 *     or  ←  and ("or" and)*           sum      ←  product (("+" | "-") product)*
 *     and ←  not ("and" not)*          product  ←  unary (("*" | "/") unary)*
 *     not ←  "not" not | comparison    unary    ←  "-" unary | primary
 *     comparison ← sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]         comparisons don't
 *                                                                            chain
 *     primary ← NUMBER [UNIT] | "(" or ")" | ("min" | "max") "(" or "," or ")" | "abs" "(" or ")" |
 *     "knob" "(" NAME ")"
 *             | "all" "(" NAME ")" "." STATISTIC | "all" "(" NAME "." STATISTIC ")"
 *             | "baseline" "(" NAME ["@" SITE] "." STATISTIC ")"
 *             | "any" "(" NAME "by" KEY ("," KEY)* ")" "." STATISTIC [WINDOW]
 *             | NAME ["@" SITE | GROUP] ["." WORD] [WINDOW] | SITE "." WORD | "static" "." WORD ["@" SITE]
 *
 *     WINDOW ← "[" NUMBER UNIT "]"        (behind a STATISTIC in "all" too)
 *     GROUP  ← "{" KEY "=" VALUE ("," KEY "=" VALUE)* "}"          (behind the NAME in "all" too)
 *     VALUE  ← TEXT in quotes | ["-"] NUMBER | "true" | "false" | "none"
 *
 * It stops at the first error: what follows a syntax error is guesswork.
 */
#include "assertions/language/expr_parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_node *parse_or (struct ppi_parser *ps);

void ppi_expr_error (const struct ppi_expr_errors *errors, size_t offset, const char *format, ...)
{
	char message[512];
	va_list ap;

	va_start (ap, format);
	vsnprintf (message, sizeof message, format, ap);
	va_end (ap);
	errors->error (errors->arg, offset, message);
}

struct ppi_node *ppi_parse_node (struct ppi_parser *ps, enum ppi_node_kind kind, const char *at)
{
	struct ppi_node *node;

	if (ps->tree->n_nodes == PPI_EXPR_NODES) {
		PPI_PARSE_FAIL (
			ps, at,
			"this expression is too large (more than %d operands and operators)",
			PPI_EXPR_NODES);
		return NULL;
	}
	node = &ps->tree->nodes[ps->tree->n_nodes++];
	node->kind = (uint8_t) kind;
	node->offset = node->operator= node->end = ppi_parse_offset (ps, at);
	return node;
}

static struct ppi_node *binary (struct ppi_parser *ps, enum ppi_node_kind kind, const char *op,
				struct ppi_node *left, struct ppi_node *right)
{
	struct ppi_node *node = left && right ? ppi_parse_node (ps, kind, op) : NULL;

	if (!node)
		return NULL;
	node->left = left;
	node->right = right;
	node->offset = left->offset;
	node->end = right->end;
	return node;
}

static struct ppi_node *unary (struct ppi_parser *ps, enum ppi_node_kind kind, const char *op,
			       struct ppi_node *operand)
{
	struct ppi_node *node = operand ? ppi_parse_node (ps, kind, op) : NULL;

	if (!node)
		return NULL;
	node->left = operand;
	node->end = operand->end;
	return node;
}

const char *ppi_parse_standing (const char *p, char *out, size_t room)
{
	const char *end = ppi_lex_name (p);
	int bytes = 1;

	if (!*p) {
		snprintf (out, room, "the end");
		return out;
	}
	if (end)
		bytes = (int) (end - p);
	else
		while ((p[bytes] & 0xc0) == 0x80)
			bytes++;
	snprintf (out, room, "'%.*s'", bytes, p);
	return out;
}

/* What other languages write for an operator, and what is meant. The longer ones first. */
static const struct slip {
	const char *text, *meant;
} slips[] = {{"&&", "and"},
	     {"&", "and"},
	     {"||", "or"},
	     {"|", "or"},
	     {"===", "=="},
	     {"!==", "!="},
	     {"<>", "!="},
	     {"=<", "<="},
	     {"=>", ">="},
	     {"<<", "<"},
	     {">>", ">"},
	     {"!", "not"},
	     {"=", "=="},
	     {"\xe2\x89\xa4", "<="},
	     {"\xe2\x89\xa5", ">="},
	     {"\xe2\x89\xa0", "!="},
	     {"\xc3\x97", "*"},
	     {"\xc2\xb7", "*"},
	     {"\xc3\xb7", "/"},
	     {"\xe2\x88\x92", "-"},
	     {"\xe2\x80\x93", "-"},
	     {"AND", "and"},
	     {"And", "and"},
	     {"OR", "or"},
	     {"Or", "or"},
	     {"NOT", "not"},
	     {"Not", "not"}};

static const struct slip *find_slip (const char *p)
{
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
		if (strncmp (p, slips[i].text, strlen (slips[i].text)) == 0 &&
		    (slips[i].text[0] < 'A' || slips[i].text[0] > 'Z' ||
		     ppi_lex_word (p, slips[i].text)))
			return &slips[i];
	return NULL;
}

/* True: an operator of another language stands at P, and that is told. */
static bool tell_slip (struct ppi_parser *ps, const char *p)
{
	const struct slip *slip = find_slip (p);

	if (slip)
		PPI_PARSE_FAIL (ps, p, "there is no operator '%s'; did you mean '%s'?", slip->text,
				slip->meant);
	return slip != NULL;
}

bool ppi_parse_expect (struct ppi_parser *ps, char c, const char *after)
{
	char found[80];

	ps->p = ppi_lex_blanks (ps->p);
	if (*ps->p == c) {
		ps->p++;
		return true;
	}
	if (!tell_slip (ps, ps->p))
		PPI_PARSE_FAIL (ps, ps->p, "expected '%c' %s, found %s", c, after,
				ppi_parse_standing (ps->p, found, sizeof found));
	return false;
}

/* A word behind a number that is nearly a unit: "2 millis" */
static bool tell_unit (struct ppi_parser *ps, const char *p)
{
	const char *at = ppi_lex_blanks (p), *end = ppi_lex_name (at), *nearest;
	char word[32];

	if (!end || ppi_lex_word (at, "and") || ppi_lex_word (at, "or") ||
	    ppi_lex_word (at, "not") || find_slip (at))
		return false;
	snprintf (word, sizeof word, "%.*s", (int) (end - at), at);
	nearest = ppi_quantity_nearest_unit (word);
	if (nearest)
		PPI_PARSE_FAIL (ps, at, "there is no unit '%s'; did you mean '%s'?", word, nearest);
	return nearest != NULL;
}

static struct ppi_node *parse_number (struct ppi_parser *ps)
{
	struct ppi_dimension dimension;
	const char *at = ps->p, *unit, *end;
	struct ppi_node *node;
	double value = 0;
	char word[32];

	switch (ppi_quantity_scan (at, &value, &dimension, &unit, &end)) {
	case PPI_QUANTITY_UNKNOWN_UNIT: {
		const char *nearest;

		snprintf (word, sizeof word, "%.*s", (int) (end - unit), unit);
		nearest = ppi_quantity_nearest_unit (word);
		if (nearest)
			PPI_PARSE_FAIL (ps, unit, "there is no unit '%s'; did you mean '%s'?", word,
					nearest);
		else
			PPI_PARSE_FAIL (ps, unit, "there is no unit '%s'", word);
		return NULL;
	}
	case PPI_QUANTITY_OK:
		break;
	default:
		PPI_PARSE_FAIL (ps, at, "this number can't be read");
		return NULL;
	}
	if (unit == end && tell_unit (ps, end))
		return NULL;
	node = ppi_parse_node (ps, PPI_NODE_NUMBER, at);
	if (!node)
		return NULL;
	ps->p = end;
	node->number = value;
	node->dimension = dimension;
	node->zero = value == 0 && unit == end;
	node->end = ppi_parse_offset (ps, end);
	return node;
}

static struct ppi_node *parse_function (struct ppi_parser *ps, enum ppi_node_kind kind,
					const char *at)
{
	struct ppi_node *left = parse_or (ps), *right = NULL, *node;

	if (left && kind != PPI_NODE_ABS) {
		if (!ppi_parse_expect (ps, ',', "between the two arguments"))
			return NULL;
		right = parse_or (ps);
		node = binary (ps, kind, at, left, right);
	} else {
		node = unary (ps, kind, at, left);
	}
	if (!node || !ppi_parse_expect (ps, ')', "after the arguments"))
		return NULL;
	node->offset = ppi_parse_offset (ps, at);
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

/* min( max( abs( knob( all( baseline( any(; false: none of them stands here */
static bool parse_call (struct ppi_parser *ps, struct ppi_node **node)
{
	static const struct {
		const char *name;
		enum ppi_node_kind kind;
	} functions[] = {{"min", PPI_NODE_MIN},    {"max", PPI_NODE_MAX},
			 {"abs", PPI_NODE_ABS},    {"knob", PPI_NODE_NUMBER},
			 {"all", PPI_NODE_NUMBER}, {"baseline", PPI_NODE_NUMBER},
			 {"any", PPI_NODE_NUMBER}};
	const char *at = ps->p, *end = ppi_lex_name (at), *open = ppi_lex_blanks (end);
	char name[80], found[80];

	if (*open != '(')
		return false;
	*node = NULL;
	ps->p = open + 1;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (ppi_lex_word (at, functions[i].name) != end)
			continue;
		*node = i == 3   ? ppi_parse_knob (ps, at)
			: i == 4 ? ppi_parse_all (ps, at)
			: i == 5 ? ppi_parse_baseline (ps, at)
			: i == 6 ? ppi_parse_any (ps, at)
				 : parse_function (ps, functions[i].kind, at);
		return true;
	}
	snprintf (name, sizeof name, "%s", ppi_parse_standing (at, found, sizeof found));
	if (ppi_lex_statistic (at, (size_t) (end - at)) >= 0)
		PPI_PARSE_FAIL (ps, at,
				"there is no function %s; a statistic stands behind its metric, "
				"like time.%.*s",
				name, (int) (end - at), at);
	PPI_PARSE_FAIL (ps, at,
			"there is no function %s; there are min, max, abs, all, any, baseline and "
			"knob",
			name);
	return true;
}

static struct ppi_node *parse_primary (struct ppi_parser *ps)
{
	struct ppi_node *node;
	char found[80];
	const char *at, *end;

	at = ps->p = ppi_lex_blanks (ps->p);
	if (*at >= '0' && *at <= '9')
		return parse_number (ps);
	if (*at == '(') {
		if (++ps->nesting > PPI_EXPR_NESTING) {
			PPI_PARSE_FAIL (ps, at, "parentheses are nested more than %d deep",
					PPI_EXPR_NESTING);
			return NULL;
		}
		ps->p++;
		node = parse_or (ps);
		ps->nesting--;
		return node && ppi_parse_expect (ps, ')', "to close '('") ? node : NULL;
	}
	if (*at == '\'' || *at == '"' || *at == '`') {
		end = ppi_lex_quoted (at);
		if (end)
			return ppi_parse_site (ps, at, at + 1, end - 1, end);
		PPI_PARSE_FAIL (ps, at, "the closing %c is missing", *at);
		return NULL;
	}
	if (*at && !ppi_lex_name (at) && tell_slip (ps, at))
		return NULL;
	end = ppi_lex_name (at);
	if (end && !ppi_lex_word (at, "and") && !ppi_lex_word (at, "or") &&
	    !ppi_lex_word (at, "not"))
		return parse_call (ps, &node) ? node : ppi_parse_named (ps);
	PPI_PARSE_FAIL (ps, at, "expected a number, a metric or '(', found %s",
			ppi_parse_standing (at, found, sizeof found));
	return NULL;
}

static struct ppi_node *parse_unary (struct ppi_parser *ps)
{
	const char *at = ps->p = ppi_lex_blanks (ps->p);
	struct ppi_node *operand;

	if (*at != '-')
		return parse_primary (ps);
	if (++ps->nesting > PPI_EXPR_NESTING) {
		PPI_PARSE_FAIL (ps, at, "this is nested more than %d deep", PPI_EXPR_NESTING);
		return NULL;
	}
	ps->p++;
	operand = parse_unary (ps);
	ps->nesting--;
	return unary (ps, PPI_NODE_NEG, at, operand);
}

static struct ppi_node *parse_product (struct ppi_parser *ps)
{
	struct ppi_node *left = parse_unary (ps);

	while (left) {
		const char *op = ps->p = ppi_lex_blanks (ps->p);

		if (*op != '*' && *op != '/')
			break;
		ps->p++;
		left = binary (ps, *op == '*' ? PPI_NODE_MUL : PPI_NODE_DIV, op, left,
			       parse_unary (ps));
	}
	return left;
}

static struct ppi_node *parse_sum (struct ppi_parser *ps)
{
	struct ppi_node *left = parse_product (ps);

	while (left) {
		const char *op = ps->p = ppi_lex_blanks (ps->p);

		if (*op != '+' && *op != '-')
			break;
		ps->p++;
		left = binary (ps, *op == '+' ? PPI_NODE_ADD : PPI_NODE_SUB, op, left,
			       parse_product (ps));
	}
	return left;
}

/* The comparison that stands at P and how long it is; false: none */
static bool comparison (const char *p, enum ppi_node_kind *kind, size_t *bytes)
{
	static const struct {
		const char *text;
		enum ppi_node_kind kind;
	} operators[] = {{"<=", PPI_NODE_LE}, {">=", PPI_NODE_GE}, {"==", PPI_NODE_EQ},
			 {"!=", PPI_NODE_NE}, {"<", PPI_NODE_LT},  {">", PPI_NODE_GT}};

	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		*bytes = strlen (operators[i].text);
		*kind = operators[i].kind;
		if (strncmp (p, operators[i].text, *bytes) == 0)
			return true;
	}
	return false;
}

/* One that begins with what is a comparison */
static bool is_longer_slip (const char *p)
{
	const struct slip *slip = find_slip (p);

	return slip && strlen (slip->text) > 1 && *p != '&' && *p != '|' && strchr ("<>=!", *p);
}

static struct ppi_node *parse_comparison (struct ppi_parser *ps)
{
	struct ppi_node *left = parse_sum (ps);
	enum ppi_node_kind kind, second;
	size_t bytes, more;
	const char *op;

	if (!left)
		return NULL;
	op = ps->p = ppi_lex_blanks (ps->p);
	if (is_longer_slip (op)) {
		tell_slip (ps, op);
		return NULL;
	}
	if (!comparison (op, &kind, &bytes)) {
		if (*op == '=')
			PPI_PARSE_FAIL (ps, op, "'=' is no comparison; did you mean '=='?");
		return ps->failed ? NULL : left;
	}
	ps->p += bytes;
	left = binary (ps, kind, op, left, parse_sum (ps));
	ps->p = ppi_lex_blanks (ps->p);
	if (left && comparison (ps->p, &second, &more)) {
		PPI_PARSE_FAIL (ps, ps->p, "comparisons don't chain; write a < b and b < c");
		return NULL;
	}
	return left;
}

static struct ppi_node *parse_not (struct ppi_parser *ps)
{
	const char *at = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_word (at, "not");
	struct ppi_node *operand;

	if (!end)
		return parse_comparison (ps);
	if (++ps->nesting > PPI_EXPR_NESTING) {
		PPI_PARSE_FAIL (ps, at, "this is nested more than %d deep", PPI_EXPR_NESTING);
		return NULL;
	}
	ps->p = end;
	operand = parse_not (ps);
	ps->nesting--;
	return unary (ps, PPI_NODE_NOT, at, operand);
}

static struct ppi_node *parse_and (struct ppi_parser *ps)
{
	struct ppi_node *left = parse_not (ps);

	while (left) {
		const char *op = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_word (op, "and");

		if (!end)
			break;
		ps->p = end;
		left = binary (ps, PPI_NODE_AND, op, left, parse_not (ps));
	}
	return left;
}

static struct ppi_node *parse_or (struct ppi_parser *ps)
{
	struct ppi_node *left = parse_and (ps);

	while (left) {
		const char *op = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_word (op, "or");

		if (!end)
			break;
		ps->p = end;
		left = binary (ps, PPI_NODE_OR, op, left, parse_and (ps));
	}
	return left;
}

struct ppi_node *ppi_parse_whole (struct ppi_parser *ps)
{
	struct ppi_node *node;
	char found[80];

	if (strlen (ps->text) > PPI_EXPR_BYTES) {
		PPI_PARSE_FAIL (ps, ps->text, "this expression is longer than %d bytes",
				PPI_EXPR_BYTES);
		return NULL;
	}
	if (!*ppi_lex_blanks (ps->text)) {
		PPI_PARSE_FAIL (ps, ps->text, "the expression is empty");
		return NULL;
	}
	node = parse_or (ps);
	if (node && *(ps->p = ppi_lex_blanks (ps->p)) && !tell_slip (ps, ps->p))
		PPI_PARSE_FAIL (ps, ps->p, "expected an operator or the end, found %s",
				ppi_parse_standing (ps->p, found, sizeof found));
	return ps->failed ? NULL : node;
}

int ppi_expr_parse (const char *text, struct ppi_tree *tree, const struct ppi_names *names,
		    const struct ppi_expr_errors *errors)
{
	struct ppi_parser ps = {
		.text = text, .p = text, .tree = tree, .names = names, .errors = errors};

	tree->text = text;
	tree->root = ppi_parse_whole (&ps);
	if (ps.no_memory)
		return PP_ENOMEM;
	return tree->root ? PP_OK : PP_EINVAL;
}

void ppi_ref_clear (struct ppi_ref *ref)
{
	for (unsigned i = 0; ref->groups && i < ref->groups->dims; i++) {
		free (ref->groups->dim[i].key);
		free (ref->groups->dim[i].text);
	}
	free (ref->groups);
	free (ref->name);
	free (ref->site);
}

void ppi_tree_clear (struct ppi_tree *tree)
{
	for (size_t i = 0; i < tree->n_references; i++)
		ppi_ref_clear (&tree->references[i]);
	free (tree->references);
	tree->references = NULL;
	tree->n_references = 0;
}
