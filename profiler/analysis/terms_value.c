/* SPDX-License-Identifier: MIT */
/* terms_value.c: what an expression's value is, for a record; see terms.h. */
#include "profiler/analysis/terms_int.h"

#include "base/glob.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ppi_value none = {.type = PP_ABI_VALUE_NONE};

static struct ppi_value integer (int64_t value)
{
	return (struct ppi_value){.type = PP_ABI_VALUE_INT, .bits = (uint64_t) value};
}

static struct ppi_value real (double value)
{
	struct ppi_value out = {.type = PP_ABI_VALUE_DOUBLE};

	if (isnan (value))
		return none;
	value += 0.0; /* -0 is 0: equal numbers are one group */
	memcpy (&out.bits, &value, sizeof value);
	return out;
}

static struct ppi_value truth (bool value)
{
	return (struct ppi_value){.type = PPI_VALUE_TRUTH, .bits = value};
}

static struct ppi_value text (uint32_t id)
{
	return id == PPI_NO_TEXT ? none
				 : (struct ppi_value){.type = PP_ABI_VALUE_STRING, .bits = id};
}

static bool is_number (struct ppi_value value)
{
	return value.type != PP_ABI_VALUE_NONE && value.type != PP_ABI_VALUE_STRING &&
	       value.type != PPI_VALUE_REST;
}

/* Kept exactly as a 64-bit integer. */
static bool is_whole (struct ppi_value value)
{
	return value.type == PP_ABI_VALUE_INT || value.type == PPI_VALUE_TRUTH;
}

/* X cut to a whole number: an integer where it is one of 64 bits. */
static struct ppi_value whole (double x)
{
	return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? integer ((int64_t) x)
									: real (x);
}

/* ---- what is derived ------------------------------------------------------------------------- */

static struct ppi_value site_of (struct ppi_terms *terms, uint32_t site)
{
	const struct ppi_query_source *source = terms->source;

	if (!site)
		return none;
	if (site >= terms->sites) {
		uint32_t want = terms->sites ? 2 * terms->sites : 256;
		uint32_t *wide;

		while (want <= site && want < 1u << 20)
			want *= 2;
		if (want <= site)
			return text (
				ppi_terms_intern (terms, source->site_name (site, source->arg)));
		wide = reallocarray (terms->site, want, sizeof *wide);
		if (!wide)
			return none;
		memset (wide + terms->sites, 0, (want - terms->sites) * sizeof *wide);
		terms->site = wide;
		terms->sites = want;
	}
	if (!terms->site[site])
		terms->site[site] =
			ppi_terms_intern (terms, source->site_name (site, source->arg)) + 1;
	return text (terms->site[site] - 1);
}

static struct ppi_value derived (struct ppi_terms *terms, const struct ppi_term *term,
				 const struct ppi_record_frame *frame)
{
	const struct ppi_late_term *late;

	switch (term->op) {
	case PPI_TERM_EVENT:
		return frame->event < PPI_OWN_TEXT ? text (frame->event) : none;
	case PPI_TERM_LOCATION:
		return text (!frame->up         ? terms->root
			     : frame->has_inner ? terms->inner
						: terms->leaf);
	case PPI_TERM_DEPENDS:
	case PPI_TERM_DEPENDENCIES:
		late = &terms->late[term->a];
		return frame->sequence < late->n ? text (late->text[frame->sequence]) : none;
	case PPI_TERM_THREAD:
		return integer (frame->thread);
	case PPI_TERM_SITE:
		return site_of (terms, frame->site);
	case PPI_TERM_DEPTH:
		return integer (frame->depth);
	case PPI_TERM_TIME:
		return real (frame->time_ns);
	default: /* PPI_TERM_BEGIN */
		return real (frame->begin_ns);
	}
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* A value as a truth, as in C: 1 what is not 0, 0, or -1 where it is none, or a text. */
static int as_truth (struct ppi_value value)
{
	double number = ppi_value_number (value);

	return isnan (number) ? -1 : number != 0;
}

static struct ppi_value from_truth (int value)
{
	return value < 0 ? none : truth (value != 0);
}

/* As in Kleene's logic. */
static struct ppi_value both (struct ppi_terms *terms, const struct ppi_term *term,
			      const struct ppi_nest *nest, uint32_t place)
{
	int decides = term->op == PPI_TERM_OR;
	int a = as_truth (ppi_terms_value (terms, term->a, nest, place)), b;

	if (a == decides)
		return truth (decides);
	b = as_truth (ppi_terms_value (terms, term->b, nest, place));
	return from_truth (b == decides ? b : a < 0 || b < 0 ? -1 : !decides);
}

/* Less, equal, greater: -1, 0, 1; 2: they can't be ordered, and are not equal */
static int order (const struct ppi_terms *terms, struct ppi_value a, struct ppi_value b)
{
	double x, y;

	if (a.type == PP_ABI_VALUE_STRING && b.type == PP_ABI_VALUE_STRING)
		return a.bits == b.bits ? 0
		       : strcmp (ppi_terms_text (terms, a.bits), ppi_terms_text (terms, b.bits)) < 0
			       ? -1
			       : 1;
	if (!is_number (a) || !is_number (b))
		return 2;
	if (is_whole (a) && is_whole (b))
		return (int64_t) a.bits < (int64_t) b.bits ? -1 : a.bits != b.bits;
	if (a.type != PP_ABI_VALUE_DOUBLE && b.type != PP_ABI_VALUE_DOUBLE) {
		/* one is an address: whole numbers below 0 are less than each */
		if (is_whole (a) && (int64_t) a.bits < 0)
			return -1;
		if (is_whole (b) && (int64_t) b.bits < 0)
			return 1;
		return a.bits < b.bits ? -1 : a.bits != b.bits;
	}
	x = ppi_value_number (a);
	y = ppi_value_number (b);
	return isnan (x) || isnan (y) ? 2 : x < y ? -1 : x > y;
}

static struct ppi_value compare (const struct ppi_terms *terms, enum ppi_term_op op,
				 struct ppi_value a, struct ppi_value b)
{
	int o;

	if (a.type == PP_ABI_VALUE_NONE || b.type == PP_ABI_VALUE_NONE)
		return none;
	o = order (terms, a, b);
	switch (op) {
	case PPI_TERM_EQUAL:
		return truth (o == 0);
	case PPI_TERM_UNEQUAL:
		return truth (o != 0);
	case PPI_TERM_LESS:
		return o == 2 ? none : truth (o < 0);
	case PPI_TERM_AT_MOST:
		return o == 2 ? none : truth (o <= 0);
	case PPI_TERM_MORE:
		return o == 2 ? none : truth (o > 0);
	default: /* PPI_TERM_AT_LEAST */
		return o == 2 ? none : truth (o >= 0);
	}
}

/* Many records in succession have the same text. */
static struct ppi_value like (struct ppi_terms *terms, struct ppi_term *term, struct ppi_value a,
			      struct ppi_value b)
{
	if (a.type != PP_ABI_VALUE_STRING || b.type != PP_ABI_VALUE_STRING)
		return none;
	if (term->last != (a.bits << 32 | b.bits)) {
		term->last = a.bits << 32 | b.bits;
		term->was_like = ppi_glob_suffix (ppi_terms_text (terms, b.bits),
						  ppi_terms_text (terms, a.bits));
	}
	return truth (term->was_like);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static struct ppi_value divide (struct ppi_value a, struct ppi_value b)
{
	double y = ppi_value_number (b);

	if (y == 0)
		return none;
	if (is_whole (a) && is_whole (b) && (int64_t) b.bits != -1 &&
	    (int64_t) a.bits % (int64_t) b.bits == 0)
		return integer ((int64_t) a.bits / (int64_t) b.bits);
	return real (ppi_value_number (a) / y);
}

/* With the sign of what it is divided by, so that classes have no seam at 0. */
static struct ppi_value remainder_of (struct ppi_value a, struct ppi_value b)
{
	double x = ppi_value_number (a), y = ppi_value_number (b);
	int64_t rest;

	if (y == 0)
		return none;
	if (!is_whole (a) || !is_whole (b))
		return real (x - y * floor (x / y));
	if ((int64_t) b.bits == -1)
		return integer (0);
	rest = (int64_t) a.bits % (int64_t) b.bits;
	return integer (rest && (rest < 0) != ((int64_t) b.bits < 0) ? rest + (int64_t) b.bits
								     : rest);
}

static struct ppi_value arithmetic (enum ppi_term_op op, struct ppi_value a, struct ppi_value b)
{
	double x = ppi_value_number (a), y = ppi_value_number (b);
	bool exact = is_whole (a) && is_whole (b);
	int64_t out;

	if (!is_number (a) || !is_number (b))
		return none;
	switch (op) {
	case PPI_TERM_ADD:
		return exact && !__builtin_add_overflow ((int64_t) a.bits, (int64_t) b.bits, &out)
			       ? integer (out)
			       : real (x + y);
	case PPI_TERM_SUBTRACT:
		return exact && !__builtin_sub_overflow ((int64_t) a.bits, (int64_t) b.bits, &out)
			       ? integer (out)
			       : real (x - y);
	case PPI_TERM_MULTIPLY:
		return exact && !__builtin_mul_overflow ((int64_t) a.bits, (int64_t) b.bits, &out)
			       ? integer (out)
			       : real (x * y);
	case PPI_TERM_DIVIDE:
		return divide (a, b);
	case PPI_TERM_REMAINDER:
		return remainder_of (a, b);
	case PPI_TERM_MIN:
		return x <= y ? a : b;
	default: /* PPI_TERM_MAX */
		return x >= y ? a : b;
	}
}

static struct ppi_value hash_of (const struct ppi_terms *terms, struct ppi_value a)
{
	const char *of = (const char *) &a.bits;
	size_t n = sizeof a.bits;

	if (a.type == PP_ABI_VALUE_NONE)
		return none;
	if (a.type == PP_ABI_VALUE_STRING) {
		of = ppi_terms_text (terms, a.bits);
		n = strlen (of);
	}
	return (struct ppi_value){.type = PP_ABI_VALUE_POINTER, .bits = ppi_hash (of, n, a.type)};
}

static struct ppi_value of_number (enum ppi_term_op op, struct ppi_value a)
{
	double x = ppi_value_number (a);

	if (!is_number (a))
		return none;
	switch (op) {
	case PPI_TERM_NEGATE:
		return is_whole (a) && a.bits != 1ull << 63 ? integer (-(int64_t) a.bits)
							    : real (-x);
	case PPI_TERM_ABS:
		return is_whole (a) && a.bits != 1ull << 63
			       ? integer ((int64_t) a.bits < 0 ? -(int64_t) a.bits
							       : (int64_t) a.bits)
			       : real (fabs (x));
	case PPI_TERM_LOG2:
		if (is_whole (a))
			return (int64_t) a.bits < 1 ? none
						    : integer (63 - __builtin_clzll (a.bits));
		return x > 0 && isfinite (x) ? integer (ilogb (x)) : none;
	case PPI_TERM_LOG10:
		return x > 0 && isfinite (x) ? whole (floor (log10 (x))) : none;
	case PPI_TERM_FLOOR:
		return is_whole (a) ? a : whole (floor (x));
	default: /* PPI_TERM_ROUND */
		return is_whole (a) ? a : whole (round (x));
	}
}

static struct ppi_value of_one (const struct ppi_terms *terms, enum ppi_term_op op,
				struct ppi_value a)
{
	switch (op) {
	case PPI_TERM_NOT:
		return as_truth (a) < 0 ? none : truth (!as_truth (a));
	case PPI_TERM_HAS:
		return truth (a.type != PP_ABI_VALUE_NONE);
	case PPI_TERM_HASH:
		return hash_of (terms, a);
	case PPI_TERM_LENGTH:
		return a.type == PP_ABI_VALUE_STRING
			       ? integer ((int64_t) strlen (ppi_terms_text (terms, a.bits)))
			       : none;
	default:
		return of_number (op, a);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

struct ppi_value ppi_terms_value (struct ppi_terms *terms, unsigned number,
				  const struct ppi_nest *nest, uint32_t place)
{
	struct ppi_term *term = &terms->term[number];
	const struct ppi_record_frame *frame = &nest->frame[place];
	struct ppi_value a, b;

	switch (term->op) {
	case PPI_TERM_SLOT:
		return nest->slot[(size_t) place * nest->n_slots + term->a];
	case PPI_TERM_MADE:
		return nest->slot[(size_t) place * nest->n_slots + nest->n_slots - terms->n_made +
				  term->a];
	case PPI_TERM_CONSTANT:
		return term->constant;
	case PPI_TERM_PARENT:
		return frame->up ? ppi_terms_value (terms, term->a, nest, frame->up) : none;
	case PPI_TERM_ROOT:
		return ppi_terms_value (terms, term->a, nest, place ? 1 : 0);
	case PPI_TERM_OR:
	case PPI_TERM_AND:
		return both (terms, term, nest, place);
	case PPI_TERM_EVENT ... PPI_TERM_BEGIN:
		return derived (terms, term, frame);
	default:
		break;
	}
	a = ppi_terms_value (terms, term->a, nest, place);
	if (term->b == UINT32_MAX)
		return of_one (terms, term->op, a);
	b = ppi_terms_value (terms, term->b, nest, place);
	if (term->op == PPI_TERM_LIKE)
		return like (terms, term, a, b);
	return term->op >= PPI_TERM_EQUAL && term->op <= PPI_TERM_AT_LEAST
		       ? compare (terms, term->op, a, b)
		       : arithmetic (term->op, a, b);
}
