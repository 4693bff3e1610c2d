/* SPDX-License-Identifier: MIT */
/*
 * expect.c: expectations in the program's own code, #pragma pp expect and pp_expect. They are assertions that are
 * checked where they stand, in ordinary context, with merged values; they live until the process ends.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Records whose module is not complete yet: metrics of theirs may come after them. [lock] */
struct waiting {
	struct waiting *next;
	struct pp_abi_expect *record;
};

static struct waiting *waiting, **waiting_end = &waiting;

/* Expressions that could not be compiled: told once, however often they are checked. [lock] */
struct refused {
	struct refused *next;
	int error;
	char text[]; /* name, NUL, expression */
};

static struct refused *refused;

static int find_refused (const char *name, const char *expression)
{
	for (const struct refused *r = refused; r; r = r->next)
		if (strcmp (r->text, name) == 0 && strcmp (r->text + strlen (name) + 1, expression) == 0)
			return r->error;
	return 0;
}

static void refuse (const char *name, const char *expression, int error)
{
	size_t bytes = strlen (name) + 1;
	struct refused *r = malloc (sizeof *r + bytes + strlen (expression) + 1);

	if (!r)
		return;
	r->error = error;
	memcpy (r->text, name, bytes);
	strcpy (r->text + bytes, expression);
	r->next = refused;
	refused = r;
}

static void tell (const char *line, void *arg)
{
	(void) arg;
	ppi_message ("%s", line);
}

static void tell_error (void *arg, size_t offset, const char *message)
{
	struct ppi_diagnostics *d = arg;

	ppi_diagnose (d, ppi_place_of (d->text, offset), "%s", message);
}

/* [lock] The assertion NAME: EXPRESSION, made if there is none. Errors are told, at PATH:LINE. */
static int find_or_make (const char *name, const char *expression, const char *path, uint32_t line,
			 struct ppi_assertion **out)
{
	struct ppi_assertion *a = ppi_assertion_find (name);
	struct ppi_runtime_names names;
	struct ppi_diagnostics d;
	struct ppi_expr_errors errors = {tell_error, &d};
	struct ppi_program *program = NULL;
	int error;

	*out = a;
	if (a && !a->policy && strcmp (a->program->text, expression) == 0)
		return PP_OK;
	ppi_diagnostics_init (&d, path, expression, line);
	ppi_runtime_names_init (&names, NULL);
	if (a) {
		ppi_diagnose (&d, (struct ppi_place){1, 1}, "expectation '%s' exists already, as: %s (%s)", name,
			      a->program->text, a->policy ? a->policy->policy->path : "in the program");
		error = PP_EEXIST;
	} else {
		error = ppi_program_create (expression, PPI_EXPR_MERGED, &names.names, &errors, &program);
	}
	ppi_diagnostics_tell (&d, tell, NULL);
	ppi_diagnostics_clear (&d);
	*out = error ? NULL : ppi_assertion_create (name, NULL, program);
	if (error)
		return error;
	if (!*out) {
		ppi_program_destroy (program);
		return PP_ENOMEM;
	}
	ppi_assertion_describe (*out);
	ppi_assertion_enlist (*out);
	ppi_link (program);
	ppi_wake ();
	return PP_OK;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

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

const struct ppi_record_handler ppi_expect_handler = {add, take_away};

static void compile (struct pp_abi_expect *record)
{
	const char *text = (const char *) record;
	struct ppi_assertion *a = NULL;

	if (find_or_make (text + record->head.name, text + record->expression,
			  record->head.file ? text + record->head.file : "expect", record->head.line, &a) ||
	    !a)
		return;
	if (record->call) {
		__atomic_store_n (&a->call, record->call, __ATOMIC_RELEASE);
		a->has_inline = true;
	}
	/* release: pp_rt_expect of another thread sees the assertion whole */
	__atomic_store_n (&record->head.runtime, (void *) a, __ATOMIC_RELEASE);
}

void ppi_expects_compile (void)
{
	while (waiting) {
		struct waiting *w = waiting;

		waiting = w->next;
		compile (w->record);
		free (w);
	}
	waiting_end = &waiting;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static enum ppi_outcome check (struct ppi_assertion *a)
{
	uint64_t now_ns = ppi_now_ns ();
	enum ppi_outcome outcome;

	ppi_refresh_users (a->program);
	outcome = ppi_assertion_check_now (a, now_ns, false);

	if (outcome != PPI_PASS || !ppi_relaxed (&a->quiet) ||
	    ppi_relaxed (&a->notices.head) != ppi_relaxed (&a->notices.tail)) {
		ppi_lock ();
		ppi_assertion_flush (a, now_ns);
		ppi_unlock ();
	}
	return outcome;
}

void pp_rt_expect (struct pp_abi_expect *what)
{
	struct ppi_assertion *a = __atomic_load_n (&what->head.runtime, __ATOMIC_ACQUIRE);
	int saved;

	if (!a || !ppi_relaxed (ppi_assertions_alive) || ppi_in_inline ())
		return;
	saved = errno;
	check (a);
	errno = saved;
}

int pp_expect (const char *name, const char *expression)
{
	struct ppi_assertion *a;
	const char *end = name ? ppi_lex_name (name) : NULL;
	int error, saved = errno;

	if (!end || *end || !expression)
		return PP_EINVAL;
	if (ppi_in_inline ())
		return PP_ESTATE;
	ppi_assertions_revive ();
	ppi_lock ();
	error = find_refused (name, expression);
	if (!error) {
		error = find_or_make (name, expression, name, 1, &a);
		if (error)
			refuse (name, expression, error);
	}
	ppi_unlock ();
	if (!error)
		error = (int) check (a);
	errno = saved;
	return error;
}
