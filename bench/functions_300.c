/* SPDX-License-Identifier: MIT */
/*
 * functions_300.c: 300 small functions in one file, each with two conditions, for the rows of
 * compile.c: with -calls each of them gets a marker at its begin and at its end. It is compiled and
 * never run.
 */
extern int odd;

/* clang-format off */
#define FUNCTION(n) int function_##n (const int *p, int q); int function_##n (const int *p, int q) { \
	int s = 1##n; \
	if (p[0] > q) s += p[1] ^ q; else if (p[2] < -1##n) odd++; else s ^= p[3] * 3; \
	return s; }
#define TEN(n) FUNCTION (n##0) FUNCTION (n##1) FUNCTION (n##2) FUNCTION (n##3) FUNCTION (n##4) \
	FUNCTION (n##5) FUNCTION (n##6) FUNCTION (n##7) FUNCTION (n##8) FUNCTION (n##9)
#define HUNDRED(n) TEN (n##0) TEN (n##1) TEN (n##2) TEN (n##3) TEN (n##4) \
	TEN (n##5) TEN (n##6) TEN (n##7) TEN (n##8) TEN (n##9)
HUNDRED (0) HUNDRED (1) HUNDRED (2)
