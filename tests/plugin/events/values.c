/* SPDX-License-Identifier: MIT */
/* Captured values of every type and operator. */
#include "events.h"

struct pair {
	int a;
	double d;
	unsigned char small[4];
	struct pair *next;
	unsigned bits : 5;
	int sbits : 7;
};

enum color { RED, GREEN = 7 };
#define LIMIT 42

static struct pair global = {3, 2.5, {1, 2, 3, 255}, &global, 17, -9};
static volatile int watched = 11;

static void integers (signed char c, short s, unsigned u, unsigned long long ull, _Bool b, enum color e, char plain)
{
	V (c_value, c)
	V (s_value, s)
	V (u_value, u)
	V (ull_value, ull)
	V (b_value, b)
	V (e_value, e)
	V (plain_value, plain)
	V (constant, 5)
	V (negative, -5)
	V (character, 'a')
	V (enumerator, GREEN)
	V (macro, LIMIT + 1)
	V (volatile_value, watched)
}

static void reals (float f, double d, long double l)
{
	R (f_value, f)
	R (d_value, d)
	R (l_value, l)
	R (real_constant, 1.25)
	R (mixed, d * 2 + 1)
	R (halved, f / 4)
	R (negated, -d)
}

static void objects (struct pair p, struct pair *q, int i)
{
	int table[3] = {10, 20, 30}, matrix[2][2] = {{1, 2}, {3, 4}};
	V (member, p.a)
	V (arrow, q->a)
	V (chain, q->next->next->small[3])
	V (element, table[i])
	V (element_of_sum, table[i + 1] - table[0])
	V (two_dimensions, matrix[1][i])
	V (pointed, *table)
	V (pointed_sum, *(table + i))
	V (bitfield, q->bits)
	V (signed_bitfield, q->sbits)
	R (real_member, q->d)
	V (pointer_difference, (q->small + 3) - q->small)
}

static void operators (int a, int b, unsigned u)
{
	V (sum, a + b * 2)
	V (grouped, (a + b) * 2)
	V (difference, a - b - 1)
	V (quotient, a / b)
	V (remainder, a % b)
	V (left, a << 3)
	V (right, u >> 2)
	V (and_or, (a & 6) | b)
	V (xor, a ^ b)
	V (complement, ~a)
	V (not, !a)
	V (not_not, !!a)
	V (plus, +a)
	V (wraps, u - 100)
	V (precedence, a | b ^ u & 12)
}

static void seven (int a, int b, int c, int d, int e, int f, int g, int h)
{
	V (seventh, g + a + b + c)
	V (eighth, h + d + e + f)
}

int main (void)
{
	integers (-3, -300, 4000000000u, 0xffffffffffffffffull, 1, RED, 'z');
	reals (1.5f, -2.25, 3.5L);
	objects (global, &global, opaque (1));
	operators (opaque (13), opaque (5), opaque (99));
	seven (opaque (1), 2, 3, 4, 5, 6, opaque (7), 8);
	return 0;
}
