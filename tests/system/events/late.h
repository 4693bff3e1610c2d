/* SPDX-License-Identifier: MIT */
/*
 * late.h: "#pragma pp dim" in C and C++: each value reaches the record of its own execution, whatever
 * is open or was begun since. Says how often a value was computed, and how many were wrongly. What is
 * recorded is compared with `late.dump`.
 */
#ifndef TESTS_SYSTEM_EVENTS_LATE_H
#define TESTS_SYSTEM_EVENTS_LATE_H

#include <pp.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

struct node {
	int n;
	const char *name;
};

static int computed;

static __attribute__ ((noinline)) int costly (int x)
{
	computed++;
	return x;
}

/* Where nothing is recorded NODE is NULL. */
static void types (const struct node *node, const char *text)
{
	char here[] = "here";
	bool is = text != NULL;
#pragma pp interval types
#pragma pp dim n = node->n
#pragma pp dim(name = node->name, half = node->n / 2.0, at = (void *) 0x1000, none = (char *) 0,   \
	       is = is)
#pragma pp dim text = here
	memset (here, 'x', sizeof here - 1);
#pragma pp dim n = costly(node->n + 1)
}

static __attribute__ ((noinline)) int recursive (int n)
{
	int below = 0;
#pragma pp interval recursive dim(n = n)
	if (n > 0)
		below = recursive (n - 1);
#pragma pp dim below = below
	return below + n;
}

/* The innermost is another one: an event, an interval of the same thread. */
static void others (void)
{
	int64_t id;
#pragma pp interval outer
	id = pp_event_begin ("event");
#pragma pp dim first = 1
	pp_dim ("of", "event");
	{
#pragma pp interval inner
#pragma pp dim of = "inner"
	}
#pragma pp dim second = 2
	pp_event_end (id);
#pragma pp dim first = 3
}

static jmp_buf back;

static __attribute__ ((noinline)) void leaves (int n)
{
#pragma pp interval jumped dim(n = n)
	if (n > 1)
		longjmp (back, 1);
	leaves (n + 1);
}

/* What was left behind is deeper, and gets nothing. */
static void jumps (int n)
{
#pragma pp interval jumped dim(n = n)
	if (!setjmp (back))
		leaves (1);
#pragma pp dim behind = 1
}

static ucontext_t program, fibre[2];
static char stacks[2][1 << 16];
static int turn;

static void on_fibre (void)
{
	int me = turn;
#pragma pp interval fibre dim(me = me)
	swapcontext (&fibre[me], &program);
#pragma pp dim late = me * 10
	swapcontext (&fibre[me], &program);
}

static void fibres (void)
{
	for (int i = 0; i < 2; i++) {
		getcontext (&fibre[i]);
		fibre[i].uc_stack.ss_sp = stacks[i];
		fibre[i].uc_stack.ss_size = sizeof stacks[i];
		fibre[i].uc_link = &program;
		makecontext (&fibre[i], on_fibre, 0);
	}
	for (int round = 0; round < 3; round++)
		for (turn = 0; turn < 2; turn++)
			swapcontext (&program, &fibre[turn]);
}

static void many (void)
{
	for (int i = 0; i < 10000; i++) {
#pragma pp interval many
#pragma pp dim i = i
	}
}

/* More than there may be: those that are beyond are left out. */
static void limit (int x)
{
#pragma pp interval limit
#pragma pp dim(a = x, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8)
#pragma pp dim(i = 9, a = "again")
}

static int run (int argc)
{
	struct node node = {6, "six"};

	for (int i = 0; i < 3; i++)
		types (argc > 1 ? NULL : &node, "text");
	recursive (3);
	others ();
	jumps (0);
	fibres ();
	limit (1);
	many ();
	printf ("computed %d\n", computed);
	return 0;
}

#endif
