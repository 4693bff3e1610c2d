/* SPDX-License-Identifier: MIT */
/* visits.c: what threads do one by one (visits.h), with jumps, fibres, spans and calls beside. */
#include "visits.h"

#include <setjmp.h>
#include <ucontext.h>

static struct visitor own;

/* ---- a jump leaves intervals open: they are no records, and what follows is in nothing -------- */

static jmp_buf back;

static __attribute__ ((noinline)) void leaves_by_a_jump (void)
{
	char room[512];

	__asm__ volatile("" ::"r"(room) : "memory");
	{
#pragma pp interval left dim(id = 1)
		longjmp (back, 1);
	}
}

static void jumps (void)
{
	{
#pragma pp interval around dim(id = 2)
		own.depth++;
		if (!setjmp (back))
			leaves_by_a_jump ();
		visit_leaf (&own);
		own.depth--;
	}
	did (&own, own.depth, "interval", "around id=2");
	visit_leaf (&own);
}

/* ---- fibres that take turns: each has a stack of its own -------------------------------------- */

static ucontext_t of_main, of_fibre[2];
static FILE *fibre_out[2];
static char stacks[2][256 << 10] __attribute__ ((aligned (64)));

static void fibre (int which)
{
	struct visitor v = {
		.out = fibre_out[which], .tid = (long) gettid (), .leaves = 1000 * which};

	for (int i = 0; i < 3; i++) {
		{
#pragma pp interval turn dim(fibre = which)
			v.depth++;
			swapcontext (&of_fibre[which], &of_main);
			visit_leaf (&v);
			v.depth--;
		}
		did (&v, v.depth, "interval", "turn fibre=%d", which);
	}
	for (;;)
		swapcontext (&of_fibre[which], &of_main);
}

static void fibres (void)
{
	for (int i = 0; i < 2; i++) {
		char path[64];

		snprintf (path, sizeof path, "fibre.%d", i);
		fibre_out[i] = fopen (path, "w");
		getcontext (&of_fibre[i]);
		of_fibre[i].uc_stack.ss_sp = stacks[i];
		of_fibre[i].uc_stack.ss_size = sizeof stacks[i];
		makecontext (&of_fibre[i], (void (*) (void)) fibre, 1, i);
	}
	{
#pragma pp interval scheduler
		own.depth++;
		for (int i = 0; i < 8; i++)
			swapcontext (&of_main, &of_fibre[i % 2]);
		own.depth--;
	}
	did (&own, own.depth, "interval", "scheduler");
	for (int i = 0; i < 2; i++)
		fclose (fibre_out[i]);
}

/* ---- what needs no block ---------------------------------------------------------------------- */

static const char *volatile called = "called", *volatile second = "second";

/* Calls need not nest: none of the two is in the other. */
static void calls (void)
{
	pp_begin (called);
	own.depth++;
	visit_leaf (&own);
	pp_begin (second);
	own.depth--;
	pp_end (called);
	did (&own, own.depth, "interval", "called");
	pp_end (second);
	did (&own, own.depth, "interval", "second");
}

static void spans (void)
{
	pp_site *site = pp_span_site ("request");
	pp_span one = pp_span_begin (site), other = pp_span_begin (site);
	FILE *out = fopen ("spans", "w");

	visit_leaf (&own);
	pp_span_end (one);
	pp_span_end (other);
	fprintf (out, "%ld 0 span request\n%ld 0 span request\n", own.tid, own.tid);
	fclose (out);
}

int main (void)
{
	visits_by_threads ();
	visitor_begin (&own);
	own.leaves = 5000;
	jumps ();
	fibres ();
	calls ();
	spans ();
	fclose (own.out);
	return 0;
}
