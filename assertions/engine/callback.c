/* SPDX-License-Identifier: MIT */
/*
 * callback.c: the program's functions: callables of policies and callbacks of pp_on_assertion.
 * Inline ones are called by whoever saw the edge; all others are queued and called by the owner,
 * one after the other, without the lock.
 */
#include "assertions/engine/callback.h"

#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/poll_fd.h"
#include "assertions/engine/post.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DELIVERIES_MAX 1024u

struct callback {
	struct callback *next;
	char *name;
	pp_callback fn;
	void *arg;
};

struct delivery {
	struct delivery *next;
	struct ppi_assertion *assertion; /* a reference */
	struct ppi_callable *callable;   /* NULL: the callbacks */
	bool inlined;                    /* the inline callables instead */
	struct ppi_notice notice;
	char *detail;  /* as it was when the edge came, or NULL */
	char *culprit; /* likewise */
	double culprit_share;
};

/* all with the lock but DELIVERING */
static struct ppi_callable *callables;
static struct callback *callbacks;
static struct delivery *queue, **queue_end = &queue;
static unsigned queued;
static uint64_t undelivered;
static uint32_t delivering; /* atomic: one thread at a time, and no recursion */

static __thread bool in_inline __attribute__ ((tls_model ("initial-exec")));

/* ---- callables ------------------------------------------------------------------------------- */

static void add (struct pp_abi_record *head)
{
	struct pp_abi_callable *record = (struct pp_abi_callable *) head;
	struct ppi_callable *callable;
	char name[PP_ABI_NAME_BYTES];

	if (head->size < sizeof *record || !record->function)
		return;
	snprintf (name, sizeof name, "%s", record->name);
	callable = ppi_callable_find (name);
	if (callable && callable->record && callable->record != record) {
		ppi_message ("callable '%s' of %s exists already, in %s; policies call the first "
			     "until it is closed",
			     name, record->where, callable->record->where);
		return;
	}
	if (!callable) {
		callable = calloc (1, sizeof *callable);
		if (!callable)
			return;
		strcpy (callable->name, name);
		callable->inlined = head->flags & PP_ABI_CALLABLE_INLINE;
		callable->next = callables;
		callables = callable;
	}
	/* another version of its module: what policies believe of it is what both are */
	if (!(head->flags & PP_ABI_CALLABLE_INLINE))
		ppi_store (&callable->inlined, false);
	callable->record = record;
	head->runtime = callable;
	__atomic_store_n (&callable->function, record->function, __ATOMIC_RELEASE);
}

static void take_away (struct pp_abi_record *head)
{
	bool found = false;

	for (struct ppi_callable *callable = callables; callable; callable = callable->next)
		if (callable->record == (struct pp_abi_callable *) head) {
			callable->record = NULL;
			__atomic_store_n (&callable->function, NULL, __ATOMIC_RELEASE);
			found = callable->inlined;
		}
	head->runtime = NULL;
	/* its text is about to go: whoever is in it comes out first */
	if (found && !in_inline)
		ppi_quiesce (1000);
}

struct ppi_callable *ppi_callable_find (const char *name)
{
	for (struct ppi_callable *callable = callables; callable; callable = callable->next)
		if (strcmp (callable->name, name) == 0)
			return callable;
	return NULL;
}

struct ppi_callable *ppi_callable_first (void)
{
	return callables;
}

/* ---- inline calls ---------------------------------------------------------------------------- */

bool ppi_in_inline (void)
{
	return in_inline;
}

/*
 * The function of #pragma pp expect. That stands in ordinary code, so there is time for the
 * sentence.
 */
static __attribute__ ((noinline)) void call_expects (struct ppi_assertion *a,
						     const struct ppi_notice *notice,
						     const char *detail)
{
	pp_abi_call_fn fn = __atomic_load_n (&a->call, __ATOMIC_ACQUIRE);
	struct pp_capture capture[PPI_CAPTURES];
	char text[PPI_SENTENCE_BYTES];
	struct pp_violation violation;

	if (!fn || notice->edge == PPI_EDGE_CLEAR)
		return;
	ppi_violation_fill (a, notice, detail, capture, text, &violation);
	fn (&violation, NULL);
}

void ppi_inline_calls (struct ppi_assertion *a, const struct ppi_notice *notice, const char *detail)
{
	const struct ppi_action *actions =
		notice->edge == PPI_EDGE_CLEAR ? a->on_clear : a->on_fire;
	size_t n = notice->edge == PPI_EDGE_CLEAR ? a->n_on_clear : a->n_on_fire;
	struct pp_capture capture[PPI_CAPTURES];
	struct pp_violation violation;
	pp_abi_call_fn fn;
	int saved = errno;

	if (in_inline)
		return;
	in_inline = true;
	call_expects (a, notice, detail);
	ppi_violation_fill (a, notice, detail, capture, NULL, &violation);
	for (size_t i = 0; i < n; i++) {
		/* acquire: the action may have waited, and is being built */
		const struct ppi_callable *callable =
			__atomic_load_n (&actions[i].callable, __ATOMIC_ACQUIRE);

		if (!callable || !ppi_load (&callable->inlined))
			continue;
		fn = __atomic_load_n (&callable->function, __ATOMIC_ACQUIRE);
		if (fn)
			fn (&violation, NULL);
	}
	in_inline = false;
	errno = saved;
}

/* ---- the queue ------------------------------------------------------------------------------- */

bool ppi_callbacks_exist (const char *name)
{
	for (const struct callback *c = callbacks; c; c = c->next)
		if (!name || strcmp (c->name, name) == 0)
			return true;
	return false;
}

static void enqueue (struct ppi_assertion *a, const struct ppi_notice *notice,
		     struct ppi_callable *callable, bool inlined)
{
	struct delivery *d = queued < DELIVERIES_MAX ? malloc (sizeof *d) : NULL;

	if (!d) {
		if (!undelivered++ && queued < DELIVERIES_MAX)
			ppi_message ("callbacks of assertion '%s' were dropped: no memory",
				     a->name);
		else if (undelivered == 1)
			ppi_message ("callbacks of assertion '%s' were dropped: %u wait already%s",
				     a->name, queued,
				     ppi_poll_fd_is_open () ? "; call pp_poll" : "");
		return;
	}
	*d = (struct delivery){
		.assertion = a, .callable = callable, .inlined = inlined, .notice = *notice};
	d->detail = a->growth              ? strdup (a->growth->detail)
		    : notice->investigated ? strdup (a->culprit_text)
					   : NULL;
	d->culprit = *a->culprit ? strdup (a->culprit) : NULL;
	d->culprit_share = a->culprit_share;
	a->references++;
	*queue_end = d;
	queue_end = &d->next;
	if (queued++)
		return;
	ppi_poll_fd_signal ();
	ppi_wake ();
}

void ppi_delivery_add (struct ppi_assertion *a, const struct ppi_notice *notice,
		       struct ppi_callable *callable)
{
	enqueue (a, notice, callable, false);
}

void ppi_delivery_add_inline (struct ppi_assertion *a, const struct ppi_notice *notice)
{
	enqueue (a, notice, NULL, true);
}

static struct delivery *take_delivery (bool polled)
{
	struct delivery *d = NULL;

	ppi_lock ();
	if (!ppi_poll_fd_is_open () || polled) {
		d = queue;
		if (d) {
			queue = d->next;
			if (!queue)
				queue_end = &queue;
			queued--;
		} else {
			ppi_poll_fd_drain ();
		}
	}
	ppi_unlock ();
	return d;
}

/* The callbacks of a name as they are now; *N of them, malloced */
static struct callback *snapshot (const char *name, size_t *n)
{
	struct callback *list = NULL;
	size_t room = 0;

	*n = 0;
	ppi_lock ();
	for (const struct callback *c = callbacks; c; c = c->next)
		room += strcmp (c->name, name) == 0;
	list = room ? calloc (room, sizeof *list) : NULL;
	for (const struct callback *c = callbacks; list && c; c = c->next)
		if (strcmp (c->name, name) == 0)
			list[(*n)++] = *c;
	ppi_unlock ();
	return list;
}

static int deliver_one (struct delivery *d)
{
	struct pp_capture capture[PPI_CAPTURES];
	char text[PPI_SENTENCE_BYTES];
	struct pp_violation violation;
	int called = 0;

	if (d->inlined) {
		ppi_inline_calls (d->assertion, &d->notice, d->detail);
		return 1;
	}
	ppi_violation_fill (d->assertion, &d->notice, d->detail, capture, text, &violation);
	violation.culprit = d->culprit;
	violation.culprit_share = d->culprit_share;
	if (d->callable) {
		pp_abi_call_fn fn = __atomic_load_n (&d->callable->function, __ATOMIC_ACQUIRE);

		if (fn) {
			fn (&violation, NULL);
			called = 1;
		}
	} else {
		size_t n;
		struct callback *list = snapshot (d->assertion->name, &n);

		for (size_t i = 0; i < n; i++)
			list[i].fn (&violation, list[i].arg);
		called = (int) n;
		free (list);
	}
	return called;
}

static void drop (struct delivery *d)
{
	ppi_lock ();
	d->assertion->references--;
	ppi_unlock ();
	free (d->detail);
	free (d->culprit);
	free (d);
}

int ppi_deliver (bool polled)
{
	struct delivery *d;
	int called = 0;

	if (__atomic_exchange_n (&delivering, 1, __ATOMIC_ACQUIRE))
		return 0;
	while ((d = take_delivery (polled))) {
		called += deliver_one (d);
		drop (d);
	}
	__atomic_store_n (&delivering, 0, __ATOMIC_RELEASE);
	return called;
}

/* ---- the API --------------------------------------------------------------------------------- */

static void remove_callbacks (const char *name, const void *arg)
{
	for (struct callback **where = &callbacks, *c; (c = *where);) {
		if (c->arg != arg || strcmp (c->name, name) != 0) {
			where = &c->next;
			continue;
		}
		*where = c->next;
		free (c->name);
		free (c);
	}
}

int pp_on_assertion (const char *name, pp_callback fn, void *arg)
{
	struct callback *c, **where;

	if (!name || !*name)
		return PP_EINVAL;
	if (!fn) {
		ppi_lock ();
		remove_callbacks (name, arg);
		ppi_unlock ();
		return PP_OK;
	}
	c = calloc (1, sizeof *c);
	if (c)
		c->name = strdup (name);
	if (!c || !c->name) {
		free (c);
		return PP_ENOMEM;
	}
	c->fn = fn;
	c->arg = arg;
	ppi_lock ();
	for (where = &callbacks; *where; where = &(*where)->next)
		;
	*where = c;
	ppi_wake ();
	ppi_unlock ();
	return PP_OK;
}

int pp_poll_fd (void)
{
	int fd, saved = errno;

	ppi_lock ();
	fd = ppi_poll_fd_open ();
	if (queued)
		ppi_poll_fd_signal ();
	ppi_unlock ();
	errno = saved;
	return fd < 0 ? PP_EUNAVAILABLE : fd;
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void drop_queue (void)
{
	while (queue) {
		struct delivery *d = queue;

		queue = d->next;
		d->assertion->references--;
		free (d->detail);
		free (d->culprit);
		free (d);
	}
	queue_end = &queue;
	queued = 0;
}

static void forget_queue (void)
{
	drop_queue ();
	ppi_store (&delivering, 0);
	in_inline = false;
	ppi_poll_fd_after_fork ();
}

static void init (void)
{
	static const struct ppi_record_handler handler = {add, take_away};

	ppi_record_handler_set (PP_ABI_RECORD_CALLABLE, &handler);
}

const struct ppi_part ppi_callbacks_part = {.init = init, .fork_child = forget_queue};
