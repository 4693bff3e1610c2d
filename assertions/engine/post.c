/* SPDX-License-Identifier: MIT */
/*
 * post.c: the way of an outcome from the thread that saw it into the state machine. All of it runs
 * inside markers: no lock, no allocation; the clock is the vDSO's. Loops are bounded by the rings'
 * sizes.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/grouped.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/threads.h"
#include "assertions/engine/tick.h"
#include "assertions/engine/violating.h"
#include "base/atomic.h"
#include "libmetrics/thread/handler.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/layout.h"

#include <math.h>

/* ---- the ring of posts ----------------------------------------------------------------------- */

void ppi_posts_init (struct ppi_posts *posts)
{
	ppi_ring_init (&posts->ring, posts->turn, PPI_POSTS);
	posts->done = 0;
}

bool ppi_posts_put (struct ppi_posts *posts, const struct ppi_seen *seen)
{
	uint32_t at;

	if (!ppi_ring_claim (&posts->ring, posts->turn, PPI_POSTS, &at))
		return false;
	posts->slot[at % PPI_POSTS] = *seen;
	ppi_ring_written (posts->turn, PPI_POSTS, at);
	ppi_assertions_news ();
	return true;
}

/* Only the flag's holder */
bool ppi_posts_take (struct ppi_posts *posts, struct ppi_seen *out)
{
	uint32_t at;

	if (!ppi_ring_next (&posts->ring, posts->turn, PPI_POSTS, &at))
		return false;
	*out = posts->slot[at % PPI_POSTS];
	ppi_ring_taken (&posts->ring, posts->turn, PPI_POSTS, at);
	return true;
}

bool ppi_posts_wait (const struct ppi_posts *posts, int thread)
{
	uint32_t head = ppi_load (&posts->ring.head);

	for (uint32_t at = ppi_load (&posts->ring.tail); at != head; at++)
		if (__atomic_load_n (&posts->turn[at % PPI_POSTS], __ATOMIC_ACQUIRE) == at + 1 &&
		    posts->slot[at % PPI_POSTS].thread == thread)
			return true;
	return false;
}

/* ---- the ring of notices --------------------------------------------------------------------- */

static bool put_notice (struct ppi_notices *notices, const struct ppi_notice *notice)
{
	uint32_t head = ppi_load (&notices->head);

	if (head - __atomic_load_n (&notices->tail, __ATOMIC_ACQUIRE) == PPI_NOTICES)
		return false;
	notices->slot[head % PPI_NOTICES] = *notice;
	__atomic_store_n (&notices->head, head + 1, __ATOMIC_RELEASE);
	ppi_assertions_news ();
	return true;
}

bool ppi_notices_take (struct ppi_notices *notices, struct ppi_notice *out)
{
	uint32_t tail = ppi_load (&notices->tail);

	if (__atomic_load_n (&notices->head, __ATOMIC_ACQUIRE) == tail)
		return false;
	*out = notices->slot[tail % PPI_NOTICES];
	__atomic_store_n (&notices->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void set_double (double *where, double value)
{
	__atomic_store (where, &value, __ATOMIC_RELAXED);
}

/* Counters are relaxed: they order nothing, every reader takes them as they come. */
static void count (uint64_t *counter)
{
	__atomic_fetch_add (counter, 1, __ATOMIC_RELAXED);
}

/* What was left out is told by the tick. */
static void lose (uint64_t *counter)
{
	count (counter);
	ppi_assertions_news ();
}

void ppi_assertion_compared (struct ppi_assertion_chunk *chunk, double left, double right,
			     struct ppi_dimension dimension)
{
	set_double (&chunk->left, left);
	set_double (&chunk->right, right);
	ppi_store (&chunk->seconds, (int8_t) dimension.seconds);
	ppi_store (&chunk->bytes, (int8_t) dimension.bytes);
}

void ppi_assertion_passed (struct ppi_assertion *a, double left, double right,
			   struct ppi_dimension dimension)
{
	struct ppi_assertion_chunk *chunk = a->chunk;

	count (&chunk->passes);
	count (&chunk->checks);
	ppi_assertion_compared (chunk, left, right, dimension);
}

static void count_outcome (struct ppi_assertion *a, const struct ppi_seen *seen)
{
	struct ppi_assertion_chunk *chunk = a->chunk;

	if (seen->outcome == PPI_PASS) {
		ppi_assertion_passed (a, seen->left, seen->right, seen->dimension);
		return;
	}
	ppi_assertion_compared (chunk, seen->left, seen->right, seen->dimension);
	if (seen->outcome == PPI_UNKNOWN) {
		count (&chunk->unknowns);
		ppi_store (&chunk->crowded, ppi_groups_are_crowded (a->program));
		return;
	}
	count (&chunk->violations);
	count (&chunk->checks);
}

bool ppi_assertion_begun (struct ppi_assertion *a)
{
	if (!a->after || ppi_load (&a->samples) >= a->after)
		return true;
	return __atomic_fetch_add (&a->samples, 1, __ATOMIC_RELAXED) >= a->after;
}

/* What was captured, into the recording's table; the flag is held, so nobody else writes there */
static void record_violation (struct ppi_assertion *a, const struct ppi_seen *seen)
{
	if (!ppi_load (&a->chunk->first_ns))
		ppi_store (&a->chunk->first_ns, seen->ns);
	ppi_store (&a->chunk->last_ns, seen->ns);
	ppi_violating_keep (a, seen);
	for (uint32_t i = 0; i < a->n_captures; i++)
		ppi_contrast_add (&a->entries[i].contrast, true, seen->captured[i].value, 1);
}

/* ---- stepping -------------------------------------------------------------------------------- */

static bool take_flag (struct ppi_assertion *a)
{
	/* acquire pairs with the release below: the machine is as the last holder left it */
	return !ppi_load (&a->busy) && !__atomic_exchange_n (&a->busy, 1, __ATOMIC_ACQUIRE);
}

static void give_flag (struct ppi_assertion *a)
{
	__atomic_store_n (&a->busy, 0, __ATOMIC_RELEASE);
}

bool ppi_assertion_held (struct ppi_assertion *a, const struct ppi_captured *captured,
			 double weight)
{
	if (!take_flag (a))
		return false;
	for (uint32_t i = 0; i < a->n_captures; i++)
		ppi_contrast_add (&a->entries[i].contrast, false, captured[i].value, weight);
	give_flag (a);
	return true;
}

static void lose_post (struct ppi_assertion *a, const struct ppi_seen *seen)
{
	if (!seen)
		return;
	if (!ppi_posts_put (&a->posts, seen))
		lose (&a->lost);
	ppi_assertion_close (a);
}

/* The state is what it is since the last change of it */
static void set_state (struct ppi_assertion *a, enum pp_state state, uint64_t now_ns)
{
	struct ppi_assertion_chunk *chunk = a->chunk;

	uint32_t firing = a->threads   ? a->threads->in_state[PP_STATE_FIRING]
			  : a->grouped ? a->grouped->firing
				       : 0;

	if (a->threads || a->grouped) {
		ppi_store (&a->firing, firing);
		ppi_store (&chunk->firing, firing);
	}
	if (ppi_load (&a->state) == (uint32_t) state)
		return;
	ppi_store (&a->state, (uint32_t) state);
	ppi_store (&chunk->state, (uint32_t) state);
	ppi_store (&chunk->since_ns, now_ns);
}

/* An edge is counted, and on its way to the owner */
static void tell_edge (struct ppi_assertion *a, enum ppi_edge edge, const struct ppi_seen *seen,
		       uint64_t since_ns, struct ppi_notice *notice)
{
	if (edge == PPI_EDGE_FIRE) {
		count (&a->chunk->fired);
		ppi_store (&a->chunk->fired_ns, seen->ns);
	}
	if (edge == PPI_EDGE_CLEAR)
		count (&a->chunk->cleared);
	if (edge == PPI_EDGE_CLEAR)
		ppi_store (&a->chunk->cleared_ns, seen->ns);
	notice->edge = (uint8_t) edge;
	notice->investigated = false;
	notice->seen = *seen;
	notice->violations = ppi_load (&a->chunk->violations);
	notice->checks = ppi_load (&a->chunk->checks) + ppi_assertion_quick_passes (a->chunk);
	notice->fired = ppi_load (&a->chunk->fired);
	notice->since_ns = since_ns;
	notice->put_off = ppi_load (&a->has_inline) && ppi_in_handler ();
	ppi_grouped_name (a, seen->group, notice->group, sizeof notice->group);
	if (!put_notice (&a->notices, notice))
		lose (&a->unperformed);
}

/* Steps the machine of the thread that saw it. The place is read before it may be freed. */
static enum ppi_edge step_thread (struct ppi_assertion *a, const struct ppi_seen *seen,
				  uint64_t *since_ns)
{
	int place = ppi_threads_take (a->threads, (uint32_t) seen->thread);
	struct ppi_machine *m = place < 0 ? NULL : &a->threads->machine[place];
	enum pp_state before;
	enum ppi_edge edge;

	if (!m) {
		lose (&a->lost);
		return PPI_EDGE_NONE;
	}
	before = ppi_machine_state (m);
	edge = ppi_machine_step (m, &a->spec, (enum ppi_outcome) seen->outcome, seen->ns);
	*since_ns = m->bad_ns;
	set_state (a, ppi_threads_stepped (a->threads, place, before, &a->spec, seen->ns),
		   seen->ns);
	return edge;
}

/* One outcome through the machine, the flag held. True: *NOTICE is an edge. */
static bool advance (struct ppi_assertion *a, const struct ppi_seen *seen,
		     struct ppi_notice *notice)
{
	enum ppi_edge edge;
	uint64_t since_ns = 0;

	if (seen->outcome == PPI_FAIL && !seen->is_uncounted)
		record_violation (a, seen);
	if (a->program->has_any) {
		edge = ppi_grouped_step (a, seen, &since_ns);
		set_state (a, ppi_grouped_state (a, seen), seen->ns);
	} else if (a->threads) {
		edge = step_thread (a, seen, &since_ns);
	} else {
		edge = ppi_machine_step (&a->machine, &a->spec, (enum ppi_outcome) seen->outcome,
					 seen->ns);
		since_ns = a->machine.bad_ns;
		ppi_store (&a->quiet, ppi_machine_idle (&a->machine, PPI_PASS));
		set_state (a, ppi_machine_state (&a->machine), seen->ns);
	}
	if (!(a->threads ? !a->threads->used : a->quiet))
		ppi_assertion_close (a);
	if (edge == PPI_EDGE_NONE)
		return false;
	tell_edge (a, edge, seen, since_ns, notice);
	return true;
}

#define REAP_NS UINT64_C (1000000000)

static void end_thread (struct ppi_assertion *a, uint32_t place, uint64_t now_ns)
{
	struct ppi_machine *m = &a->threads->machine[place];
	struct ppi_seen seen = {.outcome = PPI_PASS,
				.thread = (int) a->threads->tid[place],
				.ns = now_ns,
				.left = __builtin_nan (""),
				.right = __builtin_nan ("")};
	struct ppi_notice notice;
	bool fires = ppi_machine_state (m) == PP_STATE_FIRING;
	uint64_t since_ns = m->bad_ns;

	ppi_threads_free_place (a->threads, place);
	set_state (a, ppi_threads_worst (a->threads), now_ns);
	if (!fires)
		return;
	tell_edge (a, PPI_EDGE_CLEAR, &seen, since_ns, &notice);
	if (ppi_load (&a->has_inline) && !notice.put_off)
		ppi_delivery_add_inline (a, &notice);
}

void ppi_assertion_reap (struct ppi_assertion *a, uint64_t now_ns)
{
	if (!a->threads || now_ns - a->reaped_ns < REAP_NS || !take_flag (a))
		return;
	a->reaped_ns = now_ns;
	for (uint32_t i = 0; i < PPI_THREADS && a->threads->used; i++) {
		uint32_t tid = a->threads->tid[i];

		/*
		 * once it is gone it posts no more; what it left is stepped before its state ends
		 */
		if (tid && ppi_thread_is_gone (tid) && !ppi_posts_wait (&a->posts, (int) tid))
			end_thread (a, i, now_ns);
	}
	give_flag (a);
}

void ppi_assertion_saw (struct ppi_assertion *a, const struct ppi_seen *seen, bool locked)
{
	struct ppi_seen posted;
	struct ppi_notice notice;

	if (seen && !seen->is_uncounted)
		count_outcome (a, seen);
	for (uint32_t i = 0; i <= PPI_POSTS; i++) {
		const struct ppi_seen *next = &posted;
		bool edge;

		if (!take_flag (a))
			break;
		if (!ppi_posts_take (&a->posts, &posted)) {
			/*
			 * an earlier one of this thread's, behind one that is being written, comes
			 * first
			 */
			if (seen && ppi_posts_wait (&a->posts, seen->thread)) {
				give_flag (a);
				break;
			}
			next = seen;
			seen = NULL;
		}
		edge = next && advance (a, next, &notice);
		__atomic_store_n (&a->posts.done, ppi_load (&a->posts.ring.tail), __ATOMIC_RELEASE);
		give_flag (a);
		edge = edge && ppi_load (&a->has_inline) && !notice.put_off;
		if (edge && locked)
			ppi_delivery_add_inline (a, &notice);
		else if (edge)
			ppi_inline_calls (a, &notice, NULL);
		if (!next)
			return;
	}
	lose_post (a, seen);
}
