/* SPDX-License-Identifier: MIT */
/*
 * prove.c: which assertions markers can see to pass without evaluating them
 * (libmetrics/tables/quick.h), and the tallies of those that do.
 *
 * The program is walked as it would be evaluated, with what is known of each operand instead of
 * values: a number, a statistic times a number, or the terms that prove a condition. Comparisons of
 * two statistics, or of one with a number, by <, <=, > or >= have a term; `and` needs both sides
 * proved, of `or` one is enough.
 *
 * With L and R as the whole way computes them: each is a product of at most eight doubles, so it is
 * within 2^-48 of what is written where nothing overflows, and a term holds only if the left side
 * is below the right one by 2^-40 of it, or both are 0. So L <= R, and L < R where that is asked.
 * Where the length of a tick is in it, which is measured in the first moments of a program, the
 * margin is 2^-7.
 */
#include "assertions/engine/prove.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/link.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "base/atomic.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "libmetrics/marker/tally.h"
#include "libmetrics/stats/operand.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions to terms --------------------------------------------------------------------- */

#define MARGIN 0x1p-40
#define MARGIN_MEASURED 0x1p-7
#define LEAST 0x1p-200 /* factors whose products neither overflow nor lose digits */
#define MOST 0x1p200

enum kind { NOTHING, NUMBER, STATISTIC, PROOF };

struct value {
	enum kind kind;
	double number; /* or the factor of the statistic, above 0 */
	const struct ppi_ref *ref;
	uint64_t first; /* of the terms that prove it */
};

struct walk {
	const struct ppi_op *ops;
	unsigned n_ops;
	struct ppi_quick *out;
};

static const struct ppi_quick_factor one = {PPI_QUICK_ONE, 0}, zero = {PPI_QUICK_ZERO, 0};

static bool is_usual (double factor)
{
	return factor > LEAST && factor < MOST;
}

/* RATIO less the margin, rounded down */
static bool set_ratio (struct ppi_quick_term *term, double ratio, bool is_measured)
{
	double less = ratio * (1 - (is_measured ? MARGIN_MEASURED : MARGIN));

	if (!(less >= 0) || (less > 0 && !is_usual (less)))
		return false;
	term->whole = less < 0x1p62 ? (uint64_t) less : UINT64_C (1) << 62;
	term->part = less < 0x1p62 ? (uint64_t) ((less - floor (less)) * 0x1p64) : 0;
	return true;
}

static bool find_operand (const struct walk *walk, const struct value *value,
			  struct ppi_quick_operand *out)
{
	const pp_metric *metric = value->ref->target;

	return metric &&
	       ppi_quick_operand (walk->ops, walk->n_ops, metric,
				  (enum pp_statistic) value->ref->property, out) &&
	       is_usual (out->scale) && is_usual (value->number);
}

/* number <= statistic */
static bool prove_at_least (struct ppi_quick_term *term, double number,
			    const struct ppi_quick_operand *large, double factor)
{
	term->large[0] = large->field;
	term->large[1] = one;
	term->small[1] = one;
	if (number > 0) {
		term->small[0] = large->by;
		return is_usual (number) &&
		       set_ratio (term, factor * large->scale / number, large->is_measured);
	}
	/* what is not negative is at least any negative number, and 0; more than 0 from 1 on */
	term->small[0] = number == 0 && term->is_strict ? one : zero;
	term->is_strict = false;
	term->whole = 1;
	return number <= 0;
}

/* small <= large, or <: the term, or false */
static bool prove (const struct walk *walk, const struct value *small, const struct value *large,
		   bool is_strict, struct ppi_quick_term *term)
{
	struct ppi_quick_operand s, l;

	/* two numbers are not worth it */
	memset (term, 0, sizeof *term);
	term->is_strict = is_strict;
	if (small->kind == NUMBER && large->kind == STATISTIC)
		return find_operand (walk, large, &l) &&
		       prove_at_least (term, small->number, &l, large->number);
	if (small->kind != STATISTIC || !find_operand (walk, small, &s))
		return false;
	term->small[0] = s.field;
	if (large->kind == NUMBER) {
		term->small[1] = one;
		term->large[0] = s.by;
		term->large[1] = one;
		return set_ratio (term, large->number / (small->number * s.scale), s.is_measured);
	}
	if (large->kind != STATISTIC || !find_operand (walk, large, &l))
		return false;
	/*
	 * the length of a tick cancels out; asked for twice it would be two numbers in the first
	 * moments
	 */
	if (s.is_measured && l.is_measured)
		s.scale = l.scale = 1;
	term->small[1] = l.by;
	term->large[0] = l.field;
	term->large[1] = s.by;
	return set_ratio (term, large->number * l.scale / (small->number * s.scale),
			  s.is_measured != l.is_measured);
}

static struct value compare (const struct walk *walk, enum ppi_node_kind op, const struct value *l,
			     const struct value *r)
{
	struct value result = {.kind = NOTHING, .first = walk->out->n_terms};
	bool turned = op == PPI_NODE_GT || op == PPI_NODE_GE,
	     is_strict = op == PPI_NODE_LT || op == PPI_NODE_GT;

	if (op > PPI_NODE_GE || walk->out->n_terms == PPI_QUICK_TERMS)
		return result;
	if (prove (walk, turned ? r : l, turned ? l : r, is_strict,
		   &walk->out->term[walk->out->n_terms])) {
		walk->out->n_terms++;
		result.kind = PROOF;
	}
	return result;
}

/* The terms from FIRST on are not needed. */
static void forget (const struct walk *walk, uint64_t first)
{
	walk->out->n_terms = first;
}

static struct value join (const struct walk *walk, enum ppi_node_kind op, const struct value *l,
			  const struct value *r)
{
	struct value nothing = {.kind = NOTHING, .first = walk->out->n_terms};

	if (l->kind == PROOF && r->kind == PROOF) {
		if (op == PPI_NODE_OR)
			forget (walk, r->first);
		return *l;
	}
	if (op == PPI_NODE_OR && (l->kind == PROOF || r->kind == PROOF))
		return l->kind == PROOF ? *l : *r;
	if (l->kind == PROOF || r->kind == PROOF)
		forget (walk, l->kind == PROOF ? l->first : r->first);
	nothing.first = walk->out->n_terms;
	return nothing;
}

static struct value multiply (const struct value *l, const struct value *r, bool divides)
{
	struct value result = *l;

	if (l->kind == NUMBER && r->kind == STATISTIC && !divides) {
		result = *r;
		result.number = l->number * r->number;
	} else if (l->kind == STATISTIC && r->kind == NUMBER) {
		result.number = divides ? l->number / r->number : l->number * r->number;
	} else {
		result.kind = NOTHING;
	}
	if (!is_usual (result.number))
		result.kind = NOTHING;
	return result;
}

static struct value calculate (const struct walk *walk, enum ppi_node_kind op,
			       const struct value *l, const struct value *r)
{
	struct value result = {.kind = NUMBER, .first = walk->out->n_terms};

	if (op >= PPI_NODE_LT && op <= PPI_NODE_NE)
		return compare (walk, op, l, r);
	if (op == PPI_NODE_AND || op == PPI_NODE_OR)
		return join (walk, op, l, r);
	if (l->kind == NUMBER && r->kind == NUMBER)
		switch (op) {
		case PPI_NODE_ADD:
			result.number = l->number + r->number;
			return result;
		case PPI_NODE_SUB:
			result.number = l->number - r->number;
			return result;
		case PPI_NODE_MUL:
			result.number = l->number * r->number;
			return result;
		case PPI_NODE_DIV:
			result.number = l->number / r->number;
			return result;
		default:
			break;
		}
	else if (op == PPI_NODE_MUL || op == PPI_NODE_DIV)
		return multiply (l, r, op == PPI_NODE_DIV);
	/* a comparison is no operand of these, so no terms are behind them */
	result.kind = NOTHING;
	return result;
}

static struct value calculate_one (const struct walk *walk, enum ppi_node_kind op,
				   const struct value *x)
{
	struct value result = *x;

	if (op == PPI_NODE_NEG && x->kind == NUMBER) {
		result.number = -x->number;
		return result;
	}
	if (x->kind == PROOF)
		forget (walk, x->first);
	result.kind = NOTHING;
	return result;
}

static struct value operand (const struct walk *walk, const struct ppi_program *program,
			     const struct ppi_code *code)
{
	const struct ppi_ref *ref = &program->references[code->index];
	struct value result = {
		.kind = NUMBER, .number = code->constant, .first = walk->out->n_terms};

	if (code->op == PPI_NODE_NUMBER)
		return result;
	result.kind = ref->kind == PPI_REF_METRIC && !ref->window_ns && ref->property >= 0
			      ? STATISTIC
			      : NOTHING;
	result.number = 1;
	result.ref = ref;
	return result;
}

bool ppi_program_prove (const struct ppi_program *program, const struct ppi_op *ops, unsigned n_ops,
			struct ppi_quick *out)
{
	struct walk walk = {ops, n_ops, out};
	struct value stack[PPI_EXPR_NODES / 2 + 2] = {{NOTHING, 0, NULL, 0}};
	size_t top = 0;

	out->n_terms = 0;
	for (size_t i = 0; i < program->n_code; i++) {
		enum ppi_node_kind op = (enum ppi_node_kind) program->code[i].op;

		if (op == PPI_NODE_NUMBER || op == PPI_NODE_REFERENCE) {
			stack[top++] = operand (&walk, program, &program->code[i]);
		} else if (op == PPI_NODE_NEG || op == PPI_NODE_ABS || op == PPI_NODE_NOT) {
			stack[top - 1] = calculate_one (&walk, op, &stack[top - 1]);
		} else {
			top--;
			stack[top - 1] = calculate (&walk, op, &stack[top - 1], &stack[top]);
		}
	}
	/* terms that were tried and are not used are nobody's business */
	memset (&out->term[out->n_terms], 0,
		(PPI_QUICK_TERMS - out->n_terms) * sizeof out->term[0]);
	return stack[0].kind == PROOF && out->n_terms > 0;
}

/* ---- tallies --------------------------------------------------------------------------------- */

/*
 * A tally by the name of its assertion: who loads the same policy again finds it, and markers find
 * their code.
 */
struct ppi_kept_tally {
	struct ppi_kept_tally *next;
	struct ppi_tally *tally;
	const struct ppi_assertion *owner;
	char *name;
};

/* Nobody's, the one that is longest so first; with the lock. */
static struct ppi_kept_tally *unused, **last_unused = &unused;

static struct ppi_kept_tally *reuse (const char *name, bool has_looks)
{
	for (struct ppi_kept_tally **where = &unused, *k; (k = *where); where = &k->next)
		if (strcmp (k->name, name) == 0 && k->tally->has_looks == has_looks) {
			*where = k->next;
			if (last_unused == &k->next)
				last_unused = where;
			return k;
		}
	return NULL;
}

static struct ppi_kept_tally *make (const char *name, bool has_looks)
{
	struct ppi_kept_tally *k = calloc (1, sizeof *k);

	if (k)
		k->name = strdup (name);
	if (k && k->name)
		k->tally = ppi_tally_new (has_looks);
	if (k && k->tally)
		return k;
	free (k ? k->name : NULL);
	free (k);
	return NULL;
}

static bool take (struct ppi_assertion *a)
{
	struct ppi_kept_tally *k = reuse (a->name, a->n_captures > 0);
	struct ppi_thread *thread;
	pp_site *site;

	if (!k)
		k = make (a->name, a->n_captures > 0);
	if (!k)
		return false;
	/* samples until now were another's */
	if (ppi_tally_newest (k->tally, 0, &thread, &site))
		a->sides_stamp = ppi_thread_stamp (thread, site);
	k->next = NULL;
	ppi_store (&k->owner, a);
	ppi_store (&k->tally->round, k->tally->round + 1);
	ppi_tally_shut (k->tally);
	ppi_store (&a->chunk->chunk.reserved, ppi_tally_id (k->tally));
	/* release: checks that run see it whole */
	__atomic_store_n (&a->kept, k, __ATOMIC_RELEASE);
	return true;
}

static bool is_wanted (void)
{
	static int wanted = -1; /* PP_QUICK; with the lock */
	const char *text;

	if (wanted >= 0)
		return wanted;
	text = ppi_environment (PPI_ENVIRONMENT_QUICK);
	wanted = !text || strcmp (text, "0") != 0;
	if (text && wanted && strcmp (text, "1") != 0)
		ppi_message ("PP_QUICK=%s: expected 0 or 1; checks that certainly pass are quick "
			     "as by default",
			     text);
	return wanted;
}

bool ppi_assertion_quick (struct ppi_assertion *a, const struct ppi_op *ops, unsigned n_ops,
			  struct ppi_quick *out)
{
	if (!is_wanted () || a->growth || a->sweep ||
	    !ppi_program_prove (a->program, ops, n_ops, out) || (!a->kept && !take (a)))
		return false;
	out->tally = a->kept->tally;
	return true;
}

struct ppi_tally *ppi_assertion_tally (const struct ppi_assertion *a)
{
	struct ppi_kept_tally *k = __atomic_load_n (&a->kept, __ATOMIC_ACQUIRE);

	return k ? k->tally : NULL;
}

void ppi_assertion_count_looks (struct ppi_assertion *a)
{
	if (!a->kept)
		take (a);
}

void ppi_tally_hand_over (struct ppi_assertion *to, struct ppi_assertion *from)
{
	if (!from->kept)
		return;
	to->kept = from->kept;
	ppi_store (&to->kept->owner, to);
	to->sides_stamp = from->sides_stamp;
	ppi_tally_shut (to->kept->tally);
}

void ppi_assertion_close (struct ppi_assertion *a)
{
	struct ppi_kept_tally *k = __atomic_load_n (&a->kept, __ATOMIC_ACQUIRE);

	if (k)
		ppi_tally_shut (k->tally);
}

void ppi_assertion_open (struct ppi_assertion *a, struct ppi_thread *thread)
{
	struct ppi_kept_tally *k = __atomic_load_n (&a->kept, __ATOMIC_ACQUIRE);
	uint64_t shut = k ? __atomic_load_n (&k->tally->shut, __ATOMIC_ACQUIRE) : 0;

	if (!k)
		return;
	ppi_tally_prepare (k->tally, thread);
	/*
	 * the owner is another one before that one shuts the gate: who sees the old owner stores a
	 * number that is past
	 */
	if (ppi_load (&k->tally->idle) != shut && ppi_load (&k->owner) == a &&
	    ppi_assertion_is_at_rest (a))
		__atomic_store_n (&k->tally->idle, shut, __ATOMIC_RELEASE);
}

void ppi_tally_describe (struct ppi_assertion *a)
{
	if (!a->kept)
		return;
	ppi_tally_shut (a->kept->tally);
	ppi_store (&a->chunk->chunk.reserved, ppi_tally_id (a->kept->tally));
}

void ppi_tally_release (struct ppi_assertion *a)
{
	struct ppi_kept_tally *k = a->kept;
	uint64_t n;

	if (!k)
		return;
	ppi_lock ();
	if (k->owner == a) {
		ppi_tally_shut (k->tally);
		n = ppi_tally_read (ppi_tally_id (k->tally));
		__atomic_fetch_add (&a->chunk->passes, n, __ATOMIC_RELAXED);
		__atomic_fetch_add (&a->chunk->checks, n, __ATOMIC_RELAXED);
		ppi_store (&a->chunk->chunk.reserved, 0);
		if (ppi_tally_subtract (k->tally, n)) {
			k->owner = NULL;
			*last_unused = k;
			last_unused = &k->next;
		} else { /* never used again, so that nobody counts on from there */
			free (k->name);
			free (k);
		}
	}
	ppi_unlock ();
	a->kept = NULL;
}

/* ---- what it would have seen ----------------------------------------------------------------- */

uint64_t ppi_assertion_quick_passes (const struct ppi_assertion_chunk *chunk)
{
	return ppi_tally_read (ppi_load (&chunk->chunk.reserved));
}

void ppi_assertion_evaluated (struct ppi_assertion *a, const struct ppi_thread *thread,
			      const pp_site *site)
{
	if (__atomic_load_n (&a->kept, __ATOMIC_ACQUIRE))
		ppi_store (&a->sides_stamp, ppi_thread_stamp (thread, site));
}

void ppi_assertion_look_at_sides (struct ppi_assertion *a)
{
	struct ppi_assertion_chunk *chunk = a->chunk;
	const struct ppi_site_check *check = a->checks;
	struct ppi_verdict verdict;
	struct ppi_at at;

	if (!a->kept || !ppi_assertion_quick_passes (chunk) ||
	    !ppi_tally_newest (a->kept->tally, ppi_load (&a->sides_stamp), &at.thread, &at.site))
		return;
	while (check && check->site != at.site)
		check = check->next;
	if (!check)
		return;
	at.statics = check->statics;
	verdict = ppi_program_run (a->program, ppi_load_at, &at);
	if (!(verdict.value > 0.5))
		return; /* there was a reset since, or another sample just now */
	ppi_assertion_compared (chunk, verdict.left, verdict.right, verdict.dimension);
}
