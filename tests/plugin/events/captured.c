/* SPDX-License-Identifier: MIT */
/* What sites capture beside plain numbers: calls, casts, conditions, text, addresses, dimensions, payloads. */
#include "events.h"

#include <stddef.h>

struct node {
	int n;
	double ratio;
	const char *name;
	char own[8];
	struct node *next;
};
union word {
	int i;
	float f;
};
enum color { RED, GREEN = 7 };
typedef unsigned char byte_t;

static struct node tail = {2, 0.5, "tail", "own", NULL}, list = {1, 2.5, "list", "text", &tail};

__attribute__ ((noipa)) static int add (int a, int b)
{
	return a + b;
}

__attribute__ ((noipa)) static const char *name_of (const struct node *node)
{
	return node ? node->name : NULL;
}

static double half (double x)
{
	return x / 2;
}

static int (*const by_pointer) (int, int) = add;

static void calls (int i, struct node *p)
{
	V (call, add (i, 3))
	V (nested_call, add (add (i, 1), p->n) + 1)
	V (call_by_pointer, by_pointer (i, 4))
	R (real_call, half (p->ratio))
	R (promoted, half (i))
	T (text_call, name_of (p))
	T (no_text, name_of (NULL))
	V (subscripted_call, name_of (p)[1])
	V (member_of_call, add (p->next->n, 1))
}

static void casts (int i, double d, void *v, char *text)
{
	V (to_int, (int) d)
	V (to_char, (signed char) i)
	V (to_byte, (byte_t) i)
	V (to_unsigned, (unsigned) -i)
	V (to_long, (unsigned long long) i * 5000000000)
	R (to_float, (float) d)
	R (to_double, (double) i / 2)
	V (to_bool, (_Bool) i)
	V (to_enum, (enum color) 7)
	A (to_pointer, (void *) text)
	A (to_struct, (struct node *) v)
	V (through_struct, ((struct node *) v)->n)
	V (through_pointer, *(const int *) v)
	T (to_text, (const char *) text)
	A (bytes, (unsigned char *) text)
	V (size, sizeof (struct node) + sizeof i + sizeof (long *) + sizeof (i + 1))
	V (union_member, ((union word *) v)->i)
}

static void conditions (int i, int j, struct node *p)
{
	V (and_both, i && j)
	V (or_either, i || j)
	V (short_circuit, !p || p->n > 100)
	V (guarded, p ? p->n : -1)
	V (chained, i == 1 ? 10 : i == 2 ? 20 : 30)
	V (compared, (i < j) + (i <= j) * 2 + (i > j) * 4 + (i >= j) * 8 + (i == j) * 16 + (i != j) * 32)
	V (precedence, i + 1 < j << 1 && j & 1 || !i)
	R (mixed, i ? 1 : 2.5)
	T (chosen, i ? "yes" : "no")
	A (null_or, p ? p->next : NULL)
}

static void texts (struct node *p, char *text)
{
	char here[] = "here";
	T (literal, "a \"literal\"")
	T (joined, "one "
		   "text")
	T (array_member, p->own)
	T (pointer_member, p->name)
	T (array, here)
	T (parameter, text)
	T (shifted, text + 1)
	A (address, &p->n)
	A (address_of_array, &here)
	A (node, p)
}

static int dims (int i, struct node *p, char *text)
{
#ifdef __PPGCC__
	PP_POINT_DIM (one, n = p->n)
	PP_POINT_DIM (simple, i = i)
	PP_POINT_DIM (many, n = p->n, ratio = p->ratio, name = p->name, where = p, sum = add (i, 2), yes = i > 0)
	PP_POINT_DIM (eight, a = i, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = p->n)
#pragma pp point both value(p->ratio) dim(n = p->n, text = text) group(g)
#pragma pp point twice dim(a = i) value(i) dim(b = i + 1)
	{
		PP_INTERVAL_DIM (spanned, n = i, name = p->name)
		P (inside)
		i++;
	}
	{
#pragma pp interval fenced dim(i = i, d = p->ratio) fence
		i++;
		if (opaque (i) == 5)
			return i;
	}
#else
	printf ("P one n=%d\nP simple i=%d\n", p->n, i);
	printf ("P many n=%d ratio=%g name=%s where=pointer sum=%d yes=%d\n", p->n, p->ratio, p->name, i + 2, i > 0);
	printf ("P eight a=%d b=2 c=3 d=4 e=5 f=6 g=7 h=%d\n", i, p->n);
	printf ("P both %g n=%d text=%s\nP twice %d a=%d b=%d\n", p->ratio, p->n, text, i, i, i + 1);
	printf ("B spanned n=%d name=%s\nP inside\nE spanned\n", i, p->name);
	i++;
	printf ("B fenced i=%d d=%g\nE fenced\n", i, p->ratio);
	if (++i == 5)
		return i;
#endif
	return i;
}

static int features (int n, struct node *p)
{
	F (outer)
	n = opaque (n);
	{
		FV (counted, p->n + n)
		if (n == 3)
			return n;
		X (user)
		P (user_code)
	}
	{
		FT (named, name_of (p))
		n++;
	}
	return n;
}

#define FACTOR 3
#define TIMES(x) ((x) *FACTOR)
#define HERE V (in_macro, TIMES (i))
#define value 99
static void macros (int i)
{
	V (expanded, TIMES (i) + FACTOR)
	HERE
#ifdef __PPGCC__
#pragma pp point value value(TIMES(i))
#pragma pp point FACTOR dim(FACTOR = FACTOR + value)
#else
		printf ("P value %d\nP FACTOR FACTOR=%d\n", TIMES (i), FACTOR + value);
#endif
}
#undef value

int main (void)
{
	char text[] = "mutable";
	calls (opaque (5), &list);
	casts (opaque (-3), 2.75, &list, text);
	casts (opaque (300), -7.5, &tail, NULL);
	conditions (opaque (1), opaque (2), &list);
	conditions (opaque (0), opaque (0), NULL);
	texts (&list, text);
	dims (opaque (1), &list, text);
	dims (opaque (3), &tail, text);
	features (1, &list);
	features (3, &tail);
	macros (opaque (4));
	return 0;
}
