/* SPDX-License-Identifier: MIT */
/* engine.c: the list of assertions; tick.c works it off. See assertion.h for who does what. */
#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/check.h"
#include "assertions/engine/gone.h"
#include "assertions/engine/grouped.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/looks.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/sweep.h"
#include "assertions/engine/threads.h"
#include "assertions/engine/tick.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "libmetrics/thread/thread.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/calls/by_hand.h"
#include "libmetrics/registry/batch.h"
#include "recording/layout.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct ppi_assertion *ppi_assertions;
struct ppi_loaded *ppi_policies;

static uint32_t never_wiped = 1;
uint32_t *ppi_assertions_alive = &never_wiped;

static struct ppi_assertion *retired;
static void (*wake) (void);

/* ---- the list -------------------------------------------------------------------------------- */

static bool make_rings (struct ppi_assertion *a)
{
	void *rings = mmap (NULL, sizeof *a->rings, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (rings == MAP_FAILED)
		return false;
	a->rings = rings;
	a->posts.slot = a->rings->posts;
	a->notices.slot = a->rings->notices;
	ppi_posts_init (&a->posts);
	return true;
}

struct ppi_assertion *ppi_assertion_create (const char *name, const char *at,
					    struct ppi_program *program)
{
	struct ppi_assertion *a = calloc (1, sizeof *a);

	if (!a)
		return NULL;
	a->name = strdup (name);
	a->at = at ? strdup (at) : NULL;
	if (!a->name || (at && !a->at) || !make_rings (a)) {
		free (a->name);
		free (a->at);
		free (a);
		return NULL;
	}
	a->program = program;
	a->spec = (struct ppi_machine_spec){.fire_after = 1, .clear_after = 1};
	a->quiet = 1;
	a->severity = PP_SEVERITY_WARNING;
	a->culprit_share = NAN;
	a->chunk = &a->spare.chunk;
	a->entries = a->spare.entries;
	return a;
}

bool ppi_assertion_take_clauses (struct ppi_assertion *a, struct ppi_policy_assertion *written)
{
	a->after = written->after;
	a->is_unheard = written->quiet;
	a->spec = (struct ppi_machine_spec){written->fire_after, written->clear_after,
					    written->cooldown_ns, written->repeat};
	a->severity = written->severity;
	ppi_captures_take (a, written);
	if (written->per_thread)
		a->threads = ppi_threads_create ();
	return a->threads || !written->per_thread;
}

static void say (const char *line, void *arg)
{
	(void) arg;
	ppi_message ("%s", line);
}

void ppi_diagnostics_say (struct ppi_diagnostics *d)
{
	ppi_diagnostics_tell (d, say, NULL);
	ppi_diagnostics_clear (d);
}

void ppi_assertion_enlist (struct ppi_assertion *a)
{
	struct ppi_assertion **where = &ppi_assertions;

	while (*where)
		where = &(*where)->next;
	a->next = NULL;
	*where = a;
	ppi_assertions_news ();
}

void ppi_assertion_unlist (struct ppi_assertion *a)
{
	for (struct ppi_assertion **where = &ppi_assertions; *where; where = &(*where)->next)
		if (*where == a) {
			*where = a->next;
			a->next = NULL;
			return;
		}
}

struct ppi_assertion *ppi_assertion_find (const char *name)
{
	for (struct ppi_assertion *a = ppi_assertions; a; a = a->next)
		if (strcmp (a->name, name) == 0)
			return a;
	return NULL;
}

static void free_actions (const struct ppi_reactions *reactions, struct ppi_action *actions,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free (actions[i].slots);
		reactions->destroy (&actions[i]);
		if (actions[i].program)
			ppi_unlink (actions[i].program);
		ppi_program_destroy (actions[i].program);
	}
	free (actions);
}

static void free_checks (struct ppi_site_check *check)
{
	while (check) {
		struct ppi_site_check *next = check->next;

		free (check);
		check = next;
	}
}

void ppi_assertion_destroy (struct ppi_assertion *a)
{
	if (!a)
		return;
	ppi_tally_release (a);
	ppi_assertion_end (a);
	free_checks (a->checks);
	free_checks (a->detached);
	free_actions (a->reactions, a->on_fire, a->n_on_fire);
	free_actions (a->reactions, a->on_clear, a->n_on_clear);
	if (a->program)
		ppi_unlink (a->program);
	ppi_program_destroy (a->program);
	ppi_captures_destroy (a);
	free (a->growth);
	free (a->threads);
	ppi_grouped_free (a);
	free (a->sweep);
	munmap (a->rings, sizeof *a->rings);
	free (a->name);
	free (a->at);
	free (a->clauses);
	free (a);
}

void ppi_assertion_retire (struct ppi_assertion *a)
{
	if (a->log_suppressed)
		ppi_message ("assertion %s: %llu more lines were not printed", a->name,
			     (unsigned long long) a->log_suppressed);
	a->retired = true;
	a->policy = NULL;
	a->written = NULL;
	a->next = retired;
	retired = a;
}

static bool is_referred_to (const void *assertion)
{
	return ((const struct ppi_assertion *) assertion)->references;
}

static void destroy (void *assertion)
{
	ppi_assertion_destroy (assertion);
}

void ppi_retired_free (void)
{
	static const struct ppi_gone what = {offsetof (struct ppi_assertion, next), is_referred_to,
					     destroy, 1000};

	ppi_gone_free ((void **) &retired, &what);
}

/* ---- evaluating with merged values ----------------------------------------------------------- */

enum ppi_outcome ppi_assertion_check_now (struct ppi_assertion *a, uint64_t now_ns, bool locked)
{
	struct ppi_verdict verdict;
	struct ppi_seen seen;

	if (a->program->has_groups) {
		ppi_lock ();
		ppi_groups_refresh (a->program, a, true, now_ns);
		ppi_unlock ();
	}
	if (a->program->has_any)
		return ppi_grouped_check (a, now_ns);
	verdict = ppi_program_run (a->program, ppi_load_merged, NULL);
	seen.execution.thread = 0;
	seen.is_uncounted = false;
	seen.group = 0;
	seen.outcome = (uint8_t) (isnan (verdict.value) ? PPI_UNKNOWN
				  : verdict.value > 0.5 ? PPI_PASS
							: PPI_FAIL);
	if (seen.outcome == PPI_PASS && a->n_captures)
		ppi_assertion_look_merged (a, 0, now_ns, locked);
	if (seen.outcome == PPI_PASS &&
	    ppi_assertion_is_quiet (a, a->threads ? (int) gettid () : 0)) {
		ppi_assertion_passed (a, verdict.left, verdict.right, verdict.dimension);
		return PPI_PASS;
	}
	seen.dimension = verdict.dimension;
	seen.left = verdict.left;
	seen.right = verdict.right;
	seen.thread = (int) gettid ();
	seen.site = NULL;
	seen.ns = now_ns;
	if (seen.outcome == PPI_FAIL)
		ppi_assertion_sample (a, ppi_load_merged, NULL);
	for (uint32_t i = 0; i < a->n_captures; i++)
		seen.captured[i] = (struct ppi_captured){NAN, NAN, NAN};
	if (seen.outcome == PPI_FAIL)
		ppi_captures_merged (a, NULL, 0, now_ns, seen.captured);
	ppi_assertion_saw (a, &seen, locked);
	return (enum ppi_outcome) seen.outcome;
}

/* Is a metric of it one that this machine lacks? */
static bool lacks_metric (const struct ppi_program *program)
{
	for (size_t i = 0; i < program->n_references; i++) {
		const struct ppi_ref *ref = &program->references[i];
		bool is_metric = ref->kind == PPI_REF_METRIC || ref->kind == PPI_REF_METRIC_SITE ||
				 ref->kind == PPI_REF_ALL || ref->groups;

		if (is_metric && ref->target && pp_unavailable (ref->target))
			return true;
	}
	return false;
}

void ppi_assertion_start (struct ppi_assertion *a, uint64_t now_ns)
{
	const struct ppi_assertion_chunk *chunk = a->chunk;

	if (!a->at || ppi_load (&chunk->checks) + ppi_load (&chunk->unknowns) ||
	    !lacks_metric (a->program))
		return;
	if (isnan (ppi_program_run (a->program, ppi_load_merged, NULL).value))
		ppi_assertion_check_now (a, now_ns, true);
}

/* ---- start, fork, end ------------------------------------------------------------------------ */

void ppi_wake (void)
{
	if (wake)
		wake ();
}

void ppi_assertions_wake_set (void (*fn) (void))
{
	ppi_lock ();
	wake = fn;
	ppi_unlock ();
}

static bool need_thread (void)
{
	if (ppi_assertions && ppi_callbacks_exist (NULL))
		return true;
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (loaded->policy->n_assertions)
			return true;
	return false;
}

static void make_word (void)
{
	size_t bytes = (size_t) sysconf (_SC_PAGESIZE);
	uint32_t *word =
		mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (word == MAP_FAILED)
		return;
	*word = 1;
	if (madvise (word, bytes, MADV_WIPEONFORK) == 0)
		ppi_assertions_alive = word;
	else
		munmap (word, bytes); /* Linux before 4.14: only fork itself is noticed */
}

static void init (void)
{
	int saved = errno;

	make_word ();
	errno = saved;
}

/* What is the parent's: states, posts and notices, counts, the chunks in its region. */
static void forget_parents (void)
{
	uint64_t now_ns = ppi_now_ns ();

	for (struct ppi_assertion *a = retired; a; a = a->next)
		/* it is done with but for its counts, which nobody asks for here */
		a->chunk = &a->spare.chunk;
	for (struct ppi_assertion *a = ppi_assertions; a; a = a->next) {
		memset (&a->machine, 0, sizeof a->machine);
		if (a->threads)
			memset (a->threads, 0, sizeof *a->threads);
		ppi_grouped_forget (a);
		if (a->sweep)
			ppi_sweep_forget (a->sweep);
		a->violating = NULL;
		ppi_posts_init (&a->posts);
		a->notices.head = a->notices.tail = 0;
		a->busy = 0;
		a->quiet = 1;
		a->state = a->firing = 0;
		a->samples = a->lost = a->unperformed = 0;
		a->due_ns = now_ns + a->every_ns;
		if (a->growth)
			ppi_growth_check_reset (a->growth, now_ns);
		ppi_assertion_describe (a);
	}
}

const struct ppi_part ppi_engine_part = {.init = init,
					 .fork_child = forget_parents,
					 .needs_thread = need_thread,
					 .tick = ppi_assertions_tick_all};

/* Everybody has chunks of this process's: markers may look at them from here on. */
static void begin_anew (void)
{
	uint64_t now_ns = ppi_now_ns ();

	ppi_link_all ();
	for (struct ppi_assertion *a = ppi_assertions; a; a = a->next) {
		ppi_assertion_start (a, now_ns);
		/* their windows begin here, not at the first violation */
		ppi_captures_refresh (a, now_ns);
		for (size_t i = 0; a->has_samples && i < a->n_on_fire; i++)
			if (a->on_fire[i].metric)
				ppi_sample_prepare (a->on_fire[i].metric);
	}
	ppi_store (ppi_assertions_alive, 1);
}

/* Behind the parts that attach to new sites, and those that forget the parent's. */
const struct ppi_part ppi_links_part = {
	.module_added = ppi_link_all, .module_removed = ppi_link_all, .fork_child = begin_anew};

void ppi_assertions_revive (void)
{
	bool was_dead = false;

	if (ppi_load (ppi_assertions_alive))
		return;
	ppi_lock ();
	if (!ppi_load (ppi_assertions_alive)) {
		was_dead = true;
		/* a batch, even of nothing, makes the runtime see that it is in a child */
		ppi_batch_begin ();
		ppi_batch_end ();
		ppi_parts_fork_child ();
	}
	ppi_unlock ();
	if (was_dead)
		ppi_wake ();
}
