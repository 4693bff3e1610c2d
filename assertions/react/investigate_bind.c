/* SPDX-License-Identifier: MIT */
/*
 * investigate_bind.c: what an investigation binds, and how that goes away again. See investigate.h.
 */
#include "assertions/engine/gone.h"
#include "assertions/react/investigate.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/rule.h"

#include <stddef.h>
#include <stdlib.h>

static struct ppi_culprit_check *gone; /* detached, to be freed [lock] */

/* The site's full name as a pattern that means nothing else. False: it is too long */
static bool exact_pattern (const pp_site *site, char *out, size_t room)
{
	size_t used = 0;

	for (const char *p = pp_site_name (site); *p; p++) {
		if (used + 3 > room)
			return false;
		if (*p == '*' || *p == '\\')
			out[used++] = '\\';
		out[used++] = *p;
	}
	out[used] = '\0';
	return true;
}

bool ppi_culprit_bind (struct ppi_investigation *v, pp_site *site, uint32_t phase, uint32_t number,
		       uint32_t every,
		       void (*run) (struct ppi_check *check, struct ppi_thread *thread,
				    pp_site *site))
{
	struct ppi_culprit_check *c = calloc (1, sizeof *c);
	char pattern[1024], why[256];

	if (!c || !exact_pattern (site, pattern, sizeof pattern) ||
	    ppi_rule_create (v->probe, pattern, every, &c->rule, why, sizeof why) < 1) {
		if (c && c->rule)
			ppi_rule_destroy (c->rule);
		free (c);
		return false;
	}
	c->check.run = run;
	c->of = v;
	c->site = site;
	c->phase = phase;
	c->number = number;
	c->every = every;
	if (ppi_check_attach (site, &c->check) < 0) {
		ppi_rule_destroy (c->rule);
		free (c);
		return false;
	}
	c->next = v->checks;
	v->checks = c;
	return true;
}

void ppi_culprits_unbind (struct ppi_investigation *v, bool all)
{
	ppi_batch_begin ();
	for (struct ppi_culprit_check **where = &v->checks, *c; (c = *where);) {
		if (!all && !c->phase) {
			where = &c->next;
			continue;
		}
		ppi_check_detach (c->site, &c->check);
		ppi_rule_destroy (c->rule);
		*where = c->next;
		c->next = gone;
		gone = c;
	}
	ppi_batch_end ();
}

bool ppi_culprits_bind_batch (struct ppi_investigation *v, bool around)
{
	bool good = true;

	v->phase_number++;
	v->phase_number += !v->phase_number;
	v->n_bound = 0;
	ppi_batch_begin ();
	if (around) {
		good = ppi_culprit_bind (v, v->site, 0, 0, 1, ppi_culprit_whole);
		for (uint32_t i = 1; i <= v->level; i++)
			good = ppi_culprit_bind (v, v->path[i].site, 0, 0, 1, ppi_culprit_around) &&
			       good;
	}
	for (uint32_t i = 0; i < v->n_batch; i++)
		v->n_bound += ppi_culprit_bind (v, v->batch[i], v->phase_number, i, v->pace.every,
						ppi_culprit_part);
	ppi_batch_end ();
	v->is_waiting = true;
	return good;
}

void ppi_culprits_free (void)
{
	static const struct ppi_gone what = {offsetof (struct ppi_culprit_check, next), NULL, free,
					     100};

	ppi_gone_free ((void **) &gone, &what);
}
