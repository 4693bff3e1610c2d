/* SPDX-License-Identifier: MIT */
/*
 * loop_kernels.h: loops of all shapes. Included twice: as they are measured, where BODY is a
 * marker, and as they count themselves, where it counts. Each takes as many iterations as N says,
 * more or less, and returns what it computed.
 */

KERNEL (signed_up)
{
	uint64_t s = 0;

	for (int i = 0; i < (int) n; i++) {
		BODY (signed_up)
		s += ints[i & MASK] * 3u;
	}
	return s;
}

KERNEL (unsigned_up)
{
	unsigned s = 1, m = (unsigned) n;

	for (unsigned i = 0; i < m; i++) {
		BODY (unsigned_up)
		s += ints[i] ^ i;
	}
	return s;
}

KERNEL (unsigned_down)
{
	unsigned s = 1;

	for (unsigned i = (unsigned) n; i-- > 0;) {
		BODY (unsigned_down)
		s += ints[i] ^ i;
	}
	return s;
}

KERNEL (unsigned_from)
{
	unsigned s = 1, from = (unsigned) n / 3;

	for (unsigned i = from; i <= (unsigned) n; i++) {
		BODY (unsigned_from)
		s += ints[i] * i;
	}
	return s;
}

KERNEL (by_three)
{
	unsigned s = 1;

	for (unsigned i = 0; i < (unsigned) n; i += 3) {
		BODY (by_three)
		s += ints[i] ^ i;
	}
	return s;
}

KERNEL (by_seven_down)
{
	uint64_t s = 0;

	for (long i = n; i >= 0; i -= 7) {
		BODY (by_seven_down)
		s += ints[i] + (uint64_t) i;
	}
	return s;
}

/* through zero */
KERNEL (wrapping)
{
	unsigned s = 0;

	for (unsigned i = -5u; i != (unsigned) n; i++) {
		BODY (wrapping)
		s = s * 3 + i;
	}
	return s;
}

/* until the variable wraps */
KERNEL (until_wrap)
{
	unsigned s = 0;

	for (unsigned i = -1u - (unsigned) n; i > 3; i++) {
		BODY (until_wrap)
		s = s * 3 + i;
	}
	return s;
}

KERNEL (sixteen_bits)
{
	unsigned s = 0;

	for (uint16_t i = 0; i < (uint16_t) n; i++) {
		BODY (sixteen_bits)
		s += ints[i] * i;
	}
	return s;
}

KERNEL (pointers)
{
	const unsigned *end = ints + n;
	unsigned s = 0;

	for (const unsigned *p = ints; p != end; p++) {
		BODY (pointers)
		s += *p;
	}
	return s;
}

KERNEL (two_variables)
{
	uint64_t s = 0;

	for (long i = 0, j = n; i < j; i++, j--) {
		BODY (two_variables)
		s += ints[i] * (uint64_t) ints[j];
	}
	return s;
}

KERNEL (dot)
{
	float s = 0;

	for (long i = 0; i < n; i++) {
		BODY (dot)
		s += floats[i] * floats[i + 1];
	}
	return bits_of (s);
}

KERNEL (saxpy)
{
	for (long i = 0; i < n; i++) {
		BODY (saxpy)
		out[i] += 0.5f * floats[i];
	}
	return sum_of_out (n);
}

KERNEL (stencil)
{
	for (long i = 1; i < n - 1; i++) {
		BODY (stencil)
		out[i] = 0.25f * floats[i - 1] + 0.5f * floats[i] + 0.25f * floats[i + 1];
	}
	return sum_of_out (n);
}

KERNEL (carried)
{
	unsigned a = 1, b = 1;

	for (long i = 0; i < n; i++) {
		unsigned c = a + b + ints[i];

		BODY (carried)
		a = b;
		b = c;
	}
	return a * 7u + b;
}

KERNEL (conditional)
{
	for (long i = 0; i < n; i++) {
		if (ints[i] & 1) {
			BODY (conditional)
			out[i] = floats[i];
		} else
			out[i] = -floats[i];
	}
	return sum_of_out (n);
}

KERNEL (continued)
{
	unsigned s = 0;

	for (long i = 0; i < n; i++) {
		BODY (continued)
		if (ints[i] % 3 == 0)
			continue;
		s += ints[i];
		if (ints[i] % 5 == 0)
			s ^= 77;
	}
	return s;
}

KERNEL (search)
{
	long i;

	for (i = 0; i < SIZE; i++) {
		BODY (search)
		if (order[i] == n)
			break;
	}
	return (uint64_t) i;
}

KERNEL (several_ways_out)
{
	unsigned s = 0;

	for (long i = 0;; i++) {
		BODY (several_ways_out)
		if (order[i] == n)
			return s;
		s = s * 5 + ints[i];
		if (s == 12345 && i > n)
			break;
	}
	return s + 1;
}

KERNEL (list)
{
	uint64_t s = 0;

	for (const struct link *l = first_link (n); l; l = l->next) {
		BODY (list)
		s += l->value;
	}
	return s;
}

KERNEL (at_least_once)
{
	unsigned s = 0;
	long i = 0;

	do {
		BODY (at_least_once)
		s += ints[i];
	} while (++i < n);
	return s;
}

KERNEL (nested)
{
	unsigned s = 0;

	for (long i = 0; i < 3; i++)
		for (long j = i; j < n; j++) {
			BODY (nested)
			s += ints[j] << i;
		}
	return s;
}

KERNEL (chosen)
{
	unsigned s = 0;

	for (long i = 0; i < n; i++) {
		BODY (chosen)
		switch (ints[i] & 7) {
		case 0:
			s += 1;
			break;
		case 1:
			s ^= ints[i];
			/* fall through */
		case 2:
			s += 9;
			break;
		case 5:
			s *= 3;
			break;
		default:
			s -= ints[i];
		}
	}
	return s;
}

/* constant numbers of iterations: fewer than a strip, one, a multiple, with a rest */
#define CONSTANT(NAME, TIMES)                                                                      \
	KERNEL (NAME)                                                                              \
	{                                                                                          \
		unsigned s = 0;                                                                    \
		for (long i = 0; i < (TIMES); i++) {                                               \
			BODY (NAME)                                                                \
			s += ints[i] * (unsigned) n;                                               \
		}                                                                                  \
		return s;                                                                          \
	}
CONSTANT (constant_few, 64)
CONSTANT (constant_one_strip, 8192)
CONSTANT (constant_even, 40000)
CONSTANT (constant_odd, 24579)
CONSTANT (constant_prime, 30011)
#undef CONSTANT

KERNEL (measured_value)
{
	unsigned s = 0;

	for (long i = 0; i < n; i++) {
		VALUE (measured_value, ints[i] * 2u)
		s += ints[i];
	}
	return s;
}
