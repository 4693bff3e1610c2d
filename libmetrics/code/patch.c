/* SPDX-License-Identifier: MIT */
/* patch.c: batches of changes of code; see patch.h. */
#include "libmetrics/code/patch.h"

#include "base/barrier.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/message.h"
#include "libmetrics/code/block.h"
#include "libmetrics/code/route.h"
#include "libmetrics/tables/site.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((uintptr_t) sysconf (_SC_PAGESIZE))

/* ---- choosing -------------------------------------------------------------------------------- */

static const struct ppi_route *chosen; /* NULL: whichever works and is the cheapest */

static void choose_from_environment (void)
{
	static bool asked;
	const char *name;

	if (asked)
		return;
	asked = true;
	name = ppi_environment (PPI_ENVIRONMENT_ROUTE);
	if (!name)
		return;
	chosen = ppi_route_named (name);
	if (!chosen)
		ppi_message ("PP_ROUTE=%s: expected procmem, alias or none; choosing by what works",
			     name);
}

const char *ppi_patch_route (void)
{
	choose_from_environment ();
	return chosen ? chosen->name : "any";
}

static bool is_written (const struct word_change *c)
{
	return (__atomic_load_n (c->patch.word, __ATOMIC_RELAXED) & c->patch.mask) ==
	       c->patch.wanted;
}

static bool all_written (const struct word_change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_written (&changes[i]))
			return false;
	return true;
}

/* Changes of one page. What counts is what is there afterwards. */
static void write_page (const struct word_change *changes, size_t n)
{
	const struct ppi_route *route;

	choose_from_environment ();
	for (unsigned i = 0; (route = chosen ? chosen : ppi_route_to_try (i)); i++) {
		route->write (changes, n);
		if (chosen || all_written (changes, n))
			break;
	}
	for (size_t i = 0; i < n; i++)
		if (is_written (&changes[i]))
			pp_arch_patch_stored (&changes[i].patch);
		else
			changes[i].of->failed = true;
}

/* ---- batches --------------------------------------------------------------------------------- */

static int by_address (const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) ((const struct word_change *) a)->patch.word;
	uintptr_t y = (uintptr_t) ((const struct word_change *) b)->patch.word;

	return x < y ? -1 : x > y;
}

/* Sites are listed in the order of their markers, or in the opposite one. */
static void sort (struct word_change *changes, size_t n)
{
	bool up = true, down = true;

	for (size_t i = 1; i < n; i++) {
		int order = by_address (&changes[i - 1], &changes[i]);

		up &= order <= 0;
		down &= order >= 0;
	}
	if (up)
		return;
	if (!down) {
		qsort (changes, n, sizeof (*changes), by_address);
		return;
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct word_change other = changes[i];

		changes[i] = changes[n - 1 - i];
		changes[n - 1 - i] = other;
	}
}

/* Page by page. */
static void write_all (struct word_change *changes, size_t n)
{
	uintptr_t page_mask = ~(PAGE - 1);

	sort (changes, n);
	for (size_t begin = 0, end; begin < n; begin = end) {
		uintptr_t page = (uintptr_t) changes[begin].patch.word & page_mask;

		for (end = begin + 1;
		     end < n && ((uintptr_t) changes[end].patch.word & page_mask) == page; end++)
			;
		write_page (&changes[begin], end - begin);
	}
}

/* The changes of the first step from *STEP on that has any, which *STEP becomes; how many. */
static size_t collect (struct ppi_patch *patches, size_t n, int *step, struct word_change *changes)
{
	int first = PP_ARCH_STEPS;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		struct ppi_patch *p = &patches[i];
		uintptr_t is = p->marker->target;
		struct word_change c = {.of = p};
		int its;

		if (p->failed)
			continue;
		its = pp_arch_patch_prepare (p->marker->record,
					     is ? is : pp_arch_stub (p->marker->record), p->to,
					     *step, &c.patch);
		p->failed = its < 0;
		if (its < 0 || its >= PP_ARCH_STEPS || its > first)
			continue;
		if (its < first)
			used = 0;
		first = its;
		changes[used++] = c;
	}
	*step = first;
	return used;
}

static void take_steps (struct ppi_patch *patches, size_t n, struct word_change *changes)
{
	size_t used;

	for (int step = 0;
	     step < PP_ARCH_STEPS && (used = collect (patches, n, &step, changes)) > 0; step++) {
		bool settles = false;

		write_all (changes, used);
		for (size_t i = 0; i < used; i++)
			settles |= changes[i].patch.settles;
		if (settles)
			ppi_barrier ();
	}
}

static bool in_batch;

void ppi_patch_begin (void)
{
	in_batch = true;
}

void ppi_patch_end (void)
{
	in_batch = false;
	ppi_route_rest ();
	ppi_blocks_tell ();
}

size_t ppi_patch_markers (struct ppi_patch *patches, size_t n)
{
	struct word_change *changes = ppi_calloc_at_once ((n ? n : 1) * sizeof (*changes));
	size_t bad = 0;

	for (size_t i = 0; i < n; i++)
		patches[i].failed = !changes;
	if (changes)
		take_steps (patches, n, changes);
	free (changes);
	if (!in_batch)
		ppi_route_rest ();
	for (size_t i = 0; i < n; i++) {
		bad += patches[i].failed;
		if (!patches[i].failed && patches[i].to)
			patches[i].marker->target = patches[i].to;
	}
	return bad;
}

void ppi_patch_forget (uintptr_t first, uintptr_t last)
{
	if (first <= last)
		ppi_route_forget (first, last + 1);
}

void ppi_patch_after_fork (void)
{
	in_batch = false;
	ppi_route_after_fork ();
}
