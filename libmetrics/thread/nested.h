/* SPDX-License-Identifier: MIT */
/*
 * nested.h: the part of an interval that is its own: scope: self and scope: outermost of metrics.
 *
 * One execution of an interval is nested directly in another of the same thread, for one metric,
 * when it begins and ends while the other is open, both are measured by that metric, and no third
 * such execution lies between. Then
 *
 *     self       = what the metric reads of an execution, less what it reads of those nested
 *                directly in it
 *     outermost  = what it reads, of executions that are in no other execution of the same site;
 *                others have no sample
 *
 * so over all sites that a metric is bound to, the sum of self is that of the executions which are
 * in none other: nothing counts twice, under recursion too. What `every: N` leaves out is read all
 * the same: N of a metric with a scope says which samples are kept.
 *
 * Where the parts are. A frame of such a plan has two words more for each op of scope self: what
 * was read of executions nested directly, and whether one of them could not be read. An end looks
 * down from its frame for the next one that has the metric, among those of plans with scopes,
 * mostly the first, and adds what it read there; each of those knows of which metrics there are any
 * around, so an end that has none around it sees that at once. Nothing else knows of who is in
 * whom, so whatever takes a frame away keeps it right: an end (exceptions and cancellation have
 * theirs), or whoever drops what a longjmp left behind or what was disabled inside. What is dropped
 * has no sample; what was nested in it is nested in what is below it then (ppi_nested_give).
 *
 * Stacks. Frames of markers nest in those of their own stack (a fibre's time is no part of what
 * runs on another stack, nor is that of a handler on a signal stack). What is begun by calls
 * (opened.h) has a list of its own; when it began says what is in what, of frames on the same
 * stack. A span is in nothing, and nothing in it.
 *
 * Everything here runs with the thread entered: handlers that interrupt it have frames of their
 * own. General registers only.
 */
#ifndef PPI_THREAD_NESTED_H
#define PPI_THREAD_NESTED_H

#include "base/atomic.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

struct ppi_frame;
struct ppi_thread;

#define PPI_NESTED_WORDS 2u

/*
 * The frames of markers of plans with scopes are a list of their own in each segment, or an end
 * would look at all that are open: F, of PLAN, which will be pushed; was pushed; will be popped,
 * which is for frames of all plans.
 */
void ppi_nested_link (const struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f)
	__attribute__ ((visibility ("hidden")));
static inline void ppi_nested_enter (struct ppi_thread *t, struct ppi_frame *f)
{
	/*
	 * behind the push: what a handler leaves in between by siglongjmp is in the stack and not
	 * in the list, never the other way round
	 */
	ppi_compiler_barrier ();
	ppi_store (&t->segment->scoped, f);
}
void ppi_nested_unlink (struct ppi_thread *t, const struct ppi_frame *f)
	__attribute__ ((visibility ("hidden")));
static inline void ppi_nested_leave (struct ppi_thread *t, const struct ppi_frame *f)
{
	if (ppi_unlikely (t->segment->scoped == f))
		ppi_nested_unlink (t, f);
}
/* F was begun: nothing is nested in it yet. */
void ppi_nested_begin (const struct ppi_plan *plan, struct ppi_frame *f)
	__attribute__ ((visibility ("hidden")));
/*
 * F ends. SAMPLES are what was read, except where the mask WITHOUT says that nothing was; then they
 * are what is to be kept, and the result is the mask of those that aren't. Where a sample is a
 * double, the vector registers are kept.
 */
uint64_t ppi_nested_end (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			 enum ppi_home home, union ppi_sample *samples, uint64_t without)
	__attribute__ ((visibility ("hidden")));
/* Does OP, which is not of scope self, keep a sample of F, a marker's, which is gone? */
bool ppi_nested_counts (struct ppi_thread *t, struct ppi_frame *f, const struct ppi_op *op)
	__attribute__ ((visibility ("hidden")));
/*
 * F goes without a sample, and is not stale yet: what is nested in it belongs to what F is nested
 * in.
 */
void ppi_nested_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home)
	__attribute__ ((visibility ("hidden")));

/*
 * *INTO += BITS, both bits of doubles; uses vector registers (general.c). The parameters are those
 * of pp_arch_saving_vectors.
 */
void ppi_nested_add_double (uintptr_t into, const struct ppi_plan *unused, uintptr_t bits)
	__attribute__ ((visibility ("hidden")));

#endif
