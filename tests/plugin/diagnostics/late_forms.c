/* SPDX-License-Identifier: MIT */
/* "#pragma pp dim": mistakes in its text. */
#include <pp.h>

struct pair {
	int a, b;
};
#pragma pp dim n=1

void forms (int x, struct pair pair)
{
#pragma pp interval i
#pragma pp dim
#pragma pp dim n
#pragma pp dim n=
#pragma pp dim n=x, m=2
#pragma pp dim (n=x
#pragma pp dim (n=x) m
#pragma pp dim ()
#pragma pp dim (n=x, n=2)
#pragma pp dim (a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9)
#pragma pp dim n=x++
#pragma pp dim n=(x = 3)
#pragma pp dim n=pair
#pragma pp dim n=y
#pragma pp dim 3=x
#pragma pp dims n=x
	if (x)
#pragma pp dim n=x
		;
#pragma pp dim a_key_of_more_than_63_bytes_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=x
#pragma pp dim a_key_of_more_than_63_bytes_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=x
}

/*
expect: 8:12: error: '#pragma pp dim' outside a function
expect: 13:15: error: expected a key before the end of the line
expect: 14:17: error: expected '=' before the end of the line
expect: 15:18: error: expected an expression before the end of the line
expect: 15:18: note: 'dim' takes names, members, subscripts, constants, operators, casts and calls; for anything else use a variable
expect: 16:19: error: several dimensions stand in parentheses: 'dim (KEY=EXPR, ...)'
expect: 17:20: error: expected ',' or ')' before the end of the line
expect: 18:22: error: expected the end of the line before 'm'
expect: 19:17: error: expected a key before ')'
expect: 20:22: error: dimension 'n' is given twice
expect: 21:57: error: a pragma has at most 8 dimensions, 'i' is one more
expect: 22:19: error: 'dim' must have no side effects
expect: 23:21: error: 'dim' must have no side effects
expect: 24:18: error: 'dim' needs a number or a pointer, this is 'struct pair'
expect: 25:18: error: 'y' undeclared (first use in this function)
expect: 25:18: note: each undeclared identifier is reported only once for each function it appears in
expect: 26:16: error: expected a key before '3'
expect: 27:12: error: unknown pp pragma 'dims'; did you mean 'dim'?
expect: 29:12: error: '#pragma pp dim' would be the whole body of 'if': put braces around it
expect: 31:16: error: the key 'a_key_of_more_than_63_bytes_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' has 64 bytes, of 63 at most: give the dimension a shorter one
*/
