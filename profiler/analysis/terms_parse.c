/* SPDX-License-Identifier: MIT */
/*
 * terms_parse.c: reads expressions, by recursive descent; see terms.h.
 *
 *     condition  = and { "or" and }           and = not { "and" not }       not = { "not" } compared
 *     compared   = sum [ ("=" | "!=" | "<" | "<=" | ">" | ">=" | "~") sum ]
 *     sum        = product { ("+" | "-") product }
 *     product    = signed { ("*" | "/" | "%") signed }                signed = { "-" } primary
 *     primary    = NUMBER [UNIT] | TEXT | "true" | "false" | FUNCTION "(" condition, ... ")"
 *                | ("parent" | "root") "." primary | NAME | "(" condition ")"
 */
#include "profiler/analysis/terms_int.h"

#include "base/types.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEST_MOST = 100, TOLD_MOST = 100 };

unsigned ppi_term_fail (struct ppi_term_parser *p, size_t at, const char *format, ...)
{
	char what[300];
	va_list arguments;

	va_start (arguments, format);
	vsnprintf (what, sizeof what, format, arguments);
	va_end (arguments);
	if (!*p->why)
		snprintf (p->why, p->room, "column %zu of '%.*s%s': %s", at + 1, TOLD_MOST, p->text,
			  strlen (p->text) > TOLD_MOST ? "..." : "", what);
	return PPI_NO_TERM;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool begins_word (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_digit (char c)
{
	return c >= '0' && c <= '9';
}

void ppi_term_skip (struct ppi_term_parser *p)
{
	p->at += strspn (p->text + p->at, " \t\n");
}

/* How long the word at TEXT is; 0: there is none. Dots are part of it. */
size_t ppi_term_word_length (const char *text)
{
	static const char depends[] = "depends-on";
	size_t n = 0;

	if (strncmp (text, depends, sizeof depends - 1) == 0)
		return sizeof depends - 1;
	if (!begins_word (*text))
		return 0;
	while (begins_word (text[n]) || is_digit (text[n]) ||
	       (text[n] == '.' && begins_word (text[n + 1])))
		n++;
	return n;
}

/* Takes SIGN, or the word, where it stands next. */
bool ppi_term_takes (struct ppi_term_parser *p, const char *sign)
{
	size_t n = strlen (sign);

	ppi_term_skip (p);
	if (strncmp (p->text + p->at, sign, n) != 0 ||
	    (begins_word (*sign) && ppi_term_word_length (p->text + p->at) != n))
		return false;
	p->at += n;
	return true;
}

static unsigned term_new (struct ppi_term_parser *p, struct ppi_term term)
{
	if (p->terms->n == PPI_TERMS_MOST)
		return ppi_term_fail (p, p->at, "this is too long");
	p->terms->term[p->terms->n] = term;
	return p->terms->n++;
}

static unsigned constant (struct ppi_term_parser *p, uint32_t type, uint64_t bits)
{
	return term_new (p, (struct ppi_term){.op = PPI_TERM_CONSTANT,
					      .constant = {.type = type, .bits = bits}});
}

static unsigned operation (struct ppi_term_parser *p, enum ppi_term_op op, unsigned a, unsigned b)
{
	return term_new (p, (struct ppi_term){.op = op, .a = a, .b = b, .last = UINT64_MAX});
}

/* ---- constants ------------------------------------------------------------------------------- */

/* What is written behind a number: times are ns, sizes bytes. */
static bool unit_at (const char *text, size_t n, double *factor)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{"ns", 1},       {"us", 1e3},     {"µs", 1e3},    {"ms", 1e6}, {"s", 1e9},
		     {"min", 60e9},   {"B", 1},        {"kB", 1e3},    {"MB", 1e6}, {"GB", 1e9},
		     {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen (units[i].name) == n && strncmp (text, units[i].name, n) == 0) {
			*factor = units[i].factor;
			return true;
		}
	return false;
}

static unsigned number (struct ppi_term_parser *p)
{
	const char *start = p->text + p->at;
	bool is_hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	double value, factor;
	uint64_t bits;
	char *end, *whole_end;
	size_t n;

	errno = 0;
	bits = strtoull (start, &whole_end, is_hex ? 16 : 10);
	if (errno)
		whole_end = NULL;
	value = is_hex ? (double) bits : strtod (start, &end);
	if (is_hex)
		end = whole_end;
	if (!end || (is_hex && end == start + 2))
		return ppi_term_fail (p, p->at, "this is no number");
	n = begins_word (*end) ? ppi_term_word_length (end) : 0;
	if (n && !unit_at (end, n, &factor))
		return ppi_term_fail (p, p->at + (size_t) (end - start), "there is no unit '%.*s'",
				      (int) n, end);
	p->at += (size_t) (end - start) + n;
	if (n) {
		value *= factor;
		/* a number of 64 bits, beyond which the cast means nothing */
		if (value < 0x1p63 && value == (double) (int64_t) value)
			return constant (p, PP_ABI_VALUE_INT, (uint64_t) (int64_t) value);
	} else if (end == whole_end) {
		return constant (p,
				 is_hex             ? PP_ABI_VALUE_POINTER
				 : bits > INT64_MAX ? PPI_VALUE_LARGE
						    : PP_ABI_VALUE_INT,
				 bits);
	}
	memcpy (&bits, &value, sizeof bits);
	return constant (p, PP_ABI_VALUE_DOUBLE, bits);
}

/* What stands between two QUOTEs; a doubled one is one. */
static bool quoted (struct ppi_term_parser *p, char quote, char *out, size_t room)
{
	size_t start = p->at++, n = 0;

	for (;; p->at++) {
		if (!p->text[p->at]) {
			ppi_term_fail (p, start, "the closing %c is missing", quote);
			return false;
		}
		if (p->text[p->at] == quote && p->text[++p->at] != quote)
			break;
		if (n + 1 == room) {
			ppi_term_fail (p, start, "this is too long");
			return false;
		}
		out[n++] = p->text[p->at];
	}
	out[n] = '\0';
	return true;
}

static unsigned text_constant (struct ppi_term_parser *p, char quote)
{
	char text[1024];
	uint32_t id;

	if (!quoted (p, quote, text, sizeof text))
		return PPI_NO_TERM;
	id = ppi_terms_intern (p->terms, text);
	return id == PPI_NO_TEXT ? ppi_term_fail (p, p->at, "no memory")
				 : constant (p, PP_ABI_VALUE_STRING, id);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const struct named_op {
	const char *name;
	enum ppi_term_op op;
	unsigned operands; /* 0: a dimension that is derived */
} named_ops[] = {
#define X(id, word, n) {word, PPI_TERM_##id, n},
	PPI_TERM_FUNCTIONS (X)
#undef X
#define X(id, word) {word, PPI_TERM_##id, 0},
		PPI_TERM_DERIVED (X)
#undef X
};

enum { NAMED_OPS = sizeof named_ops / sizeof *named_ops };

static const struct named_op *op_of (const char *name)
{
	for (size_t i = 0; i < NAMED_OPS; i++)
		if (strcmp (named_ops[i].name, name) == 0)
			return &named_ops[i];
	return NULL;
}

bool ppi_term_is_taken (const char *name)
{
	return op_of (name) != NULL;
}

/* No dimension is called NAME. */
static unsigned unknown (struct ppi_term_parser *p, size_t at, const char *name)
{
	struct ppi_terms *terms = p->terms;
	const char **names, *nearest = NULL;
	size_t n = 0, made = 0;

	ppi_terms_look_for_keys (terms);
	for (size_t i = 0; i < terms->source->n_plugins; i++)
		made += terms->source->plugin[i]->n_dimensions;
	names = calloc (terms->n_keys + PPI_DEFINED_MOST + NAMED_OPS + made + 1, sizeof *names);
	if (names) {
		for (uint32_t i = 0; i < terms->n_keys; i++)
			names[n++] = terms->key[i];
		for (unsigned i = 0; i < terms->n_defined; i++)
			names[n++] = terms->defined[i].name;
		for (size_t i = 0; i < terms->source->n_plugins; i++)
			for (size_t k = 0; k < terms->source->plugin[i]->n_dimensions; k++)
				names[n++] = terms->source->plugin[i]->dimensions[k].name;
		/* functions are meant by who mistypes one; dimensions come first */
		nearest = ppi_terms_meant (name, names);
		for (size_t i = 0; i < NAMED_OPS; i++)
			names[i] = named_ops[i].name;
		names[NAMED_OPS] = NULL;
		nearest = nearest ? nearest : ppi_terms_meant (name, names);
	}
	ppi_term_fail (p, at, "no record has a dimension '%s'; %s%s'%s", name,
		       nearest ? "did you mean '" : "a text stands in quotes: '",
		       nearest ? nearest : name, nearest ? "?" : "");
	free ((void *) names);
	return PPI_NO_TERM;
}

static unsigned key (struct ppi_term_parser *p, size_t at, const char *name)
{
	struct ppi_terms *terms = p->terms;
	uint32_t id = ppi_records_id (terms->source->records, name), i;

	if (id == UINT32_MAX)
		return unknown (p, at, name);
	for (i = 0; i < terms->n_slots; i++)
		if (terms->slot[i] == id)
			return operation (p, PPI_TERM_SLOT, i, UINT32_MAX);
	if (i == PPI_SLOTS_MOST)
		return ppi_term_fail (p, at, "these are more than %d dimensions", PPI_SLOTS_MOST);
	terms->slot[terms->n_slots++] = id;
	return operation (p, PPI_TERM_SLOT, i, UINT32_MAX);
}

static unsigned depends_on (struct ppi_term_parser *p, size_t at, const struct named_op *op)
{
	struct ppi_terms *terms = p->terms;
	unsigned of;

	if (p->in_late)
		return ppi_term_fail (p, at, "%s can't stand inside another such", op->name);
	if (terms->n_late == PPI_LATE_MOST)
		return ppi_term_fail (p, at,
				      "depends-on and dependencies are here more than %d times",
				      PPI_LATE_MOST);
	p->in_late = true;
	if (ppi_term_takes (p, "(")) {
		of = ppi_term_condition (p);
		if (of != PPI_NO_TERM && !ppi_term_takes (p, ")"))
			of = ppi_term_fail (p, p->at, "')' is missing");
	} else {
		of = operation (p, PPI_TERM_EVENT, 0, UINT32_MAX);
	}
	p->in_late = false;
	if (of == PPI_NO_TERM)
		return PPI_NO_TERM;
	terms->late[terms->n_late] = (struct ppi_late_term){
		.term = of, .is_transitive = op->op == PPI_TERM_DEPENDENCIES};
	return operation (p, op->op, terms->n_late++, UINT32_MAX);
}

static unsigned call (struct ppi_term_parser *p, const struct named_op *function)
{
	unsigned operand[2] = {PPI_NO_TERM, PPI_NO_TERM};

	for (unsigned i = 0; i < function->operands; i++) {
		if (!ppi_term_takes (p, i ? "," : "("))
			return ppi_term_fail (p, p->at, "%s takes %s: %s is missing",
					      function->name,
					      function->operands == 1 ? "one value" : "two values",
					      i ? "','" : "'('");
		operand[i] = ppi_term_condition (p);
		if (operand[i] == PPI_NO_TERM)
			return PPI_NO_TERM;
	}
	if (!ppi_term_takes (p, ")"))
		return ppi_term_fail (p, p->at, "')' is missing");
	return operation (p, function->op, operand[0], operand[1]);
}

static unsigned of_around (struct ppi_term_parser *p, enum ppi_term_op op)
{
	unsigned of;

	p->at++; /* the dot */
	if (++p->nested > NEST_MOST)
		return ppi_term_fail (p, p->at, "this is nested too deeply");
	of = ppi_term_primary (p);
	p->nested--;
	return of == PPI_NO_TERM ? PPI_NO_TERM : operation (p, op, of, UINT32_MAX);
}

/* "parent." or "root.", at TEXT? */
static size_t around_length (const char *text, enum ppi_term_op *op)
{
	*op = strncmp (text, "parent.", 7) == 0 ? PPI_TERM_PARENT : PPI_TERM_ROOT;
	return *op == PPI_TERM_PARENT ? 6 : strncmp (text, "root.", 5) == 0 ? 4 : 0;
}

static unsigned plugged (struct ppi_term_parser *p, size_t at,
			 const struct pp_analysis_dimension *dimension, const char *plugin)
{
	uint32_t made = ppi_term_make (p, at, dimension, plugin);

	return made == UINT32_MAX ? PPI_NO_TERM : operation (p, PPI_TERM_MADE, made, UINT32_MAX);
}

static unsigned named (struct ppi_term_parser *p)
{
	const struct pp_analysis_dimension *made;
	const char *plugin;
	size_t at = p->at, n = ppi_term_word_length (p->text + at);
	const struct named_op *op;
	enum ppi_term_op around;
	char name[PPI_TERM_WORD];

	if (around_length (p->text + at, &around)) {
		p->at += around_length (p->text + at, &around);
		return of_around (p, around);
	}
	if (n >= sizeof name)
		return ppi_term_fail (p, at, "this name is too long");
	memcpy (name, p->text + at, n);
	name[n] = '\0';
	p->at += n;
	for (unsigned i = 0; i < p->terms->n_defined; i++)
		if (strcmp (p->terms->defined[i].name, name) == 0)
			return p->terms->defined[i].term;
	if (strcmp (name, "true") == 0 || strcmp (name, "false") == 0)
		return constant (p, PPI_VALUE_TRUTH, *name == 't');
	if ((made = ppi_terms_dimension (p->terms, name, &plugin)))
		return plugged (p, at, made, plugin);
	op = op_of (name);
	/* the program's own dimension comes first */
	if (!op || (!(op->operands && p->text[p->at] == '(') && strcmp (name, "event") != 0 &&
		    ppi_terms_is_key (p->terms, name)))
		return key (p, at, name);
	if (op->op == PPI_TERM_DEPENDS || op->op == PPI_TERM_DEPENDENCIES)
		return depends_on (p, at, op);
	return op->operands ? call (p, op) : operation (p, op->op, 0, UINT32_MAX);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static unsigned parenthesized (struct ppi_term_parser *p)
{
	size_t at = p->at++;
	unsigned of = ppi_term_condition (p);

	if (of != PPI_NO_TERM && !ppi_term_takes (p, ")"))
		return ppi_term_fail (p, at, "this '(' is not closed");
	return of;
}

unsigned ppi_term_primary (struct ppi_term_parser *p)
{
	char c, name[PPI_TERM_WORD];
	size_t at;

	ppi_term_skip (p);
	c = p->text[p->at];
	if (is_digit (c) || (c == '.' && is_digit (p->text[p->at + 1])))
		return number (p);
	if (c == '"' || c == '\'')
		return text_constant (p, c);
	if (c == '(')
		return parenthesized (p);
	if (c == '`') {
		at = p->at;
		return quoted (p, c, name, sizeof name) ? key (p, at, name) : PPI_NO_TERM;
	}
	if (ppi_term_word_length (p->text + p->at))
		return named (p);
	return c ? ppi_term_fail (p, p->at, "a value is expected before '%.10s'", p->text + p->at)
		 : ppi_term_fail (p, p->at, "a value is missing at the end");
}

static unsigned signed_value (struct ppi_term_parser *p)
{
	unsigned of;

	if (!ppi_term_takes (p, "-"))
		return ppi_term_primary (p);
	if (++p->nested > NEST_MOST)
		return ppi_term_fail (p, p->at, "this is nested too deeply");
	of = signed_value (p);
	p->nested--;
	return of == PPI_NO_TERM ? PPI_NO_TERM : operation (p, PPI_TERM_NEGATE, of, UINT32_MAX);
}

struct infix {
	const char *sign;
	enum ppi_term_op op;
};

/* The first of SIGNS that stands next; NULL: none does. */
static const struct infix *infix_at (struct ppi_term_parser *p, const struct infix *signs)
{
	for (; signs->sign; signs++)
		if (ppi_term_takes (p, signs->sign))
			return signs;
	return NULL;
}

/* OPERAND { sign OPERAND }, from the left. */
static unsigned chain (struct ppi_term_parser *p, const struct infix *signs,
		       unsigned (*operand) (struct ppi_term_parser *))
{
	const struct infix *sign;
	unsigned left = operand (p), right;

	while (left != PPI_NO_TERM && (sign = infix_at (p, signs))) {
		right = operand (p);
		left = right == PPI_NO_TERM ? PPI_NO_TERM : operation (p, sign->op, left, right);
	}
	return left;
}

static unsigned product (struct ppi_term_parser *p)
{
	static const struct infix signs[] = {{"*", PPI_TERM_MULTIPLY},
					     {"/", PPI_TERM_DIVIDE},
					     {"%", PPI_TERM_REMAINDER},
					     {NULL, 0}};

	return chain (p, signs, signed_value);
}

static unsigned sum (struct ppi_term_parser *p)
{
	static const struct infix signs[] = {
		{"+", PPI_TERM_ADD}, {"-", PPI_TERM_SUBTRACT}, {NULL, 0}};

	return chain (p, signs, product);
}

static unsigned compared (struct ppi_term_parser *p)
{
	static const struct infix signs[] = {
		{"==", PPI_TERM_EQUAL},   {"=", PPI_TERM_EQUAL},     {"!=", PPI_TERM_UNEQUAL},
		{"<=", PPI_TERM_AT_MOST}, {">=", PPI_TERM_AT_LEAST}, {"<", PPI_TERM_LESS},
		{">", PPI_TERM_MORE},     {"~", PPI_TERM_LIKE},      {NULL, 0}};
	const struct infix *sign;
	unsigned left = sum (p), right;
	size_t at;

	if (left == PPI_NO_TERM || !(sign = infix_at (p, signs)))
		return left;
	right = sum (p);
	at = p->at;
	if (right != PPI_NO_TERM && infix_at (p, signs))
		return ppi_term_fail (p, at, "comparisons don't chain: write 'a < b and b < c'");
	return right == PPI_NO_TERM ? PPI_NO_TERM : operation (p, sign->op, left, right);
}

static unsigned negation (struct ppi_term_parser *p)
{
	unsigned of;

	if (!ppi_term_takes (p, "not"))
		return compared (p);
	if (++p->nested > NEST_MOST)
		return ppi_term_fail (p, p->at, "this is nested too deeply");
	of = negation (p);
	p->nested--;
	return of == PPI_NO_TERM ? PPI_NO_TERM : operation (p, PPI_TERM_NOT, of, UINT32_MAX);
}

static unsigned conjunction (struct ppi_term_parser *p)
{
	static const struct infix signs[] = {{"and", PPI_TERM_AND}, {NULL, 0}};

	return chain (p, signs, negation);
}

unsigned ppi_term_condition (struct ppi_term_parser *p)
{
	static const struct infix signs[] = {{"or", PPI_TERM_OR}, {NULL, 0}};
	unsigned of;

	if (++p->nested > NEST_MOST)
		return ppi_term_fail (p, p->at, "this is nested too deeply");
	of = chain (p, signs, conjunction);
	p->nested--;
	return of;
}
