/* SPDX-License-Identifier: MIT */
/*
 * expect.c: expectations in the program's own code, #pragma pp expect and pp_expect. They are
 * assertions that are checked where they stand, in ordinary context, with merged values; they live
 * until the process ends.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/link.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/names.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Records whose module is not complete yet: metrics of theirs may come after them. [lock] */
struct waiting {
	struct waiting *next;
	struct pp_abi_expect *record;
};

static struct waiting *waiting, **waiting_end = &waiting;

/* An expectation as the program says it. */
struct said {
	const char *name, *expression;
	const char *clauses; /* without braces; NULL: whichever there are */
	const char *path;    /* where */
	uint32_t line;
};

/* What could not be compiled: told once, however often it is checked. [lock] */
struct refused {
	struct refused *next;
	int error;
	bool any;    /* no clauses were said */
	char text[]; /* name, NUL, expression, NUL, clauses */
};

static struct refused *refused;

static bool is_refused (const struct refused *r, const struct said *said)
{
	const char *expression = r->text + strlen (r->text) + 1,
		   *clauses = expression + strlen (expression) + 1;

	return r->any == !said->clauses && strcmp (r->text, said->name) == 0 &&
	       strcmp (expression, said->expression) == 0 &&
	       strcmp (clauses, said->clauses ? said->clauses : "") == 0;
}

static int find_refused (const struct said *said)
{
	for (const struct refused *r = refused; r; r = r->next)
		if (is_refused (r, said))
			return r->error;
	return 0;
}

static void refuse (const struct said *said, int error)
{
	const char *clauses = said->clauses ? said->clauses : "";
	size_t name = strlen (said->name) + 1, expression = strlen (said->expression) + 1;
	struct refused *r = malloc (sizeof *r + name + expression + strlen (clauses) + 1);

	if (!r)
		return;
	r->error = error;
	r->any = !said->clauses;
	memcpy (r->text, said->name, name);
	memcpy (r->text + name, said->expression, expression);
	strcpy (r->text + name + expression, clauses);
	r->next = refused;
	refused = r;
}

static void tell_error (void *arg, size_t offset, const char *message)
{
	struct ppi_diagnostics *d = arg;

	ppi_diagnose (d, ppi_place_of (d->text, offset), "%s", message);
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool is_same (const struct ppi_assertion *a, const struct said *said)
{
	return !a->policy && strcmp (a->program->text, said->expression) == 0 &&
	       (!said->clauses || strcmp (a->clauses ? a->clauses : "", said->clauses) == 0);
}

static int tell_clash (const struct ppi_assertion *a, const struct said *said)
{
	struct ppi_diagnostics d;

	ppi_diagnostics_init (&d, said->path, said->expression, said->line);
	ppi_diagnose (&d, (struct ppi_place){1, 1},
		      "expectation '%s' exists already, as: %s%s%s (%s)", said->name,
		      a->program->text, a->clauses ? ", with " : "", a->clauses ? a->clauses : "",
		      a->policy ? a->policy->policy->path : "in the program");
	ppi_diagnostics_say (&d);
	return PP_EEXIST;
}

static int compile (const struct said *said, const struct ppi_names *names,
		    struct ppi_program **out)
{
	struct ppi_diagnostics d;
	struct ppi_expr_errors errors = {tell_error, &d, NULL};
	int error;

	ppi_diagnostics_init (&d, said->path, said->expression, said->line);
	error = ppi_program_create (said->expression, PPI_EXPR_MERGED, names, &errors, out);
	if (!error && (*out)->has_any) {
		ppi_diagnose (&d, (struct ppi_place){1, 1},
			      "each group is checked by an assertion of a policy only, by time");
		ppi_program_destroy (*out);
		*out = NULL;
		error = PP_EINVAL;
	}
	ppi_diagnostics_say (&d);
	return error;
}

/* Reads the clauses as those of a policy's assertion are read: as a YAML map, here in braces. */
static int read_clauses (const struct said *said, const struct ppi_names *names,
			 struct ppi_assertion *a)
{
	struct ppi_policy_assertion how = {0};
	struct ppi_diagnostics d;
	struct ppi_yaml *tree;
	char *text;
	int error;

	a->clauses = strdup (said->clauses);
	if (!a->clauses || asprintf (&text, "{%s}", said->clauses) < 0)
		return PP_ENOMEM;
	ppi_diagnostics_init (&d, said->path, text, said->line);
	tree = ppi_yaml_read (text, strlen (text), &d);
	if (tree) {
		ppi_policy_read_clauses (&d, tree, &how);
		ppi_policy_check_captures (&how, names, &d);
	}
	error = d.errors || !tree                      ? PP_EINVAL
		: ppi_assertion_take_clauses (a, &how) ? PP_OK
						       : PP_ENOMEM;
	ppi_policy_figures_destroy (&how);
	ppi_diagnostics_say (&d);
	ppi_yaml_destroy (tree);
	free (text);
	return error;
}

/* All errors are told: those of the clauses and those of the expression. */
static int make (const struct said *said, struct ppi_assertion **out)
{
	struct ppi_runtime_names names;
	struct ppi_program *program = NULL;
	struct ppi_assertion *a = ppi_assertion_create (said->name, NULL, NULL);
	int error, wrong = PP_OK;

	if (!a)
		return PP_ENOMEM;
	ppi_runtime_names_init (&names, NULL);
	names.names.grows = false; /* the program says it when all is there */
	if (said->clauses && *said->clauses)
		wrong = read_clauses (said, &names.names, a);
	error = compile (said, &names.names, &program);
	a->program = program;
	if (error || wrong) {
		ppi_assertion_destroy (a);
		return error ? error : wrong;
	}
	ppi_assertion_describe (a);
	ppi_assertion_enlist (a);
	ppi_link (program);
	ppi_captures_link (a);
	ppi_wake ();
	*out = a;
	return PP_OK;
}

/* [lock] The assertion that is said, made if there is none. */
static int find_or_make (const struct said *said, struct ppi_assertion **out)
{
	*out = ppi_assertion_find (said->name);
	if (!*out)
		return make (said, out);
	return is_same (*out, said) ? PP_OK : tell_clash (*out, said);
}

/* ---- records --------------------------------------------------------------------------------- */

static void add (struct pp_abi_record *head)
{
	struct waiting *w = calloc (1, sizeof *w);

	if (!w)
		return;
	w->record = (struct pp_abi_expect *) head;
	*waiting_end = w;
	waiting_end = &w->next;
}

static void take_away (struct pp_abi_record *head)
{
	struct ppi_assertion *a = head->runtime;
	const struct pp_abi_expect *record = (const struct pp_abi_expect *) head;

	head->runtime = NULL;
	if (a && a->call == record->call) {
		__atomic_store_n (&a->call, NULL, __ATOMIC_RELEASE);
		a->has_inline = false;
	}
	for (struct waiting **where = &waiting, *w; (w = *where);) {
		if (w->record != record) {
			where = &w->next;
			continue;
		}
		*where = w->next;
		free (w);
	}
	for (waiting_end = &waiting; *waiting_end; waiting_end = &(*waiting_end)->next)
		;
}

static void take_in (struct pp_abi_expect *record)
{
	const char *text = (const char *) record;
	const struct said said = {text + record->head.name, text + record->expression,
				  record->clauses ? text + record->clauses : "",
				  record->head.file ? text + record->head.file : "expect",
				  record->head.line};
	struct ppi_assertion *a = NULL;

	if (find_or_make (&said, &a))
		return;
	if (record->call) {
		__atomic_store_n (&a->call, record->call, __ATOMIC_RELEASE);
		a->has_inline = true;
	}
	/* release: pp_rt_expect of another thread sees the assertion whole */
	__atomic_store_n (&record->head.runtime, (void *) a, __ATOMIC_RELEASE);
}

/* Those whose module is complete now. */
static void compile_all (void)
{
	while (waiting) {
		struct waiting *w = waiting;

		waiting = w->next;
		take_in (w->record);
		free (w);
	}
	waiting_end = &waiting;
}

static void init (void)
{
	static const struct ppi_record_handler handler = {add, take_away};

	ppi_record_handler_set (PP_ABI_RECORD_EXPECT, &handler);
}

const struct ppi_part ppi_expectations_part = {.init = init, .module_added = compile_all};

/* ---- checking -------------------------------------------------------------------------------- */

/* How it is, of which nothing comes */
static enum ppi_outcome look (const struct ppi_assertion *a)
{
	double value = ppi_program_run (a->program, ppi_load_merged, NULL).value;

	return isnan (value) ? PPI_UNKNOWN : value > 0.5 ? PPI_PASS : PPI_FAIL;
}

static enum ppi_outcome check (struct ppi_assertion *a)
{
	uint64_t now_ns = ppi_now_ns ();
	enum ppi_outcome outcome;

	ppi_refresh_users (a->program);
	outcome = ppi_assertion_begun (a) ? ppi_assertion_check_now (a, now_ns, false) : look (a);

	if (outcome != PPI_PASS || !ppi_load (&a->quiet) || a->threads ||
	    ppi_load (&a->notices.head) != ppi_load (&a->notices.tail)) {
		ppi_lock ();
		ppi_assertion_reap (a, now_ns);
		ppi_assertion_flush (a, now_ns);
		ppi_unlock ();
	}
	return outcome;
}

void pp_rt_expect (struct pp_abi_expect *what)
{
	struct ppi_assertion *a = __atomic_load_n (&what->head.runtime, __ATOMIC_ACQUIRE);
	int saved;

	if (!a || !ppi_load (ppi_assertions_alive) || ppi_in_inline ())
		return;
	saved = errno;
	check (a);
	errno = saved;
}

int pp_expect (const char *name, const char *expression)
{
	return pp_expect_with (name, expression, NULL);
}

int pp_expect_with (const char *name, const char *expression, const char *clauses)
{
	const struct said said = {name, expression, clauses, name, 1};
	struct ppi_assertion *a;
	const char *end = name ? ppi_lex_name (name) : NULL;
	int error, saved = errno;

	if (!end || *end || !expression)
		return PP_EINVAL;
	if (ppi_in_inline ())
		return PP_ESTATE;
	ppi_assertions_revive ();
	ppi_lock ();
	error = find_refused (&said);
	if (!error) {
		error = find_or_make (&said, &a);
		if (error)
			refuse (&said, error);
	}
	ppi_unlock ();
	if (!error)
		error = (int) check (a);
	errno = saved;
	return error;
}
