/* SPDX-License-Identifier: MIT */
/*
 * What sites capture is computed in cold blocks: with jumps and calls of its own, in leaves that use the red zone, in frames of
 * variable size, in loops, and in copies of a function inside itself.
 */
#include "events.h"

#include <string.h>

#ifdef __PPGCC__
#define PAYLOAD(NAME, EXPR) PP_PRAGMA_ (pp feature NAME payload (EXPR))
#define KEYED(NAME, VALUE, KEY, EXPR, TEXT) PP_PRAGMA_ (pp point NAME value (VALUE) dim (KEY = EXPR, text = TEXT))
#else
#define PAYLOAD(NAME, EXPR)                                                                                            \
	__attribute__ ((cleanup (leave))) const char *scope_##NAME = #NAME;                                            \
	printf ("B %s %lld\n", #NAME, (long long) (EXPR));
#define KEYED(NAME, VALUE, KEY, EXPR, TEXT)                                                                            \
	printf ("P %s %g %s=%lld text=%s\n", #NAME, (double) (VALUE), #KEY, (long long) (EXPR), TEXT);
#endif

struct node {
	int n;
	double ratio;
	const char *name;
	struct node *next;
};
static struct node tail = {3, 0.5, "tail", 0}, head = {7, 2.5, "head", &tail};
static int total;

__attribute__ ((noipa)) static int twice (int x)
{
	return 2 * x;
}

/* no frame at all: the arguments, and what is computed from them, are in registers and below the stack pointer */
__attribute__ ((noipa)) static int leaf (const struct node *p, int a, int b, double d)
{
	volatile int below[8] = {a, b, a + b};
	V (leaf_sum, below[0] + p->n * b)
	KEYED (leaf_keyed, p->ratio * d, n, p->next->n - a, p->name)
	PAYLOAD (leaf_feature, p->n + below[2])
	return below[0] + below[1] + below[2];
}

__attribute__ ((noipa)) static int branches (const struct node *p, int a)
{
	V (conditional, a > 3 ? twice (a) : p->n)
	V (both, p && p->next && p->next->n > twice (1))
	V (nested, twice (twice (a) + (a ? p->n : 0)))
	return a;
}

__attribute__ ((noipa)) static int sized (int n)
{
	char text[n];
	memset (text, 'x', n - 1);
	text[n - 1] = 0;
	PAYLOAD (outer, text[0] + n)
	char *more = __builtin_alloca (n);
	memcpy (more, text, n);
	KEYED (in_frame, 1.5, n, n * 2, more)
	PAYLOAD (inner, twice (more[1]))
	return more[0];
}

__attribute__ ((noipa)) static int loop (const int *a, int n)
{
	for (int i = 0; i < n; i++) {
		PAYLOAD (body, a[i] * 3)
		char text[8] = "a";
		text[0] += i;
		if (a[i] == 2)
			continue;
		total += a[i];
		KEYED (of_loop, total, element, a[i] + i, text)
		switch (a[i]) {
		case 3:
			V (in_switch, total + a[i])
			break;
		default:
			V (by_default, total - a[i])
		}
	}
	return total;
}

/* GCC inlines it into itself: one frame, one site, several payloads */
static int recursive (int n)
{
	PAYLOAD (level, n * n)
	return n < 1 ? 0 : recursive (n - 1) + n;
}

static inline int many (int a, int b, int c, int d, int e, int f, int g, int h)
{
	V (m1, a * b + c)
	V (m2, d * e + f)
	V (m3, g * h + a)
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

int main (void)
{
	int a[] = {1, 2, 3, 4}, sum = 0;
	sum += leaf (&head, opaque (3), opaque (4), 1.5);
	sum += branches (&head, opaque (2)) + branches (&head, opaque (5));
	sum += sized (opaque (5)) + sized (opaque (9));
	sum += loop (a, opaque (4));
	sum += recursive (opaque (9));
	for (int i = 0; i < opaque (3); i++)
		sum += many (i, 1, 2, 3, opaque (4), 5, 6, 7);
	V (end, sum + total)
	return 0;
}
