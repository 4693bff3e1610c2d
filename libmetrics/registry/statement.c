/* SPDX-License-Identifier: MIT */
/*
 * statement.c: what the source names: the metrics and sites of #pragma pp bind and unbind, and
 * metrics at sites that there are not.
 */
#include "base/lock.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/rule.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a statement means ------------------------------------------------------------------ */

/* Is S in the function of the statement WHAT? */
static bool is_in_function (const struct pp_abi_bind *what, const pp_site *s)
{
	bool knows_line = what->size >= sizeof (*what) && what->function_line && s->function_line;

	return strcmp (s->function, what->function) == 0 &&
	       (!knows_line || s->function_line == what->function_line);
}

/* Of the sites that a statement may mean. */
struct meant {
	const pp_site *first;
	unsigned n;
};

static void may_mean (struct meant *m, const pp_site *s)
{
	if (!m->n++)
		m->first = s;
}

/*
 * The pattern for the site that a statement means: one of its function, else of its file, else of
 * the program. Where there are several it is one that matches
 * several, which is an error that lists them.
 */
static void scoped_name (const struct pp_abi_bind *what, char *out, size_t room)
{
	struct meant in_function = {NULL, 0}, in_file = {NULL, 0};

	for (const pp_site *s = ppi_site_first (); s; s = s->next) {
		if (!s->copies || strcmp (s->name, what->site) != 0 ||
		    strcmp (s->file, what->file) != 0)
			continue;
		may_mean (&in_file, s);
		if (is_in_function (what, s))
			may_mean (&in_function, s);
	}
	if (in_function.n == 1 || (!in_function.n && in_file.n == 1))
		snprintf (out, room, "%s", (in_function.n ? &in_function : &in_file)->first->full);
	else if (in_function.n && in_function.first->function_line)
		snprintf (out, room, "%s:%s@%u/%s", what->file, what->function,
			  in_function.first->function_line, what->site);
	else if (in_function.n)
		snprintf (out, room, "%s:%s/%s", what->file, what->function, what->site);
	else
		snprintf (out, room, "%s", what->site);
}

/* "; did you mean ...?" behind WHY, for a site of which there is none. */
static void suggest_site (const char *name, char *why, size_t room)
{
	char meant[512];
	size_t used = strlen (why);

	if (used < room && ppi_lookup_meant (name, meant, sizeof meant))
		snprintf (why + used, room - used, "; did you mean \"%s\"?", meant);
}

/* Why there is no metric NAME, to WHY. */
static void no_metric (const char *name, char *why, size_t room)
{
	const char *candidates[512], *nearest;
	size_t n = 0;

	for (const pp_metric *m = ppi_metric_first ();
	     m && n + 1 < sizeof (candidates) / sizeof (candidates[0]); m = m->next)
		candidates[n++] = m->spec.name;
	candidates[n] = NULL;
	nearest = ppi_nearest (name, candidates);
	snprintf (why, room, "there is no metric \"%s\"%s%s%s", name,
		  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

/* ---- metrics that sites name and that there are not ------------------------------------------ */

struct missed {
	struct missed *next;
	pp_site *site;
	bool told;
	char name[];
};

static struct missed *missed;

void ppi_metric_missed (pp_site *site, const char *name)
{
	struct missed *m = missed;
	size_t n = strlen (name) + 1;

	while (m && (m->site != site || strcmp (m->name, name) != 0))
		m = m->next;
	m = m ? NULL : malloc (sizeof (*m) + n);
	if (!m)
		return; /* it is known, or won't be told */
	*m = (struct missed){missed, site, false};
	memcpy (m->name, name, n);
	missed = m;
}

void ppi_metrics_missed_tell (void)
{
	for (struct missed **at = &missed, *m; (m = *at);) {
		char why[512];

		if (pp_metric_find (m->name)) { /* it came with another module */
			*at = m->next;
			ppi_batch_begin ();
			ppi_bind_static (m->site, m->name);
			ppi_batch_end ();
			free (m);
			continue;
		}
		if (!m->told) {
			no_metric (m->name, why, sizeof (why));
			ppi_message ("%s:%u: %s \"%s\": %s", m->site->file, m->site->line,
				     ppi_kind_name (m->site->kind), m->site->name, why);
			m->told = true;
		}
		at = &m->next;
	}
}

/* ---- the statements -------------------------------------------------------------------------- */

static void statement (const struct pp_abi_bind *what, bool bind)
{
	pp_metric *m = what->abi == PP_ABI_VERSION ? pp_metric_find (what->metric) : NULL;
	char name[2560], why[768] = "";
	int n = PP_ENOENT;

	if (m) {
		ppi_lock ();
		scoped_name (what, name, sizeof (name));
		n = bind ? ppi_bind_for_program (m, name, 0, why, sizeof (why))
			 : pp_unbind (m, name);
		if (n == PP_ENOENT)
			suggest_site (what->site, why, sizeof (why));
		ppi_unlock ();
		if (!bind)
			return; /* what is not bound can be unbound */
	} else {
		ppi_lock ();
		no_metric (what->metric, why, sizeof (why));
		ppi_unlock ();
	}
	if (n < 0)
		ppi_message_once (what, "%s:%u: %s %s %s %s: %s", what->file, what->line,
				  bind ? "bind" : "unbind", what->metric, bind ? "to" : "from",
				  what->site, why);
}

void pp_rt_bind (const struct pp_abi_bind *what)
{
	int saved = errno;

	statement (what, true);
	errno = saved;
}

void pp_rt_unbind (const struct pp_abi_bind *what)
{
	int saved = errno;

	statement (what, false);
	errno = saved;
}
