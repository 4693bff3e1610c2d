/* SPDX-License-Identifier: MIT */
/*
 * rule.c: who asks for bindings: rules (policies, pp_bind) and the metrics that the source names at
 * its sites. A rule goes on asking: sites that
 * appear later are bound when they do.
 */
#include "libmetrics/registry/rule.h"

#include "base/lock.h"
#include "base/message.h"
#include "libmetrics/code/patch.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/site.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rules ----------------------------------------------------------------------------------- */

struct ppi_rule {
	pp_metric *metric;
	char *pattern;
	uint32_t every;
	struct ppi_membership **members; /* the sites it has acquired */
	unsigned n, room;
	struct membership_block *blocks; /* the newest first */
	struct ppi_membership *spare;    /* of the blocks */
	bool is_program;                 /* pp_bind or a pragma asked, not a policy */
	struct ppi_rule *next;
};

static struct ppi_rule *rules;

/*
 * A rule may have every site of the program, and a site few rules: who looks for one goes through
 * the site's.
 */
struct ppi_membership {
	struct ppi_rule *rule;
	pp_site *site;
	unsigned index;              /* in the rule's members */
	struct ppi_membership *next; /* of the site */
};

/* A hundred thousand of them come and go with one rule. */
struct membership_block {
	struct membership_block *next;
	size_t n;
	struct ppi_membership at[];
};

enum { BLOCK_LEAST = 4, BLOCK_MOST = 4096 };

static bool blocks_grow (struct ppi_rule *r)
{
	size_t n = !r->blocks                  ? BLOCK_LEAST
		   : r->blocks->n < BLOCK_MOST ? 2 * r->blocks->n
					       : BLOCK_MOST;
	struct membership_block *b = malloc (sizeof (*b) + n * sizeof (b->at[0]));

	if (!b)
		return false;
	b->next = r->blocks;
	b->n = n;
	r->blocks = b;
	for (size_t i = n; i-- > 0; r->spare = &b->at[i])
		b->at[i].next = r->spare;
	return true;
}

static struct ppi_membership *membership_take (struct ppi_rule *r)
{
	struct ppi_membership *m = r->spare || blocks_grow (r) ? r->spare : NULL;

	if (m)
		r->spare = m->next;
	return m;
}

static void membership_give (struct ppi_rule *r, struct ppi_membership *m)
{
	m->next = r->spare;
	r->spare = m;
}

bool ppi_rules_exist (void)
{
	return rules != NULL;
}

static bool has (const struct ppi_rule *r, const pp_site *s)
{
	const struct ppi_membership *m = s->memberships;

	while (m && m->rule != r)
		m = m->next;
	return m != NULL;
}

static void leave (struct ppi_membership *m)
{
	struct ppi_rule *r = m->rule;
	struct ppi_membership **at = &m->site->memberships;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	r->members[m->index] = r->members[--r->n];
	r->members[m->index]->index = m->index;
	membership_give (r, m);
}

/* The newest rule that says it, else the declaration. */
uint32_t ppi_rule_every (const struct ppi_binding *b)
{
	for (const struct ppi_rule *r = rules; r; r = r->next)
		if (r->metric == b->metric && r->every && has (r, b->site))
			return r->every;
	return b->metric->spec.every;
}

static bool members_grow (struct ppi_rule *r)
{
	unsigned n = r->room ? r->room * 2 : 4;
	struct ppi_membership **fresh = realloc (r->members, n * sizeof (*fresh));

	if (!fresh)
		return false;
	r->members = fresh;
	r->room = n;
	return true;
}

static int add_site (struct ppi_rule *r, pp_site *s, char *why, size_t room)
{
	struct ppi_membership *m = r->n < r->room || members_grow (r) ? membership_take (r) : NULL;
	int e;

	if (!m) {
		snprintf (why, room, "no memory");
		return PP_ENOMEM;
	}
	e = ppi_binding_acquire (r->metric, s, r->every, why, room);
	if (e < 0) {
		membership_give (r, m);
		return e;
	}
	*m = (struct ppi_membership){r, s, r->n, s->memberships};
	s->memberships = m;
	r->members[r->n++] = m;
	return PP_OK;
}

struct matching {
	struct ppi_rule *rule;
	const char *text;
	bool globbed; /* sites of the other kind are passed over */
	bool fresh_only;
	unsigned passed;
	/* of a site that was passed over though it has what the metric keeps, as another type */
	bool told;
	int error;
	char *why;
	size_t room;
};

static int match_one (pp_site *s, void *arg)
{
	struct matching *m = arg;

	if (m->fresh_only && has (m->rule, s))
		return 0;
	m->error = ppi_binding_check (m->rule->metric, s, m->why, m->room);
	if (m->error == PP_EKIND && m->globbed) {
		if (!m->told && ppi_binding_clashes (m->rule->metric, s)) {
			m->told = true;
			ppi_message (
				"binding metric \"%s\" to \"%s\": %s; sites like this are left out",
				m->rule->metric->spec.name, m->rule->pattern, m->why);
		}
		m->error = PP_OK;
		m->passed++;
		return 0;
	}
	if (m->error == PP_OK)
		m->error = add_site (m->rule, s, m->why, m->room);
	return m->error;
}

static void rule_free (struct ppi_rule *r)
{
	for (struct membership_block *b = r->blocks, *next; b; b = next) {
		next = b->next;
		free (b);
	}
	free (r->members);
	free (r->pattern);
	free (r);
}

static struct ppi_rule *rule_alloc (pp_metric *metric, const char *pattern, uint32_t every)
{
	struct ppi_rule *r = calloc (1, sizeof (*r));

	if (!r)
		return NULL;
	r->metric = metric;
	r->pattern = strdup (pattern);
	r->every = every;
	if (!r->pattern) {
		free (r);
		return NULL;
	}
	return r;
}

static void give_back (struct ppi_rule *r)
{
	while (r->n) {
		ppi_binding_release (r->metric, r->members[r->n - 1]->site);
		leave (r->members[r->n - 1]);
	}
}

/* Puts a text before the one in WHY. */
__attribute__ ((format (printf, 3, 4))) static void say_first (char *why, size_t room,
							       const char *format, ...)
{
	char rest[768];
	va_list args;
	int n;

	snprintf (rest, sizeof (rest), "%s", why);
	va_start (args, format);
	n = vsnprintf (why, room, format, args);
	va_end (args);
	if (n >= 0 && (size_t) n < room)
		snprintf (why + n, room - (size_t) n, "%s", rest);
}

static int bind_matching (struct ppi_rule *r, char *why, size_t room)
{
	struct matching m = {
		.rule = r, .globbed = !ppi_pattern_is_plain (r->pattern), .why = why, .room = room};
	pp_site *s;
	int e;

	if (!m.globbed) {
		e = ppi_site_find_plain (r->pattern, &s, why, room);
		if (e == PP_ENOENT)
			return 0; /* pending */
		return e < 0 ? e : (e = match_one (s, &m)) < 0 ? e : 1;
	}
	ppi_site_each_matching (r->pattern, match_one, &m);
	if (m.error < 0)
		return m.error;
	/* WHY tells of the last of them */
	if (!r->n && m.passed) {
		say_first (why, room,
			   "\"%s\" matches %u site%s, but none that the metric can be bound to: ",
			   r->pattern, m.passed, m.passed == 1 ? "" : "s");
		return PP_EKIND;
	}
	return (int) r->n;
}

int ppi_rule_create (pp_metric *metric, const char *pattern, uint32_t every, struct ppi_rule **out,
		     char *why, size_t room)
{
	struct ppi_rule *r;
	int n;

	if (!ppi_pattern_valid (pattern, why, room))
		return PP_EINVAL;
	if (metric->spec.has_arguments)
		return ppi_binding_fits (metric, NULL, why, room);
	r = rule_alloc (metric, pattern, every);
	if (!r) {
		snprintf (why, room, "no memory");
		return PP_ENOMEM;
	}
	ppi_batch_begin ();
	/* a metric that can't be measured here is bound to nothing: NaN, not zero */
	n = ppi_metric_describe (metric) < 0 ? PP_ENOMEM
	    : metric->unavailable            ? 0
					     : bind_matching (r, why, room);
	if (n < 0)
		give_back (r);
	ppi_batch_end ();
	if (n < 0) {
		rule_free (r);
		return n;
	}
	r->next = rules;
	rules = r;
	*out = r;
	return n;
}

void ppi_rule_destroy (struct ppi_rule *rule)
{
	struct ppi_rule **at = &rules;

	while (*at && *at != rule)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = rule->next;
	ppi_batch_begin ();
	give_back (rule);
	ppi_batch_end ();
	rule_free (rule);
}

unsigned ppi_rule_sites (const struct ppi_rule *rule)
{
	return rule->n;
}

/* ---- static bindings and sites that appear --------------------------------------------------- */

/* One name of a site's list of metrics. */
void ppi_bind_static (pp_site *s, const char *name)
{
	pp_metric *m = pp_metric_find (name);
	struct ppi_binding *b;
	char why[512];
	int e;

	if (!m)
		ppi_metric_missed (s, name);
	if (!m || m->unavailable)
		return; /* the report names those */
	for (b = s->bindings; b && b->metric != m; b = b->next_of_site)
		;
	if (b && b->is_static)
		return;
	/* what an inline site's pragma names is bound for good */
	e = ppi_binding_fits (m, s, why, sizeof (why));
	if (e == PP_OK)
		e = ppi_binding_acquire (m, s, 0, why, sizeof (why));
	if (e < 0)
		ppi_message ("%s:%u: %s", s->file, s->line, why);
	else if ((b = ppi_binding_get (m, s)))
		b->is_static = true;
}

static void bind_statics (pp_site *s, const struct pp_abi_site *d)
{
	char name[256];
	const char *list = d->metrics ? (const char *) d + d->metrics : "";

	while (*list) {
		size_t n = strcspn (list, ",");

		if (n && n < sizeof (name)) {
			memcpy (name, list, n);
			name[n] = '\0';
			ppi_bind_static (s, name);
		}
		list += n + (list[n] == ',');
	}
}

/* A rule with one name has its site or waits for it; a pattern goes on. */
static void rule_apply (struct ppi_rule *r, pp_site *only)
{
	char why[768] = "";
	bool plain = ppi_pattern_is_plain (r->pattern);
	struct matching m = {
		.rule = r, .globbed = true, .fresh_only = true, .why = why, .room = sizeof (why)};
	int e;

	if (r->metric->unavailable || (plain && r->n) ||
	    (only && !ppi_site_matches (only, r->pattern)))
		return;
	if (plain)
		e = bind_matching (r, why, sizeof (why));
	else if (only)
		e = match_one (only, &m);
	else
		e = ppi_site_each_matching (r->pattern, match_one, &m);
	if (e < 0)
		ppi_message ("binding metric \"%s\" to \"%s\": %s", r->metric->spec.name,
			     r->pattern, why);
}

void ppi_rules_apply (const struct ppi_module *module, pp_site *only)
{
	for (pp_site *s = module && module->names_metrics ? ppi_site_first () : NULL; s;
	     s = s->next)
		for (const struct ppi_copy *c = s->copies; c; c = c->next)
			if (c->descriptor->metrics && c->module == module)
				bind_statics (s, c->descriptor);
	for (struct ppi_rule *r = rules; r; r = r->next)
		rule_apply (r, only);
}

/* ---- pp_bind, pp_unbind ---------------------------------------------------------------------- */

static struct ppi_rule *asked_find (const pp_metric *metric, const char *pattern)
{
	struct ppi_rule *r = rules;

	while (r && (!r->is_program || r->metric != metric || strcmp (r->pattern, pattern) != 0))
		r = r->next;
	return r;
}

/* Asks once more: for sites that an unbind took away, and with another `every`. */
static int ask_again (struct ppi_rule *r, uint32_t every, char *why, size_t room)
{
	struct matching m = {
		.rule = r, .globbed = true, .fresh_only = true, .why = why, .room = room};

	r->every = every;
	for (unsigned i = 0; i < r->n; i++) {
		struct ppi_binding *b = ppi_binding_get (r->metric, r->members[i]->site);

		ppi_binding_set_every (b, every ? every : r->metric->spec.every);
	}
	if (ppi_pattern_is_plain (r->pattern))
		return r->n ? (int) r->n : bind_matching (r, why, room);
	ppi_site_each_matching (r->pattern, match_one, &m);
	return m.error < 0 ? m.error : (int) r->n;
}

static int ask (pp_metric *metric, const char *pattern, uint32_t every, char *why, size_t room)
{
	struct ppi_rule *r = asked_find (metric, pattern);
	int n, e;

	ppi_batch_begin ();
	if (r)
		n = ask_again (r, every, why, room);
	else
		n = ppi_rule_create (metric, pattern, every, &r, why, room);
	if (r)
		r->is_program = true;
	e = ppi_batch_end ();
	if (n > 0 && e < 0) {
		snprintf (why, room, "the code at its markers cannot be changed (route %s)",
			  ppi_patch_route ());
		n = e;
	} else if (n == 0) {
		snprintf (why, room, "%s",
			  metric->unavailable ? metric->unavailable : "no site matches");
		n = metric->unavailable ? PP_EUNAVAILABLE : PP_ENOENT;
	}
	/* what was asked for in vain is not kept: pp_bind speaks of the sites there are */
	if (n < 0 && r)
		ppi_rule_destroy (r);
	return n;
}

int ppi_bind_for_program (pp_metric *metric, const char *pattern, uint32_t every, char *why,
			  size_t room)
{
	int n;

	ppi_lock ();
	n = ask (metric, pattern, every, why, room);
	ppi_unlock ();
	return n;
}

int pp_bind (pp_metric *metric, const char *pattern, unsigned every)
{
	char why[768] = "";
	int n, saved = errno;

	if (!metric || !pattern)
		return PP_EINVAL;
	n = ppi_bind_for_program (metric, pattern, every, why, sizeof (why));
	if (n == PP_EAMBIGUOUS || n == PP_EKIND || n == PP_ECODE)
		ppi_message ("pp_bind (%s, \"%s\"): %s", metric->spec.name, pattern, why);
	errno = saved;
	return n;
}

/* Is what a plain name means measured by its code for good? */
static bool is_inline (const pp_metric *metric, const char *pattern, char *why, size_t room)
{
	pp_site *s;

	return ppi_pattern_is_plain (pattern) &&
	       ppi_site_find_plain (pattern, &s, why, room) == PP_OK &&
	       (s->flags & PP_ABI_SITE_INLINE) && ppi_binding_check (metric, s, why, room) < 0;
}

struct unbinding {
	pp_metric *metric;
	bool everybody;
	int n;
};

static uint32_t take_from_rules (const struct unbinding *u, const pp_site *s)
{
	struct ppi_membership *m = s->memberships, *next;
	uint32_t taken = 0;

	for (; m; m = next) {
		next = m->next;
		if (m->rule->metric == u->metric && (m->rule->is_program || u->everybody)) {
			leave (m);
			taken++;
		}
	}
	return taken;
}

static int unbind_one (pp_site *s, void *arg)
{
	struct unbinding *u = arg;
	struct ppi_binding *b;
	uint32_t taken;

	for (b = s->bindings; b && b->metric != u->metric; b = b->next_of_site)
		;
	if (!b || !b->users || (s->flags & PP_ABI_SITE_INLINE))
		return 0;
	taken = take_from_rules (u, s) + b->is_static;
	b->is_static = false;
	if (!taken)
		return 0;
	b->users -= taken;
	if (b->users)
		ppi_binding_renew_every (b); /* who is left did not ask for that of who goes */
	ppi_binding_note (b);
	ppi_site_touch (s);
	u->n++;
	return 0;
}

/*
 * Unbinds METRIC from the sites that match: what the program asked for, or with EVERYBODY also what
 * policies did. Returns the sites.
 */
static int unbind_sites (pp_metric *metric, const char *pattern, bool everybody)
{
	struct unbinding u = {metric, everybody, 0};

	ppi_site_each_matching (pattern, unbind_one, &u);
	return u.n;
}

int pp_unbind (pp_metric *metric, const char *pattern)
{
	struct ppi_rule *r;
	char why[768];
	int n, saved = errno;

	if (!metric || !pattern)
		return PP_EINVAL;
	ppi_lock ();
	ppi_batch_begin ();
	n = unbind_sites (metric, pattern, false);
	r = asked_find (metric, pattern);
	if (r)
		ppi_rule_destroy (r);
	if (n == 0)
		n = unbind_sites (metric, pattern, true);
	ppi_batch_end ();
	if (n == 0 && is_inline (metric, pattern, why, sizeof (why)))
		n = PP_EKIND;
	ppi_unlock ();
	if (n == PP_EKIND)
		ppi_message ("pp_unbind (%s, \"%s\"): %s", metric->spec.name, pattern, why);
	errno = saved;
	return n ? n : PP_ENOENT;
}
