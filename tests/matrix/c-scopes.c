/* SPDX-License-Identifier: MIT */
/* The constructs of C: blocks and the ways out of them; see matrix.h. */
#include "matrix.h"

/* construct: fallthrough c++ */
CONSTRUCT (fallthrough)
{
	int a = opaque (1);
	I (outer)
	a++;
	{
		I (inner)
		P (deep)
		a += opaque (a);
	}
	P (behind)
	return a;
}

/* construct: returns c++ */
static int early (int n)
{
	I (early)
	if (n == 0)
		return 1;
	{
		I (early_inner)
		if (n == 1)
			return opaque (n) + 2;
		P (still_inside)
	}
	return 3;
}

CONSTRUCT (returns)
{
	return early (0) + early (1) * 10 + early (opaque (2)) * 100;
}

/* construct: returns_struct c++ */
struct wide {
	long x[6];
};

static struct wide make_wide (int n)
{
	struct wide w = {{n, 2, 3, 4, 5, 6}};
	I (make_wide)
	w.x[5] = opaque (n);
	return w;
}

CONSTRUCT (returns_struct)
{
	struct wide w = make_wide (opaque (7));
	return w.x[0] + w.x[5];
}

/* construct: loops c++ */
static int loop (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (loop)
		if (i == 1)
			continue;
		s += opaque (i);
		if (s == 8)
			goto out;
		if (i == 3)
			return 9;
		if (i == 4)
			break;
		P (in_loop)
	}
	return s;
out:
	return -s;
}

CONSTRUCT (loops)
{
	int s = loop (3) + loop (9), n = opaque (3);
	while (n) {
		I (while_body)
		if (n-- == 2)
			continue;
		P (in_while)
	}
	do {
		I (do_body)
		if (++n == 2)
			break;
	} while (n < 5);
	return s + n;
}

/* construct: nested_loops c++ */
CONSTRUCT (nested_loops)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		I (rows)
		for (int j = 0; j < 3; j++) {
			I (columns)
			if (j == 2)
				break;
			if (i == 1)
				goto next;
			s += opaque (i * j);
		}
		P (row_done)
	next:;
	}
	return s;
}

/* construct: goto_out_of_many c++ */
CONSTRUCT (goto_out_of_many)
{
	int s = opaque (2);
	{
		I (one)
		{
			I (two)
			{
				I (three)
				if (s == 2)
					goto out;
			}
			P (unreached)
		}
	}
out:
	P (out)
	return s;
}

/* construct: goto_backwards c++ */
CONSTRUCT (goto_backwards)
{
	int n = opaque (0);
again : {
	I (again)
	n++;
	if (n < 3)
		goto again;
}
	return n;
}

/* construct: goto_within c++ */
CONSTRUCT (goto_within)
{
	int n = opaque (0);
	I (whole)
repeat:
	n++;
	P (repeated)
	if (n < 4)
		goto repeat;
	return n;
}

/* construct: switches c++ */
static int switches (int x)
{
	switch (x) {
	case 1: {
		I (one)
		x = opaque (x);
		break;
	}
	case 2:
		P (two)
		x++;
		/* fall through */
	case 3: {
		I (three)
		x = opaque (x) + 1;
	}
		__attribute__ ((fallthrough));
	default:
		P (other)
		x++;
	}
	return x;
}

CONSTRUCT (switches)
{
	int r = 0;
	for (int i = 0; i < 5; i++)
		r = r * 10 + switches (opaque (i));
	return r;
}

/* construct: switch_across */
/* from one scope to another, and out of an interval */
static int across (int x)
{
	switch (x) {
		int y;
	case 0: {
		I (across_zero)
		y = 3;
		if (opaque (x) == 0)
			goto third;
	}
	case 1:
		y = 4;
		{
			I (across_one)
			x += y;
		}
		break;
	third:
	case 3 ... 5: {
		I (across_range)
		return opaque (x) + 30;
	}
	}
	return x;
}

CONSTRUCT (switch_across)
{
	return across (0) + across (1) + across (2) + across (3) + across (opaque (5));
}

/* construct: switch_in_interval c++ */
CONSTRUCT (switch_in_interval)
{
	int s = 0;
	for (int i = 0; i < 6; i++) {
		I (around_switch)
		switch (opaque (i)) {
		case 0:
			continue;
		case 1: {
			I (case_one)
			break;
		}
		case 2:
			s += 2;
			break;
		case 3: {
			I (case_three)
			s += 3;
			continue;
		}
		case 4:
			goto out;
		}
		P (behind_switch)
	}
out:
	return s;
}

/* construct: duff c++ */
CONSTRUCT (duff)
{
	int n = opaque (7), i = 0, s = 0;
	switch (n % 4) {
	case 0:
		do {
			P (duff_zero)
			s += i++;
			/* fall through */
		case 3:
			P (duff_three)
			s += i++;
			/* fall through */
		case 2:
			s += i++;
			/* fall through */
		case 1: {
			I (duff_one)
			s += i++;
		}
		} while (i < n);
	}
	return s;
}

/* construct: conditional_markers c++ */
CONSTRUCT (conditional_markers)
{
	int n = 0;
	for (int i = 0; i < 4; i++) {
		if (opaque (i) & 1) {
			I (then_part)
			n++;
		} else {
			I (else_part)
			n--;
		}
		if (i & 2) {
			P (same)
		} else {
			P (same)
		}
	}
	return n;
}

/* construct: several_in_one_block c++ */
CONSTRUCT (several_in_one_block)
{
	I (first)
	I (second)
	P (both)
	I (third)
	return opaque (4);
}

/* construct: empty_intervals c++ */
CONSTRUCT (empty_intervals)
{
	{
		I (empty)
	}
	for (int i = 0; i < 3; i++) {
		I (empty_body)
	}
	return 0;
}

/* construct: dead_branch c++ */
CONSTRUCT (dead_branch)
{
	int s = opaque (1);
	if (0) {
		I (never_run)
		P (never_reached)
		s++;
	}
	if (sizeof (int) == 4) {
		I (always_run)
		s += 2;
	}
	return s;
}

/* construct: declarations_behind c++ */
CONSTRUCT (declarations_behind)
{
	I (before_declarations)
	int a = opaque (1);
	P (between_declarations)
	int b = a + opaque (2), c[2] = {a, b};
	struct {
		int x;
	} local = {c[1]};
	return a + b + c[0] + local.x;
}

/* construct: shadowed c++ */
CONSTRUCT (shadowed)
{
	int n = opaque (1);
	I (shadowed)
	{
		int n = opaque (2);
		I (shadowed)
		V (shadow, n)
	}
	V (shadow, n)
	return n;
}

/* construct: label_at_end */
CONSTRUCT (label_at_end)
{
	int n = opaque (2);
	for (int i = 0; i < 3; i++) {
		I (to_the_end)
		if (i == n)
			goto end_of_body;
		P (not_yet)
	end_of_body:;
	}
	return n;
}

/* construct: attributes_c23 */
CONSTRUCT (attributes_c23)
{
	int n = opaque (2);
#if __STDC_VERSION__ > 201710L
	[[maybe_unused]] int unused = 3;
#define FALLTHROUGH [[fallthrough]]
#else
#define FALLTHROUGH __attribute__ ((fallthrough))
#endif
	switch (n) {
	case 2:
		P (c23_two)
		FALLTHROUGH;
	default: {
		I (c23_default)
		n++;
	}
	}
	return n;
}

/* construct: infinite_loop c++ */
CONSTRUCT (infinite_loop)
{
	int n = 0;
	for (;;) {
		I (forever)
		if (opaque (++n) == 3)
			return n;
	}
}

/* construct: unreachable c++ */
CONSTRUCT (unreachable)
{
	int n = opaque (2);
	I (around_unreachable)
	switch (n) {
	case 1:
		return 1;
	case 2: {
		I (only_case)
		return 2;
	}
	default:
		__builtin_unreachable ();
	}
}

/* construct: deep_nesting c++ */
#define NEST(NAME, BODY)                                                                           \
	{                                                                                          \
		I (NAME)                                                                           \
		BODY                                                                               \
	}

CONSTRUCT (deep_nesting)
{
	int n = opaque (0);
	NEST (n1,
	      NEST (n2,
		    NEST (n3,
			  NEST (n4, NEST (n5, NEST (n6, NEST (n7, n++; if (n == 1) return 8;)))))))
	return n;
}

/* construct: macros_with_braces c++ */
#define TIMED(x)                                                                                   \
	do {                                                                                       \
		I (timed)                                                                          \
		x;                                                                                 \
	} while (0)
#define TRACED(x)                                                                                  \
	{                                                                                          \
		V (traced, x)                                                                      \
	}

CONSTRUCT (macros_with_braces)
{
	int n = opaque (2);
	if (n)
		TIMED (n = opaque (3));
	else
		TRACED (n)
	for (int i = 0; i < n; i++)
		TRACED (i)
	while (n-- > 1)
		TIMED (opaque (n));
	return n;
}
