/* SPDX-License-Identifier: MIT */
/*
 * The constructs of C: GNU's extensions, and the library's ways of going elsewhere; see matrix.h.
 */
#include "matrix.h"

#include <alloca.h>
#include <setjmp.h>
#include <string.h>

/* construct: statement_expression c++ */
CONSTRUCT (statement_expression)
{
	int x = opaque (3);
	x += ({
		     I (expression)
		     int y = opaque (x);
		     y + 1;
	     }) +
	     1;
	for (int i = 0; i < 3; i++) {
		I (around_expression)
		x += ({
			I (left_expression)
			if (i == 1)
				continue;
			opaque (i);
		});
	}
	return x;
}

/* construct: statement_expression_in_condition c++ */
CONSTRUCT (statement_expression_in_condition)
{
	int n = 0;
	while (({
		I (condition)
		n++;
		n < 3;
	})) {
		P (condition_holds)
	}
	return n + (({
			    I (left_operand)
			    opaque (1);
		    }) &&
		    ({
			    I (right_operand)
			    opaque (0);
		    }));
}

/* construct: nested_function */
CONSTRUCT (nested_function)
{
	int x = opaque (3);
	int in (int y)
	{
		I (in)
		P (in_point)
		return y + x;
	}
	I (around)
	return in (2) + in (3);
}

/* construct: nested_function_trampoline */
__attribute__ ((noipa)) static int apply (int (*fn) (int), int n)
{
	I (apply)
	return fn (n) + fn (n + 1);
}

CONSTRUCT (nested_function_trampoline)
{
	int count = 0;
	int counting (int y)
	{
		I (counting)
		count++;
		return y * count;
	}
	int r = apply (counting, opaque (5));
	V (counted, count)
	return r + count;
}

/* construct: nested_function_goto_out */
__attribute__ ((noipa)) static void call_it (void (*fn) (void))
{
	fn ();
}

CONSTRUCT (nested_function_goto_out)
{
	__label__ away;
	volatile int n = opaque (1);
	void leaving (void)
	{
		n++;
		goto away;
	}
	P (before_leaving)
	call_it (leaving);
	P (unreached)
away:
	P (away)
	return n;
}

/* construct: vla */
CONSTRUCT (vla)
{
	int n = opaque (4);
	I (vla)
	int a[n];
	a[n - 1] = 0;
	for (int i = 0; i < n; i++) {
		I (vla_loop)
		int b[i + 1];
		b[i] = opaque (i);
		a[i] = b[i];
	}
	return a[n - 1];
}

/* construct: vla_left_by_goto */
CONSTRUCT (vla_left_by_goto)
{
	int n = opaque (2), rounds = 0;
again : {
	char a[n * 100];
	I (vla_again)
	memset (a, n, sizeof a);
	rounds++;
	n += a[n];
	if (rounds < 3)
		goto again;
}
	return n;
}

/* construct: vla_parameter */
static int matrix_sum (int n, int m[n][n])
{
	int s = 0;
	I (matrix_sum)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			V (element, m[i][j])
			s += m[i][j];
		}
	return s;
}

CONSTRUCT (vla_parameter)
{
	int m[2][2] = {{1, 2}, {3, 4}};
	return matrix_sum (opaque (2), m);
}

/* construct: alloca c++ */
CONSTRUCT (alloca)
{
	int n = opaque (100);
	I (allocated)
	char *p = (char *) alloca (n);
	memset (p, 1, n);
	{
		I (more)
		char *q = (char *) alloca (n * 2);
		memset (q, 2, n * 2);
		p[0] = (char) (p[0] + q[n]);
	}
	return p[0];
}

/* construct: computed_goto c++ */
static int computed (int n)
{
	static void *const target[] = {&&one, &&two, &&end};
	int i = 0;
	goto *target[opaque (n)];
one : {
	I (computed_one)
	i++;
}
	goto *target[opaque (2)];
two : {
	I (computed_two)
	i += 2;
	P (in_two)
}
end:
	return i;
}

CONSTRUCT (computed_goto)
{
	return computed (0) + computed (1) * 10 + computed (2) * 100;
}

/* construct: computed_goto_leaves c++ */
/* without the plugin GCC runs no cleanup there: the event is written by hand */
CONSTRUCT (computed_goto_leaves)
{
	static void *const target[] = {&&inside, &&outside};
	int s = 0;
	{
		I (left_by_computed)
	inside:
		s++;
		P (round)
#ifndef __PPGCC__
		if (s >= 3)
			leave (&scope_left_by_computed);
#endif
		goto *target[opaque (s) >= 3];
	}
outside:
	return s;
}

/* construct: interpreter c++ */
/* threaded code: a dispatch at the end of each operation */
CONSTRUCT (interpreter)
{
	static const unsigned char program[] = {0, 1, 2, 0, 1, 3};
	static void *const ops[] = {&&push, &&add, &&jump, &&stop};
	int pc = 0, s = 0;
	I (interpret)
	goto *ops[program[pc++]];
push : {
	I (op_push)
	s += opaque (2);
}
	goto *ops[program[pc++]];
add : {
	I (op_add)
	s *= 3;
}
	goto *ops[program[pc++]];
jump:
	P (op_jump)
	goto *ops[program[pc++]];
stop:
	return s;
}

/* construct: local_labels */
#define SEARCH(N)                                                                                  \
	({                                                                                         \
		__label__ found;                                                                   \
		int i_ = 0;                                                                        \
		for (;;) {                                                                         \
			I (search)                                                                 \
			if (opaque (i_) == (N))                                                    \
				goto found;                                                        \
			i_++;                                                                      \
		}                                                                                  \
	found:                                                                                     \
		i_;                                                                                \
	})

CONSTRUCT (local_labels)
{
	return SEARCH (1) + SEARCH (2);
}

/* construct: setjmp c++ */
static jmp_buf jump_buffer;

__attribute__ ((noipa)) static void jumper (int n)
{
	P (jumping)
	longjmp (jump_buffer, n);
}

CONSTRUCT (setjmp)
{
	volatile int rounds = 0;
	I (around_setjmp)
	volatile int r = JUMP_BACK (jump_buffer);
	P (returned)
	rounds = rounds + 1;
	if (r < 3)
		jumper (r + 1);
	return rounds * 10 + r;
}

/* construct: longjmp_past_ends */
/* without the plugin "cleanup" does not run either; nor may an end with it */
static jmp_buf far_buffer;

__attribute__ ((noipa)) static void left_open (int n)
{
	I (left_open)
	if (n == 0)
		longjmp (far_buffer, 7);
	left_open (n - 1);
	P (unreached)
}

CONSTRUCT (longjmp_past_ends)
{
	volatile int n = 1;
	I (outside_jump)
	volatile int r = JUMP_BACK (far_buffer);
	if (r == 0) {
		left_open (opaque (2));
		P (unreached)
	}
	n = n + r;
	return n;
}

/* construct: builtin_setjmp */
static void *builtin_buffer[5];

__attribute__ ((noipa)) static void builtin_jumper (void)
{
	__builtin_longjmp (builtin_buffer, 1);
}

CONSTRUCT (builtin_setjmp)
{
	volatile int n = opaque (0);
	I (around_builtin)
	if (__builtin_setjmp (builtin_buffer) == 0) {
		P (first_return)
		n = n + 1;
		builtin_jumper ();
	} else {
		P (second_return)
		n = n + 10;
	}
	return n;
}

/* construct: builtin_return */
__attribute__ ((noipa)) static int three_arguments (int a, int b, int c)
{
	return a * 100 + b * 10 + c;
}

__attribute__ ((noipa)) static int forward (int a, int b, int c)
{
	(void) a, (void) b, (void) c;
	void *arguments = __builtin_apply_args ();
	I (forward)
	void *result = __builtin_apply ((void (*) ()) three_arguments, arguments, 64);
	P (applied)
#ifndef __PPGCC__
	leave (&scope_forward); /* runs no cleanup either */
#endif
	__builtin_return (result);
}

CONSTRUCT (builtin_return)
{
	return forward (opaque (1), 2, 3);
}

/* construct: noreturn_inside c++ */
static jmp_buf exit_buffer;

__attribute__ ((noreturn, noipa)) static void never (int n)
{
	longjmp (exit_buffer, n);
}

static int calls_noreturn (int n)
{
	I (calls_noreturn)
	if (opaque (n)) {
		P (before_never)
		never (5);
	}
	return 1;
}

CONSTRUCT (noreturn_inside)
{
	volatile int r = calls_noreturn (0);
	volatile int j = JUMP_BACK (exit_buffer);
	if (j)
		return r + j;
	return calls_noreturn (1);
}

/* construct: cleanups c++ */
static int cleaned;

static void clean (int *x)
{
	I (clean)
	cleaned += *x;
}

CONSTRUCT (cleanups)
{
	for (int i = 0; i < 3; i++) {
		int x __attribute__ ((cleanup (clean))) = opaque (i + 1);
		I (with_cleanup)
		if (i == 1)
			continue;
		x++;
		P (cleanup_later)
	}
	return cleaned;
}

/* construct: inline_assembly c++ */
CONSTRUCT (inline_assembly)
{
	long a = opaque (2), b = 0;
	I (assembly)
	__asm__ volatile("" : "=r"(b) : "0"(a));
	P (between_assembly)
	__asm__ volatile("" : "+r"(b) : "r"(a) : "cc", "memory");
	return b;
}

/* construct: asm_goto */
CONSTRUCT (asm_goto)
{
	int n = opaque (1);
	I (around_asm_goto)
	__asm__ goto("" : : "r"(n) : "cc" : taken);
	P (not_taken)
	return 0;
taken:
	P (taken)
	return 1;
}

/* construct: old_style_definition */
#if __STDC_VERSION__ <= 201710L
static int old_style (a, b)
int a;
short b;
#else
static int old_style (int a, short b)
#endif
{
	I (old_style)
	return opaque (a) + b;
}

CONSTRUCT (old_style_definition)
{
	return old_style (3, 4);
}

/* construct: macros c++ */
#define TWICE(NAME, BODY)                                                                          \
	{I (NAME) BODY} {                                                                          \
		I (NAME)                                                                           \
		BODY                                                                               \
	}

CONSTRUCT (macros)
{
	int n = opaque (1);
	TWICE (twice, n *= 3; P (in_macro))
	return n;
}
