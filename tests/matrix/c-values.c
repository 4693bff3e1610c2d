/* SPDX-License-Identifier: MIT */
/* The constructs of C: values, registers and storage; see matrix.h. */
#include "matrix.h"

#include <stdarg.h>
#include <stdbool.h>

/* construct: values c++ */
struct fields {
	unsigned bits : 5;
	signed char c;
	short s;
	long long l;
	float f;
	double d;
	bool b;
	int *p;
};

CONSTRUCT (values)
{
	int array[3] = {1, 2, 3};
	struct fields s = {17, -3, 30000, -5000000000LL, 1.5f, 2.25, 1, array}, *p = &s;
	I (values)
	V (bit_field, s.bits)
	V (character, p->c)
	V (short_field, p->s * 2)
	V (long_field, p->l)
	R (float_field, s.f)
	R (double_field, p->d * 3)
	V (bool_field, s.b)
	V (element, array[array[0]] + p->p[2])
	V (shifted, s.bits >> 3)
	V (negated, -s.c)
	V (constant, 12345678901LL)
	return s.bits;
}

/* construct: value_in_loop c++ */
CONSTRUCT (value_in_loop)
{
	unsigned h = 2166136261u;
	for (unsigned i = 0; i < 8; i++) {
		h = (h ^ i) * 16777619u;
		V (hash, h)
	}
	return h & 0xffff;
}

/* construct: register_pressure c++ */
typedef unsigned long word;

__attribute__ ((noipa)) static word many (word a, word b, word c, word d, word e, word f, word g,
					  word h, word i, word j)
{
	word k = a * b, l = c * d, m = e * f, n = g * h, o = i * j;
	for (int r = 0; r < 3; r++) {
		V (pressed, k)
		k += l * a, l += m * b, m += n * c, n += o * d, o += k * e;
		V (pressed_more, o)
		f ^= k, g ^= l, h ^= m, i ^= n, j ^= o;
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
}

CONSTRUCT (register_pressure)
{
	return many (1, 2, 3, 4, 5, 6, 7, 8, 9, opaque (10)) & 0xffffff;
}

/* construct: late_dimensions c++ */
__attribute__ ((noipa)) static word late_pressed (word a, word b, word c, word d, word e, word f,
						  double x, double y)
{
	word k = a * b, l = c * d, m = e * f;
	double z = x * y;
	I (late_pressed)
	for (int r = 0; r < 3; r++) {
		D (late_pressed, k, k)
		k += l * a, l += m * b, m += a * c;
		if (r & 1) {
			I (inner)
			DR (inner, z, z)
			z += x, z *= y;
			D (inner, r, r)
		}
		f ^= k, e ^= l;
	}
	DR (late_pressed, sum, z + x)
	return k + l + m + e + f + (word) z;
}

CONSTRUCT (late_dimensions)
{
	return late_pressed (1, 2, 3, 4, 5, opaque (6), 1.5, opaque (2)) & 0xffffff;
}

/* construct: stack_arguments c++ */
__attribute__ ((noipa)) static long ten (long a, long b, long c, long d, long e, long f, long g,
					 long h, long i, long j)
{
	return a + b * c + d * e + f * g + h * i + j;
}

CONSTRUCT (stack_arguments)
{
	long s;
	I (before_arguments)
	s = ten (1, 2, 3, 4, 5, 6, 7, 8, 9, ({
			 I (in_argument)
			 opaque (10);
		 }));
	{
		I (between_arguments)
		s += ten (2, 2, 3, 4, 5, 6, 7, 8, 9, opaque (11));
		s += ten (s, 2, 3, 4, 5, 6, 7, 8, ten (1, 1, 1, 1, 1, 1, 1, 1, 1, s), opaque (12));
	}
	return s;
}

/* construct: variadic c++ */
__attribute__ ((noinline)) static long variadic (int n, ...)
{
	va_list list;
	double d = 0;
	long s = 0;
	va_start (list, n);
	I (variadic)
	for (int i = 0; i < n; i++) {
		s += va_arg (list, int);
		d += va_arg (list, double);
		P (argument)
	}
	va_end (list);
	return s + (long) d;
}

CONSTRUCT (variadic)
{
	return variadic (opaque (3), 1, 1.5, 2, 2.5, 3, 3.5);
}

/* construct: vector_registers c++ */
typedef double two __attribute__ ((vector_size (16)));

CONSTRUCT (vector_registers)
{
	two v = {1, (double) opaque (4)}, w = v;
	for (int i = 0; i < 3; i++) {
		I (vectors)
		v = v * w + 1.0;
		P (vector_live)
		w = w + v;
	}
	return (long) (v[0] + v[1] + w[0] + w[1]);
}

/* construct: floating_point c++ */
CONSTRUCT (floating_point)
{
	double x = opaque (3), y = 0.5;
	float f = 2;
	for (int i = 0; i < 4; i++) {
		I (floating)
		x = x * y + f;
		P (floating_live)
		f = (float) x + 1;
		R (floating_value, x)
		R (float_value, f)
	}
	return (long) (x * 16);
}

/* construct: long_double c++ */
CONSTRUCT (long_double)
{
	long double x = opaque (3);
	for (int i = 0; i < 3; i++) {
		I (extended)
		x = x * x / 2 + 1;
		P (extended_live)
	}
	return (long) x;
}

/* construct: int128 c++ */
CONSTRUCT (int128)
{
	unsigned __int128 x = (unsigned) opaque (3);
	for (int i = 0; i < 5; i++) {
		I (wide_integer)
		x = x * x + 1;
		P (wide_live)
	}
	return (long) (unsigned) (x >> 64) + (long) (unsigned) x;
}

/* construct: flags_across c++ */
/* the compiler likes to keep a comparison's flags across what follows */
CONSTRUCT (flags_across)
{
	unsigned carry = 0, a[4] = {~0u, ~0u, 1, (unsigned) opaque (7)};
	for (int i = 0; i < 4; i++) {
		P (flags)
		carry = __builtin_add_overflow (a[i], carry + 1, &a[i]);
		P (flags_behind)
	}
	return a[0] + a[1] + a[2] + a[3] + carry;
}

/* construct: complex_numbers */
CONSTRUCT (complex_numbers)
{
	double _Complex z = 1.0 + 2.0i;
	for (int i = 0; i < 3; i++) {
		I (complex_loop)
		z = z * z + opaque (i);
	}
	double real = __real__ z;
	R (real_part, real)
	return (long) __imag__ z;
}

/* construct: generic_selection */
#define KIND(X) _Generic((X), int : 1, double : 2, default : 3)

CONSTRUCT (generic_selection)
{
	I (generic)
	return KIND (1) + KIND (2.0) * 10 + KIND ("") * 100;
}

/* construct: atomics */
CONSTRUCT (atomics)
{
	static _Atomic int counter;
	for (int i = 0; i < 3; i++) {
		I (atomic)
		counter += opaque (i);
		P (atomic_point)
	}
	return counter;
}

/* construct: thread_local c++ */
static __thread int own_counter;

CONSTRUCT (thread_local)
{
	for (int i = 0; i < 3; i++) {
		I (own)
		own_counter += opaque (2);
		V (own_value, own_counter)
	}
	return own_counter;
}

/* construct: static_locals c++ */
static int static_count (void)
{
	static int n = 3;
	I (static_count)
	return n++;
}

CONSTRUCT (static_locals)
{
	return static_count () + static_count ();
}

/* construct: volatile_and_restrict */
static long restricted (int *restrict a, const volatile int *restrict b, int n)
{
	long s = 0;
	for (int i = 0; i < n; i++) {
		P (restricted)
		a[i] = b[i] + 1;
		s += a[i];
	}
	return s;
}

CONSTRUCT (volatile_and_restrict)
{
	int a[4], b[4] = {1, 2, 3, opaque (4)};
	return restricted (a, b, 4);
}

/* construct: large_frame c++ */
static long large_frame (int n)
{
	volatile char a[70000];
	I (large_frame)
	a[n] = 3;
	P (large_frame_point)
	return a[n];
}

CONSTRUCT (large_frame)
{
	return large_frame (opaque (69999));
}
