/* SPDX-License-Identifier: MIT */
/* strategy.c: see strategy.h. */
#include "strategy.h"
#include "counts.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { RULE, SEQUENCE, CHOICE, ALL, IDENTITY, NAMED };

struct strategy {
	const char *name;
	enum kind kind;
	rule_fn rule;
	const struct strategy *a, *b;
};

enum { STRATEGIES = 256 };

static struct strategy made[STRATEGIES];
static unsigned n;

static struct strategy *make (struct strategy strategy)
{
	if (n == STRATEGIES) {
		fprintf (stderr, "attributes: too many strategies\n");
		exit (1);
	}
	made[n] = strategy;
	return &made[n++];
}

void strategies_free (void)
{
	n = 0;
}

const struct strategy *strategy_rule (const char *name, rule_fn rule)
{
	return make ((struct strategy){.name = name, .kind = RULE, .rule = rule});
}

const struct strategy *sequence (const char *name, const struct strategy *a,
				 const struct strategy *b)
{
	return make ((struct strategy){.name = name, .kind = SEQUENCE, .a = a, .b = b});
}

const struct strategy *choice (const char *name, const struct strategy *a, const struct strategy *b)
{
	return make ((struct strategy){.name = name, .kind = CHOICE, .a = a, .b = b});
}

const struct strategy *all (const struct strategy *s)
{
	return make ((struct strategy){.name = "all", .kind = ALL, .a = s});
}

const struct strategy *named (const char *name, const struct strategy *s)
{
	return make ((struct strategy){.name = name, .kind = NAMED, .a = s});
}

const struct strategy *attempt (const struct strategy *s)
{
	return choice ("attempt", s, make ((struct strategy){.name = "id", .kind = IDENTITY}));
}

const struct strategy *topdown (const char *again, const struct strategy *s)
{
	struct strategy *whole = make ((struct strategy){.name = again, .kind = SEQUENCE, .a = s});

	whole->b = all (whole);
	return whole;
}

const struct strategy *bottomup (const char *first, const struct strategy *s)
{
	struct strategy *inner =
		make ((struct strategy){.name = "bottomup", .kind = SEQUENCE, .b = s});

	inner->a = all (inner);
	return sequence (first, inner->a, s);
}

/* The same term where no child changes. */
static struct term *to_each_child (const struct strategy *s, struct term *term)
{
	for (unsigned i = 0; i < term->n; i++) {
		struct term *now = apply (s, term->child[i]);

		if (!now)
			return NULL;
		if (now != term->child[i])
			term = term_with (term, i, now);
	}
	return term;
}

static struct term *apply_once (const struct strategy *s, struct term *term)
{
	struct term *now;

	switch (s->kind) {
	case RULE:
		return s->rule (term);
	case SEQUENCE:
		now = apply (s->a, term);
		return now ? apply (s->b, now) : NULL;
	case CHOICE:
		now = apply (s->a, term);
		return now ? now : apply (s->b, term);
	case ALL:
		return to_each_child (s->a, term);
	case NAMED:
		return apply (s->a, term);
	default:
		return term;
	}
}

struct term *apply (const struct strategy *strategy, struct term *term)
{
	const char *type = constructor_name (term->is);
	struct term *now;
	int64_t event;

	count_event ("StratEval", strategy->name, type, false);
	event = pp_event_begin ("StratEval", PP_DIM ("name", strategy->name),
				PP_DIM ("strategy", strategy->name),
				PP_DIM ("subject", term->shown), PP_DIM ("type", type));
	now = apply_once (strategy, term);
	pp_event_end (event, PP_DIM ("result", now ? "success" : "failure"));
	return now;
}
