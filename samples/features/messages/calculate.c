/* SPDX-License-Identifier: MIT */
/* calculate.c: sums and products of whole numbers, nested. */
#include "server.h"

static void skip_blanks (const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\n'))
		++*at;
}

static long number (const char **at, const char *end)
{
	unsigned long value = 0;

	if (**at < '0' || **at > '9') {
		++*at;
		return 0;
	}
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + (unsigned long) (**at - '0');
	return (long) value;
}

/* It grows modulo 2^64, so that no input is too large. */
long calculate (const char **at, const char *end)
{
	unsigned long all, one;
	bool is_product;

	skip_blanks (at, end);
	if (*at == end)
		return 0;
	if (**at != '(')
		return number (at, end);
	++*at;
	is_product = *at < end && **at == '*';
	if (*at < end)
		++*at;
	all = is_product;
	for (;;) {
		skip_blanks (at, end);
		if (*at == end)
			return (long) all;
		if (**at == ')') {
			++*at;
			return (long) all;
		}
		one = (unsigned long) calculate (at, end);
		all = is_product ? all * one : all + one;
	}
}
